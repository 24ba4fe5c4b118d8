"""`tenuto init [KIND]`."""

from pathlib import Path

import click

from tenuto.cli.compositions.example_files import EXAMPLES, Example
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import pass_session
from tenuto.cli.terminal.exits import CommandEnd, Exit
from tenuto.cli.terminal.session import Session
from tenuto.errors import UserError
from tenuto.kit.nearest import meant

_IGNORED = """\
# Plan files hold sealed secrets, and credentials files open ones.
*.plan.json
credentials
"""


def _check_kind(ctx: click.Context, param: click.Parameter, text: str) -> Example:
    if text not in EXAMPLES:
        raise UserError(f"There is no example {text!r}.{meant(text, EXAMPLES)} There are {', '.join(EXAMPLES)}.")
    return EXAMPLES[text]


@make_command("init", "tenuto init --folder shop", "tenuto init bucket --folder logs")
@click.argument("kind", metavar="[KIND]", default="vpc", callback=_check_kind)
@click.option(
    "--folder", type=click.Path(file_okay=False, path_type=Path), default=".", help="Where to write; default: here."
)
@pass_session
def command(session: Session, kind: Example, folder: Path) -> None:
    """Write a composition to begin with.

    KIND is the name of an example ('tenuto examples list' shows them); default: vpc. A file that exists is never
    overwritten.
    """
    written = {folder / kind.file: kind.text()}
    ignored = folder / ".gitignore"
    if not ignored.exists():
        written[ignored] = _IGNORED
    if (folder / kind.file).exists():
        raise CommandEnd(
            Exit.USAGE, f"{folder / kind.file} exists, and is not overwritten. Name another folder with --folder."
        )
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in written.items():
        path.write_text(text, encoding="utf-8")
    document = {"files": [str(path) for path in written], "provider": kind.provider}
    session.emit(document, lambda _: next_steps(kind, folder / kind.file))


def next_steps(example: Example, file: Path) -> str:
    """The commands that come next. The Conductor must have the provider of the example."""
    provider = "" if example.provider == "aws" else f" --provider {example.provider}"
    return "\n".join(
        [
            f"Wrote {file}: {example.summary}. Next:",
            f"  tenuto conductor{provider}    (in a terminal of its own)",
            f"  tenuto run {file} -a {example.name} --wait",
            f"  tenuto status {example.name} --watch",
        ]
    )
