"""Exclusive holds: a thing that only one can have must be free before another can take it.

Theory of operation. A name, an address range or a rule number has one holder. A plan may make a resource that needs a
value which a leaving resource holds: the old incarnation of the same address, a surplus resource, or a replaced one
that gives the value away. Then the holder must go first. A holder that is on its way out already is waited for in the
same way. Each resource that refers to the holder must drop the reference before that; but its new value exists only
after. A resource that is made anew anyway leaves first, like its successor comes later. An object that could be changed
in place must then be replaced too: it cannot stay, because no order of changes would do.

A failed creation that is tried again needs the values that it is given now, as a new creation does: a corrected
declaration may name a value that the incarnation before it still holds.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from tenuto.core.language.expressions import texts_in
from tenuto.core.planning.comparing.difference import is_remade
from tenuto.core.planning.comparing.order import with_dependants
from tenuto.core.planning.comparing.references import Addresses, reference_of
from tenuto.core.planning.comparing.secrets import Desired
from tenuto.core.planning.equality.scalars import scalar
from tenuto.lifecycles import roles
from tenuto.model.delta import Delta, DeltaKind, Difference
from tenuto.model.ids import Json, JsonMap, LogicalId, ObjectId, TypeName
from tenuto.model.resource import MAY_BE_ABSENT, ManagedObject, ResourceType
from tenuto.model.snapshot import Snapshot

_Key = tuple[TypeName, tuple[str, ...], str]


class Holders:
    """The objects that hold an exclusive value, by this value: their last desired properties give it, or the provider
    chose it where these say nothing."""

    def __init__(self, objects: Iterable[ManagedObject], types: Mapping[TypeName, ResourceType]) -> None:
        self._types = types
        self._by_key: dict[_Key, list[ObjectId]] = {}
        for found in objects:
            # A property that may be absent is held by its absence, too, also where the provider has chosen a value.
            keys = (*self._keys(found.type, self._held(found)), *self._keys(found.type, found.desired))
            for key in dict.fromkeys(keys):
                self._by_key.setdefault(key, []).append(found.object_id)

    def of(self, type_name: TypeName, properties: JsonMap) -> tuple[ObjectId, ...]:
        """Return the objects that hold something which a resource of these properties needs."""
        return tuple(dict.fromkeys(object_id for _, object_id in self.shared(type_name, properties)))

    def shared(self, type_name: TypeName, properties: JsonMap) -> Iterator[tuple[tuple[str, ...], ObjectId]]:
        """Return these objects, each with the group of properties that it shares."""
        for key in self._keys(type_name, properties):
            _, group, _ = key
            for object_id in self._by_key.get(key, ()):
                yield group, object_id

    def _held(self, found: ManagedObject) -> JsonMap:
        """The properties that an object has for its whole life."""
        facts = self._types.get(found.type)
        fixed = facts.create_only & facts.attributes if facts else frozenset[str]()
        return {name: found.attributes[name] for name in sorted(fixed & found.attributes.keys())} | dict(found.desired)

    def _keys(self, type_name: TypeName, properties: JsonMap) -> list[_Key]:
        if type_name not in self._types:
            return []
        facts = self._types[type_name]
        return [
            (type_name, group, json.dumps(held, sort_keys=True, default=str))
            for group in facts.exclusive
            for held in product(*(_values(properties, path, facts.defaults) for path in group))
        ]


class DepartingObjects:
    """The objects on their way out, which still have their addresses and everything that only one object can have."""

    def __init__(self, objects: Iterable[ManagedObject], types: Mapping[TypeName, ResourceType]) -> None:
        unsettled = [found for found in objects if not found.is_settled]
        self._addresses = Addresses.of(unsettled)
        leaving = (found for found in unsettled if roles.is_being_deleted(found))
        self._holders = Holders(leaving, types)

    def before(self, logical_id: LogicalId, type_name: TypeName, properties: JsonMap) -> tuple[ObjectId, ...]:
        """The objects that must have ended before another one is made at this address with these properties."""
        predecessors = (found.object_id for found in self._addresses.leavers(logical_id))
        return tuple(dict.fromkeys((*predecessors, *self._holders.of(type_name, properties))))


def _values(properties: JsonMap, path: str, defaults: JsonMap) -> Sequence[Json]:
    """The values at a path of a group, of which each is held by itself: of a list, such as the roles that a policy is
    placed on, those of its members. None where nothing is declared, so that nothing is held; where it may be absent,
    the default of the property."""
    found: list[Json] = [properties]
    plain = path.removesuffix(MAY_BE_ABSENT)
    for name in plain.split("."):
        inner = [one[name] for one in found if isinstance(one, Mapping) and name in one]
        found = [each for one in inner for each in (one if isinstance(one, list | tuple) else (one,))]
    if not found and plain != path:
        found = [defaults.get(plain)]
    # A number or a truth value counts as the text that a composition may declare in its place.
    return [scalar(one) if isinstance(one, bool | int) else one for one in found]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Need:
    """A resource that is to be made, and the incarnation that stands at its address."""

    logical_id: LogicalId
    type: TypeName
    properties: JsonMap
    predecessor: ObjectId | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Clearance:
    """The objects that must be gone `early`, before the resources of a delta can be made, and the addresses that cannot
    be changed in place because of that."""

    early: Mapping[ObjectId, frozenset[LogicalId]]
    """With the addresses at which something can be made only after that."""
    in_the_way: frozenset[ObjectId]
    """Those that are early, and the leaving ones that were built on them: nothing of that can stay for now."""
    must_be_replaced: frozenset[LogicalId]


def clearance(
    snapshot: Snapshot,
    objects: Mapping[ObjectId, ManagedObject],
    delta: Delta,
    desired: Mapping[LogicalId, Desired],
    departing: DepartingObjects,
) -> Clearance:
    """The clearance that a delta needs. `objects` are those of the snapshot, and `departing` are those that leave it
    already."""
    needs = _needs(snapshot, objects, delta.differences, desired)
    leaving = [objects[object_id] for object_id in _leaving(delta)]
    awaited = {one.logical_id: departing.before(one.logical_id, one.type, one.properties) for one in needs}
    roots = [objects[object_id] for object_id in sorted({found for ids in awaited.values() for found in ids})]
    early = _early(Holders(leaving, snapshot.types), objects, needs)
    waiting = frozenset(logical_id for logical_id, ids in awaited.items() if ids)
    early |= {object_id: early.get(object_id, frozenset()) | waiting for object_id in _on(roots, leaving)}
    going = with_dependants(frozenset(early), leaving)
    must_be_replaced = _must_be_replaced(
        snapshot, delta, objects, [*roots, *(objects[object_id] for object_id in sorted(going))]
    )
    return Clearance(early=early, in_the_way=going, must_be_replaced=must_be_replaced)


def blocked_by(
    snapshot: Snapshot,
    objects: Mapping[ObjectId, ManagedObject],
    delta: Delta,
    desired: Mapping[LogicalId, Desired],
    decided: Sequence[Difference],
) -> dict[LogicalId, LogicalId]:
    """The made resources that must wait, each with the holder of the value that it needs: a holder that should go, and
    about which nothing is `decided`."""
    going = {one.object_id for one in decided}
    staying = [objects[object_id] for object_id in _leaving(delta) if object_id not in going]
    if not staying:
        return {}
    holders = Holders(staying, snapshot.types)
    needs = _needs(snapshot, objects, [one for one in decided if one.kind is not DeltaKind.FOUND], desired)
    held = {one.logical_id: holders.of(one.type, one.properties) for one in needs}
    return {logical_id: objects[found[0]].logical_id for logical_id, found in held.items() if found}


def _needs(
    snapshot: Snapshot,
    objects: Mapping[ObjectId, ManagedObject],
    differences: Iterable[Difference],
    desired: Mapping[LogicalId, Desired],
) -> list[_Need]:
    types = {one.logical_id: one.type for one in snapshot.composition.resources} if snapshot.composition else {}
    return [
        _Need(
            logical_id=difference.logical_id,
            type=types[difference.logical_id],
            properties=desired[difference.logical_id].properties,
            predecessor=difference.object_id,
        )
        for difference in differences
        if difference.logical_id in types and (is_remade(difference) or _is_to_be_made(difference, objects))
    ]


def _is_to_be_made(difference: Difference, objects: Mapping[ObjectId, ManagedObject]) -> bool:
    """Whether it is about a failed creation, which is tried again with the properties that are desired now."""
    found = objects.get(difference.object_id) if difference.object_id else None
    is_again = difference.kind in (DeltaKind.CHANGED, DeltaKind.MOVING)
    return found is not None and is_again and found.physical_id is None and found.is_phase_failed


def _early(
    holders: Holders, objects: Mapping[ObjectId, ManagedObject], needs: Sequence[_Need]
) -> dict[ObjectId, frozenset[LogicalId]]:
    """The leaving objects that hold a value which a new resource needs, each with the addresses of these resources."""
    early: dict[ObjectId, frozenset[LogicalId]] = {}
    for one in needs:
        held = set(holders.of(one.type, one.properties))
        if one.predecessor is not None:
            # Its own predecessor may be of another type, and types may share their names.
            mine = holders.of(objects[one.predecessor].type, one.properties)
            held.update({one.predecessor}.intersection(mine))
        early |= {object_id: early.get(object_id, frozenset()) | {one.logical_id} for object_id in held}
    return early


def _on(roots: Sequence[ManagedObject], members: Iterable[ManagedObject]) -> frozenset[ObjectId]:
    """The members whose properties name one of the roots: the provider deletes no root before them."""
    names = _names(roots)
    return frozenset(found.object_id for found in members if names and names.intersection(texts_in(found.desired)))


def _names(roots: Iterable[ManagedObject]) -> frozenset[str]:
    """The names that other resources use for the roots."""
    names = (name for root in roots for name in (root.physical_id, reference_of(root)))
    return frozenset(name for name in names if isinstance(name, str))


def _must_be_replaced(
    snapshot: Snapshot, delta: Delta, objects: Mapping[ObjectId, ManagedObject], roots: Sequence[ManagedObject]
) -> frozenset[LogicalId]:
    """The addresses that would be changed in place, and hold on to something that must be gone before that.

    They hold it by a property that is to change. Where that stays as it is, the successor has the same name.
    """
    names = _names(roots)
    return frozenset(
        difference.logical_id
        for difference in delta.differences
        if names and difference.kind is DeltaKind.CHANGED and difference.object_id and not is_remade(difference)
        if names.intersection(texts_in(_holding(difference, objects[difference.object_id], snapshot.types)))
    )


def _holding(difference: Difference, found: ManagedObject, types: Mapping[TypeName, ResourceType]) -> JsonMap:
    """The properties that are to change, with their last desired values, without those that detach from the thing that
    they name."""
    paths = {change.path.partition(".")[0] for change in difference.changes} - types[found.type].detached
    return {path: value for path, value in found.desired.items() if path in paths}


def _leaving(delta: Delta) -> list[ObjectId]:
    """The objects that go when the delta is brought about: surplus, and the old incarnations of replaced resources."""
    return [
        difference.object_id
        for difference in delta.differences
        if difference.object_id is not None
        and (
            difference.kind is DeltaKind.SURPLUS
            or (is_remade(difference) and difference.kind is not DeltaKind.VANISHED)
        )
    ]
