"""The events that a change writes by itself: one for every state that changes, and none for the same state again.

Every store asks here, so that no caller can move an object without its history, and no two stores tell it differently
(DECISIONS 9).
"""

from collections.abc import Iterable

from tenuto.model.event import Event, EventType
from tenuto.model.ids import Fid, ObjectId
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject, Move
from tenuto.ports.store_changes import Append, CreateObject, CreateProcess, SaveObject, SaveProcess, StoreChange

NOTHING = "nothing"
"""The state before the first one."""


def events_of(change: StoreChange) -> tuple[Event, ...]:
    """The events that belong to a change, oldest first, without numbers: the store gives those."""
    match change:
        case CreateProcess(process=process, actor=actor, request=request):
            birth = Move(before=NOTHING, after=process.state, at=process.created_at, actor=actor, request=request)
            return _of_process(process, (birth,))
        case SaveProcess(process=process, moves=moves):
            return _of_process(process, moves)
        case CreateObject(object=item):
            birth = Move(
                before=NOTHING,
                after=item.state,
                at=item.created_at,
                actor=change.actor,
                reason=change.reason,
                by=change.by,
                request=change.request,
            )
            return _of_object(item, (birth,))
        case SaveObject(object=item, moves=moves):
            return _of_object(item, moves)
        case Append(events=events):
            return events
        case _:
            return ()


def _of_process(process: Process, moves: Iterable[Move]) -> tuple[Event, ...]:
    return _each(moves, type=EventType.PROCESS_STATE, fid=process.fid, subject=process.alias or process.name)


def _of_object(item: ManagedObject, moves: Iterable[Move]) -> tuple[Event, ...]:
    kind = EventType.OBJECT_STATE
    return _each(moves, type=kind, fid=item.fid, object_id=item.object_id, subject=item.logical_id)


def _each(
    moves: Iterable[Move],
    type: EventType,  # noqa: A002
    fid: Fid | None,
    subject: str,
    object_id: ObjectId | None = None,
) -> tuple[Event, ...]:
    """One event for each move that leads somewhere."""
    return tuple(
        Event(
            at=move.at,
            type=type,
            fid=fid,
            object_id=object_id,
            subject=subject,
            before=move.before,
            after=move.after,
            actor=move.actor,
            request=move.request,
            reason=move.reason,
            data={"by": move.by} if move.by else {},
        )
        for move in moves
        if move.before != move.after
    )
