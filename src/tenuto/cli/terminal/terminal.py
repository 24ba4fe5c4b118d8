"""The terminal: the only place where the command line writes, and where it finds out about its output.

Theory of operation. Most shown texts come from elsewhere: names that users chose, values of a provider, errors, names
of files. So the rule is not "escape texts from outside" at each of a hundred places, but "nothing passes here raw":
each text is made `visible` (`kit.visible`) before it is written. Colour is the exception. A renderer that paints says
so (`is_painted`), and then the few sequences of our own palette pass, and no other; its data was made visible before it
was painted (`Session.emit`, `compositions.diagnostics.render`). JSON has escapes of its own, so nothing is lost.

A line break is no command, and our texts have several lines. So line breaks of others are removed where a document is
taken to be shown (`kit.visible.visible_document`): a message must not begin a line that looks like one of ours.

A test reads the source and refuses every other way to write in this package.
"""

import io
import json
import os
import re
import shutil
import sys
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from tenuto.cli.terminal.tables import filled
from tenuto.kit.visible import visible, visible_json

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live

_PAINT = re.compile(r"(\x1b\[(?:0|1|2|3[0-7])(?:;1)?m)")
"""The sequences that `click.style` and the diagnostics paint with: bold, dim, eight colours, and their end."""


_IS_UNLIMITED: ContextVar[bool] = ContextVar("tenuto_unlimited", default=False)


def is_terminal() -> bool:
    """Whether stdout is a terminal that results may be drawn on."""
    return sys.stdout.isatty()


def is_live() -> bool:
    """Whether stderr is a terminal that progress may be drawn on."""
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def unlimited() -> Iterator[None]:
    """Let nothing be cut to the width of the terminal."""
    token = _IS_UNLIMITED.set(True)
    try:
        yield
    finally:
        _IS_UNLIMITED.reset(token)


def terminal_width() -> int | None:
    """The columns of the terminal that stdout is; None when it is none, or where they are not to count."""
    if _IS_UNLIMITED.get():
        return None
    return shutil.get_terminal_size().columns if is_terminal() else None


def out(text: str, *, is_painted: bool = False, color: bool = False) -> None:
    """A result, on stdout."""
    click.echo(_shown(text, is_painted=is_painted), color=color)


def out_json(document: Any, *, indent: int | None = 2, lead: str = "") -> None:
    """A document as JSON, on stdout. Nothing of it is lost: JSON escapes characters that cannot be shown."""
    click.echo(lead + visible_json(json.dumps(document, indent=indent, ensure_ascii=False)))


def tell(text: str, *, ends_line: bool = True, is_painted: bool = False, color: bool = False) -> None:
    """A message for people, on stderr. On a terminal, prose is broken between words; a painted text is laid out."""
    shown = _shown(text, is_painted=is_painted)
    click.echo(shown if is_painted else broken(shown, _message_width()), nl=ends_line, err=True, color=color)


def broken(text: str, width: int | None) -> str:
    """A text with its lines of prose broken between words. An indented line, and one with columns, is laid out
    already."""
    if width is None:
        return text
    return "\n".join(map(partial(_broken_line, width=width), text.split("\n")))


def _broken_line(line: str, *, width: int) -> str:
    if len(line) <= width or line[:1] == " " or "  " in line.strip():
        return line
    # A question ends with a space, before the answer.
    return filled(line, width) + line[len(line.rstrip()) :]


def _message_width() -> int | None:
    """The columns of the terminal that stderr is; None when it is none."""
    if not is_live():
        return None
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or None
    except (OSError, ValueError):
        return None


def tell_over(text: str) -> None:
    """A line of progress on stderr, which the next one overwrites. Only for a terminal."""
    click.echo(f"\r\033[K{visible(text)}", nl=False, err=True, color=True)


def tell_traceback() -> None:
    """Print the traceback of the exception that is being handled, on stderr."""
    tell(traceback.format_exc(), ends_line=False)


def out_bytes(content: bytes) -> None:
    """A file, on stdout: as it is into a pipe or a file, and visible on a terminal."""
    if is_terminal():
        click.echo(visible(content.decode(errors="replace")), nl=False)
    else:
        sys.stdout.buffer.write(content)


def flush() -> None:
    """Send the written text. Raises BrokenPipeError when stdout is not read any more."""
    sys.stdout.flush()


def abandon() -> None:
    """Write to nowhere from now on: stdout is not read any more, and Python would complain again at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Told(io.TextIOBase):
    """A file whose text is told on stderr: for the output of a program that is run here."""

    def writable(self) -> bool:
        return True

    def write(self, text: str, /) -> int:
        tell(text, ends_line=False)
        return len(text)


class Drawing:
    """Lines that are drawn over themselves."""

    def __init__(self, live: "Live", console: "Console") -> None:
        self._live = live
        self._console = console

    @property
    def width(self) -> int:
        return self._console.width

    @property
    def height(self) -> int:
        return self._console.height

    def draw(self, lines: Iterable[tuple[str, str]]) -> None:
        """Show these texts, each with its style, in the place of those before."""
        from rich.console import Group
        from rich.text import Text

        shown = Group(*(Text(visible(text), style=style) for text, style in lines))
        self._live.update(shown, refresh=not self._live.auto_refresh)


@contextmanager
def drawing(*, on_stderr: bool, is_plain: bool, is_transient: bool) -> Iterator[Drawing]:
    """A drawing on stderr, which refreshes itself, or on stdout; `is_plain` is one without colour."""
    # A tenth of a second to load: only who draws on a terminal pays for it, and no plain `status`.
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=on_stderr, no_color=is_plain, highlight=False)
    with Live(console=console, auto_refresh=on_stderr, refresh_per_second=4, transient=is_transient) as live:
        yield Drawing(live, console)


def _shown(text: str, *, is_painted: bool) -> str:
    if not is_painted:
        return visible(text)
    # Of the parts, every second one is paint.
    parts = _PAINT.split(text)
    return "".join(part if index % 2 else visible(part) for index, part in enumerate(parts))
