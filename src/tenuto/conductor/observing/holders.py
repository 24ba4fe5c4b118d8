"""The managers of a real thing: adoption asks whether another process manages it already.

Two witnesses are heard. The store knows what the live processes of this Conductor manage, whether it carries tags or
not. The ownership tags know of other Conductors. Tags that a process left behind when it was released or killed say
nothing any more: its things may be adopted again.
"""

from tenuto.lifecycles.resource import RESOURCE
from tenuto.model.ids import ObjectId, Partition, TypeName
from tenuto.model.observation import ObservedItem
from tenuto.model.process import Process, ProcessState
from tenuto.model.resource import ManagedObject
from tenuto.ports.store import Store


def holder_of(
    store: Store, partition: Partition, type_name: TypeName, item: ObservedItem, mine: ManagedObject | None = None
) -> str:
    """Who manages the thing, in words that follow "managed by"; empty when nobody does.

    `mine` is the incarnation that wants it: of two that do, the older one is in the right.
    """
    for other in store.tracked(partition, type_name):
        if other.physical_id == item.physical_id and (mine is None or _rank(other) < _rank(mine)):
            process = store.process(other.fid) if other.fid else None
            return f"{_name(process)} as {other.logical_id}"
    owner = item.owner
    if owner is None or (mine is not None and owner.object_id == mine.object_id):
        return ""
    process = store.process(owner.fid)
    if process is None:
        return (
            f"another Conductor, by its tags (process {owner.fid}). If no process manages it any more, remove its tags "
            "that begin with 'tenuto:'"
        )
    if process.state is ProcessState.GONE or not _is_live(store, owner.object_id):
        return ""
    return f"{_name(process)} as {owner.logical_id}"


def _is_live(store: Store, object_id: ObjectId) -> bool:
    found = store.object(object_id)
    return found is not None and not RESOURCE.is_final(found.state)


def _rank(found: ManagedObject) -> tuple[float, str]:
    return found.created_at, found.object_id


def _name(process: Process | None) -> str:
    if process is None:
        return "an unknown process"
    return f"process {process.alias} ({process.fid})" if process.alias else f"process {process.fid}"
