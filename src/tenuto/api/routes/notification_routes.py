"""Requests about who is told of events."""

from tenuto.api.answers import estate
from tenuto.api.handlers import notification_handlers
from tenuto.api.requests.route import ACCOUNT, ApiRoute, Parameter
from tenuto.model.access import Right

NOTIFICATION_ROUTES: tuple[ApiRoute, ...] = (
    ApiRoute(
        method="GET",
        path="/v1/notifications",
        operation="notifications",
        right=Right.NOTIFICATION,
        summary="The sinks that receive events, and how much has not arrived.",
        handler=notification_handlers.listed,
        answer=estate.SINKS,
    ),
    ApiRoute(
        method="POST",
        path="/v1/notifications",
        operation="add_notification",
        right=Right.NOTIFICATION,
        summary="Tell a webhook or a topic of events from now on. The answer holds the secret that was made, once.",
        handler=notification_handlers.add,
        answer=estate.NEW_SINK,
        body=(
            Parameter(name="name", summary="a name for it", is_required=True),
            Parameter(name="url", summary="of a webhook"),
            Parameter(name="secret", summary="what its requests are signed with; default: one is made"),
            Parameter(name="format", summary="of a webhook's bodies: `json` (the default), `slack` or `teams`"),
            Parameter(name="topic", summary="the ARN of a topic"),
            ACCOUNT,
            Parameter(
                name="types", summary="types of events; default `job.finished` and `resource.held`", kind="array"
            ),
            Parameter(name="processes", summary="only of these: patterns of aliases, or FIDs", kind="array"),
            Parameter(name="accounts", summary="only of processes in these accounts", kind="array"),
            Parameter(name="tries", summary="give up after so many; default 15, at most 50", kind="integer"),
        ),
        status=201,
    ),
    ApiRoute(
        method="DELETE",
        path="/v1/notifications/{name}",
        operation="remove_notification",
        right=Right.NOTIFICATION,
        summary="Tell it nothing any more, and throw away what has not arrived.",
        handler=notification_handlers.remove,
        answer=estate.SINK,
    ),
    ApiRoute(
        method="POST",
        path="/v1/notifications/{name}/test",
        operation="test_notification",
        right=Right.NOTIFICATION,
        summary="Send it a made-up event now, and tell whether it arrived.",
        handler=notification_handlers.test,
        answer=estate.TESTED_SINK,
    ),
    ApiRoute(
        method="GET",
        path="/v1/notifications/{name}/dead",
        operation="dead_notifications",
        right=Right.NOTIFICATION,
        summary="The events that were given up, with the last error.",
        handler=notification_handlers.dead,
        answer=estate.DEAD,
    ),
    ApiRoute(
        method="POST",
        path="/v1/notifications/{name}/redeliver",
        operation="redeliver_notifications",
        right=Right.NOTIFICATION,
        summary="Send the notifications again that were given up.",
        handler=notification_handlers.redeliver,
        answer=estate.REDELIVERED,
        body=(Parameter(name="events", summary="only these ids; default all", kind="array"),),
    ),
)
