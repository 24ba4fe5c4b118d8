"""The store as everything of a Conductor uses it, with a memory of the subjects of its commits.

Theory of operation. Phases change objects without an event, so a page that shows them cannot wait for events. Every
commit says by its changes which processes it is about; the last few thousand are kept, with a number. A reader asks for
those after the number that it knows, and then reads the processes that it shows. A reader that comes too late is told
so, and reads everything. Nothing here is stored: after a restart every reader begins anew.
"""

import threading
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any, cast

from tenuto.model.ids import Fid
from tenuto.ports.record_kinds import WEB_SESSION
from tenuto.ports.records import RemoveRecord, SaveRecord
from tenuto.ports.store import Store
from tenuto.ports.store_administration import ExpectAccount, ExpectLease, ExpectRules, SaveLease
from tenuto.ports.store_changes import (
    Append,
    CreateObject,
    CreateProcess,
    ExpectMandate,
    SaveComposition,
    SaveDrifts,
    SaveFlips,
    SaveJob,
    SaveObject,
    SavePlan,
    SaveProcess,
    SaveRates,
    StoreChange,
)
from tenuto.ports.touches import Touched

MOST = 4096
"""Commits that are remembered: a quarter of a minute of the fastest store. A reader asks four times a second."""
_SILENT = (ExpectAccount, ExpectLease, ExpectMandate, ExpectRules, SaveComposition, SaveLease, SaveRates)
"""Changes that no page shows by themselves: they come with others that it shows, or every few seconds."""


class CommitMemory:
    """Implements `ports.touches.Touches`."""

    def __init__(self, most: int = MOST) -> None:
        self._lock = threading.Lock()
        self._number = 1
        self._kept: deque[tuple[int, frozenset[Fid], bool]] = deque(maxlen=most)

    def note(self, changes: Iterable[StoreChange]) -> None:
        """Remember which processes a commit was about, or that it was about the estate."""
        fids: set[Fid] = set()
        is_estate = False
        for change in changes:
            found = _about(change)
            fids.update(found)
            is_estate = is_estate or (not found and not _is_silent(change))
        if fids or is_estate:
            with self._lock:
                self._number += 1
                self._kept.append((self._number, frozenset(fids), is_estate))

    def since(self, number: int) -> Touched:
        with self._lock:
            newest = self._number
            if number == newest:
                return Touched(number=newest)
            oldest = self._kept[0][0] if self._kept else newest + 1
            if number > newest or number < oldest - 1:
                return Touched(number=newest, is_estate=True, is_whole=False)
            found = [one for one in self._kept if one[0] > number]
        return Touched(
            number=newest,
            fids=frozenset(fid for _, fids, _ in found for fid in fids),
            is_estate=any(is_estate for _, _, is_estate in found),
        )


def remembered(store: Store, memory: CommitMemory) -> Store:
    """The store with a memory of the changes that are committed through it."""
    return cast(Store, _RememberedStore(store, memory))


class _RememberedStore:
    def __init__(self, inner: Store, memory: CommitMemory) -> None:
        self._inner = inner
        self._memory = memory

    def commit(self, changes: Sequence[StoreChange]) -> None:
        self._inner.commit(changes)
        self._memory.note(changes)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def _is_silent(change: StoreChange) -> bool:
    if isinstance(change, Append):
        return not change.events  # Operations come with the objects that they were about.
    is_of_session = isinstance(change, SaveRecord | RemoveRecord) and change.kind is WEB_SESSION
    return is_of_session or isinstance(change, _SILENT)


def _about(change: StoreChange) -> tuple[Fid, ...]:
    """The processes that a change is about."""
    match change:
        case CreateProcess() | SaveProcess():
            return (change.process.fid,)
        case CreateObject() | SaveObject():
            return (change.object.fid,) if change.object.fid else ()
        case SaveJob():
            return (change.job.fid,)
        case SavePlan():
            return (change.plan.fid,)
        case SaveFlips() | SaveDrifts():
            return (change.fid,)
        case Append():
            given = (*(one.fid for one in change.commands), *(one.fid for one in change.events))
            return tuple(dict.fromkeys(fid for fid in given if fid))
        case _:
            return ()
