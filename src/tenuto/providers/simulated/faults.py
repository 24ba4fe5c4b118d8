"""The faults that were ordered: each waits for the calls that it is about, and is used up by them.

A fault is a value, so that a script, a property test and an assertion speak of the same thing. Faults are looked up in
the order in which they were added; one call meets at most one.
"""

import threading
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum


class FaultKind(StrEnum):
    THROTTLED = "throttled"
    """Certainly not done: too many requests."""
    UNAVAILABLE = "unavailable"
    """The act is not done, but the caller cannot know."""
    LOST = "lost"
    """Done, but the answer got lost on its way."""
    DENIED = "denied"
    """Refused for good."""
    ECHOED = "echoed"
    """Refused for good, in words that repeat every property of the request, as AWS does."""
    IGNORED = "ignored"
    """The modification is answered as if it were done, and not done."""
    SLOW = "slow"
    """Done, but it takes `seconds` longer until it is ready or gone."""
    DOWN = "down"
    """The whole call fails in a way that may pass; nothing is known of any item."""
    FORBIDDEN = "forbidden"
    """The whole call is refused, as with bad credentials."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One ordered fault.

    `operation` is a method of the provider port. `subject` is a logical id, a type (`Simulated::Subnet` or `Subnet`), a
    source of sweeps, or `*`. It is met `times` times.
    """

    kind: FaultKind
    operation: str
    subject: str = "*"
    times: int = 1
    seconds: float = 60.0


WHOLE = frozenset({FaultKind.DOWN, FaultKind.FORBIDDEN})


class Faults:
    """The queue of ordered faults. Thread-safe."""

    def __init__(self) -> None:
        self._waiting: list[Fault] = []
        self._lock = threading.Lock()

    def add(self, fault: Fault) -> None:
        with self._lock:
            self._waiting.append(fault)

    def clear(self) -> None:
        """Repair all that was broken."""
        with self._lock:
            self._waiting.clear()

    def waiting(self) -> tuple[Fault, ...]:
        """The faults that have not been met yet."""
        with self._lock:
            return tuple(self._waiting)

    def meet(self, operation: str, subjects: Iterable[str], *, whole: bool) -> Fault | None:
        """The next fault about this call, used up once. `whole` asks for those of whole calls, and only those."""
        names = {"*"}
        for subject in subjects:
            names |= {subject, subject.rpartition("::")[2]}
        with self._lock:
            for place, fault in enumerate(self._waiting):
                if fault.operation == operation and fault.subject in names and (fault.kind in WHOLE) is whole:
                    self._waiting[place : place + 1] = (
                        [replace(fault, times=fault.times - 1)] if fault.times > 1 else []
                    )
                    return fault
        return None
