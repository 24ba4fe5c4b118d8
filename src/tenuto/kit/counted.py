"""`Counted` decides which of many equal acts leave a line: the first of a kind at once, the others as a number.

Theory of operation. An act has an actor (`who`) and a kind. The first of a kind leaves its line at once. Equal ones
within the interval are only counted; the first after it leaves the next line, which tells how many there were in
between and since when. So nothing repeats its way to a full disk, and no kind is hidden by another one.

Memory is bounded, since the kinds may hold names that a client makes up. Each `who` has so many kinds of its own; while
all of them are young, its further kinds share one. So a caller who varies the names is counted as well, and takes no
room from the others. A kind that leaves the memory leaves its number to the shared one.
"""

import threading
from collections import OrderedDict
from dataclasses import dataclass, field

MOST_KINDS = 32
"""The kinds of one `who`: more than a person tries in an interval; a program with more is counted all the same."""
MOST = 1024
"""The `who` that are remembered, those that left a line latest. Of one that is forgotten the next line is a first."""
Kind = tuple[str, ...]
_SHARED: Kind = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Between:
    """The acts that were only counted before one that leaves a line, and the moment of the line before it."""

    count: int = 0
    since: float = 0.0


@dataclass(slots=True)
class _Counter:
    told_at: float
    count: int = 0


@dataclass(slots=True)
class _Counters:
    kinds: "OrderedDict[Kind, _Counter]" = field(default_factory=OrderedDict)
    """Those that left a line longest ago come first."""
    left: int = 0
    """The acts that were counted for kinds that left the memory, for the next line of the shared kind."""


class Counted:
    """The counters of many kinds. Thread-safe. The caller gives the time, in seconds of a clock that goes on evenly."""

    def __init__(self, interval_s: float) -> None:
        self._interval_s = interval_s
        self._lock = threading.Lock()
        self._all: OrderedDict[Kind, _Counters] = OrderedDict()

    def count(self, who: Kind, kind: Kind, now: float) -> Between | None:
        """Count one act. Returns the number of acts that the line of now has to tell besides, and since when; None when
        no line is due."""
        with self._lock:
            counters = self._all.setdefault(who, _Counters())
            kind = self._place(counters, kind, now)
            counter = counters.kinds.get(kind)
            if counter is not None and now - counter.told_at < self._interval_s:
                counter.count += 1
                return None
            found = Between(count=counter.count, since=counter.told_at) if counter else Between()
            if kind == _SHARED and counters.left:
                found = Between(count=found.count + counters.left, since=found.since or now - self._interval_s)
                counters.left = 0
            counters.kinds[kind] = _Counter(told_at=now)
            counters.kinds.move_to_end(kind)
            self._all.move_to_end(who)
            while len(self._all) > MOST:
                self._all.popitem(last=False)
            return found

    def forget(self, who: Kind, kind: Kind) -> None:
        """Have the next act leave a line: the one that was due could not be written."""
        with self._lock:
            counters = self._all.get(who)
            if counters is not None:
                counters.kinds.pop(kind if kind in counters.kinds else _SHARED, None)

    def _place(self, counters: _Counters, kind: Kind, now: float) -> Kind:
        """The kind as which an act is counted: its own where there is room for it, else the shared one."""
        if kind in counters.kinds or len(counters.kinds) < MOST_KINDS:
            return kind
        oldest, counter = next(iter(counters.kinds.items()))
        if now - counter.told_at < self._interval_s:
            return _SHARED
        del counters.kinds[oldest]
        counters.left += counter.count
        return kind
