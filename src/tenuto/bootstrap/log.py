"""The Conductor's log: one line per event on the standard error, with a level for each component.

Components are parts that a person would want to listen to alone. A logger belongs to the component that is the last
word of its name, or to `other`. Levels are looked up for each event, so that a change holds at once.

The logged values come from users and providers, and the log may go to a terminal: every value is made visible before
the renderer adds its colours (`kit.visible`), and so are tracebacks and the messages of libraries.
"""

import logging
import sys
from collections.abc import Mapping, MutableMapping
from io import StringIO
from typing import Any, TextIO

import structlog
from structlog.typing import ExcInfo

from tenuto.kit.visible import visible

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
_OTHER = "other"


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


class _Lines(structlog.PrintLogger):
    """Prints lines for one component."""

    def __init__(self, component: str) -> None:
        super().__init__(sys.stderr)
        self.component = component


def _logger(name: str = "", *rest: object) -> _Lines:
    component = name.rpartition(".")[2]
    return _Lines(component if component in COMPONENTS else _OTHER)


def configure_log(levels: LogLevels) -> None:
    """One line per event, with a time; in colour only on a terminal."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            levels.sift,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _made_visible,
            structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=_visible_traceback),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.DEBUG),
        logger_factory=_logger,
    )
    # The messages that libraries log by themselves, from WARNING on, as without it.
    logging.lastResort = _Last(logging.WARNING)


def _made_visible(logger: Any, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """A processor: no value moves a cursor. A value that is no text, or has several lines, is rendered as Python writes
    it.
    """
    for name, value in event.items():
        if isinstance(value, str):
            event[name] = visible(value)
    return event


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
