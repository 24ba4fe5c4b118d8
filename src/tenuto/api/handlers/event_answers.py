"""The answer with a page of events of any subject: those in a window of time and numbers, the newest first."""

from collections.abc import Callable, Sequence

from tenuto.api.requests.calls import MAXIMUM_EVENTS, Call
from tenuto.model.event import Event
from tenuto.model.ids import JsonMap
from tenuto.service.common.event_page import event_page
from tenuto.service.event_names import event_names
from tenuto.service.views.history_view import events_document


def events_answer(call: Call, read: Callable[..., Sequence[Event]], is_wanted: Callable[[Event], bool]) -> JsonMap:
    """The page that the query asks for. `read` takes the window by name: `start`, `end`, `after`, `before`, `limit`."""
    query = call.query
    start, end, after = query.instant("start"), query.instant("end"), query.number("after", 0, 10**18)
    page = event_page(
        lambda before, limit: read(start=start, end=end, after=after, before=before, limit=limit),
        is_wanted,
        before=query.number("before", 0, 10**18) or None,
        limit=query.number("limit", 1000, MAXIMUM_EVENTS),
    )
    complete_since = call.queries.events_complete_since(start) if page.older is None else None
    return events_document(page, event_names(call.services, page.events), complete_since)
