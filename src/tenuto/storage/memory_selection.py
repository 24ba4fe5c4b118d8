"""What the reads of the store in memory select, and in which order: what the queries say in SQL."""

from collections.abc import Sequence
from typing import TypeVar

from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.event import Event
from tenuto.model.ids import Fid, Instant, ObjectId
from tenuto.model.phase_map import PhaseEntry, PhaseStatus
from tenuto.model.process import Process, ProcessState
from tenuto.model.resource import ManagedObject
from tenuto.ports.store_reads import EventQuery

_T = TypeVar("_T")


def recency(process: Process) -> tuple[bool, Instant, Instant, Fid]:
    """A live process before the gone ones, then the one that was gone last."""
    ended = process.updated_at if process.ended_at is None else process.ended_at
    return (process.state is not ProcessState.GONE, ended, process.created_at, process.fid)


def is_final(item: ManagedObject) -> bool:
    """Whether it is in a state that nothing leaves."""
    return CATALOGUE[item.lifecycle].is_final(item.state)


def due_since(item: ManagedObject, entry: PhaseEntry) -> Instant:
    """Since when it waits: its wake time, or else since it entered the state."""
    if entry.status is PhaseStatus.SLEEPING and entry.wake_at is not None:
        return entry.wake_at
    return item.moved_at


def age(item: ManagedObject) -> tuple[Instant, ObjectId]:
    """Oldest first; of equals, by id."""
    return (item.created_at, item.object_id)


def is_within(at: Instant, start: Instant | None, end: Instant | None) -> bool:
    """Both ends belong to the window."""
    return (start is None or at >= start) and (end is None or at <= end)


def matches(event: Event, query: EventQuery) -> bool:
    """Whether the query asks for the event, but for `after` and `limit`."""
    return (
        (query.fid is None or event.fid == query.fid)
        and (not query.types or event.type in query.types)
        and is_within(event.at, query.start, query.end)
    )


def newest(items: Sequence[_T], limit: int) -> tuple[_T, ...]:
    """The last ones, in their order. A limit below one gives none."""
    return tuple(items[-limit:]) if limit > 0 else ()
