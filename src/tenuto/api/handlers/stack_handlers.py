"""One function per request about stacks of another tool."""

from tenuto.api.requests.calls import Call
from tenuto.model.account import DEFAULT_ACCOUNT
from tenuto.model.ids import JsonMap, Partition
from tenuto.service.existing.stack_views import stack_document


def stack(call: Call) -> JsonMap:
    return stack_document(call.services.stacks.describe(call.body.required("stack"), _place(call)))


def retain(call: Call) -> JsonMap:
    waits = call.services.stacks.retain(call.body.required("stack"), _place(call))
    return {"done": not waits, "waits_for": waits or None}


def empty(call: Call) -> JsonMap:
    waits = call.services.stacks.empty(call.body.required("stack"), _place(call))
    return {"done": not waits, "waits_for": waits or None}


def delete(call: Call) -> JsonMap:
    name, place = call.body.required("stack"), _place(call)
    stacks = call.services.stacks
    waits = stacks.delete(name, place, role=call.body.text("role"))
    return {"done": not waits, "waits_for": waits or None}


def check_things(call: Call) -> JsonMap:
    return {"missing": list(call.services.stacks.missing(call.body.texts("resources"), _place(call)))}


def _place(call: Call) -> Partition:
    return Partition(account=call.body.text("account") or DEFAULT_ACCOUNT, region=call.body.required("region"))
