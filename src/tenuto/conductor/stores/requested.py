"""The store as everything of a Conductor uses it, which writes the id of the API request into each change that is made
for it.

A commit that is made while a request is answered is the consequence of that request: its events, moves, commands and
jobs carry the id. So does each object of no process that it writes, since only the object can tell the phases that
work on it later. A process keeps the request with its command (`Intent.request`), and its objects ask the process.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from tenuto.kit.current_request import CurrentRequest
from tenuto.model.resource import ManagedObject, Move
from tenuto.ports.store import Store
from tenuto.ports.store_changes import (
    Append,
    CreateObject,
    CreateProcess,
    SaveJob,
    SaveObject,
    SaveProcess,
    StoreChange,
)


def requested(store: Store, current: CurrentRequest) -> Store:
    """The store, which stamps each change that is committed while a request is answered."""
    return cast(Store, _RequestedStore(store, current))


class _RequestedStore:
    def __init__(self, inner: Store, current: CurrentRequest) -> None:
        self._inner = inner
        self._current = current

    def commit(self, changes: Sequence[StoreChange]) -> None:
        request = self._current.request
        self._inner.commit([stamped(change, request) for change in changes] if request else changes)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def stamped(change: StoreChange, request: str) -> StoreChange:
    """The change with the request that it is made for. A part that names a request already keeps it."""
    match change:
        case Append():
            commands = tuple(one if one.request else replace(one, request=request) for one in change.commands)
            events = tuple(one if one.request else replace(one, request=request) for one in change.events)
            return replace(change, commands=commands, events=events)
        case CreateProcess():
            return replace(change, request=change.request or request)
        case SaveProcess():
            return replace(change, moves=_moved(change.moves, request))
        case CreateObject():
            return replace(change, object=_owned(change.object, request), request=change.request or request)
        case SaveObject():
            return replace(change, object=_owned(change.object, request), moves=_moved(change.moves, request))
        case SaveJob():
            return replace(change, job=replace(change.job, request=change.job.request or request))
        case _:
            return change


def _moved(moves: Sequence[Move], request: str) -> tuple[Move, ...]:
    return tuple(one if one.request else replace(one, request=request) for one in moves)


def _owned(item: ManagedObject, request: str) -> ManagedObject:
    """The object, with the request that stands behind it from now on where no process does."""
    return replace(item, request=request) if item.fid is None else item
