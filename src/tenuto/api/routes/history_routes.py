"""Requests for the past: of processes, plans and events."""

from tenuto.api.answers import past, plans
from tenuto.api.handlers import history_handlers as handlers
from tenuto.api.requests.route import ApiRoute, Parameter
from tenuto.model.access import Right

_START = Parameter(name="start", summary="not before this time: ISO 8601 or seconds since 1970")
_END = Parameter(name="end", summary="not after this time")
_LIMIT = Parameter(name="limit", summary="the newest so many; default 1000, at most 10000", kind="integer")

HISTORY_ROUTES: tuple[ApiRoute, ...] = (
    ApiRoute(
        method="GET",
        path="/v1/processes/{process}/history",
        operation="history",
        right=Right.HISTORY,
        summary="Commands and jobs; also of a process that is gone.",
        handler=handlers.history,
        answer=past.HISTORY,
        query=(_START, _END, _LIMIT),
    ),
    ApiRoute(
        method="GET",
        path="/v1/processes/{process}/ops",
        operation="ops",
        right=Right.OPS,
        summary="Provider operations; also of a process that is gone.",
        handler=handlers.ops,
        answer=past.OPS,
        query=(_START, _END, _LIMIT),
    ),
    ApiRoute(
        method="GET",
        path="/v1/plans/{plan}",
        operation="stored_plan",
        right=Right.PLAN,
        summary="A plan of the history.",
        handler=handlers.stored_plan,
        answer=plans.STORED_PLAN,
    ),
    ApiRoute(
        method="GET",
        path="/v1/events",
        operation="events",
        right=Right.EVENTS,
        summary="Events in rising order; with `follow=true` a stream of server-sent events that goes on.",
        handler=handlers.events,
        answer=past.EVENTS,
        query=(
            Parameter(name="process", summary="only of this process, also one that is gone"),
            Parameter(name="resource", summary="only of resources of this logical id, also removed ones"),
            Parameter(name="object", summary="only of the object of this id, also one that was removed"),
            Parameter(name="request", summary="only what this API request caused"),
            Parameter(name="types", summary="only these types, separated by commas"),
            Parameter(name="actor", summary="only what this user, or `conductor`, did"),
            _START,
            _END,
            Parameter(name="after", summary="only with a higher number", kind="integer"),
            Parameter(name="before", summary="only with a lower number: `older` of the page before", kind="integer"),
            _LIMIT,
            Parameter(name="follow", summary="keep the connection and send what comes", kind="boolean"),
        ),
    ),
)
