"""The steps of a plan, one function for each kind. Which wave a step belongs to is decided after all are known."""

from collections.abc import Iterable

from tenuto.core.planning.keeping import policy_of
from tenuto.errors import BugError
from tenuto.lifecycles import roles
from tenuto.lifecycles.table import Lifecycle
from tenuto.model.composition import Declaration, DeletionPolicy
from tenuto.model.ids import JsonMap, ObjectId, PhysicalId
from tenuto.model.plan import Operation, Step, StepKind
from tenuto.model.resource import ManagedObject

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
