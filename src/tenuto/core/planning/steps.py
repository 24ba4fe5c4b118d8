"""The steps of a plan, one function for each kind. Which wave a step belongs to is decided after all are known.

A resource that is ours and not declared leaves, and so does the old incarnation of an address that is made anew. Each
leaves as its policy says (`core.planning.deletion_policy`), unless its whole process is released: then everything is
let go.
"""

from collections.abc import Iterable, Mapping

from tenuto.core.planning.deletion_policy import exit_of, policy_of
from tenuto.errors import BugError
from tenuto.lifecycles import roles
from tenuto.lifecycles.table import Lifecycle
from tenuto.model.composition import Declaration, DeletionPolicy
from tenuto.model.delta import DeltaKind, Difference
from tenuto.model.ids import JsonMap, ObjectId, PhysicalId
from tenuto.model.plan import Operation, Step, StepKind, Verb
from tenuto.model.process import ReleaseMode
from tenuto.model.resource import ManagedObject
from tenuto.model.snapshot import Snapshot

_NO_WAVE = -1


def make_step(
    operation: Operation,
    declaration: Declaration,
    properties: JsonMap,
    *,
    table: Lifecycle,
    incarnation: int,
    after: Iterable[ObjectId],
) -> Step:
    """A new incarnation. `after` are the objects that must be there, or gone, before it; naming one twice is fine."""
    return Step(
        kind=StepKind.MAKE,
        object_id=operation.object_id,
        logical_id=declaration.logical_id,
        type=declaration.type,
        lifecycle=table.name,
        target=roles.aim_of(table, properties),
        wave=_NO_WAVE,
        after=tuple(dict.fromkeys(after)),
        properties=properties,
        incarnation=incarnation,
        depends_on=declaration.depends_on,
        deletion_policy=declaration.deletion_policy,
        reason=operation.reason,
    )


def adopt_step(
    operation: Operation,
    declaration: Declaration,
    properties: JsonMap,
    *,
    table: Lifecycle,
    physical_id: PhysicalId,
    incarnation: int,
    kept: tuple[str, ...],
    after: tuple[ObjectId, ...],
) -> Step:
    """An incarnation of an address that exists already."""
    return Step(
        kind=StepKind.ADOPT,
        object_id=operation.object_id,
        logical_id=declaration.logical_id,
        type=declaration.type,
        lifecycle=table.name,
        target=table.ready,
        wave=_NO_WAVE,
        after=after,
        properties=properties,
        incarnation=incarnation,
        physical_id=physical_id,
        kept=kept,
        depends_on=declaration.depends_on,
        deletion_policy=declaration.deletion_policy,
        reason=operation.reason,
    )


def change_step(
    found: ManagedObject,
    declaration: Declaration,
    properties: JsonMap,
    *,
    kept: tuple[str, ...],
    after: tuple[ObjectId, ...],
) -> Step:
    """Return a step that gives other properties to an incarnation."""
    return Step(
        kind=StepKind.CHANGE,
        object_id=found.object_id,
        logical_id=found.logical_id,
        type=found.type,
        lifecycle=found.lifecycle,
        target=roles.aim_of(roles.table_of(found), properties),
        wave=_NO_WAVE,
        after=after,
        properties=properties,
        incarnation=found.incarnation,
        depends_on=declaration.depends_on,
        deletion_policy=policy_of(found, declaration.deletion_policy),
        kept=kept,
    )


def retry_step(found: ManagedObject, reason: str, *, after: tuple[ObjectId, ...]) -> Step:
    """Return a step that tries again what failed on the way that the object is on."""
    return Step(
        kind=StepKind.RETRY,
        object_id=found.object_id,
        logical_id=found.logical_id,
        type=found.type,
        lifecycle=found.lifecycle,
        target=found.target,
        wave=_NO_WAVE,
        after=after,
        incarnation=found.incarnation,
        depends_on=found.depends_on,
        deletion_policy=found.deletion_policy,
        reason=reason,
    )


