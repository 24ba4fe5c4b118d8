"""The reference pages of the command line, made from the commands themselves.

`python -m tenuto.cli.reference docs/reference` writes them; a test compares them.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from tenuto.cli.options.options import TenutoCommand
from tenuto.cli.root import COMMANDS, root
from tenuto.cli.terminal.exits import MEANINGS
from tenuto.core.access.admission import ALLOWED_IN
from tenuto.model.command import ProcessState

_INTRODUCTION = """\
* Results go to stdout; questions, progress and messages to stderr. With `--json`, stdout is one JSON document and
  nothing else, also when the command fails (`{"error": {…}}`).
* `-o json` is the same, and `-o yaml` prints the document as YAML, wherever `-o` does not name a file. Commands that
  list things, or show one, also take `-o name` (names alone, one a line, for scripts) and `-o wide` (every column,
  nothing cut to the width of the terminal). Below 70 columns a table of many columns becomes a block of lines for
  each row.
* Commands that change something ask first. Without a terminal to ask at, and without `-y`, they do nothing and exit 2.
* The Conductor is found by `--url` or `TENUTO_URL`, else in the credentials file that a Conductor writes at its first
  start (`TENUTO_CREDENTIALS`); the secret by `TENUTO_SECRET`, else in that file. A secret is sent only to the place
  that it was made for, and beyond this machine only over TLS: `--ca-cert` names a private authority, and `--insecure`
  allows plain HTTP ([TLS](../guide/tls.md)).
* Arguments are UTF-8, names of files too. One that is not is wrong usage (exit 2).
* A command, option or name that does not exist is answered with the one that was probably meant, also for words of
  other tools: `tenuto destroy` asks whether you meant `kill`.
* An answer that is late is told after 5 seconds, once, on stderr. A question is given up after a minute (exit 8), or
  after five when it makes a plan or looks at a cloud. A command is given five minutes too, and may have been taken.
* Options go before variables, variables before the configuration file: `tenuto config` shows what holds, and
  [Configuration](../guide/configuration.md) explains it. Every call is logged, without secrets.
* Colour and live progress appear on terminals only; `NO_COLOR` turns colour off. `TENUTO_DEBUG=1` shows tracebacks.
* Control characters, and characters that are hidden or turn the direction of writing, are never written raw, wherever
  they come from: they are shown as escapes such as `\\x1b` and `\\u202e`. JSON keeps them, as escapes of its own."""


def reference_pages() -> dict[str, str]:
    """The pages below docs/reference, by their path: an index, and a page for each command."""
    context = click.Context(root, info_name="tenuto")
    pages = {"cli.md": "\n".join(_index()) + "\n"}
    for name in COMMANDS:
        command = root.get_command(context, name)
        assert command is not None
        lines = _page(command, click.Context(command, info_name=name, parent=context), level=1)
        pages[f"commands/{name}.md"] = "\n".join(lines) + "\n"
    return pages


def _index() -> Iterator[str]:
    yield "# Command line"
    yield ""
    yield "`tenuto [--url URL] [--ca-cert FILE] [--insecure] [--json] [-y] COMMAND …`. A process is named by"
    yield "its alias or its FID."
    yield ""
    yield from _INTRODUCTION.splitlines()
    yield ""
    yield "## Commands"
    yield ""
    yield from (f"* [`{name}`](commands/{name}.md): {summary}" for name, summary in COMMANDS.items())
    yield ""
    yield "## Exit codes"
    yield ""
    yield "| code | meaning |"
    yield "|---|---|"
    yield from (f"| {int(code)} | {meaning} |" for code, meaning in MEANINGS.items())


def _page(command: click.Command, context: click.Context, *, level: int) -> Iterator[str]:
    yield f"{'#' * level} `{context.command_path}`"
    yield ""
    yield f"`{context.command_path} {' '.join(command.collect_usage_pieces(context))}`"
    for paragraph in (command.help or "").split("\n\n"):
        yield ""
        yield " ".join(paragraph.split())
    yield from _states(context.command_path)
    yield ""
    records = [record for one in command.params if (record := one.get_help_record(context)) and record[1]]
    yield from (f"* `{option}`: {text}" for option, text in records)
    if isinstance(command, TenutoCommand):
        yield ""
        yield "```console"
        yield from (f"$ {line}" for line in command.examples)
        yield "```"
    for name, member in getattr(command, "commands", {}).items():
        yield ""
        yield from _page(member, click.Context(member, info_name=name, parent=context), level=level + 1)


def _states(path: str) -> Iterator[str]:
    """Yield the states that allow a command, for the commands that the lifecycle of processes restricts."""
    states = next((found for name, found in ALLOWED_IN.items() if path == f"tenuto {name.value}"), None)
    if states:
        yield ""
        yield f"Allowed while the process is {' or '.join(state for state in ProcessState if state in states)}."


def write_pages(folder: Path) -> None:
    """Write the pages below `folder`, and remove those of commands that are no more."""
    (folder / "commands").mkdir(exist_ok=True)
    pages = reference_pages()
    for stale in {f"commands/{path.name}" for path in (folder / "commands").glob("*.md")} - pages.keys():
        (folder / stale).unlink()
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_pages(Path(sys.argv[1]))
