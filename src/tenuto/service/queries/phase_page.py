"""The objects that a phase still has to do with, a page at a time, and the reasons that many of them share.

Theory of operation. Six hundred objects that fail for one reason are one thing to do. The store counts the objects by
process, status and reason; a reason is a provider's code or, where there is none, the message without its words that
hold a digit: they are ids, addresses and times. More than a few equal objects are told as one cause, and a reader who
asks for a grouped page gets the others as rows. A page goes on after a place in the order, so that objects that come or
go do not shift it.

Others' objects are left out here and not by the store, which knows no rights: it is asked until a page is full.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from tenuto.errors import UserError
from tenuto.model.command import ProcessState
from tenuto.model.ids import Fid, JsonMap, PhaseName
from tenuto.model.phase_map import PhaseStatus
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto.ports.store import Store
from tenuto.ports.store_reads import PhaseQuery, PhaseReason
from tenuto.service.common.page_keys import page_key, place_of
from tenuto.service.common.values import time_text

DEFAULT_PAGE = 500
LARGEST_PAGE = 1000
MOST_EQUAL = 5
"""More objects than this with one reason are told as one cause: fewer are read as fast one by one."""
_MOST_CAUSES = 50
_MOST_REASONS = 10_000
_MOST_READ = 20_000
"""Objects of others that are passed over for one page. A page that found less goes on where it stopped."""
_MOST_PROCESSES = 100
"""Of more processes than this, a scan of all entries is quicker than a look at the objects of each."""
_PROCESSES = 5
_DIGEST = 12
_WITH_DIGIT = re.compile(r"\S*\d\S*")
_IsSeen = Callable[[Fid | None], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class PhasePageQuery:
    """The objects that are asked for. `cause` is the key of one; `is_grouped` leaves those of every cause out."""

    phase: PhaseName
    status: str = ""
    cause: str = ""
    after: str = ""
    limit: int = DEFAULT_PAGE
    is_grouped: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cause:
    key: str
    reasons: tuple[PhaseReason, ...]

    @property
    def count(self) -> int:
        return sum(one.count for one in self.reasons)

    @property
    def oldest(self) -> PhaseReason:
        return min(self.reasons, key=lambda one: one.since)


def phase_document(
    store: Store, query: PhasePageQuery, is_seen: _IsSeen, *, is_empty: bool = False, fids: Sequence[Fid] | None = None
) -> JsonMap:
    """The page. `is_empty` says that no object is in the phase, and `fids` of which processes there may be any, so that
    the store need not look through all entries.

    Raises UserError for a status or a key that there is not.
    """
    statuses = [one.value for one in PhaseStatus]
    if query.status and query.status not in statuses:
        raise UserError(f"There is no status {query.status!r} of a phase. There are {', '.join(statuses)}.")
    looked_at = tuple(fids) if fids is not None and len(fids) <= _MOST_PROCESSES else None
    told = () if is_empty else store.reasons_in_phase(query.phase, _MOST_REASONS, looked_at)
    reasons = [one for one in told if is_seen(one.fid)]
    known = _causes(reasons)
    causes = [one for one in known if one.count > MOST_EQUAL][:_MOST_CAUSES]
    only = without = None
    if query.cause:
        only = [reason for one in known if one.key == query.cause for reason in one.reasons]
    elif query.is_grouped:
        without = [reason for one in causes for reason in one.reasons]
    place = place_of(query.after, float, float, str) if query.after else None
    asked = PhaseQuery(
        phase=query.phase,
        fids=looked_at,
        status=query.status,
        only=None if only is None else _keys(only),
        without=_keys(without or ()),
        after=(bool(place[0]), float(place[1]), str(place[2])) if place else None,
        limit=max(1, min(query.limit, LARGEST_PAGE)),
    )
    counted = [one for one in (reasons if only is None else only) if query.status in ("", one.status.value)]
    left_out = [one for one in (without or ()) if query.status in ("", one.status.value)]
    matching = sum(one.count for one in counted) - sum(one.count for one in left_out)
    is_whole = len(told) < _MOST_REASONS
    found, following = _page(store, asked, is_seen) if matching or not is_whole else ([], None)
    processes = {fid: store.process(fid) for fid in sorted({one.fid for one in found if one.fid})}
    return {
        "phase": query.phase,
        "counts": dict(sorted(_counts(reasons).items())),
        "causes": [_cause(store, one) for one in causes],
        "matching": matching,
        "objects": [_object(one, query.phase, processes.get(one.fid) if one.fid else None) for one in found],
        "next": following,
    }


def _page(store: Store, query: PhaseQuery, is_seen: _IsSeen) -> tuple[list[ManagedObject], str | None]:
    """The objects of a page that the reader may see, and the key of the next page."""
    seen: list[ManagedObject] = []
    asked, read, size = query, 0, query.limit + 1
    while True:
        found = store.in_phase(replace(asked, limit=size))
        read += len(found)
        seen += [one for one in found if is_seen(one.fid)]
        if len(seen) > query.limit:
            shown = seen[: query.limit]
            return shown, page_key(*_place(shown[-1], query.phase))
        if len(found) < size:
            return seen, None
        if read >= _MOST_READ:
            return seen, page_key(*_place(found[-1], query.phase))
        asked, size = replace(asked, after=_place(found[-1], query.phase)), min(LARGEST_PAGE, size * 2)


def _place(found: ManagedObject, phase: PhaseName) -> tuple[bool, float, str]:
    return found.phases[phase].status is not PhaseStatus.FAILED, found.moved_at, found.object_id


def _causes(reasons: Iterable[PhaseReason]) -> list[_Cause]:
    """The reasons that are one thing to do: failures first, then the most frequent."""
    groups: dict[str, list[PhaseReason]] = {}
    for one in reasons:
        text = f"{one.status.value}:{one.code or _WITH_DIGIT.sub('…', one.message)}"
        groups.setdefault(hashlib.sha256(text.encode()).hexdigest()[:_DIGEST], []).append(one)
    found = [_Cause(key=key, reasons=tuple(members)) for key, members in groups.items()]
    return sorted(found, key=lambda one: (one.oldest.status is not PhaseStatus.FAILED, -one.count, one.key))


def _keys(reasons: Iterable[PhaseReason]) -> tuple[str, ...]:
    return tuple(sorted({one.key for one in reasons}))


def _counts(reasons: Iterable[PhaseReason]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for one in reasons:
        counts[one.status.value] += one.count
    return counts


def _cause(store: Store, cause: _Cause) -> JsonMap:
    oldest = cause.oldest
    of: Counter[Fid] = Counter()
    for one in cause.reasons:
        if one.fid is not None:
            of[one.fid] += one.count
    fids = sorted(of, key=lambda fid: (-of[fid], fid))
    return {
        "key": cause.key,
        "status": oldest.status.value,
        "code": oldest.code or None,
        "message": oldest.message or None,
        "since": time_text(oldest.since),
        "count": cause.count,
        "process_count": len(of),
        "processes": [{"fid": fid, "name": _name(store.process(fid)), "count": of[fid]} for fid in fids[:_PROCESSES]],
    }


def _name(process: Process | None) -> str | None:
    return (process.alias or process.fid) if process and process.state is not ProcessState.GONE else None


def _object(found: ManagedObject, phase: PhaseName, process: Process | None) -> JsonMap:
    entry = found.phases[phase]
    return {
        "fid": found.fid,
        "process": _name(process),
        "logical_id": found.logical_id,
        "type": found.type,
        "id": found.physical_id,
        "status": entry.status.value,
        "state": found.state,
        "since": time_text(entry.started_at or found.moved_at),
        "wake": time_text(entry.wake_at),
        "attempt": entry.attempt,
        "runs": entry.runs,
        "message": entry.message or None,
        "code": entry.code or None,
        "request_id": entry.request_id or None,
    }
