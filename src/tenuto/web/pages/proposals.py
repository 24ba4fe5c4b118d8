"""Proposals: commands that others agree to before they are carried out."""

from tenuto.model.access import Right
from tenuto.model.ids import JsonMap
from tenuto.model.proposal import Proposal
from tenuto.service.commands.proposal_view import document_for
from tenuto.web.visit import Visit

OPEN = ("Open", "Approved")


def proposals(visit: Visit) -> JsonMap:
    """The proposals about processes that the user may see, those that wait first."""
    is_seen = visit.sees(Right.STATUS)
    found = visit.services.proposals.all(is_seen=lambda one: is_seen(one.fid))
    documents = [document_for(visit.services.proposals, visit.caller, one) for one in found]
    return {"proposals": sorted(documents, key=lambda one: one["state"] not in OPEN), "open": OPEN}


def proposal(visit: Visit) -> JsonMap:
    """One proposal with its plan, and the form to decide."""
    found = proposal_of(visit)
    document = document_for(visit.services.proposals, visit.caller, found, has_plan=True)
    return {
        "proposal": document,
        "open": OPEN,
        "wrong": "",
        "comment": visit.given("comment"),
        "is_destructive": any(one["destructive"] for one in document["operations"]),
    }


def proposal_of(visit: Visit) -> Proposal:
    """The proposal in the path, for a user who may see the plans of its process."""
    return visit.services.proposals.asked(visit.caller, visit.path["number"], Right.PLAN)
