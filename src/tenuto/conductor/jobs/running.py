"""Jobs that execute: their plans are carried on, judged, and held against a newer plan when a period has passed.

Theory of operation. Executing lasts as long as any step, or any object of the process, is on its way. A period later
the process is planned again: new operations make a new job, and the running one is SUPERSEDED, so that a slow resource
never delays the repair of another. A change in place is proven before the job ends: the provider may accept a change
and ignore it, and that is no repair.
"""

from dataclasses import replace
from functools import partial

import structlog

from tenuto.conductor.jobs import endings
from tenuto.conductor.jobs.broker import Broker
from tenuto.conductor.jobs.closing import Closing
from tenuto.conductor.jobs.manager import Manager
from tenuto.conductor.jobs.pending import AGAIN_S, ObservationGate, RunningPlans
from tenuto.conductor.leading.tempo import Tempo
from tenuto.conductor.observing.marked import Marked
from tenuto.core.planning.failures import blocked_message, failure_message, uncorrected
from tenuto.core.planning.marked import in_the_way_message
from tenuto.core.planning.plan_progress import Advance, WakeFilter, not_under_way, unproven_changes, unproven_message
from tenuto.errors import ProviderError, UserError
from tenuto.model.command import ProcessState
from tenuto.model.ids import Instant
from tenuto.model.job import Job, JobStatus
from tenuto.model.plan import Plan, StepKind
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto.ports.clock import Clock
from tenuto.ports.store import Store

PATIENCE_S = 300.0
"""Seconds after a failure for which others may still wait on transient faults, before the job is halted anyway."""

_log = structlog.get_logger("tenuto.jobs")


