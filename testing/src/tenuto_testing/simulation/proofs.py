"""Proven repair: a job that says that a change succeeded is right about it, after any answer of the cloud.

A job is compared with the cloud's own books at the moment at which it is stored as SUCCEEDED, unless other users did
something to its process while it lasted.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from tenuto.core.planning.equality.values import means_same
from tenuto.model.delta import Unknown
from tenuto.model.ids import Fid, JobId, Json
from tenuto.model.job import Job, JobKind, JobStatus
from tenuto.model.plan import Operation, Plan
from tenuto.model.verb import Verb
from tenuto.ports.store import Store
from tenuto.ports.store_changes import SaveJob, StoreChange
from tenuto_testing.simulation.ground import Ground


class Proofs:
    """The jobs that have begun, and the number of acts of other users by then."""

    def __init__(self, store: Store, ground: Ground, strikes: Callable[[Fid], int]) -> None:
        self._store = store
        self._ground = ground
        self._strikes = strikes
        self._began: dict[JobId, int] = {}

    def after_commit(self, changes: Sequence[StoreChange]) -> Iterable[str]:
        """The problems of the jobs among changes that say that they succeeded."""
        for change in changes:
            if not isinstance(change, SaveJob) or change.job.kind is JobKind.DRY_RUN:
                continue
            job = change.job
            if job.status is JobStatus.RUNNING:
                self._began.setdefault(job.job_id, self._strikes(job.fid))
            elif job.status is JobStatus.SUCCEEDED and self._began.get(job.job_id) == self._strikes(job.fid):
                plan = self._store.plan(job.plan_id) if job.plan_id else None
                yield from self._unproven(job, plan) if plan is not None else ()

    def _unproven(self, job: Job, plan: Plan) -> Iterable[str]:
        changed = [one for one in plan.operations if one.verb is Verb.MODIFY and one.changes]
        for operation in changed:
            for path in self._differing(operation):
                yield f"job '{job.command}' says that {operation.logical_id}.{path} was changed, and it was not"

    def _differing(self, operation: Operation) -> Iterable[str]:
        found = self._store.object(operation.object_id)
        if found is None or found.physical_id is None or not found.is_settled:
            return
        real = self._ground.one(found.type, found.physical_id)
        for change in operation.changes:
            path = change.path
            if real is None or not change.has_after or isinstance(change.after, Unknown) or "." in path:
                continue
            if path in real.facts.write_only or path not in found.desired:
                continue
            same = partial(means_same, rules=real.facts.compare_as, path=path)
            if not _is_done(change.before, found.desired[path], real.item.properties.get(path), same):
                yield path


def _is_done(before: Json | Unknown, after: Json, real: Json, same: Callable[[Json, Json], bool]) -> bool:
    """Whether a change was made. A list may have members that another resource put there: an inline policy of a role
    beside one that is declared by itself."""
    if same(after, real):
        return True
    if not isinstance(after, list | tuple) or not isinstance(real, list | tuple):
        return False
    earlier = before if isinstance(before, list | tuple) else ()
    is_made = all(any(same([wanted], [one]) for one in real) for wanted in after)
    is_left = any(same([old], [one]) for old in earlier if old not in after for one in real)
    return is_made and not is_left
