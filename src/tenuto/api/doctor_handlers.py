"""The requests of the doctor: from a call to the document that answers it."""

from tenuto.api.calls import Call
from tenuto.model.access import Right
from tenuto.model.ids import JsonMap
from tenuto.service.doctor import PAGE, examination_document


def examine(call: Call) -> JsonMap:
    query = call.query
    query.only("process", "after", "limit")
    found = call.services.doctor.examine(
        query.text("process"),
        after=query.text("after") or "",
        limit=query.number("limit", PAGE, PAGE),
        is_seen=call.services.gatekeeper.seen_by(call.caller, Right.STATUS),
    )
    return examination_document(found)
