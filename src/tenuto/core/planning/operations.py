"""The operations of a plan: the act about each difference, or the wait that says why there is none.

Theory of operation. Every difference becomes at most one operation (an adoption that also changes something becomes
two), or a wait. Differences come in the order of dependency, since a wait of one is a reason to wait for all that
refers to it: it is known which incarnations stand, or will stand, at the addresses that a declaration was built on. A
resource that waits keeps the values that only one object can have. So the pass is repeated while one more resource
needs a value that another one keeps.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tenuto.core.planning.comparing.deletion_policy import exit_of
from tenuto.core.planning.comparing.delta import Compared
from tenuto.core.planning.comparing.difference import is_remade
from tenuto.core.planning.comparing.drift import drift_of
from tenuto.core.planning.comparing.exclusive import blocked_by
from tenuto.core.planning.comparing.secrets import Desired
from tenuto.core.planning.fights import (
    by_address,
    confirmed,
    ended,
    held_message,
    is_forgiven,
    is_ignored,
    judge,
    split_off,
)
from tenuto.core.planning.reasons import (
    adoption,
    continuation,
    correction,
    is_continued,
    kept_for,
    loss_to,
    reason_to_remove,
    reason_to_succeed,
    removal,
    wait_for_another,
    wait_for_deletions,
    wait_for_dependency,
    wait_for_doctor,
    wait_for_enforcement,
    wait_for_importers,
    wait_for_name,
    wait_for_object,
    wait_for_policy,
    wait_for_successor,
)
from tenuto.lifecycles.roles import is_being_deleted, is_failing
from tenuto.model.composition import Declaration, DeletionPolicy
from tenuto.model.delta import DeltaKind, Difference
from tenuto.model.drift import Drift
from tenuto.model.flip import Flip
from tenuto.model.ids import IdSource, LogicalId, ObjectId
from tenuto.model.plan import Operation, StepKind, Wait
from tenuto.model.resource import ManagedObject
from tenuto.model.snapshot import Snapshot
from tenuto.model.verb import Verb, WaitKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A difference about which something is done."""

    difference: Difference
    declaration: Declaration | None
    found: ManagedObject | None
    operation: Operation
    change: Operation | None = None
    """The second operation of an adoption that also changes something."""
    successor: ObjectId | None = None
    """The object on its way that a surplus incarnation makes room for."""
    reason: str = ""
    """The reason for the deletion of a surplus incarnation, without its policy."""
    is_kept: bool = False
    """True for a replacement whose original stays for now, since importers of other processes use it."""
    is_original: bool = False
    """True where the removed incarnation would stay if importers of other processes used it."""
    is_lost: bool = False
    """True for a surplus incarnation whose thing another process manages: nothing is done to that."""

    @property
    def is_change(self) -> bool:
        """Whether an incarnation is changed in place."""
        return self.difference.kind is DeltaKind.CHANGED and not is_remade(self.difference)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """The decisions about a whole delta, in its order, and everything that is told or remembered beside them."""

    decisions: tuple[Decision, ...]
    waits: tuple[Wait, ...]
    drift: tuple[Operation, ...]
    """The operations that would correct the drift that is left as it is."""
    drifts: tuple[Drift, ...]
    """The differences that no command asked for, whether they are corrected or not."""
    flips: tuple[Flip, ...]
    forgotten_flips: tuple[tuple[LogicalId, str], ...]
    standing: Mapping[LogicalId, ObjectId]
    """The incarnation that stands, or will stand, at each declared address."""

    @property
    def operations(self) -> tuple[Operation, ...]:
        """Return all operations of the decisions, in their order."""
        return tuple(made for one in self.decisions for made in (one.operation, one.change) if made is not None)


def decide_operations(snapshot: Snapshot, compared: Compared, ids: IdSource) -> Decided:
    """The decisions about all that can be done now."""
    blocked: dict[LogicalId, LogicalId] = {}
    while True:
        gathering = _Gathering(snapshot, compared, ids, blocked)
        for difference in compared.delta.differences:
            gathering.consider(difference)
        decided = [one.difference for one in gathering.decisions]
        more = blocked_by(snapshot, compared.objects, compared.delta, compared.desired, decided)
        if not more:
            return gathering.value()
        blocked |= more


