"""Which failed phases a command clears, so that they are tried again."""

from tenuto.lifecycles.resource import ResourceState
from tenuto.model.process import Command, Process, ProcessState
from tenuto.ports.conductor import Conductor
from tenuto.ports.store import Store


def clear_failures(command: Command, process: Process, store: Store, conductor: Conductor) -> None:
    """Clear what stands in the way of a command, before its state is stored: after a crash in between it can be given
    again.

    `resume` clears everything. `kill` and `release` only what failed on the way out: whatever failed while it was made
    is not made again first.
    """
    match command:
        case Command.RESUME:
            conductor.retry(process.fid, ())
        case Command.KILL if process.state is ProcessState.SUSPENDED:
            _clear_leaving(ResourceState.TERMINATED, process, store, conductor)
        case Command.RELEASE:
            _clear_leaving(ResourceState.RELEASED, process, store, conductor)
        case _:
            return


def _clear_leaving(target: ResourceState, process: Process, store: Store, conductor: Conductor) -> None:
    leaving = [one.logical_id for one in store.objects(process.fid) if one.target == target]
    if leaving:
        conductor.retry(process.fid, tuple(dict.fromkeys(leaving)))
