"""The words for a user whose decision about a proposal came a moment after that of another user."""

from tenuto.errors import OvertakenError
from tenuto.lifecycles.proposal import LIVING
from tenuto.model.proposal import Proposal

_BY_THE_CONDUCTOR = "conductor"


def overtaken(read: Proposal, now: Proposal) -> OvertakenError:
    """The refusal of a decision about a proposal as it was read, which is another one `now`."""
    number = now.number
    reason = f": {now.reason.removesuffix('.')}" if now.reason else ""
    if len(now.approvals) > len(read.approvals):
        who = f"{now.approvals[-1].by} has approved proposal {number} meanwhile"
    elif now.state not in LIVING and now.ended_by != _BY_THE_CONDUCTOR:
        who = f"{now.ended_by} has decided about proposal {number} meanwhile"
    else:
        who = f"Proposal {number} has changed meanwhile"
    following = "Read it and decide again" if now.state in LIVING else "There is nothing left to decide"
    return OvertakenError(f"{who}. It is {now.state} now{reason}. Your decision was not taken. {following}.")
