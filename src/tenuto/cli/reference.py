"""The reference page of the command line, made from the commands themselves.

`python -m tenuto.cli.reference > docs/reference/cli.md` writes it; a test compares it.
"""

import sys
from collections.abc import Iterator

import click

from tenuto.cli.exits import MEANINGS
from tenuto.cli.root import COMMANDS, root

_INTRODUCTION = """\
* Results go to stdout; questions, progress and messages to stderr. With `--json`, stdout is one JSON document and
  nothing else, also when the command fails (`{"error": {…}}`).
* Commands that change something ask first. Without a terminal to ask at, and without `-y`, they do nothing and exit 2.
* The Conductor is found by `--url` or `TENUTO_URL`, else in the credentials file that a Conductor writes at its first
  start (`TENUTO_CREDENTIALS`); the secret by `TENUTO_SECRET`, else in that file. A secret is sent only to the place
  that it was made for.
* Colour and live progress appear on terminals only; `NO_COLOR` turns colour off. `TENUTO_DEBUG=1` shows tracebacks."""


def reference_page() -> str:
    """docs/reference/cli.md."""
    return "\n".join(_page()) + "\n"


def _page() -> Iterator[str]:
    yield "# Command line"
    yield ""
    yield "`tenuto [--url URL] [--json] [-y] COMMAND …`. A process is named by its alias or its FID."
    yield ""
    yield from _INTRODUCTION.splitlines()
    yield ""
    yield "## Exit codes"
    yield ""
    yield "| code | meaning |"
    yield "|---|---|"
    yield from (f"| {int(code)} | {meaning} |" for code, meaning in MEANINGS.items())
    context = click.Context(root, info_name="tenuto")
    for name in COMMANDS:
        command = root.get_command(context, name)
        assert command is not None
        yield from _command(command, click.Context(command, info_name=name, parent=context), level=2)


def _command(command: click.Command, context: click.Context, *, level: int) -> Iterator[str]:
    usage = " ".join(command.collect_usage_pieces(context))
    yield ""
    yield f"{'#' * level} `{context.command_path}`"
    yield ""
    yield f"`{context.command_path} {usage}`"
    for paragraph in (command.help or "").split("\n\n"):
        yield ""
        yield " ".join(paragraph.split())
    records = [record for one in command.params if (record := one.get_help_record(context))]
    yield ""
    yield from (f"* `{option}`: {text}" for option, text in records)
    for name, member in getattr(command, "commands", {}).items():
        yield from _command(member, click.Context(member, info_name=name, parent=context), level=level + 1)


if __name__ == "__main__":
    sys.stdout.write(reference_page())
