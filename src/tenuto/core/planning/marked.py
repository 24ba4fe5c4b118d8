"""Real things that carry our marks and that the store does not know.

Every creation stores its object first and then marks the thing with the id of that object. So a mark that names no
stored object says one of two things: the database is a copy from before the creation (a backup that was restored), or
another Tenuto made the thing. The two cannot be told apart by the mark alone.

A mark that names a stored object is known, however the object stands to the thing: a creation may be on its way, and a
thing that was made twice is the business of the duplicates (`sightings`). Two kinds of objects are over. A released
thing was given back on purpose, with its marks where the user wanted that; it is not told. A terminated thing may still
be shown by a list that is out of date, so for as long as a list may be wrong it is not told either.
"""

from collections.abc import Iterable, Mapping, Sequence, Set

from tenuto.core.pacing.visibility import VISIBILITY_S
from tenuto.lifecycles import roles
from tenuto.model.ids import Fid, Instant, LogicalId, ObjectId, PhysicalId
from tenuto.model.marked import MarkedThing, Unknown
from tenuto.model.observation import ObservedItem, Owner, Sweep
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject


def marked_items(sweep: Sweep, tracked: Set[PhysicalId]) -> tuple[ObservedItem, ...]:
    """The things that a sweep shows with marks and no live object is recorded with, but for those being deleted."""
    return tuple(
        item
        for item in sweep.items.values()
        if item.owner is not None and item.physical_id not in tracked and not item.is_ending
    )


def judge(
    sweep: Sweep,
    provider: str,
    items: Iterable[ObservedItem],
    known: Mapping[ObjectId, ManagedObject],
    before: Mapping[PhysicalId, MarkedThing],
) -> dict[PhysicalId, MarkedThing]:
    """Return the items that carry a mark and that the store does not know. `before` are the things of the type that
    earlier sweeps found.
    """
    found: dict[PhysicalId, MarkedThing] = {}
    for item in items:
        if item.owner is None:
            continue
        why = _why(known.get(item.owner.object_id), sweep.started_at)
        if why is None:
            continue
        earlier = before.get(item.physical_id)
        is_same = earlier is not None and earlier.owner == item.owner
        found[item.physical_id] = MarkedThing(
            provider=provider,
            partition=sweep.partition,
            type=sweep.type,
            physical_id=item.physical_id,
            owner=item.owner,
            why=why,
            first_seen=earlier.first_seen if earlier is not None and is_same else sweep.started_at,
        )
    return found


def _why(found: ManagedObject | None, swept_at: Instant) -> Unknown | None:
    if found is None:
        return Unknown.NO_OBJECT
    if found.state != roles.table_of(found).gone or swept_at < found.moved_at + VISIBILITY_S:
        return None
    return Unknown.ENDED


def by_address(things: Iterable[MarkedThing], fid: Fid) -> dict[LogicalId, tuple[MarkedThing, ...]]:
    """The things that carry the marks of one process, by the resource that they name."""
    found: dict[LogicalId, tuple[MarkedThing, ...]] = {}
    for one in things:
        if one.owner.fid == fid:
            found[one.owner.logical_id] = (*found.get(one.owner.logical_id, ()), one)
    return found


def held_message(name: str, logical_id: LogicalId, things: Sequence[MarkedThing], recorded: PhysicalId | None) -> str:
    """Return why nothing is made at an address: a thing stands there. `recorded` is the thing that the store has at the
    address.
    """
    first = things[0]
    more = f" and {len(things) - 1} more" if len(things) > 1 else ""
    return (
        f"{logical_id} is not made: {first.type} {first.physical_id}{more} in {first.partition} carries the marks of "
        f"{logical_id} (object {first.owner.object_id}), and the database knows {recorded or 'none'} there. "
        f"'tenuto doctor {name} --adopt {first.physical_id}' manages it again; "
        f"'tenuto doctor {name} --delete {first.physical_id}' deletes it, and {logical_id} is made anew"
    )


def in_the_way_message(name: str, things: Sequence[MarkedThing]) -> str:
    """The message about things that may keep the resources of a process from being deleted; empty without any."""
    if not things:
        return ""
    first = things[0]
    more = f" and {len(things) - 1} more" if len(things) > 1 else ""
    verb = "carries" if len(things) == 1 else "carry"
    return (
        f"{first.type} {first.physical_id}{more} {verb} the marks of this process ({first.owner.logical_id}, object "
        f"{first.owner.object_id}) and may stand on what is to be deleted: the database does not know it, so Tenuto "
        f"does not delete it. 'tenuto doctor {name}' lists all; 'tenuto doctor {name} --delete {first.physical_id}' "
        "deletes it"
    )


def owner_text(owner: Owner, process: Process | None) -> str:
    """The process that the marks name, in words."""
    if process is None:
        return f"names process {owner.fid or '(none)'}, which this Conductor does not know"
    return f"names process {process.alias or process.fid}"
