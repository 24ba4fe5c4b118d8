"""One job, from due to finished: execute(plan(compare(what_should_be, what_is))) for one process.

Theory of operation. A job is driven by being looked at: `work` reads the process, does what can be done now, and says
when to look again. It may be called at any time and any number of times, and after a crash; everything it needs is in
the store, but for the looks a job that has no plan yet is waiting for, and those are simply asked for again.

    due ──▶ looking ──▶ planned (job and plan stored together) ──▶ executing ──▶ SUCCEEDED │ HALTED │ FAILED
                          └── nothing to do: SUCCEEDED, kept only as the process's last job

*Executing* lasts as long as any step, or any object of the process, is on its way. When a period has passed meanwhile,
the process is planned again: new differences make a new job, and this one is SUPERSEDED, so that a slow resource never
delays the repair of another. A user's command supersedes too.

HALTED is the one uncommanded way to Suspended: a phase has failed and everything else has come to rest, or the plan is
held. FAILED is everything that may be better next time: a look that failed, a resource that vanished while it was made.
"""

import threading
from collections.abc import Sequence
from dataclasses import replace

import structlog

from tenuto.conductor import endings
from tenuto.conductor.broker import Broker
from tenuto.conductor.looking import Lookout
from tenuto.conductor.manager import Manager
from tenuto.conductor.reflector import Reflector
from tenuto.conductor.second_tries import SecondTries
from tenuto.conductor.tempo import Tempo
from tenuto.core.awaiting import Awaited
from tenuto.core.execution import Advance, is_busy, not_under_way
from tenuto.core.failures import failure_message
from tenuto.core.job_report import job_report
from tenuto.core.planner import ENFORCE, command_of_process
from tenuto.core.unconverged import waits_message
from tenuto.errors import BugError, ConflictError, ProviderError, UserError
from tenuto.kit.metrics import Meter
from tenuto.lifecycles.resource import RESOURCE
from tenuto.model.ids import Fid, IdSource, Instant, JobId, JsonMap, ObjectId
from tenuto.model.job import Job, JobKind, JobStatus
from tenuto.model.metrics import CONVERGENCE, DRIFT_FOUND, DRIFT_REPAIRED, JOB_STEPS, JOBS
from tenuto.model.plan import Plan, Planning
from tenuto.model.process import Process, ProcessState
from tenuto.model.resource import ManagedObject
from tenuto.ports.clock import Clock
from tenuto.ports.store import Store
from tenuto.ports.store_changes import SaveJob, SavePlan, SaveProcess, StoreChange

AGAIN_S = 0.5
"""How soon a job that waits for a look asks whether it has come, should nobody wake it."""
PATIENCE_S = 300.0
"""How long after a failure others may still be asleep on faults that may pass, before the job is halted anyway."""

_log = structlog.get_logger(__name__)


