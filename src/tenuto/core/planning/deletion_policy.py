"""Removals: resources that are ours and not declared, and old incarnations of addresses that are made anew.

Each leaves as its policy says (`core.planning.keeping`), unless its whole process is released: then everything is let
go.
"""

from collections.abc import Mapping

from tenuto.core.planning.keeping import exit_of
from tenuto.core.planning.steps import leave_step
from tenuto.lifecycles import roles
from tenuto.model.composition import Declaration, DeletionPolicy
from tenuto.model.delta import DeltaKind, Difference
from tenuto.model.ids import ObjectId
from tenuto.model.plan import Operation, Step, StepKind, Verb
from tenuto.model.process import ReleaseMode
from tenuto.model.resource import ManagedObject
from tenuto.model.snapshot import Snapshot

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
