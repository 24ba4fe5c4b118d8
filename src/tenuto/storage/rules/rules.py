"""The rules of every store: the checks that do not depend on the way in which rows are kept.

A store reads the stored row (`Standing`, a few columns), asks here, and writes only when nothing was raised. Two kinds
of refusal are kept apart: another writer was faster (ConflictError, the caller reads again), and the caller is wrong
(BugError and its IllegalTransitionError). The generation is compared first: a caller with old news shall not be told
that the move is illegal.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tenuto.errors import BugError, ConflictError, LeaseLostError
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.lifecycles.process import PROCESS
from tenuto.lifecycles.table import Lifecycle
from tenuto.model.command import ProcessState
from tenuto.model.ids import Fid, Instant, JobId, ObjectId
from tenuto.model.job import Job, JobKind, JobStatus
from tenuto.model.lease import Lease
from tenuto.model.notification import Sink
from tenuto.model.plan import Plan
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject, Move
from tenuto.model.rule import StoredRule, fingerprint
from tenuto.ports.records import RecordChange, RecordKind, Value
from tenuto.ports.store_administration import ExpectLease, ExpectRules, ProcessVersion, RemoveRule, SaveRule
from tenuto.ports.store_changes import CreateObject, CreateProcess, SaveObject, SaveProcess


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The stored facts of a process or an object, as far as a check needs them. `identity` never changes."""

    state: str
    generation: int
    identity: tuple[object, ...]


def standing_of_process(process: Process) -> Standing:
    identity = (process.partition, process.provider, process.created_at)
    return Standing(state=process.state, generation=process.generation, identity=identity)


def standing_of_object(item: ManagedObject, generation: int | None = None) -> Standing:
    """The standing of an object, under another generation if one is given."""
    identity = (
        item.lifecycle,
        item.type,
        item.provider,
        item.partition,
        item.fid,
        item.logical_id,
        item.incarnation,
        item.created_at,
    )
    return Standing(
        state=item.state, generation=item.generation if generation is None else generation, identity=identity
    )


def lifecycle_of(item: ManagedObject) -> Lifecycle:
    """The object's table. Raises BugError when there is none of that name."""
    lifecycle = CATALOGUE.get(item.lifecycle)
    if lifecycle is None:
        raise BugError(
            f"object {item.object_id} names the lifecycle {item.lifecycle}, which does not exist;"
            f" there are {', '.join(sorted(CATALOGUE))}"
        )
    return lifecycle


def is_live(process: Process) -> bool:
    return process.state is not ProcessState.GONE


def check_create_process(change: CreateProcess, stored: Standing | None) -> None:
    """Refuse a second process of one FID, and a birth in a state that is not an initial one."""
    process = change.process
    if stored is not None:
        raise ConflictError(f"process {process.fid} exists already; a FID is given once")
    PROCESS.check_birth(process.state, object_id=process.fid)


def check_save_process(change: SaveProcess, stored: Standing | None) -> None:
    """Refuse old news, a move that is not in the table, and a process that became another one."""
    process = change.process
    current = _checked_generation("process", process.fid, change.expected_generation, stored)
    _check_identity("process", process.fid, standing_of_process(process), current)
    _check_moves(PROCESS, process.fid, current.state, change.moves, process.state)


def check_alias(process: Process, holder: Fid | None) -> None:
    """Refuse an alias that another live process has. `holder` is the live process of that alias."""
    if process.alias == "":
        raise BugError(f"process {process.fid} has an empty alias; a process without one has None")
    if is_live(process) and process.alias and holder is not None and holder != process.fid:
        raise ConflictError(
            f"the alias {process.alias} belongs to process {holder}, which is live;"
            " choose another alias, or kill or release that process first"
        )


def check_lease(lease: Lease, stored: Lease | None) -> None:
    """Refuse a lease under an epoch that is neither the present one nor the next."""
    epoch = 0 if stored is None else stored.epoch
    is_ours = stored is not None and lease.epoch == epoch and lease.holder == stored.holder
    if not is_ours and lease.epoch != epoch + 1:
        raise LeaseLostError(_lost(lease.epoch, stored))


