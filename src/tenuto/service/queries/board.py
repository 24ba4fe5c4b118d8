"""The board: one row for each live process, those first that need a person.

Theory of operation. The rows are kept in memory. They are filled once, by a few questions to the store about all
processes; after that only the processes that a commit was about are read again (`ports.touches`). So the cost of a page
of a hundred rows out of thousands grows with the changes since the last page, and not with the store.

The order is that of urgency: first failed processes, then held ones, then those whose trouble passes by itself, and
last those that are as declared. A page begins after a key of the order, so that rows that come or go do not shift it.
"""

import threading
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tenuto.core.reports.explain_phases import IsLoaded
from tenuto.core.reports.unconverged import Unconverged
from tenuto.errors import UserError
from tenuto.model.command import ProcessState
from tenuto.model.event import EventType
from tenuto.model.ids import Fid, Instant
from tenuto.model.process import Process
from tenuto.ports.clock import Clock
from tenuto.ports.marks import Marks
from tenuto.ports.store import Store
from tenuto.ports.store_reads import ObjectCounts
from tenuto.ports.touches import Touches
from tenuto.service.common.finding import check_words
from tenuto.service.common.page_keys import page_key, place_of
from tenuto.service.queries.unconverged import unconverged_among
from tenuto.service.views.process_view import is_converged

