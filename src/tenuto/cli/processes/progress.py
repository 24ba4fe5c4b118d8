"""Progress of a process: live on a terminal, lines elsewhere. Always on stderr."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from tenuto.cli.render.process import resource_message
from tenuto.cli.terminal import terminal
from tenuto.cli.terminal.session import Session
from tenuto.cli.terminal.tables import MEDIUM, NARROW, table
from tenuto.model.ids import JsonMap

_HEADROOM = 8
"""Lines that the table leaves free: its heading and rest, the line of the process and a prompt with its answer."""
_TINTS = {"ready": "green", "failed": "bold red", "running": "cyan", "sleeping": "cyan", "gone": "dim"}


class Progress(Protocol):
    """The display of a wait."""

    def show(self, document: JsonMap) -> None:
        """The process as it is now."""
        ...

    def note(self, text: str) -> None:
        """Show a text about the wait itself."""
        ...


@contextmanager
def progress_on(session: Session) -> Iterator[Progress]:
    """The progress that fits stderr."""
    if not session.is_live:
        yield PlainProgress(session)
        return
    plain = session.settings.no_color
    with terminal.drawing(on_stderr=True, is_plain=plain, is_transient=True) as drawing:
        yield LiveProgress(drawing)


class PlainProgress:
    """A line when the counts change, and every message once, with the first that has it.

    So a log of a wait is as long as the things that happened, however many resources they happened to. A failed
    resource is counted, and its message is left to the end of the wait, which tells it with advice.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._told: set[str] = set()
        self._head = ""

    def show(self, document: JsonMap) -> None:
        self.note(counts_line(document))
        if document["last_message"] and document["state"] != "Suspended":
            self._tell_once("last job", document["last_message"])
        for name, one in document["resources"].items():
            message = resource_message(one)
            if message and one["status"] != "failed":
                self._tell_once(f"{name}: {one['status']}", message)

    def note(self, text: str) -> None:
        if text != self._head:
            self._head = text
            self._session.say(text)

    def _tell_once(self, who: str, message: str) -> None:
        if message not in self._told:
            self._told.add(message)
            self._session.say(f"  {who}: {message}")


class LiveProgress:
    """A table that is drawn over itself: the resources at work, and the count of each state."""

    def __init__(self, drawing: terminal.Drawing) -> None:
        self._drawing = drawing
        self._shown: list[tuple[str, str]] = []

    def show(self, document: JsonMap) -> None:
        lines = _bodies(document, rows=max(1, self._drawing.height - _HEADROOM), width=self._drawing.width)
        self._shown = [(process_line(document), "bold"), *lines]
        self._drawing.draw(self._shown)

    def note(self, text: str) -> None:
        self._drawing.draw([*self._shown, (text, "yellow")])


def process_line(document: JsonMap) -> str:
    """The process in one line: state, counts by status, last message."""
    message = f" — {document['last_message']}" if document["last_message"] else ""
    return f"{counts_line(document)}{message}"


def counts_line(document: JsonMap) -> str:
    """Return the state, and the counts by status, in one line."""
    told = ", ".join(f"{count} {status}" for status, count in document["counts"].items())
    return f"{document['alias'] or document['fid']} {document['state']}: {told or 'no resources'}"


def _type(name: str, width: int) -> str:
    """The type, without its cloud where there is little room; empty where a name and a state fill the line."""
    if width < NARROW:
        return ""
    return name.removeprefix("AWS::") if width < MEDIUM else name


def _bodies(document: JsonMap, *, rows: int, width: int) -> Iterator[tuple[str, str]]:
    """A table of as many resources as there are rows, in the order in which they were sent."""
    shown = list(document["resources"].items())[:rows]
    headings = ("Resource", "Type", "State", "Status", "Message")
    cells = [
        (name, _type(one["type"], width), one["state"] or "", one["status"], resource_message(one))
        for name, one in shown
    ]
    text = table(headings, cells, width=width, whole=("State", "Status"), is_redrawn=True)
    if not text:
        return
    heading, rule, *lines = text.splitlines()
    yield f"{heading}\n{rule}", "bold"
    for (_, one), line in zip(shown, lines, strict=True):
        yield line, _TINTS.get(one["status"], "")
    if (more := sum(document["counts"].values()) - len(shown)) > 0:
        yield f"… and {more} more", ""
