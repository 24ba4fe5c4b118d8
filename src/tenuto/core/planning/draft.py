"""The draft of a plan: differences become operations, steps and waits, one address at a time.

This is the first of the planner's passes. Every difference becomes at most one operation (an adoption that also changes
something becomes two), or a wait that says why nothing is done about it; every operation brings its steps along, still
without a wave. Differences must come in the order of dependency: a step comes after the incarnations that stand, or
will stand, at the addresses it was built on.
"""

from collections.abc import Mapping
from dataclasses import replace

from tenuto.core.language import resolve
from tenuto.core.planning.adoption import as_it_is
from tenuto.core.planning.changes import Desired
from tenuto.core.planning.compare import Compared
from tenuto.core.planning.difference import is_cleared, is_remade
from tenuto.core.planning.drift import drift_of
from tenuto.core.planning.exclusive import DepartingObjects
from tenuto.core.planning.fights import by_address, confirmed, ended, is_ignored, judge
from tenuto.core.planning.fights import held_message as fight_message
from tenuto.core.planning.marked import held_message
from tenuto.core.planning.reasons import (
    is_new_wish,
    is_refresh,
    is_tried_again,
    left_alone_message,
    reason_to_change,
    reason_to_remove,
    retry_operation,
)
from tenuto.core.planning.references import objects_by_id
from tenuto.core.planning.steps import (
    adopt_step,
    change_step,
    kept_back,
    leave_step,
    make_step,
    removal,
    retry_step,
    succession,
)
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.lifecycles.roles import is_failing
from tenuto.lifecycles.table import Lifecycle
from tenuto.model.composition import Declaration, DeletionPolicy
from tenuto.model.delta import DeltaKind, Difference
from tenuto.model.drift import Drift
from tenuto.model.flip import Flip
from tenuto.model.ids import IdSource, LogicalId, ObjectId
from tenuto.model.plan import Operation, Step, StepKind, Verb, Wait, WaitKind
from tenuto.model.process import Command
from tenuto.model.resource import ManagedObject
from tenuto.model.snapshot import Snapshot


