"""The requests for things beside processes: existing things, phases, Conductors and types."""

from tenuto.api.requests.calls import Call
from tenuto.model.access import Right
from tenuto.model.account import DEFAULT_ACCOUNT
from tenuto.model.ids import JsonMap, TypeName
from tenuto.service.views import catalogue_view


def existing(call: Call) -> JsonMap:
    body = call.body
    account = body.text("account") or DEFAULT_ACCOUNT
    wanted = body.texts("resources")
    return {"template": call.queries.existing(wanted, region=body.required("region"), account=account)}


def lookups(call: Call) -> JsonMap:
    body = call.body
    account = body.text("account") or DEFAULT_ACCOUNT
    found = call.queries.lookups(body.texts("keys"), region=body.required("region"), account=account)
    return {"values": dict(found)}


def phases(call: Call) -> JsonMap:
    is_seen = call.services.gatekeeper.seen_by(call.caller, Right.STATUS)
    names = {one.fid: one.alias or one.fid for one in call.queries.processes() if is_seen(one.fid)}
    return catalogue_view.phases_document(
        call.queries.phases(None if call.caller.is_root else is_seen), lambda fid: names.get(fid, "")
    )


def reload_phases(call: Call) -> JsonMap:
    return catalogue_view.reload_document(call.commands.plugins.reload(actor=call.actor))


def nodes(call: Call) -> JsonMap:
    return call.queries.nodes()


def types(call: Call) -> JsonMap:
    return catalogue_view.types_document(call.queries.types())


def type_(call: Call) -> JsonMap:
    return catalogue_view.type_document(call.queries.type(TypeName(call.path["type"])))
