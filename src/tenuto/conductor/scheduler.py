"""The scheduler: which process is due, and never two jobs of one process at once.

It keeps only times and how urgent a look is. A wake-up says "look at this process", never what happened to it (level,
not edge), so that a lost or doubled wake-up costs at most one period. The order among those that are due is that of
`core.cadence`: commands, repairs, routine, with ageing. Whoever collects takes no more than can be worked on at once,
so that what becomes due meanwhile can still go first.
"""

import threading
from collections.abc import Iterable

from tenuto.core.cadence import Due, Urgency, in_order, more_urgent
from tenuto.model.ids import Fid, Instant

_AT_ONCE_S = 1.0
"""Whoever wants to be looked at again this soon is in the middle of something."""


class Scheduler:
    """Due times by process. Thread-safe."""

    def __init__(self) -> None:
        self._due: dict[Fid, Due] = {}
        self._in_flight: set[Fid] = set()
        self._woken: dict[Fid, Urgency] = {}
        self._lock = threading.Lock()

    def wake(self, fid: Fid, at: Instant, urgency: Urgency = Urgency.REPAIR) -> None:
        """Look at the process at `at` or before. While it is being looked at, it is looked at once more after."""
        with self._lock:
            if fid in self._in_flight:
                self._woken[fid] = more_urgent(urgency, self._woken.get(fid, urgency))
            self._put(fid, at, urgency)

    def collect(self, now: Instant, limit: int | None = None) -> tuple[Fid, ...]:
        """The processes that are due and not being looked at, marked as being looked at; at most `limit`, if given."""
        with self._lock:
            due = in_order(one for fid, one in self._due.items() if one.at <= now and fid not in self._in_flight)
            chosen = due if limit is None else due[: max(0, limit)]
            for one in chosen:
                del self._due[one.fid]
                self._in_flight.add(one.fid)
            return tuple(one.fid for one in chosen)

    def settle(self, fid: Fid, next_at: Instant | None, now: Instant) -> None:
        """The look is over; the next is at `next_at` (None: the process is gone), or now when woken meanwhile."""
        with self._lock:
            self._in_flight.discard(fid)
            urgency = Urgency.ROUTINE
            if fid in self._woken:
                urgency, next_at = self._woken.pop(fid), now
            elif next_at is not None and next_at - now < _AT_ONCE_S:
                urgency = Urgency.REPAIR
            if next_at is not None:
                self._put(fid, next_at, urgency)

    def load(self, due: Iterable[Due]) -> None:
        """At start, and now and then in case another Conductor's process came to us."""
        for one in due:
            self.wake(one.fid, one.at, one.urgency)

    def waiting(self, now: Instant) -> tuple[int, float]:
        """How many processes are due and not being looked at, and for how long the oldest of them has been."""
        with self._lock:
            due = [one.at for fid, one in self._due.items() if one.at <= now and fid not in self._in_flight]
        return len(due), now - min(due, default=now)

    def next_wake(self) -> Instant | None:
        with self._lock:
            times = [one.at for fid, one in self._due.items() if fid not in self._in_flight]
        return min(times, default=None)

    def _put(self, fid: Fid, at: Instant, urgency: Urgency) -> None:
        """The earlier time and the greater urgency of what is known and what is new."""
        before = self._due.get(fid)
        if before is not None:
            at, urgency = min(at, before.at), more_urgent(urgency, before.urgency)
        self._due[fid] = Due(fid=fid, at=at, urgency=urgency)
