"""One function per request about proposals. Each asks for the rights at the process that the proposal is about."""

from collections.abc import Callable

from tenuto.api.handlers.process_handlers import submission_of
from tenuto.api.requests.calls import Call
from tenuto.errors import UserError
from tenuto.kit.nearest import meant
from tenuto.model.access import Right
from tenuto.model.ids import JsonMap
from tenuto.model.proposal import Proposal
from tenuto.service.commands.plan_view import PlanView
from tenuto.service.commands.proposal_view import document_for
from tenuto.service.commands.proposals import number_of
from tenuto.service.views.process_view import process_document


def propose(call: Call) -> JsonMap:
    command, reference = call.body.required("command"), call.path["process"]
    runs = call.commands.dry_runs
    known: dict[str, Callable[[], PlanView]] = {
        "update": lambda: runs.update(reference, submission_of(call), actor=call.actor, is_kept=False),
        "resume": lambda: runs.resume(reference, actor=call.actor, is_kept=False),
        "kill": lambda: runs.kill(reference, actor=call.actor, is_kept=False),
        "release": lambda: runs.release(
            reference, keep_tags=call.body.flag("keep_tags"), actor=call.actor, is_kept=False
        ),
    }
    if command not in known:
        raise UserError(f"{command!r} cannot be proposed.{meant(command, known)} There are {', '.join(known)}.")
    found = call.services.proposals.propose(call.caller, known[command](), call.body.text("comment") or "")
    return _document(call, found)


def proposals(call: Call) -> JsonMap:
    is_seen = call.services.gatekeeper.seen_by(call.caller, Right.STATUS)
    found = call.services.proposals.all(is_seen=lambda one: is_seen(one.fid))
    return {"proposals": [_document(call, one) for one in found]}


def proposal(call: Call) -> JsonMap:
    return _document(call, _seen(call), has_plan=True)


def approve(call: Call) -> JsonMap:
    found, process = call.services.proposals.approve(
        call.caller,
        _seen(call).number,
        digest=call.body.required("digest"),
        comment=call.body.text("comment") or "",
    )
    return {**_document(call, found), "executed": process_document(process) if process is not None else None}


def reject(call: Call) -> JsonMap:
    found = call.services.proposals.reject(call.caller, _seen(call).number, comment=call.body.text("comment") or "")
    return _document(call, found)


def _seen(call: Call) -> Proposal:
    """The proposal in the path, which the caller may see."""
    return call.services.proposals.proposal(number_of(call.path["number"]))


def _document(call: Call, found: Proposal, *, has_plan: bool = False) -> JsonMap:
    return document_for(call.services.proposals, call.caller, found, has_plan=has_plan)
