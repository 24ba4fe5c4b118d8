"""`-o FORM`: a list or a thing as a wide table, as names alone, as JSON or as YAML."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from tenuto.cli import terminal
from tenuto.cli.session import Session
from tenuto.model.ids import JsonMap

_F = TypeVar("_F", bound=Callable[..., Any])
FORMS = ("wide", "name", "json", "yaml")


def output_option(function: _F) -> _F:
    return click.option(
        "-o",
        "--output",
        type=click.Choice(FORMS),
        help="wide: every column; name: names alone, one a line; json; yaml.",
    )(function)


def emit_as(
    session: Session,
    document: JsonMap,
    form: str | None,
    render: Callable[[JsonMap], str],
    *,
    names: Callable[[JsonMap], list[str]],
) -> None:
    """Print a document in the form that was asked for; without one, as people read it. `--json` goes before."""
    if form == "json" and not session.is_json:
        terminal.out_json(document)
    elif form == "yaml" and not session.is_json:
        # Imported here because it costs more than all of `tenuto --help`.
        from tenuto.compositions.yaml_writer import to_yaml

        terminal.out(to_yaml(document).rstrip())
    elif form == "name" and not session.is_json:
        for name in names(document):
            terminal.out(name)
    else:
        session.emit(document, render)
