"""Jobs that have no plan yet: the sweeps that each of them still has to see, and the moment since which it waits.

A job asks the reflector for every sweep that its plan depends on, and comes back until all of them have come. Nothing
of it is stored: after a crash the sweeps are simply asked for again.

The memory of executing jobs. All of it can be read again or found out anew after a crash.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from tenuto.conductor.jobs.manager import Manager, Need
from tenuto.conductor.observing.reflector import Reflector
from tenuto.conductor.observing.sightings import GAP_S
from tenuto.conductor.observing.sweeps import SweepKey
from tenuto.core.planning.plan_progress import WakeFilter
from tenuto.errors import BugError
from tenuto.model.composition import Composition
from tenuto.model.ids import Fid, Instant, ObjectId, PhysicalId
from tenuto.model.job import Job
from tenuto.model.plan import Plan, Planning
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto.model.verb import WaitKind
from tenuto.ports.store import Store

AGAIN_S = 5.0
"""Seconds until a job that waits for a sweep asks for it again, if nothing wakes it: a sweep for a person wakes
no job."""
DOUBTS = 3
"""The number of sweeps that a job asks for to settle a doubt, before it goes on without an answer."""


@dataclass(slots=True, kw_only=True)
class PendingObservation:
    """A job that waits for sweeps. `not_before` is the moment at or after which they must begin.

    `awaits` are those that it had not seen when it last asked, and that have not ended since: the end of any other is
    no news to it. While it asks (`is_asking`), these are all that it needs.
    """

    since: Instant
    not_before: Instant
    awaits: frozenset[SweepKey] = frozenset()
    is_asking: bool = False
    doubts: int = 0

    def has_doubts(self, planning: Planning, now: Instant) -> bool:
        """Whether the plan left something unclear that another sweep may clear up; that one is then needed."""
        if self.doubts >= DOUBTS or not any(wait.kind is WaitKind.OBSERVATION for wait in planning.waits):
            return False
        self.doubts += 1
        self.not_before = Instant(now + GAP_S)
        return True


class ObservationGate:
    """The jobs that wait for sweeps. Thread-safe; one call per process at a time."""

    def __init__(self, manager: Manager, reflector: Reflector) -> None:
        self._manager = manager
        self._reflector = reflector
        self._by_process: dict[Fid, PendingObservation] = {}
        self._lock = threading.Lock()

    def ended(self, key: SweepKey) -> tuple[Fid, ...]:
        """A sweep has ended, well or not. Return the processes whose job waits for no other one now.

        A job that is asking meanwhile may have asked just before the end, and is among them.
        """
        woken: list[Fid] = []
        with self._lock:
            for fid, pending in self._by_process.items():
                if key not in pending.awaits:
                    continue
                if not pending.is_asking:
                    pending.awaits -= {key}
                if pending.is_asking or not pending.awaits:
                    woken.append(fid)
        return tuple(sorted(woken))

    def begin(self, fid: Fid, since: Instant, not_before: Instant) -> PendingObservation:
        """Begin to look for a process; one that looks already goes on as it began."""
        with self._lock:
            return self._by_process.setdefault(fid, PendingObservation(since=since, not_before=not_before))

    def end(self, fid: Fid) -> None:
        """End the wait of a process for sweeps. A process that did not wait is no error."""
        with self._lock:
            self._by_process.pop(fid, None)

    def observe_now(self, process: Process, not_before: Instant) -> None:
        """Wish for a sweep of everything that the provider of the process has, begun at or after a moment."""
        self._reflector.ask_all(process.provider, process.partition, not_before)

    def must_wait(
        self,
        pending: PendingObservation,
        process: Process,
        composition: Composition | None,
        objects: Sequence[ManagedObject],
    ) -> bool:
        """Whether a sweep is still missing; then it was asked for. Raises ProviderError when one failed."""
        needs = self._manager.needs(process, composition, objects, pending.not_before)
        place = (process.provider, process.partition)
        with self._lock:
            # Noted before anything is asked: a sweep that ends in between wakes this job.
            pending.awaits = frozenset(self._reflector.key_of(*place, need.type) for need in needs)
            pending.is_asking = True
        missing: set[SweepKey] = set()
        for need in needs:
            own = frozenset(found.physical_id for found in need.objects if found.physical_id is not None)
            if self._reflector.is_seen(*place, need.type, need.not_before, need.identifiers, own):
                continue
            failure = self._reflector.failure(*place, need.type, pending.since)
            if failure is not None:
                raise failure.with_traceback(None)
            # Routine jobs share the sweeps of everything; a job that serves a command is not kept waiting for those.
            near = need.objects if self._is_near(process, need, own) else ()
            self._reflector.want(*place, need.type, need.identifiers, near)
            self._reflector.ask(*place, need.type, need.not_before, near)
            missing.add(self._reflector.key_of(*place, need.type))
        with self._lock:
            pending.awaits, pending.is_asking = frozenset(missing), False
        return bool(missing)

    def _is_near(self, process: Process, need: Need, own: frozenset[PhysicalId]) -> bool:
        """Whether a user waits for this job, and its own things are all that it must see."""
        is_awaited = process.intent.stands or process.converged_at is None
        is_lacking = self._reflector.is_lacking(process.provider, process.partition, need.type, need.not_before, own)
        return is_awaited and need.identifiers <= own and not is_lacking


class RunningPlans:
    """The plans of running jobs, the moments of their last planning, and their waits. Thread-safe."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._planned_at: dict[Fid, Instant] = {}
        self._plans: dict[Fid, Plan] = {}
        self._awaited: dict[Fid, WakeFilter] = {}

    def planned(self, fid: Fid, now: Instant, plan: Plan | None = None) -> None:
        """Note that the process was planned now, with any result; and the plan that its job will run."""
        with self._lock:
            self._planned_at[fid] = now
            if plan is not None:
                self._plans[fid] = plan

    def planned_at(self, fid: Fid, now: Instant) -> Instant:
        """Return the moment when the process was last planned; now, where that was before a crash."""
        with self._lock:
            return self._planned_at.setdefault(fid, now)

    def plan_of(self, process: Process, job: Job) -> Plan:
        """The plan of a running job; after a crash it is read, once: a stored plan never changes."""
        with self._lock:
            plan = self._plans.get(process.fid)
        if plan is None or plan.plan_id != job.plan_id:
            plan = self._store.plan(job.plan_id) if job.plan_id else None
            if plan is None:
                raise BugError(f"job {job.job_id} is running without a stored plan; both are saved in one commit")
            with self._lock:
                self._plans[process.fid] = plan
        return plan

    def is_awaited(self, fid: Fid, object_ids: Sequence[ObjectId]) -> bool:
        """Whether the job of the process is worth a pass, now that these objects have reached their
        targets, or failed.
        """
        with self._lock:
            awaited = self._awaited.get(fid)
        return awaited is None or awaited.should_wake(object_ids)

    def awaits(self, fid: Fid, awaited: WakeFilter | None) -> None:
        """Set the objects that the job waits for. None: the job is due whenever any object comes to rest."""
        with self._lock:
            if awaited is None:
                self._awaited.pop(fid, None)
            else:
                self._awaited[fid] = awaited

    def forget(self, fid: Fid) -> None:
        """The job has ended."""
        with self._lock:
            self._planned_at.pop(fid, None)
            self._plans.pop(fid, None)
            self._awaited.pop(fid, None)
