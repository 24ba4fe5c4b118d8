"""The requests for the past: of processes, plans and events."""

from functools import partial

from tenuto.api.handlers.event_answers import events_answer
from tenuto.api.requests.calls import MAXIMUM_EVENTS, Call
from tenuto.model.access import Right
from tenuto.model.event import Event
from tenuto.model.ids import JsonMap, PlanId
from tenuto.model.retention import Remnant
from tenuto.service.views import history_view


def stored_plan(call: Call) -> JsonMap:
    return call.queries.stored_plan(PlanId(call.path["plan"]))


def history(call: Call) -> JsonMap:
    return history_view.history_document(_history(call, Remnant.COMMAND, Remnant.JOB, Remnant.DRY_RUN))


def ops(call: Call) -> JsonMap:
    return history_view.ops_document(_history(call, Remnant.OP))


def events(call: Call) -> JsonMap:
    query = call.query
    is_seen = call.services.gatekeeper.seen_by(call.caller, Right.EVENTS)
    read = partial(
        call.queries.events,
        query.text("process"),
        object_id=query.text("object"),
        request=query.text("request") or "",
        types=query.texts("types"),
    )
    actor, resource = query.text("actor"), query.text("resource")

    def is_wanted(event: Event) -> bool:
        is_named = resource is None or (event.object_id is not None and event.subject == resource)
        return is_named and actor in (None, event.actor) and is_seen(event.fid)

    return events_answer(call, read, is_wanted)


def _history(call: Call, *kinds: Remnant) -> history_view.HistoryView:
    return call.queries.history(
        call.path["process"],
        start=call.query.instant("start"),
        end=call.query.instant("end"),
        limit=call.query.number("limit", 1000, MAXIMUM_EVENTS),
        kinds=kinds,
    )