AS_DECLARED = "as-declared"
DRIFT = "drift"
NOT_ENFORCED = "not-enforced"
RANKS: Mapping[str, int] = {
    why: rank
    for rank, why in enumerate(
        ("failed", "held", "suspended", "no-plugin", DRIFT, "throttled", "waiting", NOT_ENFORCED, AS_DECLARED)
    )
}
"""The reasons that order the list, the most urgent first."""
NEEDS_A_PERSON = ("failed", "held", "suspended", "no-plugin")
SORTS = ("need", "name", "since", "updated", "resources")
DEFAULT_PAGE = 100
LARGEST_PAGE = 1000
DAY_S = 24 * 3600.0
_MOST_EVENTS = 20_000
_MOST_READ_ALONE = 200
"""More processes than this are not read one by one: one question of the store serves all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRow:
    """One process. `why` is a key of `RANKS`."""

    process: Process
    unconverged: Unconverged | None
    counts: ObjectCounts
    drifted: int

    @property
    def why(self) -> str:
        if self.unconverged:
            return self.unconverged.why.value
        if self.drifted:
            return DRIFT
        return AS_DECLARED if self.process.is_enforced else NOT_ENFORCED

    @property
    def name(self) -> str:
        return self.process.alias or self.process.fid

    @property
    def since(self) -> Instant:
        if self.unconverged:
            return self.unconverged.since
        unenforced_at = self.process.unenforced_at if self.why == NOT_ENFORCED else None
        return self.process.updated_at if unenforced_at is None else unenforced_at


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardQuery:
    """The rows that are asked for. `text` is a part of a name, a composition or a FID; `cause` is a code that suspended
    it."""

    whys: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    account: str = ""
    region: str = ""
    text: str = ""
    cause: str = ""
    sort: str = "need"
    after: str = ""
    limit: int = DEFAULT_PAGE


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """One reason, with the rows that it explains, the longest first."""

    why: str
    text: str
    code: str
    rows: tuple[BoardRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftDay:
    """The drift of the last day: how many were found, how many held, and how many were found in each hour."""

    found: int = 0
    held: int = 0
    hours: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardPage:
    """A page of rows, the totals of all rows that were asked about, and the key of the next page."""

    rows: tuple[BoardRow, ...]
    matching: int
    next: str
    whys: Mapping[str, int]
    resources: ObjectCounts
    causes: tuple[Cause, ...]
    drift: DriftDay
    as_of: Instant
    unknown_things: Mapping[Fid, int] = field(default_factory=dict)
    left_alone: int = 0
    """The processes with drift that nothing sets back, since their enforcement is off."""


class Board:
    """The rows of all live processes. Thread-safe. Every method may raise StoreError."""

    def __init__(self, *, store: Store, marks: Marks, clock: Clock, touches: Touches, is_loaded: IsLoaded) -> None:
        self._store = store
        self._marks = marks
        self._clock = clock
        self._touches = touches
        self._is_loaded = is_loaded
        self._lock = threading.Lock()
        self._number = -1
        self._rows: dict[Fid, BoardRow] = {}

    def page(self, query: BoardQuery, is_seen: Callable[[Fid | None], bool] = lambda _: True) -> BoardPage:
        """The rows of a question that the reader may see. Raises UserError for a word, a sort or a key that there is
        not."""
        check_words("reason", query.whys, RANKS)
        check_words("state", query.states, [one.value for one in ProcessState])
        if query.sort not in SORTS:
            raise UserError(f"Rows cannot be sorted by {query.sort!r}. There are {', '.join(SORTS)}.")
        seen = [row for row in self.rows() if is_seen(row.process.fid)]
        chosen = sorted((row for row in seen if _matches(row, query)), key=lambda row: _key(row, query.sort))
        start = _start(chosen, query)
        limit = max(1, min(query.limit, LARGEST_PAGE))
        shown = tuple(chosen[start : start + limit])
        has_more = start + limit < len(chosen)
        fids = {row.process.fid for row in seen}
        unknown = Counter(one.owner.fid for one in self._marks.things() if one.owner.fid in fids)
        return BoardPage(
            rows=shown,
            matching=len(chosen),
            next=page_key(*_key(shown[-1], query.sort)) if has_more else "",
            whys=Counter(row.why for row in seen),
            resources=_sum(row.counts for row in seen),
            causes=_causes(seen),
            drift=self._drift(is_seen),
            as_of=self._clock.now(),
            unknown_things=unknown,
            left_alone=sum(row.why == DRIFT and not row.process.is_enforced for row in seen),
        )

    def why(self, fid: Fid) -> str | None:
        """Return why a live process is where it is in the list; None for one that is gone."""
        self.rows()
        with self._lock:
            row = self._rows.get(fid)
        return row.why if row else None

    def names(self, fids: Iterable[Fid]) -> Mapping[Fid, str]:
        """Return the names of those that are live."""
        self.rows()
        with self._lock:
            return {fid: self._rows[fid].name for fid in fids if fid in self._rows}

    def rows(self) -> tuple[BoardRow, ...]:
        """All rows, as of the last commit."""
        with self._lock:
            touched = self._touches.since(max(self._number, 0))
            if self._number < 0 or not touched.is_whole or len(touched.fids) > _MOST_READ_ALONE:
                self._rows = {row.process.fid: row for row in self._read(self._store.processes(), None)}
            elif touched.fids:
                fids = sorted(touched.fids)
                found = [one for fid in fids if (one := self._store.process(fid)) is not None]
                for fid in fids:
                    self._rows.pop(fid, None)
                live = [one for one in found if one.state is not ProcessState.GONE]
                self._rows.update((row.process.fid, row) for row in self._read(live, fids))
            self._number = touched.number
            return tuple(self._rows.values())

    def _read(self, processes: Sequence[Process], fids: Sequence[Fid] | None) -> Iterable[BoardRow]:
        counts, drifted = self._store.object_counts(fids), self._store.drift_counts(fids)
        late = unconverged_among(processes, self._store, self._marks, self._is_loaded)
        for one in processes:
            yield BoardRow(
                process=one,
                unconverged=None if is_converged(one) else late.get(one.fid),
                counts=counts.get(one.fid, ObjectCounts()),
                drifted=drifted.get(one.fid, 0),
            )

    def _drift(self, is_seen: Callable[[Fid | None], bool]) -> DriftDay:
        now = self._clock.now()
        start = Instant(now - DAY_S)
        hours = [0] * 24
        held = 0
        for kind, fid, at in self._store.drift_times(start, _MOST_EVENTS):
            if not is_seen(fid):
                continue
            if kind == EventType.RESOURCE_HELD.value:
                held += 1
            else:
                hours[min(23, max(0, int((at - start) // 3600)))] += 1
        return DriftDay(found=sum(hours), held=held, hours=tuple(hours))


def _matches(row: BoardRow, query: BoardQuery) -> bool:
    process = row.process
    text = query.text.casefold()
    return (
        (not query.whys or row.why in query.whys)
        and (not query.states or process.state.value in query.states)
        and query.account in ("", process.partition.account)
        and query.region in ("", process.partition.region)
        and (not query.cause or query.cause in process.causes)
        and (
            not text
            or text in (process.alias or "").casefold()
            or text in process.composition_name.casefold()
            or process.fid.casefold().startswith(text)
        )
    )


def _key(row: BoardRow, sort: str) -> tuple[float | str, str, str]:
    first: float | str
    match sort:
        case "name":
            first = 0.0
        case "since":
            first = row.since
        case "updated":
            first = -row.process.updated_at
        case "resources":
            first = -float(row.counts.total)
        case _:
            first = float(RANKS[row.why])
    return first, row.name, row.process.fid


def _start(chosen: Sequence[BoardRow], query: BoardQuery) -> int:
    """The place of the first row of the page: behind the key where the page before ended."""
    if not query.after:
        return 0
    key = place_of(query.after, float, str, str)
    return bisect_right([_key(row, query.sort) for row in chosen], key)


def _sum(counts: Iterable[ObjectCounts]) -> ObjectCounts:
    total = ready = failed = 0
    for one in counts:
        total, ready, failed = total + one.total, ready + one.ready, failed + one.failed
    return ObjectCounts(total=total, ready=ready, failed=failed)


def _causes(rows: Iterable[BoardRow]) -> tuple[Cause, ...]:
    """The reasons why processes need a person, each once: forty processes with one cause are one thing to do."""
    groups: dict[tuple[str, str, str], list[BoardRow]] = {}
    for row in rows:
        if row.why not in NEEDS_A_PERSON or row.unconverged is None:
            continue
        code = row.process.causes[0] if row.process.causes else ""
        groups.setdefault((row.why, code, "" if code else _nameless(row)), []).append(row)
    found = [_cause(why, code, members) for (why, code, _), members in groups.items()]
    return tuple(sorted(found, key=lambda one: (RANKS[one.why], -len(one.rows), one.rows[0].name)))


def _cause(why: str, code: str, members: Iterable[BoardRow]) -> Cause:
    """The cause of some rows. One code may stand for failures of different things: then one row is an example."""
    rows = tuple(sorted(members, key=lambda row: (row.since, row.name)))
    text = rows[0].unconverged.message if rows[0].unconverged else ""
    if text and len({_nameless(row) for row in rows}) > 1:
        text = f"For example {rows[0].name}: {text}"
    return Cause(why=why, code=code, text=text, rows=rows)


def _nameless(row: BoardRow) -> str:
    """The message of a row without the name of its process."""
    return row.unconverged.message.replace(row.name, "…") if row.unconverged else ""
