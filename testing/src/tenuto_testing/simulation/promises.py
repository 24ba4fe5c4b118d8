"""A dry run is a promise: in an unchanged world the command plans the shown operations, one by one.

Theory of operation. A dry run leaves its operations here, with a picture of all that a plan is read off: the things in
the cloud and their shown properties, the stored rows of every process, and the remembered fights. When the command is
given and nothing in the picture has changed, the next plan of the process must have the same operations, after any
time. A promise ends with that plan, with another command, and with any act of other users before it. It ends, too, when
other processes have gone on before the plan was made: its imports may be exported by then.
"""

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace

from tenuto.model.ids import Fid, Json
from tenuto.model.job import Job, JobKind, JobStatus
from tenuto.model.plan import Plan, Planning
from tenuto.model.process import Process
from tenuto.model.verb import Verb, WaitKind
from tenuto.ports.store import Store
from tenuto.ports.store_changes import SaveJob, SavePlan, StoreChange
from tenuto.service.commands.plan_view import operations_document
from tenuto_testing.simulation.ground import Ground

_SHOWN = ("op", "type", "logical_id", "id", "destructive", "depends_on", "changes")
"""The members of an operation that people approve; its reason is in words."""
_PASSING = frozenset({"Running", "Canceling"})
_CHANGES = frozenset({Verb.MODIFY, Verb.REPLACE, Verb.REFRESH})
Operations = list[dict[str, Json]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Promise:
    """The operations that one dry run has shown, and a picture of the world that they were made of: of all that there
    is, or, once a command has come, of other processes alone."""

    command: str
    digest: str
    operations: Operations
    picture: object


class Promises:
    """The last promise of each process, and those that a command has called in."""

    def __init__(self, store: Store, ground: Ground, broken: Callable[[str], None]) -> None:
        self._store = store
        self._ground = ground
        self._broken = broken
        self._made: dict[Fid, _Promise] = {}
        self._due: dict[Fid, _Promise] = {}

    def make(self, process: Process, command: str, digest: str, planning: Planning) -> None:
        """Keep the plan that a dry run of the command has shown. `digest` is that of the composition.

        One that says of something that it could not be judged promises nothing. Neither does one that changes a thing
        that other users have taken away already: the next sweep may show that, and nothing in the picture changes then.
        """
        picture = self._picture(process)
        operations = shown(operations_document(planning.plan, ())["operations"])
        is_unsure = any(wait.kind is WaitKind.OBSERVATION for wait in planning.waits)
        if picture is None or is_unsure or self._changes_what_is_gone(operations):
            self._made.pop(process.fid, None)
            return
        self._made[process.fid] = _Promise(command=command, digest=digest, operations=operations, picture=picture)

    def call_in(self, process: Process, command: str, digest: str) -> None:
        """The command is about to be given."""
        promise = self._made.pop(process.fid, None)
        self._due.pop(process.fid, None)
        is_kept = promise is not None and (promise.command, promise.digest) == (command, digest)
        if promise is not None and is_kept and promise.picture == self._picture(process):
            self._due[process.fid] = replace(promise, picture=self._others(process.fid))

    def withdraw(self, fid: Fid) -> None:
        """Drop the due promise of a process: its command was refused, or no Conductor was there to take it."""
        self._due.pop(fid, None)

    def forget(self) -> None:
        """Drop all promises: another user acts, or a Conductor dies, and the world is not as it was."""
        self._made.clear()
        self._due.clear()

    def after_commit(self, changes: Sequence[StoreChange]) -> None:
        """Compare the plans among changes with the promised operations."""
        plans = {change.plan.plan_id: change.plan for change in changes if isinstance(change, SavePlan)}
        for change in changes:
            if isinstance(change, SaveJob) and change.job.kind is not JobKind.DRY_RUN:
                self._check(change.job, plans.get(change.job.plan_id) if change.job.plan_id else None)

    def _check(self, job: Job, plan: Plan | None) -> None:
        promise = self._due.get(job.fid)
        if promise is None or job.status in (JobStatus.FAILED, JobStatus.SUPERSEDED):
            return
        del self._due[job.fid]
        if promise.picture != self._others(job.fid):
            return
        planned = shown(operations_document(plan, ())["operations"]) if plan is not None else []
        if planned != promise.operations:
            self._broken(
                f"the dry run of '{promise.command}' promised {_told(promise.operations)}, and the command planned "
                f"{_told(planned)} in the same world"
            )

    def _others(self, fid: Fid) -> object:
        """All that is stored of other processes."""
        return [self._store.objects(one.fid) for one in self._store.processes() if one.fid != fid]

    def _changes_what_is_gone(self, operations: Operations) -> bool:
        standing = {str(one.physical_id) for one in self._ground.standing()}
        return any(one["op"] in _CHANGES and one["id"] and one["id"] not in standing for one in operations)

    def _picture(self, process: Process) -> object:
        """Everything that the plan is read off; None while anything is being done, so that it is about to change."""
        objects = [found for one in self._store.processes() for found in self._store.objects(one.fid)]
        if any(entry.status in _PASSING for found in objects for entry in found.phases.values()):
            return None
        wish = replace(process, generation=0, last_job=None, next_job_at=process.created_at)
        standing = {one.key: (one.is_hidden, deepcopy(dict(one.state))) for one in self._ground.standing()}
        return wish, objects, standing, self._store.flips(process.fid)


def shown(operations: Json) -> Operations:
    """The operations of a plan document, as people approve them."""
    return [{name: _told_once(operation.get(name)) for name in _SHOWN} for operation in operations]


def _told_once(value: Json) -> Json:
    """A value of an operation; changes without their leaves, which tell the same once more for people."""
    if not isinstance(value, list):
        return value
    return [
        {name: inner for name, inner in one.items() if name != "leaves"} if isinstance(one, dict) else one
        for one in value
    ]


def _told(operations: Operations) -> str:
    told = ", ".join(f"{one['op']} {one['logical_id']} [{one['id']}]" for one in operations)
    return told or "nothing"
