"""Reckoning: how a Conductor reads the moments that another one stored, whose clock may have gone differently.

Theory of operation. A delay is stored as the moment at which it ends, and a measurement as the moment at which it
began. A Conductor whose clock was ahead leaves moments that are still to come. Taken literally, they would delay
everything for as long as that clock was ahead. So at every start each stored moment goes through one rule before
anything is decided by it.

* When it is known how far the clock was moved, the moments of the last day move with it: a measurement of ten seconds
  goes on as a measurement of ten seconds. Older moments stay older.
* After that, the beginning of a measurement is never later than now, and the end of a delay is never further away than
  it would be had the delay been stored just now.

Both steps keep the order of moments. A clock that was behind leaves moments that are long past, just as a long absence
does. No delay comes of those.

Three kinds of moments stay as they are: the history, which tells the moments as they were written down; the creation of
a thing, which is part of its identity; and the end of `enforcement off`, which is a promise by the system clock. So is
the end of a token. But a token, or a session of a browser, that was made later than now was promised by a clock that
was ahead: it would be good for as long as that. It begins now, and keeps its length.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tenuto.core.pacing.cadence import LONGEST_NOTICE_S, longest_backoff_s
from tenuto.kit.evolve import evolve
from tenuto.model.access import UserSecret
from tenuto.model.attempt import UNTRIED, Attempt
from tenuto.model.clock import ClockStep
from tenuto.model.flip import Flip
from tenuto.model.ids import Instant, PhaseName
from tenuto.model.job import Job
from tenuto.model.notification import Delivery
from tenuto.model.phase_map import PhaseEntry
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto.model.web_session import WebSession

MEASURED_S = 86_400.0
"""The moments of so many seconds before a step move with it. Time limits of phases, patience and the windows of fights
are minutes and hours; for a moment that is a day old, some hours more or less make no difference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reckoning:
    """The reading at one start. `step` is the last step of the clock before it, when that is known."""

    now: Instant
    period_s: float
    step: ClockStep | None = None

    @property
    def horizon(self) -> Instant:
        """An object whose moments are all at or before this one is read as it was written."""
        if self.step is None:
            return self.now
        edge = self.step.at - MEASURED_S
        return Instant(min(self.now, edge, edge + self.step.seconds))

    def since(self, moment: Instant) -> Instant:
        """The beginning of a measurement, or the moment of an act."""
        return min(self._moved(moment), self.now)

    def due(self, moment: Instant, longest_s: float) -> Instant:
        """The end of a delay that is `longest_s` long at most."""
        return Instant(min(self._moved(moment), self.now + longest_s))

    def process(self, process: Process) -> Process:
        """A process. Its last job and its last update are history, and only kept from lying in the future."""
        last = process.last_job
        if last is not None:
            started_at = min(last.started_at, self.now)
            finished_at = None if last.finished_at is None else min(last.finished_at, self.now)
            last = replace(last, started_at=started_at, finished_at=finished_at)
        return replace(
            process,
            next_job_at=self.due(process.next_job_at, self.period_s),
            converged_at=self._since(process.converged_at),
            unconverged_at=self._since(process.unconverged_at),
            suspended_at=self._since(process.suspended_at),
            unenforced_at=self._since(process.unenforced_at),
            updated_at=min(process.updated_at, self.now),
            last_job=last,
        )

    def job(self, job: Job) -> Job:
        """A job that runs."""
        return replace(job, started_at=self.since(job.started_at))

    def object(self, found: ManagedObject) -> ManagedObject:
        """An object with its entries. Entries without a change stay the very same values."""
        entries = {name: self._entry(entry) for name, entry in found.phases.items()}
        changed: Mapping[PhaseName, PhaseEntry] = {
            name: entry for name, entry in entries.items() if entry != found.phases[name]
        }
        return evolve(
            found,
            moved_at=self.since(found.moved_at),
            touched_at=self.since(found.touched_at),
            phases={**found.phases, **changed} if changed else found.phases,
        )

    def flip(self, flip: Flip) -> Flip:
        return replace(
            flip,
            times=tuple(map(self.since, flip.times)),
            turns=tuple(map(self.since, flip.turns)),
            since=self.since(flip.since),
            held_at=self._since(flip.held_at),
        )

    def delivery(self, delivery: Delivery) -> Delivery:
        """A delivery that waits for its next try."""
        return replace(delivery, next_at=self.due(delivery.next_at, longest_backoff_s(LONGEST_NOTICE_S)))

    def secret(self, secret: UserSecret) -> UserSecret:
        """A secret of a user, a key of a namespace or a token."""
        made_at = self._not_to_come(secret.created_at)
        ends_at, used_at = secret.expires_at, secret.used_at
        return replace(
            secret,
            created_at=made_at,
            expires_at=None if ends_at is None else Instant(ends_at + (made_at - secret.created_at)),
            used_at=None if used_at is None else self._not_to_come(used_at),
        )

    def session(self, session: WebSession) -> WebSession:
        """A session of a browser. Its lengths are counted from these moments."""
        return replace(
            session,
            made_at=self._not_to_come(session.made_at),
            proved_at=self._not_to_come(session.proved_at),
            seen_at=self._not_to_come(session.seen_at),
        )

    def _not_to_come(self, moment: Instant) -> Instant:
        """A moment that has passed stays as it is, also after a known step."""
        return moment if moment <= self.now else self.since(moment)

    def _entry(self, entry: PhaseEntry) -> PhaseEntry:
        """An entry sleeps for as long as its phase asked for, which is counted from the start of its last run."""
        wake_at = entry.wake_at
        if wake_at is not None:
            asked_s = 0.0 if entry.started_at is None else max(0.0, wake_at - entry.started_at)
            wake_at = self.due(wake_at, asked_s)
        return evolve(
            entry,
            first_started_at=self._since(entry.first_started_at),
            started_at=self._since(entry.started_at),
            ended_at=self._since(entry.ended_at),
            wake_at=wake_at,
            act=self._act(entry.act),
        )

    def _act(self, act: Attempt) -> Attempt:
        """An attempt. Numbers in the data of an entry belong to its plugin, and may be anything."""
        if act is UNTRIED:
            return act
        return evolve(
            act,
            sent_at=self._since(act.sent_at),
            doubted_at=self._since(act.doubted_at),
            held_since=self._since(act.held_since),
        )

    def _since(self, moment: Instant | None) -> Instant | None:
        return None if moment is None else self.since(moment)

    def _moved(self, moment: Instant) -> Instant:
        if self.step is None:
            return moment
        edge = self.step.at - MEASURED_S
        if moment > edge:
            return Instant(moment + self.step.seconds)
        return Instant(min(moment, edge + self.step.seconds))
