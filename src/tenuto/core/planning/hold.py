"""The hold rule stops a plan that would turn healing into an outage (DECISIONS 27).

Mass loss is judged twice: of the process, and of everything that is held in its account and region. An account that
was emptied, and an endpoint that leads to another one, take two or three things from each of a hundred processes. No
one of them has lost many, and together they would build everything anew.

Things that bear data have a rule of their own, since a single one is too many (DECISIONS 39): **nothing that bears data
is replaced or deleted unless a person could see that before.** A person can see a kill, and the first plan of a
command, which is the plan that its dry run shows. A later plan of the same command may go on with the things that an
earlier one was to replace or delete; any other waits for a command of its own. The deletion policy changes nothing: in
place of a bucket that is retained there is an empty one all the same.

The removal of an original whose successor stands is a part of the plan that replaced it, and is judged with that: the
original may have stayed for a while, since importers used it. So may a resource that left the composition, and its
removal is a part of the update that took it out.

The replacement of a thing that failed, and whose failure is acknowledged, does not count for either rule: the thing
serves no longer, and what it held went with the failure. A declaration may acknowledge in advance, and a lost host may
take most of a process with it (decisions 188 and 191).
"""

from collections.abc import Iterable, Iterator, Sequence

from tenuto.core.planning.comparing.references import Addresses, objects_by_id
from tenuto.lifecycles import roles
from tenuto.model.command import ProcessState
from tenuto.model.delta import Delta, DeltaKind
from tenuto.model.ids import LogicalId, PhysicalId
from tenuto.model.plan import Operation, Plan
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto.model.snapshot import HoldPolicy, Snapshot
from tenuto.model.verb import Verb

Thing = tuple[LogicalId, PhysicalId]
"""One real thing at one address."""
_TOLD = 3
"""Things with data in one message; `tenuto plan` shows all."""


def held_reason(snapshot: Snapshot, delta: Delta, made: Plan) -> str:
    """The reason why this plan must not be executed before a person approves it; empty when it may.

    A user's command behind the plan is the approval: run, update, kill, and `resume` of a held process. Of things that
    bear data it approves those that it showed.
    """
    if snapshot.process.state is ProcessState.KILLING:
        return ""
    endings = _endings(snapshot, made)
    if lost := tuple(_unseen_losses(snapshot, endings)):
        return _loss_text(snapshot.process, lost)
    if snapshot.process.intent.stands:
        return ""
    policy, process = snapshot.hold, snapshot.process
    total = sum(1 for difference in delta.differences if difference.object_id is not None)
    interrupted = sum(1 for operation in made.operations if operation.may_interrupt)
    hit = len(endings) + interrupted
    if hit > policy.minimum:
        given_up = _given_up(snapshot.objects)
        hit -= sum(_destroyed(operation) in given_up for operation in endings)
    if hit > policy.minimum and hit > policy.share * total:
        what = "delete, replace or interrupt" if interrupted else "delete or replace"
        return _text(process, f"{what} {hit} of {total} resources, more than {policy.share:.0%}")
    vanished = sum(1 for difference in delta.differences if difference.kind is DeltaKind.VANISHED)
    if _is_mass(vanished, total, policy):
        share = f"{policy.vanished_share:.0%}"
        what = f"create again {vanished} of {total} resources that seem to be gone, more than {share}"
        return _text(process, what, _check_of(process))
    loss = snapshot.loss
    if vanished and _is_mass(loss.gone, loss.known, policy):
        what = (
            f"create again {vanished} of {total} resources that seem to be gone, and so do {loss.gone} of the "
            f"{loss.known} that all processes have of these types in {process.partition}"
        )
        return _text(process, what, _check_of(process))
    return ""


def destroyed(made: Plan) -> frozenset[Thing]:
    """The things that a plan replaces or deletes."""
    return frozenset(thing for operation in made.operations if (thing := _destroyed(operation)) is not None)


