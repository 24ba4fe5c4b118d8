"""Requests of users about real hosts. The agents on them have an application of their own (`api.host_app`)."""

from tenuto.api.calls import Call
from tenuto.api.route import ApiRoute, Open, Parameter
from tenuto.model.ids import JsonMap


def _enroll(call: Call) -> JsonMap:
    body = call.body
    return call.services.hosts.enroll(
        body.required("zone"), body.required("name"), url=body.text("url") or "", actor=call.actor
    )


HOST_ROUTES: tuple[ApiRoute, ...] = (
    ApiRoute(
        method="POST",
        path="/v1/hosts",
        operation="enroll_host",
        right=Open.TO_ROOT,
        summary="Make a token by which a host may join; the answer is the only place where it is shown.",
        handler=_enroll,
        body=(
            Parameter(name="zone", summary="the zone that the host belongs to", is_required=True),
            Parameter(name="name", summary="its name in the zone", is_required=True),
            Parameter(name="url", summary="how the host reaches the Conductor; default: where that listens to hosts"),
        ),
        status=201,
    ),
)
