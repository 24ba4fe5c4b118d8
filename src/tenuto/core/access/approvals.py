"""Approvals: which rule of a policy asks for the agreement of others, and whether it has been given."""

from collections.abc import Callable
from fnmatch import fnmatchcase

from tenuto.model.access import ROOT, Policy, Right
from tenuto.model.proposal import Approval, ApprovalRule, Proposal, When


def rule_for(policy: Policy, account: str, right: Right, *, is_destructive: bool | None = None) -> ApprovalRule | None:
    """The rule that asks most: the one with the highest count, the first of several.

    `is_destructive` says whether the plan destroys a thing; None while that is not known, and then every rule counts.
    """
    found = [
        one
        for one in policy.approvals
        if right in one.commands
        and any(fnmatchcase(account, pattern) for pattern in one.accounts)
        and (one.when is When.ALWAYS or is_destructive is not False)
    ]
    return max(found, key=lambda one: one.count, default=None)


def why_not_approver(proposal: Proposal, rule: ApprovalRule | None, user: str, *, is_root: bool) -> str:
    """Return why a user may not approve a proposal; empty when they may. Users are compared, and not secrets: by their
    names without regard to case, since an issuer may write one person's address in two ways."""
    if user.casefold() == proposal.proposed_by.casefold():
        return "you proposed it yourself, and another user must approve it"
    if any(one.by.casefold() == user.casefold() for one in proposal.approvals):
        return "you have approved it already"
    if rule is not None and not is_root and user not in rule.approvers:
        return f"the policy lets {', '.join(sorted(rule.approvers))} approve it"
    return ""


def is_override(rule: ApprovalRule | None, user: str) -> bool:
    """Whether an approval is not one that the rule asks for. Only the owner may give such a one."""
    return rule is not None and user not in rule.approvers


def accepted(
    rule: ApprovalRule | None, approvals: tuple[Approval, ...], is_peer: Callable[[str], bool]
) -> tuple[Approval, ...]:
    """The approvals that the policy of now accepts: those of users whom the rule names, and those of the owner. Without
    a rule, those of users who could give the command themselves (`is_peer`)."""
    return tuple(
        one
        for one in approvals
        if one.by == ROOT or (one.by in rule.approvers if rule is not None else is_peer(one.by))
    )


def still_needed(rule: ApprovalRule | None, approvals: tuple[Approval, ...]) -> int:
    """Return how many users must still agree, beside those of the accepted approvals. Without a rule, one other user is
    enough."""
    return max(0, (rule.count if rule is not None else 1) - len({one.by.casefold() for one in approvals}))
