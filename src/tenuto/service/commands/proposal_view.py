"""Proposals as people and programs see them."""

from collections import Counter
from collections.abc import Callable

from tenuto.lifecycles.proposal import LIVING
from tenuto.model.ids import Fid, JsonMap
from tenuto.model.proposal import Proposal
from tenuto.service.access.callers import Caller
from tenuto.service.commands.deciders import Deciders
from tenuto.service.commands.proposals import Proposals
from tenuto.service.common.values import time_text


def waiting_documents(proposals: Proposals, caller: Caller, is_seen: Callable[[Fid], bool]) -> list[JsonMap]:
    """Return the proposals that are still to be decided or executed, each with the reason why the caller may not
    approve it: first those that wait for the caller, then the oldest."""
    found = proposals.living(is_seen=lambda one: is_seen(one.fid))
    documents = [document_for(proposals, caller, one) for one in found]
    return sorted(documents, key=lambda one: one["why_not"] is not None)


def document_for(proposals: Proposals, caller: Caller, proposal: Proposal, *, has_plan: bool = False) -> JsonMap:
    """A proposal as the caller sees it."""
    return {
        **_document(proposal, proposals.deciders, has_plan=has_plan),
        "why_not": proposals.deciders.why_not_approve(caller, proposal) or None,
        "why_not_reject": proposals.deciders.why_not_reject(caller, proposal) or None,
    }


def _document(proposal: Proposal, deciders: Deciders, *, has_plan: bool = False) -> JsonMap:
    """A proposal as its readers see it; never with the seals of its plan file."""
    counted = deciders.accepted(proposal) if proposal.state in LIVING else proposal.approvals
    document: JsonMap = {
        "number": proposal.number,
        "state": proposal.state.value,
        "command": proposal.command,
        "fid": proposal.fid,
        "process": proposal.process,
        "digest": proposal.digest,
        "comment": proposal.comment,
        "proposed_by": proposal.proposed_by,
        "proposed": time_text(proposal.proposed_at),
        "expires": time_text(proposal.expires_at),
        "approvals": [
            {"by": one.by, "at": time_text(one.at), "comment": one.comment, "counts": one in counted}
            for one in proposal.approvals
        ],
        "needed": deciders.needed(proposal),
        "ended_by": proposal.ended_by or None,
        "ended": time_text(proposal.ended_at),
        "reason": proposal.reason or None,
    }
    if has_plan:
        operations = list(proposal.plan_file["operations"])
        counts = Counter(one["op"] for one in operations)
        document = {**document, "operations": operations, "summary": {verb: counts[verb] for verb in sorted(counts)}}
    return document
