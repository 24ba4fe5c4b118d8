"""The scheduler: which process is due, and never two jobs of one process at once.

It keeps only times. A wake-up says "look at this process", never what happened to it (level, not edge), so that a lost
or doubled wake-up costs at most one period. User commands are served first because they make their process due at once,
and the one that has been due longest goes first.
"""

import threading
from collections.abc import Iterable

from tenuto.model.ids import Fid, Instant


class Scheduler:
    """Due times by process. Thread-safe."""

    def __init__(self) -> None:
        self._due: dict[Fid, Instant] = {}
        self._in_flight: set[Fid] = set()
        self._woken: set[Fid] = set()
        self._lock = threading.Lock()

    def wake(self, fid: Fid, at: Instant) -> None:
        """Look at the process at `at` or before. While it is being looked at, it is looked at once more after."""
        with self._lock:
            if fid in self._in_flight:
                self._woken.add(fid)
            self._due[fid] = min(at, self._due.get(fid, at))

    def collect(self, now: Instant) -> tuple[Fid, ...]:
        """The processes that are due and not being looked at, longest due first, marked as being looked at."""
        with self._lock:
            due = sorted((at, fid) for fid, at in self._due.items() if at <= now and fid not in self._in_flight)
            for _, fid in due:
                del self._due[fid]
                self._in_flight.add(fid)
            return tuple(fid for _, fid in due)

    def settle(self, fid: Fid, next_at: Instant | None, now: Instant) -> None:
        """The look is over; the next is at `next_at` (None: the process is gone), or now when woken meanwhile."""
        with self._lock:
            self._in_flight.discard(fid)
            if fid in self._woken:
                self._woken.discard(fid)
                next_at = now
            if next_at is not None:
                self._due[fid] = min(next_at, self._due.get(fid, next_at))

    def load(self, due: Iterable[tuple[Fid, Instant]]) -> None:
        """At start, and now and then in case another Conductor's process came to us."""
        for fid, at in due:
            self.wake(fid, at)

    def waiting(self, now: Instant) -> tuple[int, float]:
        """How many processes are due and not being looked at, and for how long the oldest of them has been."""
        with self._lock:
            due = [at for fid, at in self._due.items() if at <= now and fid not in self._in_flight]
        return len(due), now - min(due, default=now)

    def next_wake(self) -> Instant | None:
        with self._lock:
            times = [at for fid, at in self._due.items() if fid not in self._in_flight]
        return min(times, default=None)
