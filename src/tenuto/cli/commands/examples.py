"""`tenuto examples …`."""

from pathlib import Path

import click

from tenuto.cli.commands.init import next_steps
from tenuto.cli.compositions.example_files import EXAMPLES
from tenuto.cli.options.groups import group
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import pass_session
from tenuto.cli.terminal.exits import CommandEnd, Exit
from tenuto.cli.terminal.output_forms import listed
from tenuto.cli.terminal.session import Session
from tenuto.cli.terminal.tables import table
from tenuto.cli.terminal.terminal import terminal_width
from tenuto.errors import UserError
from tenuto.kit.nearest import meant
from tenuto.model.ids import JsonMap


@make_command("list", "tenuto examples list", names=listed("examples", "name"))
@pass_session
def list_examples(session: Session) -> None:
    """List the examples that come with Tenuto."""
    found = [
        {"name": one.name, "provider": one.provider, "summary": one.summary, "file": one.file}
        for one in EXAMPLES.values()
    ]
    session.emit({"examples": found}, _render)


@make_command("copy", "tenuto examples copy queue", "tenuto examples copy bucket logs.yaml")
@click.argument("name")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), required=False)
@pass_session
def copy(session: Session, name: str, file: Path | None) -> None:
    """Copy an example to a file; a file that exists is never overwritten."""
    if name not in EXAMPLES:
        raise UserError(f"There is no example {name!r}.{meant(name, EXAMPLES)} There are {', '.join(EXAMPLES)}.")
    example = EXAMPLES[name]
    target = file or Path(example.file)
    try:
        with target.open("x", encoding="utf-8") as made:
            made.write(example.text())
    except FileExistsError:
        raise CommandEnd(Exit.USAGE, f"{target} exists, and is not overwritten. Name another file.") from None
    session.emit({"files": [str(target)], "provider": example.provider}, lambda _: next_steps(example, target))


def _render(document: JsonMap) -> str:
    rows = [(one["name"], one["provider"], one["summary"]) for one in document["examples"]]
    shown = table(("Example", "Provider", "What it is"), rows, width=terminal_width())
    return f"{shown}\n\n'tenuto init NAME' begins with one."


command = group("examples", "List examples of compositions, and copy one.", list_examples, copy)
