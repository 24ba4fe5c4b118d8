"""One job, from due to finished: compare, plan and execute for one process.

Theory of operation. A job advances in passes: `work` reads the process, does all that can be done now, and says when to
look again. It may be called at any time and any number of times, and after a crash; everything it needs is in the
store, but for the sweeps a job that has no plan yet is waiting for, and those are simply asked for again.

    due ──▶ observing ──▶ planned (job and plan stored together) ──▶ executing ──▶ SUCCEEDED │ HALTED │ FAILED
                          └── nothing to do: SUCCEEDED, kept only as the process's last job

*Executing* is in `running`: it lasts until everything has come to rest, or something new to do, or a user's command,
supersedes the job.

HALTED is the one uncommanded way to Suspended: a phase has failed and everything else has come to rest, or the plan is
held. FAILED is everything that may be better next time: a failed sweep, a resource that vanished while it was made.
A job that crashed has FAILED as well: the fault is Tenuto's, or that of a provider or a plugin.
A plan in which the audit (`core.reports.audit`) finds an error is never stored: its job has FAILED too, and changed
nothing.
"""

from collections.abc import Sequence
from dataclasses import replace

import structlog

from tenuto.conductor.jobs import endings
from tenuto.conductor.jobs.broker import Broker
from tenuto.conductor.jobs.closing import Closing
from tenuto.conductor.jobs.manager import Manager
from tenuto.conductor.jobs.pending import AGAIN_S, ObservationGate, RunningPlans
from tenuto.conductor.jobs.running import Running
from tenuto.conductor.leading.tempo import Tempo
from tenuto.conductor.observing.marked import Marked
from tenuto.conductor.observing.reflector import Reflector
from tenuto.conductor.observing.sweeps import SweepKey
from tenuto.core.pacing.cadence import next_beat
from tenuto.core.planning import intents
from tenuto.core.planning.failures import blocked_message, failure_message, uncorrected
from tenuto.core.planning.intents import ENFORCE, agreed_objects, command_of_process, mandated
from tenuto.core.planning.plan_progress import is_busy
from tenuto.core.reports.audit import refusals, refused_message
from tenuto.core.reports.unconverged import waits_message
from tenuto.errors import ConflictError, ProviderError, UserError
from tenuto.kit.metrics import Meter
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.lifecycles.roles import has_ended
from tenuto.model.command import ProcessState
from tenuto.model.drift import DriftNews
from tenuto.model.ids import Fid, IdSource, Instant, JobId, ObjectId
from tenuto.model.job import CONDUCTOR, Job, JobKind, JobStatus
from tenuto.model.metrics import CONVERGENCE, JOB_STEPS
from tenuto.model.plan import Plan, Planning
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto.ports.clock import Clock
from tenuto.ports.store import Store
from tenuto.ports.store_changes import SaveJob, SaveObject, SavePlan, StoreChange

_log = structlog.get_logger("tenuto.jobs")