def _destroyed(operation: Operation) -> Thing | None:
    """The thing that an operation replaces or deletes; None for an object that never got an id of the provider: it
    holds nothing yet."""
    if not operation.is_destructive or operation.physical_id is None:
        return None
    return operation.logical_id, operation.physical_id


def _endings(snapshot: Snapshot, made: Plan) -> tuple[Operation, ...]:
    """The replacements and deletions of a plan, without the removals that may have waited for importers: of originals
    whose successors stand, and of resources that left the composition."""
    destructive = tuple(operation for operation in made.operations if operation.is_destructive)
    if not destructive:
        return ()
    addresses, objects = Addresses.of(snapshot.objects), objects_by_id(snapshot.objects)
    declared = {one.logical_id for one in snapshot.composition.resources} if snapshot.composition else set()
    left = {one.object_id for one in made.steps if one.is_original and one.logical_id not in declared}
    return tuple(
        one
        for one in destructive
        if one.object_id not in left and not _is_replaced(objects.get(one.object_id), addresses)
    )


def _given_up(objects: Iterable[ManagedObject]) -> frozenset[Thing]:
    """The things that failed, where a person or their declaration has acknowledged that."""
    failed = (one for one in objects if roles.is_failing(one) and not one.is_phase_failed)
    return frozenset((one.logical_id, one.physical_id) for one in failed if one.physical_id is not None)


def _is_replaced(found: ManagedObject | None, addresses: Addresses) -> bool:
    """Whether a successor of an incarnation stands at its address."""
    successor = addresses.answering(found.logical_id) if found is not None else None
    if found is None or successor is None or successor.incarnation <= found.incarnation:
        return False
    return successor.is_settled and roles.is_to_stand(successor) and successor.physical_id is not None


def _unseen_losses(snapshot: Snapshot, endings: Sequence[Operation]) -> Iterator[Operation]:
    """The operations that destroy data, and that no person could see before."""
    process = snapshot.process
    if process.intent.waiting is not None or not endings:
        return
    shown = snapshot.shown if process.intent.stands else frozenset()
    seen = shown | _given_up(snapshot.objects)
    types = {(found.logical_id, found.physical_id): found.type for found in snapshot.objects}
    for operation in endings:
        thing = _destroyed(operation)
        # A declaration may be of another type by now than the thing at its address.
        facts = snapshot.types.get(types.get(thing, operation.type)) if thing else None
        if facts is not None and facts.bears_data and thing not in seen:
            yield operation


def _loss_text(process: Process, lost: tuple[Operation, ...]) -> str:
    told = [_told(operation) for operation in lost[:_TOLD]]
    if len(lost) > _TOLD:
        told.append(f"{len(lost) - _TOLD} more like that")
    why = "the command that it is for did not show this" if process.intent.stands else "no command asked for it"
    return (
        f"the plan would {', and '.join(told)}. What is lost with that cannot be made again, and {why}. "
        f"{_ways(process)}"
    )


def _told(operation: Operation) -> str:
    forced = [change.path for change in operation.changes if change.forces_replacement]
    cause = f"forced by {', '.join(forced)}" if forced else operation.reason
    verb = "replace" if operation.verb is Verb.REPLACE else "delete"
    return f"{verb} {operation.logical_id} ({operation.type} {operation.physical_id}: {cause})"


def _is_mass(gone: int, known: int, policy: HoldPolicy) -> bool:
    return gone > policy.vanished_minimum and gone > policy.vanished_share * known


def _check_of(process: Process) -> str:
    """The first advice when much is gone: most often the credentials lead to another account."""
    return f"See with 'tenuto account check {process.partition.account}' whether this is the right account. "


def _text(process: Process, what: str, check: str = "") -> str:
    return f"the plan would {what}, and no command asked for it. {check}{_ways(process)}"


def _ways(process: Process) -> str:
    """Return the commands that go on from a held plan, as a sentence."""
    name = process.alias or process.fid
    return (
        f"Look at it with 'tenuto plan {name}'; 'tenuto resume {name}' approves it, "
        "'kill' or 'update' changes the intent."
    )