class Draft:
    """The operations, steps and waits of one plan while they are being gathered. Never outlives `plan`."""

    def __init__(
        self,
        snapshot: Snapshot,
        compared: Compared,
        under_way: DepartingObjects,
        ids: IdSource,
        blocked: Mapping[LogicalId, LogicalId],
    ) -> None:
        """`blocked` are what cannot be made for now, and who holds what each needs."""
        self.snapshot = snapshot
        self.desired = compared.desired
        self.ids = ids
        self.operations: list[Operation] = []
        self.drift: list[Operation] = []
        self.drifts: list[Drift] = []
        """The differences that no command asked for, whether they are corrected or not."""
        self.steps: list[Step] = []
        self.waits: list[Wait] = []
        self.under_way = under_way
        self.blocked = blocked
        self.addresses = compared.addresses
        self.objects = objects_by_id(snapshot.objects)
        declared = snapshot.composition.resources if snapshot.composition else ()
        self.declarations = {declaration.logical_id: declaration for declaration in declared}
        self.fights = by_address(flip for flip in snapshot.flips if not self._is_forgiven(flip))
        self.flips: list[Flip] = []
        self.forgotten_flips = [flip.key for flip in snapshot.flips if self._is_forgiven(flip)]
        self.considered: set[LogicalId] = set()
        self.standing: dict[LogicalId, ObjectId] = {}
        self.awaited: dict[LogicalId, ObjectId] = {}
        """The incarnations on their way to stand at their addresses that no step of this plan is about."""
        self.vacant: set[LogicalId] = set()
        """The declared addresses at which nothing stands, nor will after this plan."""
        self.last: set[ObjectId] = set()
        """The objects that are changed in place only after everything else is made."""

    def consider(self, difference: Difference) -> None:
        """Plan, or explain, one difference. Those of declarations come first, in the order of dependency."""
        found = self.objects[difference.object_id] if difference.object_id else None
        declaration = self.declarations.get(difference.logical_id)
        is_of_declaration = declaration is not None and difference.logical_id not in self.considered
        self.considered.add(difference.logical_id)
        if found is not None and is_of_declaration:
            self.standing[difference.logical_id] = found.object_id
        steps = len(self.steps)
        self._decide(difference, declaration, found)
        if is_of_declaration and len(self.steps) == steps:
            self._note_unchanged(difference, found)

    def _decide(self, difference: Difference, declaration: Declaration | None, found: ManagedObject | None) -> None:
        match difference.kind:
            case DeltaKind.SAME:
                if self.fights:
                    remembered = self.fights.get(difference.logical_id, ())
                    self.forgotten_flips += ended(remembered)
                    self.flips += confirmed(remembered)
            case DeltaKind.MOVING if found is not None and is_tried_again(found, self.snapshot.process):
                self._try_again(found, declaration)
            case DeltaKind.MOVING | DeltaKind.UNCLEAR | DeltaKind.FAILED:
                self._wait_for(difference, found)
            case DeltaKind.SURPLUS:
                assert found is not None
                self._remove(found)
            case DeltaKind.FOUND:
                assert declaration is not None
                self._adopt(difference, declaration, found)
            case _:
                assert declaration is not None
                self._bring_about(difference, declaration, found)

    def _note_unchanged(self, difference: Difference, found: ManagedObject | None) -> None:
        """Note the incarnation at a declared address of which this plan changes nothing."""
        is_settled = found is not None and found.is_settled and not found.is_phase_failed
        if found is not None and difference.kind is DeltaKind.MOVING and not is_settled and not found.is_phase_failed:
            self.awaited[difference.logical_id] = found.object_id
        elif not is_settled or difference.kind not in (DeltaKind.SAME, DeltaKind.CHANGED):
            self.vacant.add(difference.logical_id)

    def _is_forgiven(self, flip: Flip) -> bool:
        """Whether a resource that is held as fought over is corrected again: its owner has said `resume`."""
        return flip.held_at is not None and self.snapshot.process.intent.waiting is Command.RESUME

    def _try_again(self, found: ManagedObject, declaration: Declaration | None) -> None:
        operation = retry_operation(found, declaration.position if declaration else None)
        stands = self.standing.get(found.logical_id) == found.object_id
        after = self._built_on(declaration) if declaration is not None and stands else ()
        self.operations.append(operation)
        self.steps.append(retry_step(found, operation.reason, after=after))

    def _wait_for(self, difference: Difference, found: ManagedObject | None) -> None:
        if difference.kind is DeltaKind.UNCLEAR:
            kind = WaitKind.OBSERVATION
        else:
            kind = WaitKind.FAILED if found is not None and found.is_phase_failed else WaitKind.PHASE
        self._wait(kind, difference.logical_id, difference.message)

    def _wait(self, kind: WaitKind, name: LogicalId, message: str) -> None:
        self.waits.append(Wait(kind=kind, logical_id=name, message=message))

    def _bring_about(self, difference: Difference, declaration: Declaration, found: ManagedObject | None) -> None:
        desired = self.desired[declaration.logical_id]
        is_drift = found is None or not is_failing(found)
        if is_drift and (drift := drift_of(difference, found, desired.digest, declaration.type, self.snapshot.now)):
            self.drifts.append(drift)
        if self._is_drift_left_alone(difference, desired, found):
            self.drift.append(self._operation(difference, declaration, found))
            message = left_alone_message(difference, found)
            self._wait(WaitKind.ENFORCEMENT, declaration.logical_id, message)
            return
        if self._is_fought_over(difference, declaration, desired, found):
            return
        if is_remade(difference) and self._stands_unknown(declaration, found):
            return
        if self._waits_for_another(declaration, desired) or self._keeps_back(difference, declaration, found):
            return
        operation = self._operation(difference, declaration, found)
        self.operations.append(operation)
        if not is_remade(difference):
            assert found is not None
            after, kept = self._built_on(declaration), difference.kept
            self.steps.append(change_step(found, declaration, desired.properties, kept=kept, after=after))
            if found.is_settled and is_cleared(difference, self.snapshot.types[declaration.type]):
                self.last.add(found.object_id)
            return
        self._make(operation, declaration, desired)
        if found is not None:
            self.steps.append(succession(difference, declaration, found, self.snapshot))

    def _is_fought_over(
        self, difference: Difference, declaration: Declaration, desired: Desired, found: ManagedObject | None
    ) -> bool:
        """Whether it is set back again and again, or never set. What is to be remembered of that is kept.

        A failed object that is changed on its way is tried again because a user said so.
        """
        if found is None:
            return False
        is_drift = found.desired_digest == desired.digest and (
            difference.kind is DeltaKind.VANISHED
            or (difference.kind is DeltaKind.CHANGED and found.is_settled and not difference.message)
        )
        judged = judge(
            difference,
            found,
            self.fights.get(difference.logical_id, ()),
            self.snapshot.hold,
            self.snapshot.now,
            is_drift=is_drift,
        )
        self.flips += judged.saved
        self.forgotten_flips += judged.removed
        if not judged.held:
            return False
        self.drift.append(self._operation(difference, declaration, found))
        kind = WaitKind.IGNORED if all(is_ignored(flip) for flip in judged.held) else WaitKind.FIGHT
        self._wait(kind, declaration.logical_id, fight_message(self.snapshot.process, judged.held))
        return True

    def _stands_unknown(self, declaration: Declaration, found: ManagedObject | None) -> bool:
        """Whether something with the marks of the address stands already: making another one could not be undone."""
        name = declaration.logical_id
        things = [one for one in self.snapshot.marked.get(name, ()) if one.type == declaration.type]
        if things:
            process = self.snapshot.process
            recorded = found.physical_id if found is not None else None
            message = held_message(process.alias or process.fid, name, things, recorded)
            self._wait(WaitKind.MARKED, name, message)
        return bool(things)

    def _adopt(self, difference: Difference, declaration: Declaration, gone: ManagedObject | None) -> None:
        """Take over what exists, and change in place what differs. What cannot be changed stays as it is for now: the
        next plan finds it, and replaces it. `gone` is an incarnation in whose place it comes."""
        desired = self.desired[declaration.logical_id]
        candidate = self.snapshot.candidates[declaration.logical_id]
        assert candidate.item is not None
        if self._waits_for_another(declaration, desired):
            return
        adopted = Operation(
            verb=Verb.ADOPT,
            type=declaration.type,
            logical_id=declaration.logical_id,
            object_id=ObjectId(self.ids.new("object")),
            physical_id=candidate.physical_id,
            reason="it exists",
            depends_on=declaration.depends_on,
            position=declaration.position,
        )
        self.operations.append(adopted)
        remade = is_remade(difference)
        if difference.changes:
            verb = Verb.REPLACE if remade else Verb.MODIFY
            changed = replace(adopted, verb=verb, reason="adopted, and declared otherwise", changes=difference.changes)
            self.operations.append(changed)
        observed = candidate.item.properties
        self.standing[declaration.logical_id] = adopted.object_id
        properties = as_it_is(desired.properties, observed, difference.changes) if remade else desired.properties
        self.steps.append(
            adopt_step(
                adopted,
                declaration,
                properties,
                table=self._table(declaration),
                physical_id=candidate.physical_id,
                incarnation=self.addresses.next_incarnation(declaration.logical_id),
                kept=difference.kept,
                after=self._built_on(declaration),
            )
        )
        if gone is not None:
            self.steps.append(leave_step(StepKind.FORGET, gone, "two sweeps did not show it"))

    def _waits_for_another(self, declaration: Declaration, desired: Desired) -> bool:
        """Whether something it refers to has no value that this plan could use, or another one keeps what it needs."""
        name = declaration.logical_id
        message = ""
        if missing := self._valueless(desired):
            told = f"{missing.name}.{missing.attribute}" if missing.attribute else missing.name
            message = f"{name} refers to {told}, which has no value yet"
        elif holder := self.blocked.get(name):
            message = f"{name} needs what {holder} still holds; {holder} will release it, but waits itself"
        if message:
            self._wait(WaitKind.REFERENCE, name, message)
        return bool(message)

    def _keeps_back(self, difference: Difference, declaration: Declaration, found: ManagedObject | None) -> bool:
        """Whether it cannot be made anew, because the incarnation that is there cannot leave."""
        is_there = found is not None and is_remade(difference) and difference.kind is not DeltaKind.VANISHED
        return is_there and found is not None and self._is_kept_back(found, declaration.replace_policy)

    def _is_kept_back(self, found: ManagedObject, policy: DeletionPolicy) -> bool:
        message = kept_back(found, self.snapshot, policy)
        if message:
            self._wait(WaitKind.UNRELEASABLE, found.logical_id, message)
        return bool(message)

    def _valueless(self, desired: Desired) -> resolve.Open | None:
        """The first reference that this plan will not give a value."""
        parameters = self.snapshot.composition.parameters if self.snapshot.composition else {}
        for expression in resolve.open_expressions(desired.properties):
            if expression.name in parameters and parameters[expression.name].fingerprint:
                continue
            stands = self.standing.get(LogicalId(expression.name))
            if stands is None or (stands in self.objects and self.objects[stands].is_settled):
                return expression
        return None

    def _is_drift_left_alone(self, difference: Difference, desired: Desired, found: ManagedObject | None) -> bool:
        """Enforcement off holds back what no command asked for; a new wish passes."""
        return (
            not self.snapshot.process.is_enforced_at(self.snapshot.now)
            and found is not None
            and not is_failing(found)
            and not is_new_wish(difference, desired, found)
        )

    def _operation(self, difference: Difference, declaration: Declaration, found: ManagedObject | None) -> Operation:
        remade = is_remade(difference)
        if is_refresh(difference, found):
            verb = Verb.REFRESH
        elif not remade:
            verb = Verb.MODIFY
        elif found is None or difference.kind is DeltaKind.VANISHED:
            verb = Verb.CREATE
        else:
            verb = Verb.REPLACE
        assert found is not None or remade
        return Operation(
            verb=verb,
            type=declaration.type,
            logical_id=declaration.logical_id,
            object_id=ObjectId(self.ids.new("object")) if remade or found is None else found.object_id,
            physical_id=found.physical_id if found else None,
            reason=reason_to_change(difference, self.desired[difference.logical_id], found),
            changes=difference.changes,
            depends_on=declaration.depends_on,
            position=declaration.position,
        )

    def _make(self, operation: Operation, declaration: Declaration, desired: Desired) -> None:
        built_on = self._built_on(declaration)
        before = self.under_way.before(declaration.logical_id, declaration.type, desired.properties)
        self.standing[declaration.logical_id] = operation.object_id
        self.steps.append(
            make_step(
                operation,
                declaration,
                desired.properties,
                table=self._table(declaration),
                incarnation=self.addresses.next_incarnation(declaration.logical_id),
                after=built_on + before,
            )
        )

    def _table(self, declaration: Declaration) -> Lifecycle:
        return CATALOGUE[self.snapshot.types[declaration.type].lifecycle]

    def _built_on(self, declaration: Declaration) -> tuple[ObjectId, ...]:
        return tuple(self.standing[name] for name in declaration.depends_on if name in self.standing)

    def _remove(self, found: ManagedObject) -> None:
        """Remove what is surplus; but an old incarnation only after the one that is to stand at its address."""
        name = found.logical_id
        if name in self.vacant:
            which = found.physical_id or f"incarnation {found.incarnation}"
            self._wait(WaitKind.PHASE, name, f"{which} stays until its successor is ready")
            return
        if self._is_kept_back(found, found.deletion_policy):
            return
        standing = self.standing.get(name)
        is_awaited = standing is not None and (standing not in self.objects or name in self.awaited)
        reason = reason_to_remove(is_awaited=is_awaited) if name in self.declarations else ""
        operation, step = removal(found, self.snapshot, reason=reason, successor=self.awaited.get(name))
        self.operations.append(operation)
        self.steps.append(step)