def check_epoch(change: ExpectLease, stored: Lease | None) -> None:
    """Refuse everything of a Conductor whose lease was taken."""
    if stored is None or stored.epoch != change.epoch:
        raise LeaseLostError(_lost(change.epoch, stored))


def _lost(epoch: int, stored: Lease | None) -> str:
    holder = f"{stored.holder} has taken it under epoch {stored.epoch}" if stored else "there is none"
    return f"the lease of epoch {epoch} is over: {holder}. Nothing was written. This Conductor must end."


def check_held(change: SaveRule, live: Iterable[ProcessVersion]) -> None:
    """Refuse a rule that a process which is live was not held against."""
    missed = sorted(one.fid for one in live if one not in change.held)
    if missed:
        raise ConflictError(
            f"the rule {change.rule.rule.name} was not checked against process {missed[0]} as it is now; check it again"
        )


def check_remove_rule(change: RemoveRule, stored: Iterable[StoredRule]) -> None:
    """Refuse to remove a rule that is not stored."""
    if change.name not in {one.rule.name for one in stored}:
        raise ConflictError(f"there is no rule {change.name}; another writer removed it")


def check_rules(change: ExpectRules, stored: Iterable[StoredRule]) -> None:
    """Refuse a change that was judged by other rules."""
    if fingerprint(one.rule for one in stored) != change.fingerprint:
        raise ConflictError("the rules were changed meanwhile; check the composition against the new ones")


def check_create_object(change: CreateObject, stored: Standing | None, *, has_process: bool) -> None:
    """Refuse a second object of one id, an object of no process, and a birth in a state that is not an initial one."""
    item = change.object
    if stored is not None:
        raise ConflictError(f"object {item.object_id} exists already; an id is given once")
    if not has_process:
        raise BugError(f"object {item.object_id} ({item.logical_id}) names process {item.fid}, which is not stored")
    lifecycle = lifecycle_of(item)
    lifecycle.check_birth(item.state, object_id=item.object_id)
    _check_target(lifecycle, item)


def check_save_object(change: SaveObject, stored: Standing | None) -> None:
    """Refuse old news, a move that is not in the table, and an object that became another one."""
    item = change.object
    current = _checked_generation("object", item.object_id, change.expected_generation, stored)
    _check_identity("object", item.object_id, standing_of_object(item), current)
    lifecycle = lifecycle_of(item)
    _check_moves(lifecycle, item.object_id, current.state, change.moves, item.state)
    _check_target(lifecycle, item)


def check_mandate(missing: Sequence[ObjectId]) -> None:
    """Refuse a run of objects whose process was suspended, or given another command, since they were selected.
    `missing` are the objects without a mandate.
    """
    if missing:
        raise ConflictError(f"object {missing[0]} may not be worked on now: its process was given another command")


def check_message(item: ManagedObject, *, is_phase_failed: bool) -> None:
    """Refuse an error message without an error (DECISIONS 10).

    Types without error states carry progress in the message, so there is nothing to refuse.
    """
    lifecycle = lifecycle_of(item)
    if item.message and lifecycle.errors and item.state not in lifecycle.errors and not is_phase_failed:
        raise BugError(
            f"{lifecycle.name} {item.object_id} is {item.state} and no phase of it failed, so it cannot carry the"
            f" message {item.message!r}; store a message together with one of {', '.join(sorted(lifecycle.errors))}"
        )


def check_address(item: ManagedObject, holder: ObjectId | None) -> None:
    """Refuse a second object for one incarnation of one address. `holder` is the object that has it."""
    if holder is not None:
        raise ConflictError(
            f"incarnation {item.incarnation} of {item.logical_id} in process {item.fid} is object {holder} already;"
            " read the process again, then decide again"
        )


