"""The scheduler: which process is due, and never two jobs of one process at once.

It keeps only times and how urgent a job is. A wake-up says "look at this process", and never tells an event of it
(level, not edge), so that a lost or doubled wake-up costs at most one period. The order among those that are due is
that of `core.pacing.cadence`: commands, repairs, routine, with ageing. A collector takes no more than can be worked on
at once, so that a job that becomes due meanwhile can still go first.
"""

import heapq
import itertools
import threading
from collections.abc import Iterable

from tenuto.core.pacing.cadence import Due, Rank, Urgency, more_urgent, rank
from tenuto.model.ids import Fid, Instant

_AT_ONCE_S = 1.0
"""A process that wants its next pass this soon is in the middle of something."""


class Scheduler:
    """The due times of the jobs, by process. Thread-safe.

    `_due` alone counts. Two heaps find the next one in it without looking at all: by time, and, once the time has come,
    by rank. An entry of a heap that does not count any more is passed over when its turn comes.
    """

    def __init__(self) -> None:
        self._due: dict[Fid, Due] = {}
        self._later: list[tuple[Instant, int, Due]] = []
        self._ready: list[tuple[Rank, int, Due]] = []
        self._number = itertools.count()
        self._in_flight: set[Fid] = set()
        self._woken: dict[Fid, Urgency] = {}
        self._lock = threading.Lock()

    def wake(self, fid: Fid, at: Instant, urgency: Urgency = Urgency.REPAIR) -> None:
        """Make the process due at `at` or before. While it is being worked on, one more pass follows."""
        with self._lock:
            if fid in self._in_flight:
                self._woken[fid] = more_urgent(urgency, self._woken.get(fid, urgency))
            else:
                self._put(fid, at, urgency)

    def collect(self, now: Instant, limit: int | None = None) -> tuple[Fid, ...]:
        """The processes that are due and not in work, marked as in work from now on; at most `limit`, if given."""
        chosen: list[Fid] = []
        with self._lock:
            while self._later and self._later[0][0] <= now:
                _, number, due = heapq.heappop(self._later)
                if self._counts(due):
                    heapq.heappush(self._ready, (rank(due), number, due))
            while self._ready and (limit is None or len(chosen) < limit):
                _, _, due = heapq.heappop(self._ready)
                if self._counts(due):
                    del self._due[due.fid]
                    self._in_flight.add(due.fid)
                    chosen.append(due.fid)
        return tuple(chosen)

    def settle(self, fid: Fid, next_at: Instant | None, now: Instant) -> None:
        """The job is over; the next is at `next_at` (None: the process is gone), or now when woken meanwhile."""
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
        """Note many due times at once: at start, and every period, so that a wake-up that was lost delays no process
        for longer.
        """
        for one in due:
            self.wake(one.fid, one.at, one.urgency)

    def waiting(self, now: Instant) -> tuple[int, float]:
        """Return how many processes are due and not in work, and for how long the oldest of them has been."""
        with self._lock:
            due = [one.at for one in self._due.values() if one.at <= now]
        return len(due), now - min(due, default=now)

    def next_wake(self) -> Instant | None:
        """Return the moment when anything is due next: one that is over when something is due already."""
        with self._lock:
            while self._ready and not self._counts(self._ready[0][-1]):
                heapq.heappop(self._ready)
            while self._later and not self._counts(self._later[0][-1]):
                heapq.heappop(self._later)
            return min((heap[0][-1].at for heap in (self._ready, self._later) if heap), default=None)

    def _counts(self, due: Due) -> bool:
        return self._due.get(due.fid) is due

    def _put(self, fid: Fid, at: Instant, urgency: Urgency) -> None:
        """Note the earlier time and the greater urgency of the known entry and the new one."""
        before = self._due.get(fid)
        if before is not None:
            at, urgency = min(at, before.at), more_urgent(urgency, before.urgency)
        due = Due(fid=fid, at=at, urgency=urgency)
        if due != before:
            self._due[fid] = due
            heapq.heappush(self._later, (at, next(self._number), due))
