"""The close of a job: its last transaction, its counters, its log line, and the state that is forgotten."""

from collections.abc import Collection, Sequence

import structlog

from tenuto.conductor.jobs import endings
from tenuto.conductor.jobs.pending import ObservationGate, RunningPlans
from tenuto.conductor.leading.tempo import Tempo
from tenuto.core.planning.failures import codes_of
from tenuto.core.reports.job_report import job_report
from tenuto.kit.metrics import Meter
from tenuto.model.drift import DriftNews
from tenuto.model.ids import Fid, Instant, JsonMap
from tenuto.model.job import Job, JobStatus
from tenuto.model.metrics import DRIFT_FOUND, DRIFT_REPAIRED, JOB_STEPS, JOBS
from tenuto.model.plan import Operation, Plan, Planning
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto.ports.store import Store
from tenuto.ports.store_changes import SavePlan, SaveProcess, StoreChange

_log = structlog.get_logger("tenuto.jobs")


class Closing:
    """Ends jobs. Thread-safe."""

    def __init__(
        self, *, store: Store, gate: ObservationGate, underway: RunningPlans, tempo: Tempo, meter: Meter
    ) -> None:
        self._store = store
        self._gate = gate
        self._plans = underway
        self._tempo = tempo
        self._meter = meter
        meter.begin(DRIFT_FOUND)
        meter.begin(DRIFT_REPAIRED)

    def finish(
        self,
        process: Process,
        job: Job,
        status: JobStatus,
        message: str,
        now: Instant,
        planning: Planning | None = None,
        unproven: Sequence[Operation] = (),
    ) -> None:
        """The end of a job that was executing. `planning` is the sweep that proved its changes, but for `unproven`."""
        report = self._report(job, self._plans.plan_of(process, job), unproven)
        changes = endings.finished(process, job, status, message, now, self._tempo.period_s, report)
        self.end(process.fid, changes + (endings.remembered(process, planning, now) if planning else []))
        if planning:
            self.count_drift(planning.news)
        self._meter.observe(JOB_STEPS, now - job.started_at, "execute")
        _log.info("job.finished", fid=process.fid, job=job.job_id, status=status.value, reason=message)

    def halt_held(self, process: Process, job: Job, now: Instant, plan: Plan, planning: Planning) -> Instant:
        """The end of a job because `planning` is held. `plan` is the plan of the job."""
        stored = [SavePlan(plan=plan)] if plan is planning.plan else []
        drifts = endings.drift_changes(process, planning, now)
        next_at = self.halt(process, job, planning.held, now, plan, *stored, *drifts)
        self.count_drift(planning.news)
        return next_at

    def count_drift(self, news: DriftNews) -> None:
        """Count the drifts that were told, and those that are over, once that is stored."""
        self._meter.count(DRIFT_FOUND, amount=len(news.found))
        self._meter.count(DRIFT_REPAIRED, amount=news.repaired)

    def halt(
        self,
        process: Process,
        job: Job,
        message: str,
        now: Instant,
        plan: Plan | None = None,
        *more: StoreChange,
        failed: Collection[ManagedObject] = (),
    ) -> Instant:
        """End a job that people must look at, and return when to look at the process again. `failed` are the resources
        whose failures end it.
        """
        report = self._report(job, plan) if plan else {}
        self.end(process.fid, [*more, *endings.halted(process, job, message, now, report, codes_of(failed))])
        _log.warning("job.halted", fid=process.fid, job=job.job_id, reason=message)
        return Instant(now + self._tempo.period_s)

    def _report(self, job: Job, plan: Plan, unproven: Sequence[Operation] = ()) -> JsonMap:
        return job_report(job, plan, {found.object_id: found for found in self._store.objects(job.fid)}, unproven)

    def end(self, fid: Fid, changes: list[StoreChange]) -> None:
        """Store the end of the job, count it, and forget the remembered state of the job."""
        self._store.commit(changes)
        self._count_and_forget(fid, changes)

    def close(self, process: Process, changes: list[StoreChange], now: Instant) -> None:
        """End a job that had nothing to execute, as `end` does, with fewer writes: most of them need none."""
        if (noted := endings.uneventful(process, changes, now)) is None:
            self.end(process.fid, changes)
        else:
            self._store.note(noted)
            self._count_and_forget(process.fid, changes)

    def _count_and_forget(self, fid: Fid, changes: Sequence[StoreChange]) -> None:
        for change in changes:
            if isinstance(change, SaveProcess) and change.process.last_job is not None:
                self._meter.count(JOBS, change.process.last_job.command, change.process.last_job.status.value)
        self._gate.end(fid)
        self._plans.forget(fid)
