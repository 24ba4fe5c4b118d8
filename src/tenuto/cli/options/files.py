"""Files that a user names: one that is not there is answered with the one that was probably meant."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from tenuto.cli.terminal.output_forms import CI_FORMS, Form
from tenuto.kit.nearest import meant

_FORMS = (*(one.value for one in Form), *CI_FORMS)
"""The words that choose a form at other commands. A file of such a name is rarely meant."""
_COMPOSITIONS = (".yaml", ".yml", ".json", ".template")


class ExistingFile(click.Path):
    """The type of an argument or option that names a file to read, or the folder of an assembly of the CDK."""

    def __init__(self, *, allow_dash: bool = False, takes_assemblies: bool = False) -> None:
        super().__init__(exists=True, dir_okay=takes_assemblies, allow_dash=allow_dash, path_type=Path)
        self._takes_assemblies = takes_assemblies

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from tenuto.compositions.assemblies import is_assembly

        path = Path(value)
        if self._takes_assemblies and path.is_dir() and is_assembly(path):
            return path
        if not (self.allow_dash and str(value) == "-") and (message := _missing(path, ctx)):
            raise click.UsageError(message, ctx)
        return super().convert(value, param, ctx)


class NewFile(click.Path):
    """The type of an option that names a file to write. `-o json` asks for a form elsewhere, so it is no file here."""

    def __init__(self, *, dir_okay: bool = False) -> None:
        super().__init__(dir_okay=dir_okay, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value in _FORMS:
            raise click.UsageError(
                f"-o names the file to write here, and {value!r} is probably not meant to be one. --json prints one "
                f"JSON document; -o ./{value} writes a file of that name.",
                ctx,
            )
        return super().convert(value, param, ctx)


def _missing(path: Path, ctx: click.Context | None) -> str:
    """The reason why the path names no file, and a better name; empty when it names one."""
    if re.match(r"(?:https?|s3):/", str(path)):
        return "An address is no file. Download the template, and name the file."
    try:
        if path.is_dir():
            return f"{path} is a folder. Name a file{_of(path)}."
        if path.exists():
            return ""
        if path.is_symlink():
            return f"{path} is a link to {path.readlink()}, which does not exist. Name another file."
        neighbours = [one.name for one in path.parent.iterdir()] if path.parent.is_dir() else []
    except (OSError, ValueError):
        # Click reports a path that may not be read, and a text that can be no path.
        return ""
    if not path.parent.is_dir():
        return f"There is no folder {path.parent}, so there is no file {path}. Check the path."
    if others := _files_among(ctx):
        return f"There is no file {path}, and {others[0]} is one. The file comes last."
    return f"There is no file {path}.{meant(path.name, neighbours)} Check the path."


def _of(folder: Path) -> str:
    found = sorted(one.name for one in folder.iterdir() if one.suffix in _COMPOSITIONS)
    return f" in it, such as {folder / found[0]}" if found else ""


def _files_among(ctx: click.Context | None) -> list[str]:
    """The other arguments, read so far, that name a file although they should name something else."""
    values: Iterable[Any] = ctx.params.values() if ctx is not None else ()
    return [value for value in values if isinstance(value, str) and value and Path(value).is_file()]
