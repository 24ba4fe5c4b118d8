"""The timekeeper: notices a step of the system clock, tells people, and finds the moment to follow it.

Theory of operation. A Conductor decides by a clock of its own, which goes on evenly when the system clock is set
(`ports.clock`). So a step fires no time limit, delays no repair, and no old news looks new. But the times that the
Conductor writes down are no longer those of the system clock. Moving everything that it has in memory to another time
is no way out: there are schedules, sweeps, caches, and notes of calls that are under way, and a single one left behind
would be compared with moments of another time. So the Conductor begins anew. When no task of it is under way it ends,
and the Conductor that follows in the same program reads the system clock, and takes up the stored state, as after any
restart (`redating`).

Only people who read times need this, so it never costs enforcement. The timekeeper keeps new tasks back for some
seconds. When a task is still under way after that, the Conductor goes on by its own clock and tries again much later.
A system clock that is set again and again does not make one restart follow another.

A clock that is wrongly ahead makes history look old, and retention removes for good. So after a step forward, and at a
start long after the last write, removal by age waits for up to a day (`core.pacing.retention.held_until`). The end of
the wait is kept with the node, so that a restart does not cut it short.
"""

import structlog

from tenuto.conductor.leading import nodes
from tenuto.conductor.leading.leadership import LEASE_S, Leadership
from tenuto.conductor.leading.redating import redated
from tenuto.conductor.leading.tempo import Tempo
from tenuto.core.pacing.reckoning import Reckoning
from tenuto.core.pacing.retention import held_until
from tenuto.errors import StoreError
from tenuto.kit.times import iso_text
from tenuto.model.clock import ClockStep
from tenuto.model.ids import Instant
from tenuto.model.node import CLOCK_FACT, HOLD_FACT
from tenuto.ports.clock import Clock
from tenuto.ports.store import Store

NOTICED_S = 3.0
"""Smaller steps are left alone: most steps of NTP are, and times shown may be off by so little."""
HOLD_S = 10.0
"""The time for which new tasks are kept back. Most calls of providers end within seconds, and no repair is a period
late."""
AGAIN_S = 300.0
"""Seconds until the next try, when a task is under way for longer than that."""
REST_S = 60.0
"""The fewest seconds that a Conductor works before it ends to follow the clock: every process had a job by then."""
NORMAL_PERIOD_S = 30.0
"""The period that these three are for. They are shorter where the period is shorter, and not longer where it is longer:
a command waits, too, while new tasks are kept back."""
TELL_AGAIN_S = 60.0
"""Seconds until the log tells a further step: a clock that is set every second must not fill it."""
_NEVER = Instant(float("-inf"))

_log = structlog.get_logger("tenuto.conductor")


