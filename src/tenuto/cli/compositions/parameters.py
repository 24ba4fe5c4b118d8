"""Values of parameters from a file, so that an environment has a file and no long command line."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click

from tenuto.cli.compositions.compiling import Source
from tenuto.cli.options.files import ExistingFile
from tenuto.errors import UserError

_F = TypeVar("_F", bound=Callable[..., Any])
_LARGEST_BYTES = 1024 * 1024


def parameters_file_option(function: _F) -> _F:
    return click.option(
        "--parameters",
        "parameters_file",
        type=ExistingFile(),
        metavar="FILE",
        help="Values of parameters, a mapping in YAML or JSON; --parameter goes before them.",
    )(function)


def keep_parameters_option(function: _F) -> _F:
    return click.option(
        "--keep-parameters",
        "keeps_parameters",
        is_flag=True,
        help="Keep the values that the process has, NoEcho ones too, of parameters that are not given.",
    )(function)


def with_parameters(source: Source, file: Path | None, *, keeps: bool = False) -> Source:
    """The source with the values of the file, where the command line has none. Raises UserError."""
    given = {**(_read(file) if file else {}), **source.parameters}
    return replace(source, parameters=given, keeps_parameters=keeps)


def _read(file: Path) -> dict[str, str]:
    # Imported here because it costs more than all of `tenuto --help`, and only this option needs it.
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    with file.open("rb") as opened:
        content = opened.read(_LARGEST_BYTES + 1)
    if len(content) > _LARGEST_BYTES:
        raise UserError(f"{file} has more than the {_LARGEST_BYTES:,} bytes that a file of parameters may have.")
    try:
        # As texts, since YAML would make a number of an account id, and a truth value of `no`.
        found = YAML(typ="base", pure=True).load(content.decode("utf-8"))
    except (YAMLError, UnicodeDecodeError, RecursionError) as wrong:
        raise UserError(f"{file} is no YAML and no JSON. Expected a mapping such as 'Stage: test'.") from wrong
    found = {} if found in (None, "") else found
    if not isinstance(found, dict):
        raise UserError(f"{file} must be a mapping of names to values, such as 'Stage: test'.")
    return {str(name): _text(file, str(name), value) for name, value in found.items()}


def _text(file: Path, name: str, value: Any) -> str:
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return ",".join(value)
    if not isinstance(value, str):
        raise UserError(f"The value of {name} in {file} must be a text, a number or a list of texts.")
    return value
