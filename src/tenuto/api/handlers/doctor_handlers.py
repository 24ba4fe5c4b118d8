"""The requests of the doctor: from a call to the document that answers it."""

from tenuto.api.requests.calls import Call
from tenuto.model.access import Right
from tenuto.model.account import DEFAULT_ACCOUNT
from tenuto.model.ids import JsonMap, Partition, PhysicalId, TypeName
from tenuto.service.existing.unknown_things import listing_document, thing_document
from tenuto.service.operations.doctor import PAGE, examination_document
from tenuto.service.views.process_view import process_document


def examine(call: Call) -> JsonMap:
    query = call.query
    found = call.services.doctor.examine(
        query.text("process"),
        after=query.text("after") or "",
        limit=query.number("limit", PAGE, PAGE),
        is_seen=call.services.gatekeeper.seen_by(call.caller, Right.STATUS),
    )
    return examination_document(found)


def unknown_things(call: Call) -> JsonMap:
    query = call.query
    region = query.text("region")
    place = Partition(account=query.text("account") or DEFAULT_ACCOUNT, region=region) if region else None
    found = call.services.unknown_things.listed(
        query.text("process"),
        place=place,
        is_seen=call.services.gatekeeper.seen_by(call.caller, Right.STATUS),
    )
    return listing_document(found)


def adopt(call: Call) -> JsonMap:
    body = call.body
    process = call.services.unknown_things.adopt(
        call.path["process"], PhysicalId(body.required("id")), type_name=_type(call), actor=call.actor
    )
    return process_document(process)


def delete_unknown(call: Call) -> JsonMap:
    body = call.body
    thing, message = call.services.unknown_things.delete(
        body.required("process"),
        PhysicalId(body.required("id")),
        type_name=_type(call),
        shown=body.required("object"),
        account=body.text("account"),
        actor=call.actor,
    )
    return {"thing": thing_document(thing, None), "is_gone": not message, "message": message or None}


def _type(call: Call) -> TypeName | None:
    text = call.body.text("type")
    return TypeName(text) if text else None
