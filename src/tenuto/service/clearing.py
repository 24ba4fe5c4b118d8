"""Which failed phases a command clears, so that they are tried again."""

from collections.abc import Collection, Mapping

from tenuto.core.keeping import is_kept
from tenuto.lifecycles.resource import ResourceState
from tenuto.model.ids import ObjectId, TypeName
from tenuto.model.process import Command, Process, ProcessState
from tenuto.model.resource import ManagedObject, ResourceType
from tenuto.ports.conductor import Conductor
from tenuto.ports.store import Store


def clear_failures(
    command: Command,
    process: Process,
    store: Store,
    conductor: Conductor,
    planned: Collection[ObjectId] | None = None,
) -> None:
    """Clear what stands in the way of a command, before its state is stored: after a crash in between it can be given
    again.

    `resume` clears everything, but for what its plan (`planned`) turns elsewhere. While an update waits there is no
    plan yet: then everything that failed is left to the job that makes it. `kill` and `release` clear only what failed
    on the way out that they go on with: whatever failed while it was made is not made again first, and what a `kill`
    turns from its release to its deletion is not released first.
    """
    match command:
        case Command.RESUME if planned is not None:
            _clear([one for one in store.objects(process.fid) if one.object_id not in planned], process, conductor)
        case Command.RESUME if process.next_command is Command.UPDATE:
            objects = store.objects(process.fid)
            failed = {one.logical_id for one in objects if one.is_phase_failed}
            _clear([one for one in objects if one.logical_id not in failed], process, conductor)
        case Command.RESUME:
            conductor.retry(process.fid, ())
        case Command.KILL if process.state is ProcessState.SUSPENDED:
            types = conductor.types()
            _clear([one for one in store.objects(process.fid) if _is_ending(one, types)], process, conductor)
        case Command.RELEASE:
            leaving = [one for one in store.objects(process.fid) if one.target == ResourceState.RELEASED]
            _clear(leaving, process, conductor)
        case _:
            return


def _is_ending(found: ManagedObject, types: Mapping[TypeName, ResourceType]) -> bool:
    """Whether a kill leaves it on its way out."""
    is_let_go = found.target == ResourceState.RELEASED and is_kept(found, types.get(found.type))
    return found.target == ResourceState.TERMINATED or is_let_go


def _clear(objects: Collection[ManagedObject], process: Process, conductor: Conductor) -> None:
    if objects:
        conductor.retry(process.fid, tuple(dict.fromkeys(one.logical_id for one in objects)))