class Jobs:
    """Does the work of jobs. One call per process at a time (the scheduler's care); thread-safe otherwise."""

    def __init__(
        self,
        *,
        store: Store,
        manager: Manager,
        reflector: Reflector,
        broker: Broker,
        clock: Clock,
        ids: IdSource,
        tempo: Tempo,
        meter: Meter,
        marked: Marked,
    ) -> None:
        self._store = store
        self._manager = manager
        self._clock = clock
        self._ids = ids
        self._tempo = tempo
        self._meter = meter
        self._gate = ObservationGate(manager, reflector)
        self._plans = RunningPlans(store)
        self._closing = Closing(store=store, gate=self._gate, underway=self._plans, tempo=tempo, meter=meter)
        self._running = Running(
            store=store,
            manager=manager,
            broker=broker,
            gate=self._gate,
            underway=self._plans,
            closing=self._closing,
            clock=clock,
            tempo=tempo,
            marked=marked,
        )

    def count_drift(self, news: DriftNews) -> None:
        """Count the drifts that were told by a command with a plan."""
        self._closing.count_drift(news)

    def swept(self, key: SweepKey) -> tuple[Fid, ...]:
        """A sweep has ended. Return the processes whose job waits for no other one now."""
        return self._gate.ended(key)

    def is_awaited(self, fid: Fid, object_ids: Sequence[ObjectId]) -> bool:
        """Whether the job of the process is worth a pass, now that these objects have reached their
        targets, or failed.
        """
        return self._plans.is_awaited(fid, object_ids)

    @property
    def _period_s(self) -> float:
        return self._tempo.period_s

    def work(self, fid: Fid) -> Instant | None:
        """Do all that can be done for the process now. Return the moment of the next call; None when the process is
        gone.

        After a lost compare-and-set (a command came in between) the process is simply due again.
        """
        now = self._clock.now()
        try:
            return self._work(fid, now)
        except ConflictError as error:
            _log.info("job.conflict", fid=fid, reason=str(error))
            return now

    def crashed(self, fid: Fid, error: Exception) -> Instant:
        """Tell in the process that its job crashed, once for each fault. Return the moment of the next try.

        A job that executes goes on with the next pass; without one, the process has a job that FAILED.
        """
        now = self._clock.now()
        next_at = next_beat(now, self._period_s)
        self._gate.end(fid)
        process = self._store.process(fid)
        if process is None or process.state is ProcessState.GONE:
            return next_at
        message = endings.crash_message(error)
        if process.job_id is not None:
            if process.last_message != message:
                self._store.commit([endings.saved(replace(process, last_message=message))])
            return next_at
        last = process.last_job
        if last is not None and (last.status, last.message) == (JobStatus.FAILED, message):
            return next_at
        return self._close(process, self._job(process, now), JobStatus.FAILED, message, now)

    def _work(self, fid: Fid, now: Instant) -> Instant | None:
        process = self._store.process(fid)
        if process is None or process.state is ProcessState.GONE:
            self._gate.end(fid)
            return None
        if process.enforcement_until is not None and process.is_enforced_at(self._clock.wall()):
            self._store.commit(endings.enforced_again(process, now))
            return now
        job = self._store.job(process.job_id) if process.job_id else None
        if job is not None and job.status is JobStatus.RUNNING:
            reason = intents.superseded_by(process, job)
            if not reason:
                return self._running.go_on(process, job, now)
            self._closing.finish(process, job, JobStatus.SUPERSEDED, reason, now)
            return now
        if process.state is ProcessState.SUSPENDED:
            self._gate.end(fid)
            return Instant(now + self._period_s)
        if (due := self._due(process)) > now:
            return due
        return self._begin(process, now)

    def _due(self, process: Process) -> Instant:
        """Return the moment when the next job of a process is due: a period that was shortened since the last job
        counts from its end.
        """
        last = process.last_job
        if last is None or last.finished_at is None:
            return process.next_job_at
        return Instant(min(process.next_job_at, last.finished_at + self._period_s))

    def _begin(self, process: Process, now: Instant) -> Instant | None:
        """Observe until the world is known well enough, then plan."""
        # A routine job shares the sweeps of its neighbours; a command needs one since it was given.
        shared_s = max(min(5.0, self._period_s / 6), self._tempo.observation_s - self._period_s)
        slack = 0.0 if process.intent.stands else shared_s
        pending = self._gate.begin(process.fid, now, Instant(min(process.next_job_at, now) - slack))
        composition = self._manager.composition(process)
        objects = self._store.objects(process.fid)
        try:
            if self._gate.must_wait(pending, process, composition, objects):
                return Instant(now + AGAIN_S)
            planned_at = self._clock.now()
            self._meter.observe(JOB_STEPS, planned_at - pending.since, "observe")
            planning = self._manager.plan(process, composition, objects)
            self._meter.observe(JOB_STEPS, self._clock.now() - planned_at, "plan")
        except ProviderError as error:
            message = blocked_message(process, error)
            if process.last_message != message:
                _log.warning("job.failed", fid=process.fid, reason=str(error))
            job = replace(self._job(process, now), is_throttled=error.is_throttled)
            return self._close(process, job, JobStatus.FAILED, message, now)
        except UserError as error:
            return self._closing.halt(process, self._job(process, now), uncorrected(error), now)
        if pending.has_doubts(planning, now):
            return pending.not_before
        return self._planned(process, planning, objects, now)

    def _planned(
        self, process: Process, planning: Planning, objects: tuple[ManagedObject, ...], now: Instant
    ) -> Instant | None:
        """Act on a plan: hold it, begin it, or be content."""
        self._gate.end(process.fid)
        if wrong := refusals(process, planning.plan, objects, CATALOGUE):
            # A fault of ours: nothing is executed, and the process keeps its present things.
            _log.error("plan.refused", fid=process.fid, codes=[one.code for one in wrong])
            return self._close(process, self._job(process, now), JobStatus.FAILED, refused_message(wrong), now)
        job = self._job(process, now, planning.plan)
        if planning.held:
            return self._closing.halt_held(process, job, now, planning.plan, planning)
        if planning.plan.is_empty and not any(is_busy(found) for found in objects):
            return self._content(process, job, planning, objects, now)
        self._plans.planned(process.fid, now, planning.plan)
        begun = replace(
            mandated(process, planning.plan, objects),
            job_id=job.job_id,
            intent=intents.served(process.intent),
            converged_at=None,
            unconverged_at=process.unconverged_at or now,
        )
        remembered = endings.remembered(process, planning, now)
        agreed = [
            SaveObject(object=found, expected_generation=found.generation)
            for found in agreed_objects(planning, begun, objects)
        ]
        self._store.commit([SavePlan(plan=planning.plan), SaveJob(job=job), endings.saved(begun), *agreed, *remembered])
        self._closing.count_drift(planning.news)
        _log.info("job.planned", fid=process.fid, job=job.job_id, **planning.plan.summary)
        return now

    def _content(
        self, process: Process, job: Job, planning: Planning, objects: tuple[ManagedObject, ...], now: Instant
    ) -> Instant | None:
        """End a job whose plan is empty and whose objects are all at rest."""
        if process.is_leaving and all(has_ended(found) for found in objects):
            over = endings.drift_changes(process, planning, now)
            self._closing.end(process.fid, endings.ended_job(process, job, now) + over)
            _log.info("process.gone", fid=process.fid)
            return None
        failed = [found for found in objects if found.is_phase_failed]
        if failed:
            return self._closing.halt(process, job, failure_message(process, failed), now, failed=failed)
        if planning.is_converged and process.unconverged_at is not None:
            self._meter.observe(CONVERGENCE, now - process.unconverged_at)
        next_at = self._close(
            process,
            replace(job, plan_id=None),
            JobStatus.SUCCEEDED,
            waits_message(planning.waits),
            now,
            is_converged=planning.is_converged,
            more=[
                *endings.remembered(process, planning, now),
                *endings.held_in_place(process, planning, now),
                *endings.duplicates_noted(objects, self._manager.duplicates(objects)),
            ],
        )
        self._closing.count_drift(planning.news)
        return next_at

    def _close(
        self,
        process: Process,
        job: Job,
        status: JobStatus,
        message: str,
        now: Instant,
        *,
        is_converged: bool = False,
        more: Sequence[StoreChange] = (),
    ) -> Instant:
        """End a job that had nothing to execute. The next one comes with the beat."""
        next_at = next_beat(now, self._period_s)
        closed = endings.closed(process, job, status, message, now, next_at, is_converged=is_converged)
        self._closing.close(process, [*closed, *more], now)
        return next_at

    def _job(self, process: Process, now: Instant, plan: Plan | None = None) -> Job:
        command = plan.command if plan else command_of_process(process)
        return Job(
            job_id=JobId(self._ids.new("job")),
            fid=process.fid,
            kind=JobKind.ROUTINE if command == ENFORCE else JobKind.COMMAND,
            command=command,
            actor=CONDUCTOR if command == ENFORCE else process.intent.by,
            request="" if command == ENFORCE else process.intent.request,
            status=JobStatus.RUNNING,
            plan_id=plan.plan_id if plan else None,
            plan_summary=plan.summary if plan else {},
            started_at=now,
        )
