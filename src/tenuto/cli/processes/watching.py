"""`status --watch`: the same again and again, until Ctrl-C. Drawn over itself on a terminal; elsewhere one line for
each thing that changed, with its time, so that a log of it grows with the changes.

A Conductor that does not answer for a while is said to be away, and asked again: the user wants to see it come
back. A process that is gone ends the watch.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol

from tenuto.cli.processes.waiting import REST
from tenuto.cli.render.process import last_message, resource_message
from tenuto.cli.terminal import terminal
from tenuto.cli.terminal.exits import ApiProblem, Exit, UnreachableError
from tenuto.cli.terminal.session import Session
from tenuto.cli.terminal.times import time_of_day
from tenuto.kit.visible import visible_document
from tenuto.model.ids import JsonMap
from tenuto.ports.clock import Clock

PERIOD_S = 2.0
"""Seconds between two reads: fewer than a person needs to read the screen."""

Read = Callable[[], JsonMap]


class Screen(Protocol):
    """A display of the documents that a watch reads."""

    def show(self, document: JsonMap) -> None: ...

    def note(self, text: str) -> None:
        """Show a text about the watch itself; an empty one takes the last away."""
        ...


def watch(session: Session, read: Read, render: Callable[[JsonMap], str], clock: Clock) -> int:
    """Show the documents that are read until Ctrl-C, or until the process is gone. Returns the exit code."""
    with _screen(session, render) as screen:
        try:
            return _follow(read, screen, clock)
        except KeyboardInterrupt:
            return Exit.DONE


def _follow(read: Read, screen: Screen, clock: Clock) -> int:
    """Raises ApiProblem when the very first read is refused: then there is nothing to watch."""
    has_begun = False
    while True:
        asked_at = clock.now()
        took_s = 0.0
        try:
            document = read()
            took_s = clock.now() - asked_at
            screen.show(document)
            has_begun = True
        except UnreachableError as away:
            screen.note(f"{away} Trying again; Ctrl-C ends this.")
        except ApiProblem as problem:
            if has_begun and problem.code == "not-found":
                screen.note("The process is gone. 'tenuto history' tells how.")
                return Exit.DONE
            if not has_begun or problem.code in ("permission", "user"):
                raise
            screen.note(f"{problem} Trying again; Ctrl-C ends this.")
        clock.sleep(max(PERIOD_S, REST * took_s))


@contextmanager
def _screen(session: Session, render: Callable[[JsonMap], str]) -> Iterator[Screen]:
    if not session.is_terminal:
        yield Lines()
        return
    plain = session.settings.no_color
    with terminal.drawing(on_stderr=False, is_plain=plain, is_transient=False) as drawing:
        yield Drawn(lambda text: drawing.draw([(text, "")]), render)


class Drawn:
    """The text of `status`, drawn over itself."""

    def __init__(self, update: Callable[[str], None], render: Callable[[JsonMap], str]) -> None:
        self._update = update
        self._render = render
        self._text = ""

    def show(self, document: JsonMap) -> None:
        self._text = self._render(visible_document(document))
        self._update(self._text)

    def note(self, text: str) -> None:
        self._update(f"{self._text}\n\n{text}" if self._text else text)


class Lines:
    """A line for each process and resource when it is not as it was."""

    def __init__(self) -> None:
        self._told: dict[str, str] = {}
        self._note = ""

    def show(self, document: JsonMap) -> None:
        self._note = ""
        now = dict(_things(visible_document(document)))
        for name, text in now.items():
            if self._told.get(name) != text:
                _say(f"{name}: {text}")
        for name in self._told.keys() - now.keys():
            _say(f"{name}: gone")
        self._told = now

    def note(self, text: str) -> None:
        if text != self._note:
            self._note = text
            _say(text)


def _say(text: str) -> None:
    terminal.out(f"{time_of_day()} {text}")


def _things(document: JsonMap) -> Iterator[tuple[str, str]]:
    """The watched things, each with its state in one line: all processes, or one and its resources."""
    processes = document.get("processes")
    for one in [document] if processes is None else processes:
        message = last_message(one)
        yield str(one["alias"] or one["fid"]), f"{one['state']}{f', {message}' if message else ''}"
    resources: Mapping[str, JsonMap] = document.get("resources") or {}
    for name, one in resources.items():
        parts = (one["state"] or "", one["status"], resource_message(one), ", ".join(one["drift"]))
        yield name, " ".join(part for part in parts if part)
