"""Pointers: names that can be pointed elsewhere, and the last answer of AWS about each of them.

An answer is good for a while, or until a newer one is wanted: a person who gives a command means the thing that a name
stands for then. That AWS told nothing is an answer, too.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock

from tenuto.model.ids import Instant
from tenuto.ports.clock import Clock

KEPT_S = 300.0
"""An alias of a key is moved when the key is replaced, once a year; a drift that this hides for minutes is no harm."""

Read = Callable[[Sequence[str]], Mapping[str, str]]
"""The question for the values that pointers stand for. A pointer that it leaves out is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """The target of a pointer, if there was an answer, and the moment before it was asked for."""

    target: str | None
    asked_at: Instant


class Pointers:
    """The memory of one client. Thread-safe."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = Lock()
        self._told: dict[str, _Told] = {}

    def of(self, names: Sequence[str], since: Instant, read: Read) -> Mapping[str, str]:
        """The target of each name, as asked after `since`; a name without an answer is left out."""
        now = self._clock.now()
        not_before = max(since, Instant(now - KEPT_S))
        with self._lock:
            old = [name for name in names if name not in self._told or self._told[name].asked_at < not_before]
        fresh = read(old) if old else {}
        with self._lock:
            self._told |= {name: _Told(target=fresh.get(name), asked_at=now) for name in old}
            told = {name: self._told[name].target for name in names}
        return {name: target for name, target in told.items() if target is not None}
