"""The cleaner: removes expired rows, some hundred at a time, so that the size of the store follows the size of the
running processes.

Theory of operation. A *round* goes through the kinds in their order (`model.retention.Remnant`). Of each it removes the
rows that are older than its rule allows, then the rows beyond its number, in batches. Each batch is a commit of its own
with a pause after it: a commit of a job waits for one batch at most. The store says which rows are still needed, and
says it again in the transaction that removes (`ports.store_retention`). A round that finds nothing reads a few indexes
and writes nothing; the counting is done once in a round, and only for kinds with a number.

Rounds are an hour apart, or as far as the shortest age that a person gave: events that are kept for ten minutes are not
kept for seventy. The first round begins an interval after the start, and not at it: a clock that was wrong when the
machine started has been set by then, as a rule, and history that was removed by a wrong clock does not come back. A
Conductor that follows another one after a step of the clock waits anew.

Removal by age waits while the clock may be wrongly ahead (`conductor.leading.timekeeper`); a number needs no clock.

There is one event for each kind and round. An event that would tell of nothing but such events is not written, or
an idle Conductor would write one a day for each that it removes. All commits are fenced like those of every other part.
"""

import threading
from collections import deque
from collections.abc import Callable

import structlog

from tenuto.errors import ConflictError, StoreError
from tenuto.kit.times import iso_text
from tenuto.model.event import Event, EventType
from tenuto.model.ids import Instant
from tenuto.model.job import CONDUCTOR
from tenuto.model.retention import Expired, KeepRule, KeepRules, Remnant
from tenuto.ports.clock import Clock
from tenuto.ports.store import Store
from tenuto.ports.store_changes import Append
from tenuto.ports.store_retention import RemoveExpired

ROUND_S = 3600.0
"""The longest time from one round to the next: the shortest default age. All is kept for up to so much longer than its
rule says."""
LEAST_ROUND_S = 60.0
"""The shortest time from one round to the next: a round counts rows, which takes up to 0.1 s of reading."""
PAUSE_S = 0.2
"""The time from one batch to the next, so that there is always room for the commits of jobs: 1,500 rows in a second at
most."""
BATCH = 300
"""Rows in one commit: some 20 ms. With more, the next commit would wait noticeably."""

_log = structlog.get_logger("tenuto.conductor")


def round_seconds(rules: KeepRules) -> float:
    """The time from one round to the next: the shortest age of the rules, within the two bounds."""
    ages = [rule.seconds for rule in rules.values() if rule.seconds is not None]
    return max(LEAST_ROUND_S, min([*ages, ROUND_S]))


class Cleaner:
    """The remover of expired rows. It works when it is told to, one batch at a time. Thread-safe."""

    def __init__(self, *, store: Store, clock: Clock, rules: KeepRules, keeps_until: Callable[[], Instant]) -> None:
        """`keeps_until` tells the moment until which no row may be removed for its age."""
        self._store = store
        self._clock = clock
        self._rules = rules
        self._keeps_until = keeps_until
        self._lock = threading.Lock()
        self._round_s = round_seconds(rules)
        self._next_at = Instant(clock.now() + self._round_s)
        self._is_at_work = False
        self._pending: deque[Remnant] = deque()
        self._surplus: dict[Remnant, int] = {}
        self._removed, self._own, self._until = 0, 0, Instant(0.0)

    def next_wake(self) -> Instant | None:
        """Return the moment when the next batch is due; None while one is removed."""
        return None if self._is_at_work else self._next_at

    def begins(self, now: Instant) -> bool:
        """Whether a batch is due. Then `work` must be called, on any thread."""
        with self._lock:
            if self._is_at_work or now < self._next_at:
                return False
            self._is_at_work = True
            return True

    def work(self) -> None:
        """Remove the next batch of the round. Never raises StoreError: a failed batch is tried in the next round."""
        pause_s = self._round_s
        try:
            if not self._pending:
                self._begin_round()
            if self._removes_a_batch():
                pause_s = PAUSE_S
        except StoreError as error:
            self._pending.clear()
            _log.warning("retention.failed", reason=str(error))
        finally:
            with self._lock:
                self._next_at = Instant(self._clock.now() + pause_s)
                self._is_at_work = False

    def _begin_round(self) -> None:
        self._pending = deque(kind for kind in Remnant if kind in self._rules)
        self._removed, self._own, self._until = 0, 0, Instant(0.0)
        self._surplus = {}
        if any(rule.most is not None for rule in self._rules.values()):
            tallies = self._store.tallies()
            for kind, rule in self._rules.items():
                if rule.most is not None:
                    self._surplus[kind] = max(0, tallies[kind].rows - rule.most)

    def _removes_a_batch(self) -> bool:
        """Go on to the next kind with anything to remove, and remove a batch of it. False at the end of the round."""
        while self._pending:
            kind = self._pending[0]
            before, found = self._expired(kind, self._rules[kind])
            if found.keys and self._remove(kind, before, found):
                return True
            self._tell(kind)
            self._pending.popleft()
        return False

    def _expired(self, kind: Remnant, rule: KeepRule) -> tuple[Instant | None, Expired]:
        """The next batch of a kind: the rows that are too old, else the rows that are too many."""
        if kind is Remnant.COMPOSITION:
            return None, self._store.expired(kind, None, BATCH)
        if rule.seconds is not None and self._clock.now() >= self._keeps_until():
            before = Instant(self._clock.now() - rule.seconds)
            found = self._store.expired(kind, before, BATCH)
            if found.keys:
                return before, found
        surplus = min(self._surplus.get(kind, 0), BATCH)
        return None, self._store.expired(kind, None, surplus) if surplus else Expired()

    def _remove(self, kind: Remnant, before: Instant | None, found: Expired) -> bool:
        """Whether the batch was removed. A row that a command needs since it was found waits for the next round, with
        its kind."""
        try:
            self._store.commit([RemoveExpired(kind=kind, before=before, expired=found, at=self._clock.now())])
        except ConflictError as error:
            _log.debug("retention.conflict", kind=kind.value, reason=str(error))
            return False
        self._removed += len(found.keys)
        self._own += found.own
        self._until = max(self._until, found.until)
        self._surplus[kind] = max(0, self._surplus.get(kind, 0) - len(found.keys))
        return True

    def _tell(self, kind: Remnant) -> None:
        """Write the event about the rows of a kind that this round removed, when there is anything to tell."""
        removed, own, until = self._removed, self._own, self._until
        self._removed, self._own, self._until = 0, 0, Instant(0.0)
        if removed == own:
            return
        _log.info("retention.removed", kind=kind.value, rows=removed)
        event = Event(
            at=self._clock.now(),
            type=EventType.RETENTION,
            subject=kind.value,
            actor=CONDUCTOR,
            reason=f"removed {removed} {kind.value}" + (f", the newest of {iso_text(until)}" if until else ""),
            data={"removed": removed},
        )
        self._store.commit([Append(events=(event,))])
