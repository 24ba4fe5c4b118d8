"""The memory of executing jobs. All of it can be read again or found out anew after a crash."""

import threading
from collections.abc import Sequence

from tenuto.core.planning.awaiting import Awaited
from tenuto.errors import BugError
from tenuto.model.ids import Fid, Instant, ObjectId
from tenuto.model.job import Job
from tenuto.model.plan import Plan
from tenuto.model.process import Process
from tenuto.ports.store import Store


class Underway:
    """The plans of running jobs, when they were last planned, and what they wait for. Thread-safe."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._planned_at: dict[Fid, Instant] = {}
        self._plans: dict[Fid, Plan] = {}
        self._awaited: dict[Fid, Awaited] = {}

    def planned(self, fid: Fid, now: Instant) -> None:
        """The process was planned now, whatever came of it."""
        with self._lock:
            self._planned_at[fid] = now

    def planned_at(self, fid: Fid, now: Instant) -> Instant:
        """When the process was last planned; now, where that was before a crash."""
        with self._lock:
            return self._planned_at.setdefault(fid, now)

    def plan_of(self, process: Process, job: Job) -> Plan:
        """The plan of a running job, read once: a stored plan never changes."""
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
        """Objects of the process have reached their targets, or failed: whether its job is worth a look now."""
        with self._lock:
            awaited = self._awaited.get(fid)
        return awaited is None or awaited.are_resting(object_ids)

    def awaits(self, fid: Fid, awaited: Awaited | None) -> None:
        """What the job waits for. None: whatever comes to rest from now on is worth a look."""
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
