"""The steps of a plan: each gives one object a target. Which wave a step belongs to is decided after all are known.

Every decision becomes one step, or two where an old incarnation leaves when its address gets a new one. A step comes
after the incarnations that stand, or will stand, at the addresses it was built on. An incarnation that leaves does so
as its policy says (`core.planning.comparing.deletion_policy`), unless its whole process is released: then everything is
let go.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from tenuto.core.planning.comparing.adoption import as_it_is
from tenuto.core.planning.comparing.deletion_policy import exit_of, policy_of
from tenuto.core.planning.comparing.delta import Compared
from tenuto.core.planning.comparing.difference import is_cleared, is_remade
from tenuto.core.planning.operations import Decided, Decision
from tenuto.errors import BugError
from tenuto.lifecycles import roles
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.lifecycles.table import Lifecycle
from tenuto.model.composition import Declaration, DeletionPolicy
from tenuto.model.delta import DeltaKind
from tenuto.model.ids import JsonMap, ObjectId, PhysicalId
from tenuto.model.plan import Operation, Step, StepKind
from tenuto.model.resource import ManagedObject
from tenuto.model.snapshot import Snapshot
from tenuto.model.verb import Verb

_NO_WAVE = -1


def build_steps(snapshot: Snapshot, compared: Compared, decided: Decided) -> tuple[Step, ...]:
    """The steps of all decisions, in their order."""
    builder = _Builder(snapshot, compared, decided)
    return tuple(step for decision in decided.decisions for step in builder.steps_of(decision))


def changed_last(snapshot: Snapshot, decided: Decided) -> frozenset[ObjectId]:
    """The objects that are changed in place only after everything else is made: the things that take the place of an
    emptied property must stand first."""
    return frozenset(
        one.found.object_id
        for one in decided.decisions
        if one.is_change and one.found is not None and one.found.is_settled and one.declaration is not None
        if is_cleared(one.difference, snapshot.types[one.declaration.type])
    )


class _Builder:
    """Builds the steps of one plan."""

    def __init__(self, snapshot: Snapshot, compared: Compared, decided: Decided) -> None:
        self._snapshot = snapshot
        self._compared = compared
        self._standing = decided.standing

    def steps_of(self, decision: Decision) -> Iterator[Step]:
        declaration, found = decision.declaration, decision.found
        match decision.difference.kind:
            case DeltaKind.MOVING:
                assert found is not None
                yield self._retried(decision.operation, declaration, found)
            case DeltaKind.SURPLUS:
                assert found is not None
                yield _as_original(_removed(decision, found), decision)
            case DeltaKind.FOUND:
                assert declaration is not None
                yield self._adopted(decision, declaration)
                if found is not None:
                    never = "it was never made" if found.physical_id is None else "two sweeps did not show it"
                    yield leave_step(StepKind.FORGET, found, never)
            case _ if decision.is_change:
                assert declaration is not None
                assert found is not None
                properties, after = self._properties(declaration), self._built_on(declaration)
                yield change_step(found, declaration, properties, kept=decision.difference.kept, after=after)
            case _:
                assert declaration is not None
                yield self._made(decision.operation, declaration)
                if found is not None and not decision.is_kept:
                    yield _as_original(self._succeeded(decision, declaration, found), decision)

    def _retried(self, operation: Operation, declaration: Declaration | None, found: ManagedObject) -> Step:
        stands = self._standing.get(found.logical_id) == found.object_id
        after = self._built_on(declaration) if declaration is not None and stands else ()
        return retry_step(found, operation.reason, after=after)

    def _made(self, operation: Operation, declaration: Declaration) -> Step:
        name, properties = declaration.logical_id, self._properties(declaration)
        return make_step(
            operation,
            declaration,
            properties,
            table=self._table(declaration),
            incarnation=self._compared.addresses.next_incarnation(name),
            after=self._built_on(declaration) + self._compared.departing.before(name, declaration.type, properties),
        )

    def _adopted(self, decision: Decision, declaration: Declaration) -> Step:
        candidate = self._snapshot.candidates[declaration.logical_id]
        assert candidate.item is not None
        properties, changes = self._properties(declaration), decision.difference.changes
        if is_remade(decision.difference):
            properties = as_it_is(properties, candidate.item.properties, changes)
        return adopt_step(
            decision.operation,
            declaration,
            properties,
            table=self._table(declaration),
            physical_id=candidate.physical_id,
            incarnation=self._compared.addresses.next_incarnation(declaration.logical_id),
            kept=decision.difference.kept,
            after=self._built_on(declaration),
        )

    def _succeeded(self, decision: Decision, declaration: Declaration, found: ManagedObject) -> Step:
        """The step of the old incarnation when its address gets a new one; one that vanished has only to be
        forgotten."""
        if decision.difference.kind is DeltaKind.VANISHED:
            return leave_step(StepKind.FORGET, found, decision.difference.message)
        policy = declaration.replace_policy
        return leave_step(exit_of(found, policy, self._snapshot.types.get(found.type)), found, "replaced", policy)

    def _properties(self, declaration: Declaration) -> JsonMap:
        return self._compared.desired[declaration.logical_id].properties

    def _table(self, declaration: Declaration) -> Lifecycle:
        return CATALOGUE[self._snapshot.types[declaration.type].lifecycle]

    def _built_on(self, declaration: Declaration) -> tuple[ObjectId, ...]:
        return tuple(self._standing[name] for name in declaration.depends_on if name in self._standing)


def _as_original(step: Step, decision: Decision) -> Step:
    """The step of an incarnation that leaves, with the mark of an original where it is one."""
    is_original = decision.is_original and step.kind is StepKind.REMOVE
    return replace(step, is_original=True) if is_original else step


def _removed(decision: Decision, found: ManagedObject) -> Step:
    """The step of a surplus object. It goes after its successor is ready, where that is on its way."""
    kind = StepKind.RELEASE if decision.operation.verb is Verb.RELEASE else StepKind.REMOVE
    if decision.is_lost:
        kind = StepKind.FORGET
    return leave_step(kind, found, decision.reason, after=(decision.successor,) if decision.successor else ())


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
    """Return a step that tries the failed phases of an object again, on the way that the object is on."""
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
        deletion_policy=policy_of(found, policy or found.deletion_policy),
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