class _Gathering:
    """The decisions and waits of one turn while they are gathered. Never outlives `decide_operations`."""

    def __init__(
        self, snapshot: Snapshot, compared: Compared, ids: IdSource, blocked: Mapping[LogicalId, LogicalId]
    ) -> None:
        """`blocked` are the addresses that cannot be made for now, each with the holder of the value that it needs."""
        self.snapshot = snapshot
        self.process = snapshot.process
        self.is_enforced = self.process.is_enforced_at(snapshot.now)
        self.desired = compared.desired
        self.early = compared.early
        self.in_the_way = compared.in_the_way
        self.is_exporting = snapshot.composition is not None and snapshot.composition.is_exporting
        self.ids = ids
        self.blocked = blocked
        self.objects = compared.objects
        declared = snapshot.composition.resources if snapshot.composition else ()
        parameters = snapshot.composition.parameters if snapshot.composition else {}
        self.declarations = {declaration.logical_id: declaration for declaration in declared}
        self.secrets = frozenset(name for name, parameter in parameters.items() if parameter.fingerprint)
        self.fights = by_address(flip for flip in snapshot.flips if not is_forgiven(flip, self.process))
        self.decisions: list[Decision] = []
        self.waits: list[Wait] = []
        self.drift: list[Operation] = []
        self.drifts: list[Drift] = []
        self.flips: list[Flip] = []
        self.forgotten_flips = [flip.key for flip in snapshot.flips if is_forgiven(flip, self.process)]
        self.considered: set[LogicalId] = set()
        self.standing: dict[LogicalId, ObjectId] = {}
        self.coming: set[LogicalId] = set()
        """The addresses at which an incarnation is on its way, or will be made."""
        self.awaited: dict[LogicalId, ObjectId] = {}
        """The incarnations on their way to stand at their addresses about which nothing is decided."""
        self.is_deleting = self.process.is_killed and any(
            is_being_deleted(one) and not one.is_settled for one in snapshot.objects
        )
        """True when a kill has begun to delete: the resources that it keeps are let go of when all that is done."""
        self.vacant: set[LogicalId] = set()
        """The declared addresses at which nothing stands, nor will after this plan."""

    def value(self) -> Decided:
        return Decided(
            decisions=tuple(self.decisions),
            waits=tuple(self.waits),
            drift=tuple(self.drift),
            drifts=tuple(self.drifts),
            flips=tuple(self.flips),
            forgotten_flips=tuple(self.forgotten_flips),
            standing=self.standing,
        )

    def consider(self, difference: Difference) -> None:
        """Decide, or explain, one difference. Those of declarations come first, in the order of dependency."""
        found = self.objects[difference.object_id] if difference.object_id else None
        declaration = self.declarations.get(difference.logical_id)
        is_of_declaration = declaration is not None and difference.logical_id not in self.considered
        self.considered.add(difference.logical_id)
        if found is not None and is_of_declaration:
            self.standing[difference.logical_id] = found.object_id
            if difference.kind is not DeltaKind.SAME and not found.is_settled:
                self.coming.add(difference.logical_id)
        answer = self._answer(difference, declaration, found)
        if isinstance(answer, Decision):
            self.decisions.append(answer)
            return
        if answer is not None:
            self.waits.append(answer)
        if is_of_declaration:
            self._note_unchanged(difference, found)

    def _answer(
        self, difference: Difference, declaration: Declaration | None, found: ManagedObject | None
    ) -> Decision | Wait | None:
        """The decision about a difference, or why there is none; None where all is as it should be."""
        match difference.kind:
            case DeltaKind.SAME:
                if self.fights:
                    remembered = self.fights.get(difference.logical_id, ())
                    self.forgotten_flips += ended(remembered)
                    self.flips += confirmed(remembered)
                return None
            case DeltaKind.MOVING if found is not None and is_continued(found, self.process):
                again = continuation(found, declaration.position if declaration else None)
                return Decision(difference=difference, declaration=declaration, found=found, operation=again)
            case DeltaKind.MOVING | DeltaKind.UNCLEAR | DeltaKind.FAILED:
                return wait_for_object(difference, found)
            case DeltaKind.SURPLUS:
                assert found is not None
                return self._removed(difference, declaration, found)
            case DeltaKind.FOUND:
                assert declaration is not None
                return self._adopted(difference, declaration, found)
            case _:
                assert declaration is not None
                return self._brought_about(difference, declaration, found)

    def _note_unchanged(self, difference: Difference, found: ManagedObject | None) -> None:
        """Note the incarnation at a declared address of which this plan changes nothing."""
        is_settled = found is not None and found.is_settled and not found.is_phase_failed
        if found is not None and difference.kind is DeltaKind.MOVING and not is_settled and not found.is_phase_failed:
            self.awaited[difference.logical_id] = found.object_id
        elif not is_settled or difference.kind not in (DeltaKind.SAME, DeltaKind.CHANGED):
            self.vacant.add(difference.logical_id)

    def _brought_about(
        self, difference: Difference, declaration: Declaration, found: ManagedObject | None
    ) -> Decision | Wait:
        desired = self.desired[declaration.logical_id]
        is_drift = found is None or not is_failing(found)
        if is_drift and (drift := drift_of(difference, found, desired.digest, declaration.type, self.snapshot.now)):
            self.drifts.append(drift)
        if not self.is_enforced and (wait := wait_for_enforcement(difference, desired, found)):
            self.drift.append(self._operation(difference, declaration, found))
            return wait
        wait, difference = self._fought_over(difference, declaration, desired, found)
        if wait:
            return wait
        remade = is_remade(difference)
        replaced = found if remade and difference.kind is not DeltaKind.VANISHED else None
        marked = self.snapshot.marked.get(declaration.logical_id, ()) if remade else ()
        wait = wait_for_doctor(self.process, declaration, found, marked)
        wait = wait or self._wait_for_another(declaration, desired)
        wait = wait or (wait_for_dependency(declaration, self.standing) if remade else None)
        if replaced is not None:
            way_out = self._way_out(replaced, declaration.replace_policy)
            wait = wait or wait_for_policy(self.process, replaced, self.snapshot.types.get(replaced.type), way_out)
            if way_out is StepKind.RELEASE and declaration.logical_id in self.early.get(replaced.object_id, ()):
                wait = wait or wait_for_name(declaration, replaced, self.snapshot.types[declaration.type])
        if wait:
            return wait
        operation = self._operation(difference, declaration, found)
        if remade:
            self._will_stand(operation)
        users = self._users_of(replaced) if replaced is not None else ""
        return Decision(
            difference=difference,
            declaration=declaration,
            found=found,
            operation=kept_for(operation, users) if users else operation,
            is_kept=bool(users),
            is_original=replaced is not None and self._may_stay(replaced),
        )

    def _fought_over(
        self, difference: Difference, declaration: Declaration, desired: Desired, found: ManagedObject | None
    ) -> tuple[Wait | None, Difference]:
        """The wait of a property that is set back again and again, or never kept, and the difference that is left to
        correct.

        The flips to remember are kept. A failed object that is changed on its way is tried again because a user said
        so.
        """
        if found is None:
            return None, difference
        is_drift = found.desired_digest == desired.digest and (
            difference.kind is DeltaKind.VANISHED
            or (difference.kind is DeltaKind.CHANGED and found.is_settled and not difference.message)
        )
        known = self.fights.get(difference.logical_id, ())
        judged = judge(difference, found, known, self.snapshot.hold, self.snapshot.now, is_drift=is_drift)
        self.flips += judged.saved
        self.forgotten_flips += judged.removed
        if not judged.held:
            return None, difference
        are_not_kept = all(is_ignored(flip) for flip in judged.held)
        left, rest = split_off(difference, judged.held) if are_not_kept else (difference, None)
        self.drift.append(self._operation(left, declaration, found))
        kind = WaitKind.IGNORED if are_not_kept else WaitKind.FIGHT
        wait = Wait(kind=kind, logical_id=declaration.logical_id, message=held_message(self.process, judged.held))
        if rest is None:
            return wait, difference
        self.waits.append(wait)
        return None, rest

    def _adopted(self, difference: Difference, declaration: Declaration, gone: ManagedObject | None) -> Decision | Wait:
        """Take over the existing thing, and change in place the properties that differ. A property that cannot be
        changed stays as it is for now: the next plan finds it, and replaces the thing. `gone` is an incarnation in
        whose place it comes."""
        if wait := self._wait_for_another(declaration, self.desired[declaration.logical_id]):
            return wait
        adopted = adoption(declaration, self.snapshot.candidates[declaration.logical_id], self.ids)
        self._will_stand(adopted)
        verb = Verb.REPLACE if is_remade(difference) else Verb.MODIFY
        reason = "adopted, and declared otherwise"
        changed = replace(adopted, verb=verb, reason=reason, changes=difference.changes) if difference.changes else None
        return Decision(difference=difference, declaration=declaration, found=gone, operation=adopted, change=changed)

    def _removed(
        self, difference: Difference, declaration: Declaration | None, found: ManagedObject
    ) -> Decision | Wait:
        """Remove a surplus incarnation; but an old one only after the one that is to stand at its address."""
        name = found.logical_id
        if name in self.vacant:
            return wait_for_successor(found)
        if taker := self.snapshot.taken.get(found.object_id):
            return Decision(
                difference=difference,
                declaration=declaration,
                found=found,
                operation=loss_to(found, taker),
                is_lost=True,
                reason=f"{taker} manages it",
            )
        way_out = self._way_out(found, found.deletion_policy)
        if wait := wait_for_policy(self.process, found, self.snapshot.types.get(found.type), way_out):
            return wait
        if way_out is StepKind.RELEASE and self.is_deleting and not is_being_deleted(found):
            return wait_for_deletions(found)
        is_original = self._is_original(found, declaration)
        if is_original and way_out is StepKind.REMOVE and (users := self._users_of(found)):
            return wait_for_importers(found, users, is_declared=declaration is not None)
        reason = reason_to_remove(self.process, self.snapshot.composition)
        if declaration is not None:
            is_awaited = name in self.awaited or name not in self.standing
            reason = reason_to_succeed(found, None if is_awaited else self.objects.get(self.standing[name]))
        return Decision(
            difference=difference,
            declaration=declaration,
            found=found,
            operation=removal(found, self.process, way_out, reason),
            successor=self.awaited.get(name),
            reason=reason,
            is_original=is_original,
        )

    def _is_original(self, found: ManagedObject, declaration: Declaration | None) -> bool:
        """Whether a surplus incarnation has a successor or left the composition, and stays while importers use it.

        A replacement that is not needed any more goes at once: while it stood, the export would keep its value.
        """
        if declaration is None:
            return not self.process.is_leaving and not is_being_deleted(found) and self._may_stay(found)
        at_its_address = self.standing.get(found.logical_id, found.object_id)
        standing = self.objects.get(at_its_address)
        # One that this plan makes is no object yet.
        is_replaced = standing is None or standing.incarnation > found.incarnation
        return is_replaced and self._may_stay(found)

    def _may_stay(self, found: ManagedObject) -> bool:
        """Whether a replaced incarnation stays while importers use it. One that failed goes all the same: while it
        stayed, its failure would suspend the process again and again. So does one that is in the way of a successor."""
        return self.is_exporting and not found.is_phase_failed and found.object_id not in self.in_the_way

    def _users_of(self, found: ManagedObject) -> str:
        """The importers that still use an incarnation that may stay, in words."""
        return self.snapshot.followed.get(found.object_id, "") if self._may_stay(found) else ""

    def _wait_for_another(self, declaration: Declaration, desired: Desired) -> Wait | None:
        return wait_for_another(
            declaration,
            desired,
            self.secrets,
            self.coming,
            self.blocked,
            self._has_told_all,
            self.snapshot.secret_exports,
        )

    def _has_told_all(self, name: LogicalId) -> bool:
        """Whether a thing stands at the address that will tell no attribute any more."""
        found = self.objects.get(self.standing[name]) if name in self.standing else None
        facts = self.snapshot.types.get(found.type) if found is not None and found.is_settled else None
        return facts is not None and facts.tells_all

    def _way_out(self, found: ManagedObject, policy: DeletionPolicy) -> StepKind:
        return exit_of(found, policy, self.snapshot.types.get(found.type))

    def _operation(self, difference: Difference, declaration: Declaration, found: ManagedObject | None) -> Operation:
        return correction(difference, declaration, found, self.desired[difference.logical_id], self.ids)

    def _will_stand(self, operation: Operation) -> None:
        self.standing[operation.logical_id] = operation.object_id
        self.coming.add(operation.logical_id)