class Running:
    """Advances running jobs. One call per process at a time; thread-safe otherwise."""

    def __init__(
        self,
        *,
        store: Store,
        manager: Manager,
        broker: Broker,
        gate: ObservationGate,
        underway: RunningPlans,
        closing: Closing,
        clock: Clock,
        tempo: Tempo,
        marked: Marked,
    ) -> None:
        self._marked = marked
        self._store = store
        self._manager = manager
        self._broker = broker
        self._gate = gate
        self._plans = underway
        self._closing = closing
        self._clock = clock
        self._tempo = tempo

    def go_on(self, process: Process, job: Job, now: Instant) -> Instant:
        """Advance a job that is executing."""
        plan = self._plans.plan_of(process, job)
        composition = self._manager.composition(process)
        # An object that comes to rest while this pass is under way is worth the next one.
        self._plans.awaits(process.fid, None)
        try:
            context = self._manager.context(process)
            # Asking the provider may have taken long, and a step that begins now must not seem to have begun before
            # that.
            now = self._clock.now()
            users = partial(self._manager.users, process, context=context)
            where = self._broker.execute(plan, process, composition, context, now, users)
        except ProviderError as error:
            self._closing.finish(process, job, JobStatus.FAILED, blocked_message(process, error), now)
            return Instant(now + self._tempo.period_s)
        except UserError as error:
            return self._closing.halt(process, job, uncorrected(error), now, plan)
        if where.begin:
            reason = "importers use a replaced resource that it was to remove; planned again"
            self._closing.finish(process, job, JobStatus.SUPERSEDED, reason, now)
            return now
        self._plans.awaits(process.fid, WakeFilter(plan, where))
        return self._judge(process, job, plan, where, now)

    def _judge(self, process: Process, job: Job, plan: Plan, where: Advance, now: Instant) -> Instant:
        obstacle = self._obstacle(process, job, where)
        if where.failed:
            since = max(endings.failed_at(found, now) for found in where.failed)
            if not where.moving or now - since >= PATIENCE_S:
                message = " ".join(part for part in (failure_message(process, where.failed), obstacle) if part)
                return self._closing.halt(process, job, message, now, plan, failed=where.failed)
            return Instant(now + min(self._tempo.period_s, PATIENCE_S))
        if obstacle and process.last_message != obstacle:
            self._store.commit([endings.saved(replace(process, last_message=obstacle))])
            return now
        if where.lost and not where.moving:
            names = ", ".join(found.logical_id for found in where.lost)
            self._closing.finish(
                process, job, JobStatus.FAILED, f"{names} ended before the plan was done; planned again", now
            )
            return now
        if where.is_finished and not where.moving and plan.is_first_half:
            self._closing.finish(
                process, job, JobStatus.SUPERSEDED, "adopted; what must be made anew is replaced next", now
            )
            return now
        if where.is_finished and not where.moving:
            return self._prove(process, job, plan, now)
        return self._plan_again(process, job, plan, now)

    def _obstacle(self, process: Process, job: Job, where: Advance) -> str:
        """The things that are not known and may keep a kill from its end; empty while nothing is held."""
        if process.state is not ProcessState.KILLING or not any(map(_is_held, (*where.moving, *where.failed))):
            return ""
        # A kill asks for no sweep by itself, and the one that found the thing may have been long ago.
        self._gate.observe_now(process, job.started_at)
        return in_the_way_message(process.alias or process.fid, self._marked.things(process.fid))

    def _prove(self, process: Process, job: Job, plan: Plan, now: Instant) -> Instant:
        """Finish a job whose operations are all done as far as the provider says; a changed resource counts as done
        once a sweep shows it.
        """
        if not any(step.kind is StepKind.CHANGE for step in plan.steps):
            self._closing.finish(process, job, JobStatus.SUCCEEDED, "", now)
            return now
        composition = self._manager.composition(process)
        objects = self._store.objects(process.fid)
        pending = self._gate.begin(process.fid, now, now)
        try:
            if self._gate.must_wait(pending, process, composition, objects):
                return Instant(now + AGAIN_S)
            planning = self._manager.plan(process, composition, objects)
        except (ProviderError, UserError) as error:
            message = f"no sweep has shown the changed resources since: {error}"
            self._closing.finish(process, job, JobStatus.FAILED, message, now)
            return Instant(now + self._tempo.period_s)
        if pending.has_doubts(planning, now):
            return pending.not_before
        unproven = unproven_changes(plan, planning)
        status = JobStatus.FAILED if unproven else JobStatus.SUCCEEDED
        self._closing.finish(process, job, status, unproven_message(unproven), now, planning, unproven)
        return now

    def _plan_again(self, process: Process, job: Job, plan: Plan, now: Instant) -> Instant:
        """A period has passed and the job is still executing: is there anything new to do?"""
        planned_at = self._plans.planned_at(process.fid, now)
        due = Instant(planned_at + self._tempo.period_s)
        if now < due:
            return due
        composition = self._manager.composition(process)
        objects = self._store.objects(process.fid)
        pending = self._gate.begin(process.fid, now, due)
        try:
            if self._gate.must_wait(pending, process, composition, objects):
                return Instant(now + AGAIN_S)
            planning = self._manager.plan(process, composition, objects)
        except (ProviderError, UserError) as error:
            self._gate.end(process.fid)
            self._plans.planned(process.fid, now)
            _log.warning("job.replan_failed", fid=process.fid, reason=str(error))
            return Instant(now + self._tempo.period_s)
        self._gate.end(process.fid)
        self._plans.planned(process.fid, now)
        new = not_under_way(planning.plan.operations, plan, {found.object_id: found for found in objects})
        if new and planning.held:
            # The job may wait for something that is gone and will never come: without this, no one would be told.
            return self._closing.halt_held(process, job, now, plan, planning)
        if new:
            names = ", ".join(operation.logical_id for operation in new)
            self._closing.finish(process, job, JobStatus.SUPERSEDED, f"more to do meanwhile: {names}", now)
            return now
        return Instant(now + self._tempo.period_s)


def _is_held(found: ManagedObject) -> bool:
    """Whether the provider refuses to delete it because something else stands on it."""
    return any(entry.state == found.state and entry.act.held_since is not None for entry in found.phases.values())
