"""The Conductor's log: one line per event on the standard error, with a level for each component.

Components are parts that a person would want to listen to alone. A logger belongs to the component that is the last
word of its name, or to `other`. Levels are looked up for each event, so that a change holds at once.

The logged values come from users and providers, and the log may go to a terminal: every value is made visible before
the renderer adds its colours (`kit.visible`), and so are tracebacks and the messages of libraries.

The log never ends the logged work. A line that cannot be written, on a full disk or into a pipe that nothing reads any
more, is dropped; once lines can be written again, the log tells how many are lost. Lines go to the system without a
buffer: one would keep some of the lines that could not be written, and write them after they were counted as lost.
"""

import logging
import sys
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from io import RawIOBase, StringIO
from threading import Lock
from typing import Any, TextIO

import structlog
from structlog.typing import ExcInfo, Processor

from tenuto.kit.visible import has_hidden, visible

COMPONENTS: Mapping[str, str] = {
    "api": "requests to the HTTP API",
    "audit": "the audit log of commands",
    "conductor": "start and end of the Conductor",
    "hosts": "real hosts and the agents on them",
    "jobs": "jobs of processes",
    "ledger": "the rates at which providers are called",
    "listeners": "listeners of plugins",
    "notifications": "notifications on their way to their sinks",
    "ops": "the record of provider operations",
    "phases": "runs of phases",
    "reflector": "sweeps of providers",
    "runtime": "settings that change while it runs",
    "supervisor": "the loop that drives everything",
    "web": "requests to the dashboard",
    "other": "everything else",
}
LEVELS: Mapping[str, int] = {name: getattr(logging, name) for name in ("DEBUG", "INFO", "WARNING", "ERROR")}
_CONDUCTOR = "conductor"
_OTHER = "other"
_UNQUOTED = frozenset({"event", "exception", "stack"})
"""The texts that the renderer writes as they are."""


class LogLevels:
    """The least level that is logged, by component."""

    def __init__(self, default: str) -> None:
        self.default = default
        self._levels = dict.fromkeys(COMPONENTS, LEVELS[default])

    def set(self, component: str, level: str) -> None:
        """Raises ValueError for a level that there is not."""
        if level not in LEVELS:
            raise ValueError(f"expected one of {', '.join(LEVELS)}")
        self._levels[component] = LEVELS[level]

    def sift(self, logger: Any, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        """A processor: drops an event below the level of its component."""
        component = logger.component
        if LEVELS.get(event["level"].upper(), logging.CRITICAL) < self._levels[component]:
            raise structlog.DropEvent
        event["component"] = component
        return event


class _Output:
    """The standard error, line by line. `notice` makes the line that tells how many lines are lost."""

    def __init__(self, notice: Callable[[int], str]) -> None:
        self._notice = notice
        self._lock = Lock()
        self._lost = 0
        self._rest = b""
        """The end of a line whose beginning is written."""

    def write(self, line: str) -> None:
        """Write a line, after the notice of those that are lost, or drop it."""
        with self._lock:
            try:
                if self._lost:
                    self._put(self._notice(self._lost))
                    self._lost = 0
                self._put(line)
            except (OSError, ValueError):  # ValueError: the stream is closed
                self._lost += 1

    def _put(self, line: str) -> None:
        """Write a line, or so much of it that its rest belongs to it. Raises when nothing of it is written."""
        stream = sys.stderr
        if stream is None:  # The program was started without one.
            return
        stream.flush()
        raw = getattr(getattr(stream, "buffer", None), "raw", None)
        if raw is None:
            stream.write(f"{line}\n")
            stream.flush()
            return
        while self._rest:
            self._rest = self._rest[_taken(raw, self._rest) :]
        text = f"{line}\n".encode(errors="backslashreplace")
        self._rest = text[_taken(raw, text) :]
        with suppress(OSError):
            while self._rest:
                self._rest = self._rest[_taken(raw, self._rest) :]


def _taken(raw: RawIOBase, data: bytes) -> int:
    """Write, and return the number of the written bytes. Raises OSError when there are none."""
    taken = raw.write(data)
    if not taken:
        raise BlockingIOError("the standard error takes nothing now")
    return taken


class _Lines:
    """Logs lines for one component."""

    def __init__(self, component: str, output: _Output) -> None:
        self.component = component
        self._output = output

    def msg(self, line: str) -> None:
        self._output.write(line)

    debug = info = warning = error = critical = exception = msg


def configure_log(levels: LogLevels) -> None:
    """One line per event, with a time; in colour only on a terminal."""
    is_terminal = sys.stderr is not None and sys.stderr.isatty()
    written: tuple[Processor, ...] = (
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _made_visible,
        structlog.dev.ConsoleRenderer(colors=is_terminal, exception_formatter=_visible_traceback),
    )
    output = _Output(lambda lost: _notice(lost, written))

    def logger(name: str = "", *rest: object) -> _Lines:
        component = name.rpartition(".")[2]
        return _Lines(component if component in COMPONENTS else _OTHER, output)

    structlog.configure(
        processors=[structlog.processors.add_log_level, levels.sift, *written],
        wrapper_class=structlog.make_filtering_bound_logger(logging.DEBUG),
        logger_factory=logger,
    )
    # The messages that libraries log by themselves, from WARNING on, as without it.
    logging.lastResort = _Last(logging.WARNING)


def _notice(lost: int, processors: Iterable[Processor]) -> str:
    """The line that tells how many lines before it are lost. No level hides it."""
    reason = "the standard error could not be written: its disk was full, or nothing read it"
    event: Any = {"event": "log.lines_lost", "level": "warning", "lines": lost, "reason": reason}
    event["component"] = _CONDUCTOR
    for one in processors:
        event = one(None, "warning", event)
    return str(event)


def _made_visible(logger: Any, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """A processor: no value moves a cursor. A value that is no text, has several lines, or hidden characters, is
    rendered as Python writes it.
    """
    for name, value in event.items():
        if isinstance(value, str) and has_hidden(value):
            event[name] = visible(value) if name in _UNQUOTED else _Quoted(value)
    return event


@dataclass(frozen=True, slots=True, repr=False)
class _Quoted:
    """A text that the renderer writes as Python does: escaped once. What is visible already would be escaped again,
    and look like a text that spells an escape."""

    text: str

    def __repr__(self) -> str:
        return repr(self.text)


def _visible_traceback(file: TextIO, exc_info: ExcInfo) -> None:
    """A traceback without local variables: among them are the properties of requests in clear."""
    text = StringIO()
    structlog.dev.plain_traceback(text, exc_info)
    file.write(visible(text.getvalue()))


class _Last(logging.Handler):
    """The handler that writes a record that no other one takes to the standard error."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            sys.stderr.write(f"{visible(self.format(record))}\n")
        except Exception:  # noqa: BLE001 - a log that cannot be written never ends the logged work
            self.handleError(record)
