"""What must be gone before something else can be made: who holds what only one can have, and who stands on that.

Theory of operation. A name, an address range or a rule number has one holder. When a plan makes a resource that needs
what another one holds that leaves, be it the old incarnation of the same address, a surplus one, or one that is
replaced and gives it away, then the holder must go first. Whatever refers to the holder must let go of it before that;
but its new value exists only after. What is made anew anyway leaves first, like its successor comes later. What could
be changed in place is *uprooted*: it cannot stay, because no order of changes would do. So it is made anew too.
"""

import json
from collections.abc import Iterable, Mapping

from tenuto.core.compare import Compared, compare, is_remade
from tenuto.core.environment import objects_by_id, reference_of
from tenuto.lifecycles.resource import ResourceState
from tenuto.model.delta import DeltaKind
from tenuto.model.ids import Json, JsonMap, LogicalId, ObjectId, TypeName
from tenuto.model.resource import ManagedObject, ResourceType
from tenuto.model.snapshot import Snapshot

_Key = tuple[TypeName, tuple[str, ...], str]


class Holders:
    """Which of some objects hold what only one can have, by what they were last desired to be."""

    def __init__(self, objects: Iterable[ManagedObject], types: Mapping[TypeName, ResourceType]) -> None:
        self._types = types
        self._by_key: dict[_Key, list[ObjectId]] = {}
        for found in objects:
            for key in self._keys(found.type, found.desired):
                self._by_key.setdefault(key, []).append(found.object_id)

    def of(self, type_name: TypeName, properties: JsonMap) -> tuple[ObjectId, ...]:
        """Those that hold something which a resource of these properties needs."""
        found = (object_id for key in self._keys(type_name, properties) for object_id in self._by_key.get(key, ()))
        return tuple(dict.fromkeys(found))

    def _keys(self, type_name: TypeName, properties: JsonMap) -> list[_Key]:
        groups = self._types[type_name].exclusive if type_name in self._types else ()
        return [
            (type_name, group, json.dumps([properties[path] for path in group], sort_keys=True, default=str))
            for group in groups
            if all(path in properties for path in group)
        ]


def under_way(snapshot: Snapshot) -> Holders:
    """What is on its way out already still holds what it has."""
    leaving = (
        found
        for found in snapshot.objects
        if found.target == ResourceState.TERMINATED and found.state != ResourceState.TERMINATED
    )
    return Holders(leaving, snapshot.types)


def compare_with_rivals(snapshot: Snapshot) -> tuple[Compared, frozenset[ObjectId]]:
    """The delta, and the objects that must be gone before what it asks for can be made.

    What is uprooted makes the delta another one, which may uproot more; every turn adds an address, so it ends.
    """
    rootless: frozenset[LogicalId] = frozenset()
    while True:
        compared = compare(snapshot, rootless)
        early = _early(snapshot, compared)
        more = _uprooted(snapshot, compared, early) - rootless
        if not more:
            return compared, early
        rootless |= more


def _early(snapshot: Snapshot, compared: Compared) -> frozenset[ObjectId]:
    """The objects that must be gone before what the delta asks for can be made."""
    objects = objects_by_id(snapshot.objects)
    types = {one.logical_id: one.type for one in snapshot.composition.resources} if snapshot.composition else {}
    holders = Holders((objects[object_id] for object_id in _leaving(compared)), snapshot.types)
    early: set[ObjectId] = set()
    for difference in compared.delta.differences:
        if difference.logical_id not in types or not is_remade(difference):
            continue
        properties = compared.desired[difference.logical_id].properties
        early.update(holders.of(types[difference.logical_id], properties))
        if difference.object_id is not None:
            # Its own predecessor may be of another type, and types may share their names.
            mine = holders.of(objects[difference.object_id].type, properties)
            early.update({difference.object_id}.intersection(mine))
    return frozenset(early)


def _uprooted(snapshot: Snapshot, compared: Compared, early: frozenset[ObjectId]) -> frozenset[LogicalId]:
    """The addresses that would be changed in place, and hold on to something that must be gone before that."""
    objects = objects_by_id(snapshot.objects)
    going = _with_dependants(early, [objects[object_id] for object_id in _leaving(compared)])
    if not going:
        return frozenset()
    names = {name for found in going for name in (found.physical_id, reference_of(found)) if isinstance(name, str)}
    return frozenset(
        difference.logical_id
        for difference in compared.delta.differences
        if difference.kind is DeltaKind.CHANGED and difference.object_id is not None and not is_remade(difference)
        if objects[difference.object_id].target == ResourceState.STARTED
        if names.intersection(_texts(objects[difference.object_id].desired))
    )


def _leaving(compared: Compared) -> list[ObjectId]:
    """What goes when the delta is brought about: surplus, and the old incarnations of what is made anew."""
    return [
        difference.object_id
        for difference in compared.delta.differences
        if difference.object_id is not None
        and (
            difference.kind is DeltaKind.SURPLUS
            or (is_remade(difference) and difference.kind is not DeltaKind.VANISHED)
        )
    ]


def _with_dependants(early: frozenset[ObjectId], leaving: Iterable[ManagedObject]) -> list[ManagedObject]:
    """What must go early, and everything else that leaves and was built on it."""
    members = list(leaving)
    going = [found for found in members if found.object_id in early]
    addresses = {found.logical_id for found in going}
    while True:
        more = [found for found in members if found not in going and addresses.intersection(found.depends_on)]
        if not more:
            return going
        going += more
        addresses |= {found.logical_id for found in more}


def _texts(value: Json) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for member in value.values():
            yield from _texts(member)
    elif isinstance(value, list | tuple):
        for member in value:
            yield from _texts(member)
