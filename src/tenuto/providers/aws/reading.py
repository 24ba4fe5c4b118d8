"""Sweeps: a source is read page by page or thing by thing, in the way that takes fewer calls.

Theory of operation. A list of AWS comes in pages of a thousand, with the things of all owners; asked for by filter, two
hundred things come with a call, and only these. In an account that is ours, pages are by far the cheaper way; beside
twenty thousand things of other people, reading by id is. How much there is to page through is known from the last
sweep of everything, so the first sweep is one. A tie goes to the pages, which show more.

A resource may be made while a sweep is under way, or so little before that the sweep was not told of it. The thing that
holds it must not show it as a part of its own then: a plan would remove it. So creations are remembered for as long as
a sweep may take, unless the resource goes before.
"""

from collections import Counter, OrderedDict
from dataclasses import replace
from threading import Lock

from tenuto.model.ids import Instant, JsonMap, Partition, PhysicalId, TypeName
from tenuto.model.observation import Tracked, to_show
from tenuto.providers.aws.client.answers.pages import any_of
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import Scope, Seen, Source

PAGE = 1000
"""Things on a page, at most."""
_LONGEST_SWEEP_S = 300.0
"""Longer than any sweep takes."""


class Reader:
    """Reads sources, and remembers how large they were. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._pages: dict[tuple[Partition, str], int] = {}
        self._made: OrderedDict[tuple[Partition, TypeName, PhysicalId], Instant] = OrderedDict()

    def note_made(self, partition: Partition, type_name: TypeName, made: PhysicalId, now: Instant) -> None:
        """Remember a thing that was made just now, and forget those that were made long ago."""
        with self._lock:
            self._made[partition, type_name, made] = now
            self._made.move_to_end((partition, type_name, made))
            while self._made and next(iter(self._made.values())) < now - _LONGEST_SWEEP_S:
                self._made.popitem(last=False)

    def forget(self, partition: Partition, type_name: TypeName, gone: PhysicalId) -> None:
        """Forget a thing that was made: it is deleted, or let go of."""
        with self._lock:
            self._made.pop((partition, type_name, gone), None)

    def _made_of(self, partition: Partition, type_name: TypeName) -> list[PhysicalId]:
        with self._lock:
            return [one for place, name, one in self._made if (place, name) == (partition, type_name)]

    def read(
        self, client: AccountClient, source: Source, tracked: Tracked, *, is_whole: bool = False, is_near: bool = False
    ) -> tuple[list[Seen], bool]:
        """Read all that is tracked and still there, and, in a sweep of everything, all else. Returns also whether it
        was one.

        `is_whole` asks for a sweep of everything; `is_near` for one of the tracked things, where that takes no more
        calls. Raises ProviderError.
        """
        place = (client.partition, source.name)
        with self._lock:
            pages = self._pages.get(place, 1)
        shown = to_show(tracked)
        scope = Scope(
            tracked=shown,
            own=tracked,
            is_made=lambda *thing: (client.partition, *thing) in self._made,
            made=lambda name: self._made_of(client.partition, name),
            is_whole=is_whole,
        )
        by_id = narrowings(source, shown)
        if by_id and len(by_id) < pages + is_near and not is_whole:
            scopes = [replace(scope, filters=filters) for filters in by_id]
            return [
                one for found in client.each(lambda part: source.read(client, part), scopes) for one in found
            ], False
        found = source.read(client, scope)
        with self._lock:
            self._pages[place] = _pages(found)
        return found, source.shows_all or (is_whole and source.can_show_all)


def narrowings(source: Source, tracked: Tracked) -> list[list[JsonMap]]:
    """The filters of each call of a sweep by id; none when a type that is tracked has no filter, or nothing is."""
    values: dict[str, set[str]] = {}
    for name, ids in tracked.items():
        if not ids:
            continue
        if name not in source.by_id:
            return []
        by = source.by_id[name]
        for one in ids:
            values.setdefault(by.name_for(one), set()).add(by.value(one))
    return [filters for name in sorted(values) for filters in any_of(name, sorted(values[name]))]


def _pages(found: list[Seen]) -> int:
    """Return how many pages they must have come on, at least: things of several types may share one."""
    most = max(Counter(name for name, _ in found).values(), default=0)
    return max(1, -(-most // PAGE))
