"""Requests of users about real hosts. The agents on them have an application of their own (`api.host_app`)."""

from tenuto.api.answers import estate
from tenuto.api.requests.calls import Call
from tenuto.api.requests.route import ApiRoute, Open, Parameter
from tenuto.model.ids import JsonMap


def _enroll(call: Call) -> JsonMap:
    body = call.body
    return call.services.hosts.enroll(
        body.required("zone"), body.required("name"), url=body.text("url") or "", actor=call.actor
    )


def _hosts(call: Call) -> JsonMap:
    return call.services.nodes.all(call.query.text("zone"))


def _host(call: Call) -> JsonMap:
    return call.services.nodes.show(call.path["host"], call.query.text("zone"))


def _cordon(call: Call) -> JsonMap:
    return call.services.nodes.cordon(
        call.path["host"], call.body.text("zone"), is_cordoned=call.body.flag("cordoned"), actor=call.actor
    )


def _stop(call: Call) -> JsonMap:
    return call.services.nodes.stop(call.path["host"], call.body.text("zone"), actor=call.actor)


def _purge(call: Call) -> JsonMap:
    return call.services.nodes.purge(call.path["host"], call.body.text("zone"), actor=call.actor)


def _delete(call: Call) -> JsonMap:
    return call.services.nodes.delete(
        call.path["host"], call.query.text("zone"), is_forced=call.query.flag("force"), actor=call.actor
    )


_ZONE = Parameter(name="zone", summary="its zone, where several have a host of that name")

HOST_ROUTES: tuple[ApiRoute, ...] = (
    ApiRoute(
        method="GET",
        path="/v1/hosts",
        operation="hosts",
        right=Open.TO_ROOT,
        summary="The hosts of a provider's own, with their states.",
        handler=_hosts,
        answer=estate.HOSTS,
        query=(Parameter(name="zone", summary="of this zone only"),),
    ),
    ApiRoute(
        method="GET",
        path="/v1/hosts/{host}",
        operation="host",
        right=Open.TO_ROOT,
        summary="One host, with the machines on it and what happened to it.",
        handler=_host,
        answer=estate.HOST,
        query=(_ZONE,),
    ),
    ApiRoute(
        method="POST",
        path="/v1/hosts/{host}/cordon",
        operation="cordon_host",
        right=Open.TO_ROOT,
        summary="Let a host get nothing new, or let it get new things again.",
        handler=_cordon,
        answer=estate.HOST,
        body=(
            _ZONE,
            Parameter(name="cordoned", summary="whether it gets nothing new", kind="boolean", is_required=True),
        ),
    ),
    ApiRoute(
        method="POST",
        path="/v1/hosts/{host}/stop",
        operation="stop_host",
        right=Open.TO_ROOT,
        summary="Have the agent of a host end once its work is done; what runs there runs on.",
        handler=_stop,
        answer=estate.HOST,
        body=(_ZONE,),
    ),
    ApiRoute(
        method="POST",
        path="/v1/hosts/{host}/purge",
        operation="purge_host",
        right=Open.TO_ROOT,
        summary="Have a host remove the things that no object stands for.",
        handler=_purge,
        answer=estate.PURGED_HOST,
        body=(_ZONE,),
    ),
    ApiRoute(
        method="DELETE",
        path="/v1/hosts/{host}",
        operation="delete_host",
        right=Open.TO_ROOT,
        summary="Take a host out of its zone for good.",
        handler=_delete,
        answer=estate.DELETED_HOST,
        query=(
            _ZONE,
            Parameter(name="force", summary="also with machines on it, which are gone then", kind="boolean"),
        ),
    ),
    ApiRoute(
        method="POST",
        path="/v1/hosts",
        operation="enroll_host",
        right=Open.TO_ROOT,
        summary="Make a token by which a host may join; the answer is the only place where it is shown.",
        handler=_enroll,
        answer=estate.ENROLMENT,
        body=(
            Parameter(name="zone", summary="the zone that the host belongs to", is_required=True),
            Parameter(name="name", summary="its name in the zone", is_required=True),
            Parameter(name="url", summary="how the host reaches the Conductor; default: where that listens to hosts"),
        ),
        status=201,
    ),
)