class Timekeeper:
    """Watches the system clock for one Conductor. Used by the one thread that drives it."""

    def __init__(
        self,
        *,
        store: Store,
        clock: Clock,
        leadership: Leadership,
        tempo: Tempo,
        step: ClockStep | None = None,
        is_followed: bool = False,
    ) -> None:
        """`step` is the step that the Conductor before this one ended for. `is_followed` says that another one
        follows when this one ends. Without that, this one goes on by its own clock for as long as it runs.
        """
        self._store = store
        self._clock = clock
        self._leadership = leadership
        self._tempo = tempo
        self._step = step
        self._is_followed = is_followed
        self._began_at: Instant | None = None
        self._keeps_until = _NEVER
        self._told_s = 0.0
        self._told_at = _NEVER
        self._held_until = _NEVER
        self._again_at = _NEVER
        self._is_over = False

    @property
    def is_over(self) -> bool:
        """Whether this Conductor shall end, so that the next one goes by the system clock again."""
        return self._is_over

    @property
    def holds_back(self) -> bool:
        """Whether tasks that are due wait until those under way have ended."""
        return self._clock.now() < self._held_until

    @property
    def keeps_until(self) -> Instant:
        """The moment until which no row is removed for its age, because the clock may be wrong."""
        return self._keeps_until

    def take(self) -> None:
        """Take the lead, and read every stored moment by our clock before anything is decided by it.

        Raises NotLeadingError while another Conductor leads. Twice is fine.
        """
        if self._began_at is not None:
            return
        now = self._clock.now()
        self._hold_retention(now)
        if self._step is not None:
            _log.info("clock.followed", seconds=round(self._step.seconds, 1))
            self._note(_step_text(self._step.seconds), now)
        step = self._step or self._gone_back(now)
        self._leadership.take()
        # Should the answer of the store be lost, another try must not move everything once more.
        self._step = None
        now = self._clock.now()
        changes = redated(self._store, Reckoning(now=now, period_s=self._tempo.period_s, step=step))
        self._store.commit(changes)
        if changes:
            _log.info("clock.redated", changes=len(changes))
        self._began_at = now

    def may_begin(self, in_flight: int) -> bool:
        """Whether new tasks may begin, while so many are under way."""
        now = self._clock.now()
        ahead_s = self._clock.wall() - now
        if abs(ahead_s - self._told_s) >= NOTICED_S and now >= self._told_at + TELL_AGAIN_S:
            self._tell(ahead_s, now)
        if abs(ahead_s) < NOTICED_S or not self._may_follow(now):
            self._held_until = _NEVER
            return True
        if not in_flight:
            self._is_over = True
            return False
        if now >= self._again_at:
            self._held_until = Instant(now + self._scaled(HOLD_S))
            self._again_at = Instant(now + self._scaled(AGAIN_S))
        return not self.holds_back

    def _may_follow(self, now: Instant) -> bool:
        began_at = self._began_at
        return self._is_followed and began_at is not None and now >= began_at + self._scaled(REST_S)

    def _scaled(self, seconds: float) -> float:
        return seconds * min(1.0, self._tempo.period_s / NORMAL_PERIOD_S)

    def _gone_back(self, now: Instant) -> ClockStep | None:
        """The step from the last moment of the Conductor before us, when by our clock it is still to come."""
        latest = self._last_moment()
        if latest is None or latest - now < NOTICED_S:
            return None
        text = (
            f"The system clock says {iso_text(now)}, which is {latest - now:.0f} s before the newest time in the "
            f"database, {iso_text(latest)}. The clock is behind now, or it was ahead then. Delays count from now on; "
            "times shown may repeat. Check the clock of this machine."
        )
        _log.warning("clock.behind", seconds=round(now - latest, 1), reason=text)
        self._note(text, now)
        return ClockStep(at=latest, seconds=now - latest)

    def _hold_retention(self, now: Instant) -> None:
        """Find out how long removal by age waits, and tell it. Asked before our check-in replaces the facts of a node
        that has our name.
        """
        latest, lease = self._last_moment(), self._store.lease()
        told = nodes.fact_of(self._store, lease.holder, HOLD_FACT) if lease is not None else None
        self._keeps_until = held_until(
            now,
            step=self._step,
            absent_s=0.0 if latest is None else now - latest,
            before=Instant(told["until"]) if told else _NEVER,
        )
        if self._keeps_until > now:
            text = _hold_text(self._keeps_until)
            _log.warning("retention.held", until=iso_text(self._keeps_until), reason=text)
            self._leadership.note(HOLD_FACT, {"at": now, "until": self._keeps_until, "message": text})

    def _last_moment(self) -> Instant | None:
        """Return the moment when the Conductor before us last wrote: its renewal of the lease, or an event soon after
        that.

        An event much later than the renewal is older all the same: it was written by a clock that was ahead.
        """
        lease = self._store.lease()
        events = self._store.events_after(max(0, self._store.last_event() - 1), 1)
        newest = events[-1].at if events else None
        if lease is None or newest is None:
            return newest
        return newest if lease.renewed_at < newest <= lease.renewed_at + LEASE_S else lease.renewed_at

    def _tell(self, ahead_s: float, now: Instant) -> None:
        seconds = ahead_s - self._told_s
        self._told_s, self._told_at = ahead_s, now
        text = _step_text(seconds)
        _log.warning("clock.set", seconds=round(seconds, 1), reason=text)
        try:
            self._note(text, self._clock.wall())
        except StoreError as error:
            _log.warning("clock.not_noted", reason=str(error))

    def _note(self, text: str, at: Instant) -> None:
        self._leadership.note(CLOCK_FACT, {"at": at, "message": text})


def _step_text(seconds: float) -> str:
    back = seconds < 0
    return (
        f"The system clock went {'back' if back else 'forward'} by {abs(seconds):.0f} s. Delays go on by the monotonic "
        f"clock; times shown {'may repeat' if back else 'have a gap'}."
    )


def _hold_text(until: Instant) -> str:
    return (
        "The system clock went forward, or no Conductor ran for more than a day. Retention therefore removes nothing "
        f"for its age until {iso_text(until)}, since a wrong clock would remove history for good. If the clock of this "
        "machine is wrong, set it right before then."
    )


def step_between(before: Clock, after: Clock) -> ClockStep:
    """A step of the clock between two Conductors, of which one follows the other in the same program."""
    return ClockStep(at=before.now(), seconds=after.now() - before.now())