class Jobs:
    """Does the work of jobs. One call per process at a time (the scheduler's care); thread-safe otherwise."""

    def __init__(
        self,
        *,
        store: Store,
        manager: Manager,
        reflector: Reflector,
        broker: Broker,
        second_tries: SecondTries,
        clock: Clock,
        ids: IdSource,
        tempo: Tempo,
        meter: Meter,
    ) -> None:
        self._store = store
        self._manager = manager
        self._broker = broker
        self._second_tries = second_tries
        self._clock = clock
        self._ids = ids
        self._tempo = tempo
        self._meter = meter
        self._lookout = Lookout(manager, reflector)
        self._planned_at: dict[Fid, Instant] = {}
        self._plans: dict[Fid, Plan] = {}
        self._awaited: dict[Fid, Awaited] = {}
        self._lock = threading.Lock()

    def waiting_for_looks(self) -> tuple[Fid, ...]:
        """The processes whose job waits for a look."""
        return self._lookout.waiting()

    def is_awaited(self, fid: Fid, object_ids: Sequence[ObjectId]) -> bool:
        """Objects of the process have reached their targets, or failed: whether its job is worth a look now."""
        with self._lock:
            awaited = self._awaited.get(fid)
            return awaited is None or awaited.are_resting(object_ids)

    @property
    def _period_s(self) -> float:
        return self._tempo.period_s

    def work(self, fid: Fid) -> Instant | None:
        """Do what can be done for the process now. When to look again; None when the process is gone.

        A lost compare-and-set (a command came in between) is simply looked at again.
        """
        now = self._clock.now()
        try:
            return self._work(fid, now)
        except ConflictError as error:
            _log.info("job.conflict", fid=fid, reason=str(error))
            return now

    def _work(self, fid: Fid, now: Instant) -> Instant | None:
        process = self._store.process(fid)
        if process is None or process.state is ProcessState.GONE:
            self._lookout.end(fid)
            return None
        if process.enforcement_until is not None and process.is_enforced_at(now):
            self._store.commit(endings.enforced_again(process, now))
            return now
        job = self._store.job(process.job_id) if process.job_id else None
        if job is not None and job.status is JobStatus.RUNNING:
            reason = self._superseded_by(process, job)
            if not reason:
                return self._go_on(process, job, now)
            self._finish(process, job, JobStatus.SUPERSEDED, reason, now)
            return now
        if process.state is ProcessState.SUSPENDED:
            self._lookout.end(fid)
            return Instant(now + self._period_s)
        if (due := self._due(process)) > now:
            return due
        return self._begin(process, now)

    def _due(self, process: Process) -> Instant:
        """When its next job is due: a period that was shortened since the last one counts from its end."""
        last = process.last_job
        if last is None or last.finished_at is None:
            return process.next_job_at
        return Instant(min(process.next_job_at, last.finished_at + self._period_s))

    def _superseded_by(self, process: Process, job: Job) -> str:
        if process.state is ProcessState.SUSPENDED:
            return "suspended"
        if (process.state is ProcessState.KILLING) != (job.command == "kill"):
            return f"overtaken by {command_of_process(process)}"
        if process.next_command is not None:
            return f"overtaken by {process.next_command.value}"
        return ""

    def _begin(self, process: Process, now: Instant) -> Instant | None:
        """Look until the world is known well enough, then plan."""
        # A routine job shares the looks of its neighbours; a command wants one since it was given.
        slack = 0.0 if process.commanded else min(5.0, self._period_s / 6)
        looking = self._lookout.begin(process.fid, now, Instant(min(process.next_job_at, now) - slack))
        composition = self._manager.composition(process)
        objects = self._store.objects(process.fid)
        try:
            if self._lookout.must_wait(looking, process, composition, objects):
                return Instant(now + AGAIN_S)
            planned_at = self._clock.now()
            self._meter.observe(JOB_STEPS, planned_at - looking.since, "look")
            tried = self._second_tries.imagined(process, objects, now)
            planning = self._manager.plan(process, composition, tried)
            self._meter.observe(JOB_STEPS, self._clock.now() - planned_at, "plan")
        except ProviderError as error:
            if process.last_message != str(error):
                _log.warning("job.failed", fid=process.fid, reason=str(error))
            failed = endings.closed(process, self._job(process, now), JobStatus.FAILED, str(error), now, self._period_s)
            self._end(process.fid, failed)
            return Instant(now + self._period_s)
        except UserError as error:
            # The composition itself cannot be evaluated (an index beyond a list): no later job can help.
            message = f"{error}. Correct the composition, then 'update'."
            return self._halt(process, self._job(process, now), message, now)
        if looking.has_doubts(planning, now):
            return looking.not_before
        if not planning.held:
            self._second_tries.begin(planning.plan, objects, tried, now)
        return self._planned(process, planning, tried, now)

    def _planned(
        self, process: Process, planning: Planning, objects: tuple[ManagedObject, ...], now: Instant
    ) -> Instant | None:
        """Act on a plan: hold it, begin it, or be content."""
        self._lookout.end(process.fid)
        job = self._job(process, now, planning.plan)
        if job.command == ENFORCE:
            self._meter.count(DRIFT_FOUND, amount=len(planning.plan.operations))
        if planning.held:
            return self._halt(process, job, planning.held, now, planning.plan, SavePlan(plan=planning.plan))
        if planning.plan.is_empty and not any(is_busy(found) for found in objects):
            return self._content(process, job, planning, objects, now)
        self._planned_at[process.fid] = now
        begun = replace(
            process,
            job_id=job.job_id,
            next_command=None,
            converged_at=None,
            unconverged_at=process.unconverged_at or now,
        )
        flips = endings.remembered(process, planning, now)
        self._store.commit([SavePlan(plan=planning.plan), SaveJob(job=job), endings.saved(begun), *flips])
        _log.info("job.planned", fid=process.fid, job=job.job_id, **planning.plan.summary)
        return now

    def _content(
        self, process: Process, job: Job, planning: Planning, objects: tuple[ManagedObject, ...], now: Instant
    ) -> Instant | None:
        """Nothing to do and nothing on its way."""
        if process.is_leaving and all(RESOURCE.is_final(found.state) for found in objects):
            self._end(process.fid, endings.buried(process, job, now))
            _log.info("process.gone", fid=process.fid)
            return None
        failed = [found for found in objects if found.is_phase_failed]
        if failed:
            return self._halt(process, job, failure_message(process, failed), now)
        if planning.is_converged and process.unconverged_at is not None:
            self._meter.observe(CONVERGENCE, now - process.unconverged_at)
        message = waits_message(planning.waits)
        content = endings.closed(
            process,
            replace(job, plan_id=None),
            JobStatus.SUCCEEDED,
            message,
            now,
            self._period_s,
            is_converged=planning.is_converged,
        )
        self._end(process.fid, [*content, *endings.remembered(process, planning, now)])
        return Instant(now + self._period_s)

    def _go_on(self, process: Process, job: Job, now: Instant) -> Instant:
        """Advance a job that is executing."""
        plan = self._plan_of(process, job)
        composition = self._manager.composition(process)
        with self._lock:
            # Whatever comes to rest while this look is under way is worth the next one.
            self._awaited.pop(process.fid, None)
        try:
            context = self._manager.context(process)
            # Asking the provider may have taken long, and what begins now must not seem to have begun before that.
            now = self._clock.now()
            where = self._broker.execute(plan, process, composition, context, now)
        except ProviderError as error:
            self._finish(process, job, JobStatus.FAILED, str(error), now)
            return Instant(now + self._period_s)
        awaited = Awaited(plan, where)
        with self._lock:
            self._awaited[process.fid] = awaited
        return self._judge(process, job, plan, where, now)

    def _plan_of(self, process: Process, job: Job) -> Plan:
        """The plan of a running job, read once: a stored plan never changes."""
        plan = self._plans.get(process.fid)
        if plan is None or plan.plan_id != job.plan_id:
            plan = self._store.plan(job.plan_id) if job.plan_id else None
            if plan is None:
                raise BugError(f"job {job.job_id} is running without a stored plan; both are saved in one commit")
            self._plans[process.fid] = plan
        return plan

    def _judge(self, process: Process, job: Job, plan: Plan, where: Advance, now: Instant) -> Instant:
        if where.failed:
            since = max(endings.failed_at(found, now) for found in where.failed)
            if not where.moving or now - since >= PATIENCE_S:
                return self._halt(process, job, failure_message(process, where.failed), now, plan)
            return Instant(now + min(self._period_s, PATIENCE_S))
        if where.lost and not where.moving:
            names = ", ".join(found.logical_id for found in where.lost)
            self._finish(process, job, JobStatus.FAILED, f"{names} ended before the plan was done; planned again", now)
            return now
        if where.is_finished and not where.moving and plan.is_first_half:
            self._finish(process, job, JobStatus.SUPERSEDED, "adopted; what must be made anew is replaced next", now)
            return now
        if where.is_finished and not where.moving:
            self._finish(process, job, JobStatus.SUCCEEDED, "", now)
            return now
        return self._plan_again(process, job, plan, now)

    def _plan_again(self, process: Process, job: Job, plan: Plan, now: Instant) -> Instant:
        """A period has passed and the job is still executing: is there anything new to do?"""
        planned_at = self._planned_at.setdefault(process.fid, now)
        due = Instant(planned_at + self._period_s)
        if now < due:
            return due
        composition = self._manager.composition(process)
        objects = self._store.objects(process.fid)
        looking = self._lookout.begin(process.fid, now, due)
        try:
            if self._lookout.must_wait(looking, process, composition, objects):
                return Instant(now + AGAIN_S)
            planning = self._manager.plan(process, composition, objects)
        except (ProviderError, UserError) as error:
            self._lookout.end(process.fid)
            self._planned_at[process.fid] = now
            _log.warning("job.replan_failed", fid=process.fid, reason=str(error))
            return Instant(now + self._period_s)
        self._lookout.end(process.fid)
        self._planned_at[process.fid] = now
        new = not_under_way(planning.plan.operations, plan, {found.object_id: found for found in objects})
        if new and not planning.held:
            names = ", ".join(operation.logical_id for operation in new)
            self._finish(process, job, JobStatus.SUPERSEDED, f"more to do meanwhile: {names}", now)
            return now
        return Instant(now + self._period_s)

    def _job(self, process: Process, now: Instant, plan: Plan | None = None) -> Job:
        command = plan.command if plan else command_of_process(process)
        return Job(
            job_id=JobId(self._ids.new("job")),
            fid=process.fid,
            kind=JobKind.ROUTINE if command == ENFORCE else JobKind.COMMAND,
            command=command,
            status=JobStatus.RUNNING,
            plan_id=plan.plan_id if plan else None,
            plan_summary=plan.summary if plan else {},
            started_at=now,
        )

    def _finish(self, process: Process, job: Job, status: JobStatus, message: str, now: Instant) -> None:
        report = self._report(job, self._plan_of(process, job))
        self._end(process.fid, endings.finished(process, job, status, message, now, self._period_s, report))
        self._meter.observe(JOB_STEPS, now - job.started_at, "execute")
        if job.command == ENFORCE:
            self._meter.count(DRIFT_REPAIRED, amount=report["results"].get("done", 0))
        _log.info("job.finished", fid=process.fid, job=job.job_id, status=status.value, reason=message)

    def _halt(
        self, process: Process, job: Job, message: str, now: Instant, plan: Plan | None = None, *more: StoreChange
    ) -> Instant:
        report = self._report(job, plan) if plan else {}
        self._end(process.fid, [*more, *endings.halted(process, job, message, now, report)])
        _log.warning("job.halted", fid=process.fid, job=job.job_id, reason=message)
        return Instant(now + self._period_s)

    def _report(self, job: Job, plan: Plan) -> JsonMap:
        return job_report(job, plan, {found.object_id: found for found in self._store.objects(job.fid)})

    def _end(self, fid: Fid, changes: list[StoreChange]) -> None:
        self._store.commit(changes)
        for change in changes:
            if isinstance(change, SaveProcess) and change.process.last_job is not None:
                self._meter.count(JOBS, change.process.last_job.command, change.process.last_job.status.value)
        self._lookout.end(fid)
        self._planned_at.pop(fid, None)
        self._plans.pop(fid, None)
        with self._lock:
            self._awaited.pop(fid, None)
