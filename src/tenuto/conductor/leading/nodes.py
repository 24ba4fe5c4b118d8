"""Conductor nodes as objects: who has checked in, who left, who is missing. Only the changes, as values.

A node is an object like any other (lifecycle `node`), of no process. It is known by its name, so a Conductor that is
started again on the same host is the same node, back from wherever it was.

`touched_at` of a node is when it last checked in. A node that leads checks in by renewing its lease, and its object is
not written each time; so the time of the last renewal is given when the node leaves, or is found missing.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tenuto.core.objects.requested import born_alone
from tenuto.lifecycles.node import MISSED, NODE, SHUT_DOWN
from tenuto.model.ids import Instant, Json, ObjectId, PhysicalId
from tenuto.model.node import NODE_PLACE, NODE_TYPE
from tenuto.model.resource import ManagedObject, Move
from tenuto.ports.store_changes import CreateObject, SaveObject, StoreChange
from tenuto.ports.store_reads import ObjectReads


def checked_in(store: ObjectReads, name: str, facts: Mapping[str, Json], now: Instant) -> list[StoreChange]:
    """Return the changes of a node that checks in: for the first time, again, or still."""
    found = store.object(_id_of(name))
    if found is None:
        return [CreateObject(object=_new(name, facts, now), actor=name, reason="checked in")]
    return _moved(found, name, now, NODE.ready, reason="checked in", facts=facts)


def left(store: ObjectReads, name: str, now: Instant, reason: str, *, renewed_at: Instant) -> list[StoreChange]:
    """The node has ended as it should. `renewed_at` is when it last renewed its lease."""
    found = store.object(_id_of(name))
    return [] if found is None else _moved(found, name, now, *SHUT_DOWN, reason=reason, seen_at=renewed_at)


def missed(store: ObjectReads, name: str, by: str, now: Instant, *, renewed_at: Instant) -> list[StoreChange]:
    """The node was to check in, and did not. `renewed_at` is when it last renewed its lease, by its own clock."""
    found = store.object(_id_of(name))
    if found is None or not NODE.allows(found.state, MISSED):
        return []
    return _moved(found, by, now, MISSED, reason="did not check in", seen_at=min(now, renewed_at))


def fact_of(store: ObjectReads, node: str, name: str) -> Json:
    """A fact that a Conductor told with its last check-in; None when it told none of that name."""
    found = store.object(_id_of(node))
    return None if found is None else found.attributes.get(name)


def _id_of(name: str) -> ObjectId:
    return ObjectId(f"node:{name}")


def _new(name: str, facts: Mapping[str, Json], now: Instant) -> ManagedObject:
    return born_alone(
        NODE,
        NODE_TYPE,
        NODE_PLACE,
        object_id=_id_of(name),
        at=now,
        name=name,
        physical_id=PhysicalId(name),
        attributes=facts,
    )


def _moved(
    found: ManagedObject,
    actor: str,
    now: Instant,
    *states: str,
    reason: str,
    facts: Mapping[str, Json] | None = None,
    seen_at: Instant | None = None,
) -> list[StoreChange]:
    """The node walks these states; one that is in the last of them already stays. It checks in now, unless it was last
    seen at another time."""
    path: Sequence[str] = (found.state, *states)
    if found.state == path[-1]:
        path = path[:1]
    moves = tuple(
        Move(before=before, after=after, at=now, actor=actor, reason=reason)
        for before, after in itertools.pairwise(path)
    )
    after = replace(
        found,
        state=path[-1],
        target=path[-1],
        moved_at=now if moves else found.moved_at,
        touched_at=now if seen_at is None else max(found.touched_at, seen_at),
        attributes=found.attributes if facts is None else facts,
    )
    save = SaveObject(object=after, expected_generation=found.generation, moves=moves, documents=facts is not None)
    return [save]
