"""The records of hosts: a node object for each, of the table `node`, with the remembered facts of the host.

Theory of operation. A host is a node from the first time that it checks in. The object outlives the Conductor and the
host: it says since when the host is missing, whether it takes new machines, and the things that were left on it when it
was lost. The facts of a host (`FACTS`) are those that its agent told last. A host whose node was deleted is another
node when its name is enrolled again. That one takes over the things that were left there: the host may have its state
still, and their own rows are cleaned away by then.
"""

import itertools
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from tenuto.core.objects.requested import born_alone
from tenuto.lifecycles.node import NODE
from tenuto.model.ids import Instant, Json, ObjectId, PhysicalId
from tenuto.model.job import CONDUCTOR
from tenuto.model.node import HOST_TYPE, host_place
from tenuto.model.resource import ManagedObject, Move
from tenuto.ports.store import Store
from tenuto.ports.store_changes import CreateObject, SaveObject
from tenuto.providers.local.rules.deadlines import Presence
from tenuto.providers.local.types import PROVIDER

CORDONED, LEFT_BEHIND, STOPPED_RUN, HEARD_AT = "Cordoned", "LeftBehind", "StoppedRun", "HeardAt"
"""The attributes of a node, besides those of `model.node`, that are not told by its agent: whether it takes nothing
new, the things that were given up on it and are removed when it is back, the start of its agent that a user has
stopped, and the moment of a check-in. The last is noted now and then, and whenever the node leaves its state: a
Conductor that has not heard the host itself knows no better."""


class NodeRecords:
    """Reads the nodes of hosts from the store, and makes the changes of them as values. Thread-safe."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.lives = threading.Lock()
        """Held for a birth, and from a deletion until its host is dismissed: the host checks in until then."""

    def live(self, zone: str) -> Mapping[str, ManagedObject]:
        """Return the nodes of a zone that are not deleted, by the names of their hosts."""
        found = self._store.tracked(host_place(zone), HOST_TYPE)
        return {one.logical_id: one for one in sorted(found, key=lambda one: one.logical_id)}

    def born(self, zone: str, presence: Presence, now: Instant) -> CreateObject:
        """The birth of a node, by the first check-in of its host."""
        before = self.deleted(zone, presence.name)
        left = names_in(before, LEFT_BEHIND) if before is not None else ()
        node = born_alone(
            NODE,
            HOST_TYPE,
            host_place(zone),
            object_id=self._free_id(zone, presence.name),
            at=now,
            name=presence.name,
            provider=PROVIDER,
            physical_id=PhysicalId(presence.name),
            attributes={**facts_of(presence), **({LEFT_BEHIND: list(left)} if left else {})},
        )
        return CreateObject(object=node, actor=presence.name, reason="checked in")

    def deleted(self, zone: str, name: str) -> ManagedObject | None:
        """Return the node of a host that was deleted last; None where none was."""
        rows = itertools.takewhile(lambda row: row is not None, map(self._store.object, _ids(zone, name)))
        gone = [row for row in rows if row is not None and NODE.is_final(row.state)]
        return gone[-1] if gone else None

    def _free_id(self, zone: str, name: str) -> ObjectId:
        """An id that no node had: rows of nodes stay for ever."""
        return next(one for one in _ids(zone, name) if self._store.object(one) is None)


def _ids(zone: str, name: str) -> Iterator[ObjectId]:
    """The ids of the nodes that a host has one after the other."""
    first = f"host:{zone}/{name}"
    return map(ObjectId, itertools.chain((first,), (f"{first}#{number}" for number in itertools.count(2))))


def facts_of(presence: Presence) -> dict[str, Json]:
    """Return the facts that an agent told of its host."""
    return {
        "Driver": presence.driver,
        "Address": presence.address,
        "Cores": presence.cores,
        "MemoryMiB": presence.memory_mib,
        "DiskGiB": presence.disk_gib,
        "Version": presence.version,
        "Accelerator": presence.accelerator,
    }


def heard_at(node: ManagedObject, presence: Presence | None, now: Instant) -> Instant:
    """Return when a host has last checked in, as far as that is known."""
    if presence is not None and presence.heard_s is not None:
        return Instant(now - presence.heard_s)
    return Instant(float(str(node.attributes.get(HEARD_AT) or node.created_at)))


def noted(node: ManagedObject, **attributes: Json) -> SaveObject:
    """The change of a node with other attributes."""
    after = replace(node, attributes={**node.attributes, **attributes})
    return SaveObject(object=after, expected_generation=node.generation, documents=True)


def moved(
    node: ManagedObject,
    states: Iterable[str],
    now: Instant,
    *,
    reason: str,
    actor: str = CONDUCTOR,
    noting: Mapping[str, Json] = MappingProxyType({}),
) -> SaveObject:
    """The change of a node that walks through states, with attributes that are noted beside it."""
    path = (node.state, *states)
    moves = tuple(
        Move(before=before, after=after, at=now, actor=actor, reason=reason)
        for before, after in itertools.pairwise(path)
    )
    attributes = {**node.attributes, **noting}
    after = replace(node, state=path[-1], target=path[-1], moved_at=now, touched_at=now, attributes=attributes)
    return SaveObject(object=after, expected_generation=node.generation, moves=moves, documents=bool(noting))


def incarnations_of(store: Store, found: ManagedObject) -> tuple[ManagedObject, ...]:
    """The incarnations at the address of an object."""
    if found.fid is None:
        return (found,)
    return tuple(one for one in store.objects(found.fid) if one.logical_id == found.logical_id)


def names_in(node: ManagedObject, attribute: str) -> tuple[ObjectId, ...]:
    """The ids in an attribute of a node."""
    return tuple(ObjectId(str(one)) for one in node.attributes.get(attribute) or ())