def leave_step(
    kind: StepKind,
    found: ManagedObject,
    reason: str,
    policy: DeletionPolicy | None = None,
    *,
    after: tuple[ObjectId, ...] = (),
) -> Step:
    """A removal, a release, or that it is gone already. `policy` holds in place of the object's own."""
    return Step(
        kind=kind,
        object_id=found.object_id,
        logical_id=found.logical_id,
        type=found.type,
        lifecycle=found.lifecycle,
        target=_end(found, kind),
        wave=_NO_WAVE,
        after=after,
        incarnation=found.incarnation,
        depends_on=found.depends_on,
        deletion_policy=policy or found.deletion_policy,
        reason=reason,
    )


def _end(found: ManagedObject, kind: StepKind) -> str:
    """The final state that a removal leads to."""
    table = roles.table_of(found)
    if kind is not StepKind.RELEASE:
        return table.gone
    if table.released is None:
        raise BugError(f"{found.logical_id} cannot be released: lifecycle {table.name} knows no release")
    return table.released


_LETS_GO: Mapping[ReleaseMode, str] = {
    ReleaseMode.UNTAG: "it stays as it is, without our tags",
    ReleaseMode.KEEP_TAGS: "it stays as it is, with our tags",
}


def removal(
    found: ManagedObject, snapshot: Snapshot, *, reason: str = "", successor: ObjectId | None = None
) -> tuple[Operation, Step]:
    """A surplus resource goes, or stays behind unmanaged when its policy says so.

    `reason` is given where its address is declared, and so has another incarnation. It goes after its `successor` is
    ready, where that is on its way.
    """
    policy, releasing = found.deletion_policy, snapshot.process.releasing
    kind = StepKind.RELEASE if releasing is not None else _way_out(found, policy, snapshot)
    if not reason:
        reason = "not declared any more"
        if snapshot.composition is None:
            reason = "kill" if releasing is None else _LETS_GO[releasing]
    has_policy = policy is not DeletionPolicy.DELETE and releasing is None
    operation = Operation(
        verb=Verb.RELEASE if kind is StepKind.RELEASE else Verb.DELETE,
        type=found.type,
        logical_id=found.logical_id,
        object_id=found.object_id,
        physical_id=found.physical_id,
        reason=f"{reason}; DeletionPolicy {policy.value}" if has_policy else reason,
        depends_on=found.depends_on,
    )
    return operation, leave_step(kind, found, reason, after=(successor,) if successor else ())


def kept_back(found: ManagedObject, snapshot: Snapshot, policy: DeletionPolicy) -> str:
    """Return why something can neither be released, since its type knows no release, nor deleted, since it is to stay;
    empty where it can leave. `policy` is the one that it leaves by.
    """
    if roles.table_of(found).released is not None:
        return ""
    name = snapshot.process.alias or snapshot.process.fid
    if snapshot.process.releasing is not None:
        return (
            f"{found.logical_id} cannot be released: a {found.type} exists only as long as Tenuto manages it. "
            f"'tenuto kill {name}' deletes it"
        )
    if _way_out(found, policy, snapshot) is StepKind.REMOVE:
        return ""
    return (
        f"{found.logical_id} is to be kept by its policy, and a {found.type} exists only as long as Tenuto manages it. "
        f"Give it the policy Delete with 'tenuto update {name} FILE', or leave it declared"
    )


def succession(difference: Difference, declaration: Declaration, found: ManagedObject, snapshot: Snapshot) -> Step:
    """Return how the old incarnation leaves when its address gets a new one; one that vanished has only to be
    forgotten.
    """
    if difference.kind is DeltaKind.VANISHED:
        return leave_step(StepKind.FORGET, found, difference.message)
    policy = declaration.replace_policy
    return leave_step(_way_out(found, policy, snapshot), found, "replaced", policy)


def _way_out(found: ManagedObject, policy: DeletionPolicy, snapshot: Snapshot) -> StepKind:
    return exit_of(found, policy, snapshot.types.get(found.type))
