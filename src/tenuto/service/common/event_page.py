"""A page of events: the newest that a reader may see, and the number before which the next page ends.

Others' events lie between those of a reader, so events are read on until a page is full. The number of events that are
read for one page is bounded; a page that found less goes on where it stopped.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tenuto.model.event import Event

_MOST_READ = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class EventPage:
    """Events in rising order. `older` is the `before` of the next page; None when there is nothing older."""

    events: tuple[Event, ...]
    older: int | None


def event_page(
    read: Callable[[int | None, int], Sequence[Event]],
    is_wanted: Callable[[Event], bool],
    *,
    before: int | None,
    limit: int,
) -> EventPage:
    """The newest `limit` events that are wanted. `read` takes a number and a count, and gives the newest events with a
    lower number, in rising order."""
    if limit < 1:
        return EventPage(events=(), older=None)
    found: list[Event] = []
    size, end, count = limit + 1, before, 0
    while True:
        block = read(end, size)
        count += len(block)
        found = [one for one in block if is_wanted(one)] + found
        if len(found) > limit:
            shown = tuple(found[-limit:])
            return EventPage(events=shown, older=shown[0].number)
        if len(block) < size:
            return EventPage(events=tuple(found), older=None)
        if count >= _MOST_READ:
            return EventPage(events=tuple(found), older=block[0].number)
        end, size = block[0].number, min(_MOST_READ - count, size * 4)
