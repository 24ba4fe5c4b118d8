"""Successors of the members of a stack: things that a process made in place of one that is gone.

Theory of operation. Once a process holds the resources of a stack, it makes a thing anew that another hand has deleted.
The stack still shows the id of the one that is gone, which no process can hold or adopt. So the member is the successor
from then on: that is what stands for it, and what is to have a manager when the stack is let go. It has to be of a
process that holds other members of the stack, or that held the very thing: another process may use the same names.
"""

from collections.abc import Mapping, Sequence

from tenuto.lifecycles.roles import is_leaving
from tenuto.model.ids import LogicalId, Partition, PhysicalId
from tenuto.model.resource import ManagedObject
from tenuto.model.snapshot import Candidate
from tenuto.model.stack import StackResource
from tenuto.ports.store import Store


def successors(
    members: Sequence[StackResource], found: Mapping[LogicalId, Candidate], partition: Partition, store: Store
) -> dict[LogicalId, PhysicalId]:
    """The ids of the things that were made in place of members that are gone. `found` are the answers of a fresh sweep
    for the ids that the stack shows."""
    gone = {name: one.physical_id for name, one in found.items() if _is_gone(one)}
    if not gone:
        return {}
    standing = {one.physical_id for one in found.values() if one.item is not None}
    tracked = {one.logical_id: store.tracked(partition, one.type) for one in members if one.logical_id in found}
    holding = {one.fid for things in tracked.values() for one in things if one.physical_id in standing}

    def is_successor(one: ManagedObject, name: LogicalId) -> bool:
        if one.logical_id != name or one.fid is None or is_leaving(one):
            return False
        return one.fid in holding or any(before.physical_id == gone[name] for before in store.objects(one.fid))

    made: dict[LogicalId, PhysicalId] = {}
    for name in gone:
        for one in tracked[name]:
            if one.physical_id is not None and is_successor(one, name):
                made[name] = one.physical_id
    return made


def _is_gone(candidate: Candidate) -> bool:
    """Whether a fresh sweep should show the thing, and does not."""
    return candidate.item is None and not candidate.unread and candidate.seen_as is None