def check_plan(plan: Plan, stored: Plan | None) -> None:
    """Refuse another plan under the id of a stored one: a plan never changes. The same again is fine."""
    if stored is not None and stored != plan:
        raise BugError(f"plan {plan.plan_id} is stored with another content; a plan never changes, make a new one")


def check_job(job: Job, *, owner: Fid | None, running: JobId | None) -> None:
    """Refuse a job that ended without an end, one that changes its process, and two at once.

    `owner` is the process of the stored job of that id, `running` the job that the process executes now.
    """
    if owner is not None and owner != job.fid:
        raise BugError(f"job {job.job_id} is one of process {owner} and cannot become one of {job.fid}")
    if (job.status is JobStatus.RUNNING) != (job.finished_at is None):
        raise BugError(f"job {job.job_id} is {job.status}, and its end is {job.finished_at}; a job ends exactly once")
    if occupies(job) and running is not None and running != job.job_id:
        raise ConflictError(f"process {job.fid} executes job {running} already; wait until that job has ended")


def check_record(change: RecordChange, key: str, generation: int) -> None:
    """Refuse old news, and a change past the rules of a guarded kind. `generation` is the stored one, 0 for none."""
    kind, expected = change.kind, change.expected_generation
    if kind.is_guarded:
        raise BugError(f"a record of the kind {kind.name} is changed by a change of its own, not by {change!r}")
    if expected is not None and expected != generation:
        raise ConflictError(
            f"the {kind.name} {key} is at generation {generation}, not {expected}: another caller changed it;"
            " read it again, then decide again"
        )


def check_claim(kind: RecordKind[Value], key: str, holder: str | None) -> None:
    """Refuse a claim that another record of the kind has. `holder` is the key of the record that has it now."""
    if holder is not None and holder != key:
        raise ConflictError(f"the {kind.name} {holder} has the same {kind.claimed}; make another one for {key}")


def occupies(job: Job) -> bool:
    """Whether no other job of the process may run beside it: a dry run changes nothing and may."""
    return job.status is JobStatus.RUNNING and job.kind is not JobKind.DRY_RUN


def _checked_generation(kind: str, name: str, expected: int, stored: Standing | None) -> Standing:
    if stored is None:
        raise ConflictError(f"{kind} {name} is not stored; it was never created, or it aged out")
    if stored.generation != expected:
        raise ConflictError(
            f"{kind} {name} is at generation {stored.generation}, not {expected}:"
            " another writer changed it; read it again, then decide again"
        )
    return stored


def _check_identity(kind: str, name: str, given: Standing, stored: Standing) -> None:
    if given.identity != stored.identity:
        raise BugError(f"{kind} {name} was created as {stored.identity} and cannot become {given.identity}")


def _check_moves(lifecycle: Lifecycle, name: str, state: str, moves: Sequence[Move], final: str) -> None:
    """Walk the moves from the stored state to the given one; the same state again is no move (DECISIONS 9)."""
    for move in moves:
        if move.before != state:
            raise BugError(f"{lifecycle.name} {name} is {state}; a move from {move.before} does not begin there")
        if move.after != state:
            lifecycle.check(state, move.after, object_id=name)
        state = move.after
    if state != final:
        raise BugError(f"{lifecycle.name} {name} is given as {final}, and its moves lead to {state}; name every move")


def _check_target(lifecycle: Lifecycle, item: ManagedObject) -> None:
    if item.target not in lifecycle.rows:
        raise BugError(f"{lifecycle.name} {item.object_id} has the target {item.target}, which is no state of it")


def check_new_sink(sink: Sink, stored: Sink | None) -> None:
    """Refuse a second sink of one name."""
    if stored is not None:
        raise ConflictError(f"there is a sink {sink.name} already")


def check_sink(name: str, stored: Sink | None, since: Instant | None = None) -> None:
    """Refuse a change about a sink that is not there any more, also when there is another one of that name by now."""
    if stored is None or (since is not None and stored.created_at != since):
        raise ConflictError(f"there is no sink {name}: it was removed")
