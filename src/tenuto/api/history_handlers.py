"""The requests for what was: of processes, plans and events."""

from collections.abc import Sequence

from tenuto.api.calls import MAXIMUM_EVENTS, Call
from tenuto.model.access import Right
from tenuto.model.event import Event
from tenuto.model.ids import JsonMap, PlanId
from tenuto.model.retention import Remnant
from tenuto.service import history_view
from tenuto.service.event_names import event_names
from tenuto.service.event_page import event_page


def stored_plan(call: Call) -> JsonMap:
    return call.queries.stored_plan(PlanId(call.path["plan"]))


def history(call: Call) -> JsonMap:
    return history_view.history_document(_history(call, Remnant.COMMAND, Remnant.JOB, Remnant.DRY_RUN))


def ops(call: Call) -> JsonMap:
    return history_view.ops_document(_history(call, Remnant.OP))


def events(call: Call) -> JsonMap:
    query = call.query
    is_seen = call.services.gatekeeper.seen_by(call.caller, Right.EVENTS)

    def read(before: int | None, limit: int) -> Sequence[Event]:
        return call.queries.events(
            query.text("process"),
            request=query.text("request") or "",
            types=query.texts("types"),
            start=query.instant("start"),
            end=query.instant("end"),
            after=query.number("after", 0, 10**18),
            before=before,
            limit=limit,
        )

    page = event_page(
        read,
        lambda event: is_seen(event.fid),
        before=query.number("before", 0, 10**18) or None,
        limit=query.number("limit", 1000, MAXIMUM_EVENTS),
    )
    return history_view.events_document(
        page,
        event_names(call.services, page.events),
        call.queries.events_complete_since(query.instant("start")) if page.older is None else None,
    )


def _history(call: Call, *kinds: Remnant) -> history_view.HistoryView:
    return call.queries.history(
        call.path["process"],
        start=call.query.instant("start"),
        end=call.query.instant("end"),
        limit=call.query.number("limit", 1000, MAXIMUM_EVENTS),
        kinds=kinds,
    )
