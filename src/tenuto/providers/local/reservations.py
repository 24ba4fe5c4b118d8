"""Values that only one object of a zone or a network may have: numbers, addresses, the place in a machine.

Theory of operation. Each is a claim in the store. A claim is written before the thing that it is for, and an object may
take again a value that it has already, so a phase that is repeated after a crash comes to the same value. The store
lets go of the claims of an object when it comes to its end, so nothing here gives one back, but for a value that a
change takes away.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tenuto.errors import ConflictError
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.claim import Claim, Relation
from tenuto.model.ids import Instant, ObjectId, Partition, TypeName
from tenuto.model.resource import ManagedObject
from tenuto.ports.clock import Clock
from tenuto.ports.store import Store
from tenuto.ports.store_claims import SaveClaims, SaveRelations, live_objects
from tenuto.providers.local.nodes.records import incarnations_of

_ALL = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """The value is another object's: `until` is the end of its reservation when that object is gone."""

    holder: ObjectId
    until: Instant | None


class Reservations:
    """The claims and relations of the objects of the local cloud."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def find(self, object_id: ObjectId) -> ManagedObject | None:
        """Return the stored object."""
        return self._store.object(object_id)

    def named(self, holder: ObjectId, partition: Partition) -> str:
        """Name the interface that has a value, to a reader of a partition: no reader learns the ids of other
        namespaces."""
        found = self._store.object(holder)
        if found is not None and found.partition.account != partition.account:
            return "an interface of another namespace"
        return f"the interface {holder}"

    def incarnations(self, found: ManagedObject) -> tuple[ManagedObject, ...]:
        """Return the incarnations at the address of an object."""
        return incarnations_of(self._store, found)

    def is_declared(self, found: ManagedObject) -> bool:
        """Whether the composition of its process has a resource of the name and type of an object."""
        process = None if found.fid is None else self._store.process(found.fid)
        composition = process and self._store.composition(process.composition_digest)
        resources = composition.resources if composition else ()
        return any(one.logical_id == found.logical_id and one.type == found.type for one in resources)

    def declared(self, type_name: TypeName, partition: Partition) -> tuple[ManagedObject, ...]:
        """Return the objects of a type that live processes of a partition declare."""
        return tuple(
            one
            for process in self._store.processes(live=True)
            if process.partition == partition
            for one in self._store.objects(process.fid)
            if one.type == type_name and not CATALOGUE[one.lifecycle].is_final(one.state)
        )

    def keys_of(self, object_id: ObjectId, space: str) -> tuple[str, ...]:
        """Return the keys that an object has in a space."""
        return tuple(
            held.claim.key
            for held in self._store.claims_of(object_id)
            if held.claim.space == space and held.free_at is None
        )

    def take(
        self, object_id: ObjectId, space: str, key: str, *, halo_s: float = 0.0, early_s: float = 0.0
    ) -> Taken | None:
        """Take one value; None when the object has it now. A reservation ends `early_s` before its time for it."""
        claim, at = Claim(space=space, key=key, halo_s=halo_s), Instant(self._clock.now() + early_s)
        try:
            self._store.commit((SaveClaims(object_id=object_id, at=at, claimed=(claim,)),))
        except ConflictError:
            held = self._store.claim(space, key)
            if held is None:
                raise
            return Taken(holder=held.object_id, until=held.free_at)
        return None

    def take_first(self, object_id: ObjectId, space: str, keys: Iterable[str]) -> str | None:
        """Take the first value that is free, or the one that the object has in the space; None when none is free."""
        if known := self.keys_of(object_id, space):
            return known[0]
        return next((key for key in keys if self.take(object_id, space, key) is None), None)

    def resting(self, space: str, keys: Iterable[str]) -> tuple[tuple[str, Taken], ...]:
        """Return the values that are reserved after their objects let them go, the one that is free next first."""
        held = ((key, self._store.claim(space, key)) for key in keys)
        found = [(key, Taken(holder=one.object_id, until=one.free_at)) for key, one in held if one and one.free_at]
        return tuple(sorted(found, key=lambda pair: (pair[1].until, pair[0])))

    def is_predecessor(self, holder: ObjectId, of: ManagedObject) -> bool:
        """Whether an object is an earlier incarnation of the same resource of a process."""
        found = self._store.object(holder)
        return (
            found is not None
            and found.fid is not None
            and (found.fid, found.logical_id, found.type) == (of.fid, of.logical_id, of.type)
            and found.incarnation < of.incarnation
        )

    def let_go(self, object_id: ObjectId, space: str, keys: Sequence[str]) -> None:
        """Give values back."""
        dropped = tuple(Claim(space=space, key=key) for key in keys)
        if dropped:
            self._store.commit((SaveClaims(object_id=object_id, at=self._clock.now(), dropped=dropped),))

    def need(self, object_id: ObjectId, role: str, targets: Sequence[ObjectId]) -> None:
        """Let the object need exactly these others in a role. Raises ConflictError when one is gone, or is going."""
        before = {one for one in self._store.relations_of(object_id) if one.role == role}
        wanted = {Relation(from_id=object_id, role=role, to_id=target) for target in targets}
        if before != wanted:
            saved, dropped = sorted(wanted - before, key=_target), sorted(before - wanted, key=_target)
            self._store.commit((SaveRelations(object_id=object_id, saved=tuple(saved), dropped=tuple(dropped)),))

    def needed(self, object_id: ObjectId, role: str) -> tuple[ObjectId, ...]:
        """Return the objects that this one needs in a role."""
        return tuple(one.to_id for one in self._store.relations_of(object_id) if one.role == role)

    def users_of(self, object_id: ObjectId) -> tuple[ManagedObject, ...]:
        """Return the first few objects that need this one."""
        return self._store.users_of(object_id, 4)

    def all_users_of(self, object_id: ObjectId) -> tuple[ManagedObject, ...]:
        """Return all objects that need this one."""
        return self._store.users_of(object_id, _ALL)

    def live(self, type_name: TypeName) -> tuple[ManagedObject, ...]:
        """Return the live objects of a type that requests make."""
        return live_objects(self._store, type_name)


def _target(relation: Relation) -> str:
    return relation.to_id
