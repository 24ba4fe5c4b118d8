"""Requests about proposals: commands that others agree to before they are carried out."""

from tenuto.api.answers import plans
from tenuto.api.handlers import proposal_handlers
from tenuto.api.requests.route import COMPOSITION, ApiRoute, Parameter
from tenuto.model.access import Right

_COMMENT = Parameter(name="comment", summary="a word for those who decide, and for the history")

PROPOSAL_ROUTES: tuple[ApiRoute, ...] = (
    ApiRoute(
        method="POST",
        path="/v1/processes/{process}/proposals",
        operation="propose",
        right=Right.UPDATE,
        summary="Propose a command, with its plan; takes the right to the command. Nothing is carried out.",
        handler=proposal_handlers.propose,
        answer=plans.PROPOSAL,
        body=(
            Parameter(name="command", summary="`update`, `resume`, `kill` or `release`", is_required=True),
            Parameter(name="composition", summary=f"for `update`: {COMPOSITION.summary}", kind="object"),
            Parameter(name="secrets", summary="the values of its NoEcho parameters, by name", kind="object"),
            Parameter(name="keep_tags", summary="for `release`: leave our ownership tags", kind="boolean"),
            _COMMENT,
        ),
        status=201,
    ),
    ApiRoute(
        method="GET",
        path="/v1/proposals",
        operation="proposals",
        right=Right.STATUS,
        summary="The proposals about processes that the caller may see, the newest first.",
        handler=proposal_handlers.proposals,
        answer=plans.PROPOSALS,
    ),
    ApiRoute(
        method="GET",
        path="/v1/proposals/{number}",
        operation="proposal",
        right=Right.PLAN,
        summary="One proposal with the operations of its plan, for a caller who may see plans of its process.",
        handler=proposal_handlers.proposal,
        answer=plans.PROPOSAL_DETAIL,
    ),
    ApiRoute(
        method="POST",
        path="/v1/proposals/{number}/approve",
        operation="approve",
        right=Right.PLAN,
        summary="Agree to a proposal. With the last approval, its plan is executed exactly, or not at all. While a job "
        "is at work it stays Approved, and the same request executes it later.",
        handler=proposal_handlers.approve,
        answer=plans.APPROVED_PROPOSAL,
        body=(Parameter(name="digest", summary="that of the plan that was read", is_required=True), _COMMENT),
    ),
    ApiRoute(
        method="POST",
        path="/v1/proposals/{number}/reject",
        operation="reject",
        right=Right.PLAN,
        summary="Refuse a proposal, and say why; the user who made it takes it back, and need not.",
        handler=proposal_handlers.reject,
        answer=plans.PROPOSAL,
        body=(Parameter(name="comment", summary="why; needed to refuse a proposal of another user"),),
    ),
)
