"""The comparison of the declarations of one process with its incarnations: the delta.

Theory of operation. The declarations are visited so that a resource comes after the resources that it refers to. Each
gets exactly one `Difference`, to the incarnation that is to stand at its address. Two things make the order matter. A
reference to a resource that will be made anew has no value yet: the property that holds it differs in any case, which
is how a replacement reaches the resources that were built on it. So resolving and comparing are one pass: a declaration
can be resolved only when those before it are compared. And a value that depends on a secret is never read: only the
digest of the last desired properties tells whether it changed.

An address may have several incarnations: a replacement makes the new one before the old one is deleted, and either may
fail on its way. The newest is to stand there, unless it would have to be made anew and an older one need not be: then
the older one stands again, be it settled or on its way out. Making another one is the last resort.

A value that only one object can have must be given up before another object takes it
(`core.planning.comparing.exclusive`). That may ask for one more replacement, and then everything is compared again.

Drift and update differ only in their reason: both are "desired is not observed". Whether the desired properties are new
since the last plan is seen from their digest, so that enforcement off can hold back the one and let pass the other. A
property that a declaration ignores is compared as if it had been found as declared (`core.planning.comparing.changes`),
and told beside.

*The cache.* The result of a comparison for one resource follows from its declaration, its incarnation, its observation,
the frame that all resources share (`Frame`), and the answers of the resources that it refers to. When it found no
difference, it leaves the two values that this was read off; when the next comparison is given the very same ones, and
everything that the resource refers to still answers from the same incarnation, there is nothing to find again. "The
very same" is identity, not equality: the store gives out one value for one generation of an object, the reflector one
for a thing that looks unchanged. So the cost of a comparison grows with the number of changes, and a caller with new
values loses time, never truth.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tenuto.core.planning.comparing.adoption import as_adopted
from tenuto.core.planning.comparing.changes import with_defaults
from tenuto.core.planning.comparing.deletion_policy import is_kept
from tenuto.core.planning.comparing.difference import (
    Wanted,
    difference_to,
    difference_without,
    found_instead,
    is_remade,
    stands,
    turned_back,
)
from tenuto.core.planning.comparing.exclusive import DepartingObjects, clearance
from tenuto.core.planning.comparing.ignores import ignored_paths
from tenuto.core.planning.comparing.messages import progress_message
from tenuto.core.planning.comparing.order import dependency_order
from tenuto.core.planning.comparing.references import Addresses, Answers, Surroundings, objects_by_id
from tenuto.core.planning.comparing.secrets import Desired, digest_of
from tenuto.lifecycles import roles
from tenuto.model.command import ProcessState
from tenuto.model.composition import Declaration
from tenuto.model.delta import Delta, DeltaKind, Difference, Frame, Memory, Same
from tenuto.model.ids import LogicalId, ObjectId
from tenuto.model.resource import ManagedObject
from tenuto.model.snapshot import Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """The delta, the properties desired of each address when it was found, and the memory for the next comparison."""

    delta: Delta
    desired: Mapping[LogicalId, Desired]
    objects: Mapping[ObjectId, ManagedObject]
    addresses: Addresses
    memory: Memory
    departing: DepartingObjects
    early: Mapping[ObjectId, frozenset[LogicalId]] = field(default_factory=dict)
    """The objects that must be gone before the resources of the delta can be made, each with the addresses of those
    resources."""
    in_the_way: frozenset[ObjectId] = frozenset()
    """These objects, and those that leave and were built on them."""


def compare(snapshot: Snapshot) -> Compared:
    """The differences between the composition (nothing, when there is none) and the world, resource by resource.

    An object that must be replaced so that a holder can go makes the delta another one, which may replace more; every
    turn adds an address, so it ends.
    """
    objects = objects_by_id(snapshot.objects)
    departing = DepartingObjects(snapshot.objects, snapshot.types)
    must_be_replaced: frozenset[LogicalId] = frozenset()
    while True:
        compared = _compared(snapshot, objects, departing, must_be_replaced)
        needed = clearance(snapshot, objects, compared.delta, compared.desired, departing)
        more = needed.must_be_replaced - must_be_replaced
        if not more:
            return replace(compared, early=needed.early, in_the_way=needed.in_the_way)
        must_be_replaced |= more


def _compared(
    snapshot: Snapshot,
    objects: Mapping[ObjectId, ManagedObject],
    departing: DepartingObjects,
    must_be_replaced: frozenset[LogicalId],
) -> Compared:
    """One comparison. The addresses in `must_be_replaced` cannot be changed in place: the things that they refer to
    must be deleted first."""
    addresses = Addresses.of(snapshot.objects)
    answers = Answers(snapshot.composition)
    surroundings = Surroundings.of(snapshot, addresses)
    recall = ComparisonCache(snapshot, addresses)
    differences: list[Difference] = []
    desired: dict[LogicalId, Desired] = {}
    composition = snapshot.composition
    for declaration in recall.order:
        if known := recall.find(declaration):
            recall.keep(known)
            desired[declaration.logical_id] = Desired(
                properties=known.found.desired, digest=known.found.desired_digest, names=snapshot.names
            )
            differences.append(known.difference)
            continue
        properties = with_defaults(
            surroundings.resolved(declaration.properties, snapshot.types[declaration.type]),
            addresses.current(declaration.logical_id),
            snapshot.types[declaration.type],
            ignored_paths(declaration),
        )
        wish = Desired(properties=properties, digest=digest_of(properties, composition), names=snapshot.names)
        wanted = Wanted(
            snapshot=snapshot,
            answers=answers,
            declaration=declaration,
            desired=wish,
            type=snapshot.types[declaration.type],
        )
        is_forced = declaration.logical_id in must_be_replaced
        found, difference = _at(wanted, addresses, is_turnable=not is_forced)
        if is_forced:
            difference = _forced(difference)
        if given := found_instead(wanted, difference, found):
            difference = given
        if difference.kind is DeltaKind.FOUND:
            candidate = snapshot.candidates[declaration.logical_id]
            found = as_adopted(snapshot, declaration, properties, wish.digest, candidate)
        if found is not addresses.current(declaration.logical_id):
            surroundings.stand(declaration.logical_id, found)
        if is_remade(difference):
            surroundings.remake(declaration.logical_id, properties, wanted.type)
        recall.note(difference, found, wish.digest, is_remade=is_remade(difference))
        desired[declaration.logical_id] = wish
        differences.append(difference)
    kept = {difference.object_id for difference in differences if difference.object_id}
    for one in snapshot.objects:
        if one.object_id not in kept and not roles.has_ended(one):
            differences.append(_surplus(one, snapshot, addresses))
    delta = Delta(differences=tuple(differences))
    return Compared(
        delta=delta, desired=desired, addresses=addresses, objects=objects, memory=recall.memory(), departing=departing
    )


def _at(wanted: Wanted, addresses: Addresses, *, is_turnable: bool) -> tuple[ManagedObject | None, Difference]:
    """The incarnation that is to stand at an address, and its difference. None where nothing stands there yet.

    Unless `is_turnable`, no deletion and no release of one is cancelled.
    """
    name = wanted.declaration.logical_id
    newest = addresses.current(name)
    difference = difference_without(wanted) if newest is None else difference_to(wanted, newest)
    if not is_remade(difference):
        return newest, difference
    for older in addresses.staying(name):
        if older is not newest and stands(wanted, older):
            kept = difference_to(wanted, older)
            if not is_remade(kept):
                return older, kept
    for leaving in reversed(addresses.leavers(name)) if is_turnable else ():
        cancelled = turned_back(wanted, leaving)
        if cancelled is not None:
            return leaving, cancelled
    return newest, difference


def _forced(difference: Difference) -> Difference:
    return replace(
        difference,
        changes=tuple(replace(change, forces_replacement=True) for change in difference.changes),
        message="a resource that it refers to must be deleted before its successor is made",
    )


def _surplus(found: ManagedObject, snapshot: Snapshot, addresses: Addresses) -> Difference:
    """Compare an object that is not declared. Its deletion or release goes on, unless the process now asks for the
    other: an object that is being deleted may stay once its process is released, and one that is being released is
    deleted once its process is killed.
    """
    process = snapshot.process
    if _is_unseen_failure(found, snapshot, addresses):
        about = Difference(kind=DeltaKind.FAILED, logical_id=found.logical_id, object_id=found.object_id)
        return replace(about, message=found.message)
    if roles.is_being_released(found):
        moving = process.state is not ProcessState.KILLING or is_kept(found, snapshot.types.get(found.type))
    else:
        # A deletion that failed is given up where the thing is to stay by now, or belongs to another process.
        is_kept_now = found.is_phase_failed and is_kept(found, snapshot.types.get(found.type))
        is_spared = is_kept_now or found.object_id in snapshot.taken
        moving = roles.is_being_deleted(found) and process.releasing is None and not is_spared
    return Difference(
        kind=DeltaKind.MOVING if moving else DeltaKind.SURPLUS,
        logical_id=found.logical_id,
        object_id=found.object_id,
        message=progress_message(found) if moving else "",
    )


def _is_unseen_failure(found: ManagedObject, snapshot: Snapshot, addresses: Addresses) -> bool:
    """Whether it failed, and nothing that a person did since allows its removal: a command, or one in its place."""
    if not roles.is_failing(found) or not found.is_phase_failed:
        return False
    process = snapshot.process
    is_replaced = addresses.current(found.logical_id) is not found
    return not process.intent.corrects and not process.is_leaving and not is_replaced


class ComparisonCache:
    """The cache of one comparison: read while it goes on, and made anew by it. Never outlives `compare`."""

    def __init__(self, snapshot: Snapshot, addresses: Addresses) -> None:
        self._frame = _frame_of(snapshot)
        self._observations = snapshot.observations
        self._addresses = addresses
        before = snapshot.memory
        self._before = before if before is not None and before.frame == self._frame else None
        declared = snapshot.composition.resources if snapshot.composition else ()
        self.order = self._before.order if self._before else dependency_order(declared)
        self._steady: set[LogicalId] = set()
        self._answering: dict[LogicalId, ManagedObject] = {}
        self._same: dict[LogicalId, Same] = {}

    def find(self, declaration: Declaration) -> Same | None:
        """The stored comparison of the resource, when nothing that it was read off has changed; else None."""
        known = self._before.same.get(declaration.logical_id) if self._before else None
        if known is None or not self._steady.issuperset(declaration.depends_on):
            return None
        if self._addresses.current(declaration.logical_id) is not known.found:
            return None
        observation = self._observations.get(known.found.object_id)
        return known if observation is not None and observation.item is known.item else None

    def keep(self, known: Same) -> None:
        """Keep a comparison that was found to be the same again."""
        name = known.difference.logical_id
        self._same[name] = known
        self._answering[name] = known.found
        self._steady.add(name)

    def note(
        self, difference: Difference, found: ManagedObject | None, desired_digest: str, *, is_remade: bool
    ) -> None:
        """Remember the difference of a resource, its incarnation, and the digest of its desired properties."""
        name = difference.logical_id
        answering = found or self._addresses.leaving(name)
        if answering is not None:
            self._answering[name] = answering
            if self._before and not is_remade and self._before.answering.get(name) is answering:
                self._steady.add(name)
        if difference.kind is not DeltaKind.SAME or found is None or found.desired_digest != desired_digest:
            return
        item = self._observations[found.object_id].item
        if item is not None:
            self._same[name] = Same(found=found, item=item, difference=difference)

    def memory(self) -> Memory:
        """The memory that the next comparison may build on."""
        return Memory(frame=self._frame, order=self.order, answering=self._answering, same=self._same)


def _frame_of(snapshot: Snapshot) -> Frame:
    process = snapshot.process
    return Frame(
        composition=snapshot.composition,
        fid=process.fid,
        name=process.name,
        partition=process.partition,
        lookups=process.lookups,
        context=snapshot.context,
        exports=snapshot.exports,
        names=snapshot.names,
    )
