"""The users who may decide about a proposal: by a rule of the policy, or by a right of their own.

A rule names its approvers, who need no right to the command. Where no rule is about it, a user decides who could give
the command alone. A token decides nothing that it was not made for: approving a kill is as much as giving it. The one
who proposed a command may withdraw it.
"""

from tenuto.core.access.approvals import accepted, rule_for, still_needed, why_not_approver
from tenuto.lifecycles.proposal import LIVING
from tenuto.model.access import Right
from tenuto.model.proposal import Approval, ApprovalRule, Proposal, ProposalState
from tenuto.ports.store import Store
from tenuto.service.access.callers import Caller
from tenuto.service.access.gatekeeper import Gatekeeper
from tenuto.service.access.tokens import is_made_for
from tenuto.service.common.finding import any_process


class Deciders:
    """Judges callers by the policy of now. Keeps nothing."""

    def __init__(self, *, store: Store, gatekeeper: Gatekeeper) -> None:
        self._store = store
        self._gatekeeper = gatekeeper

    def rule(self, proposal: Proposal) -> ApprovalRule | None:
        """The rule that is about the plan of a proposal."""
        process = any_process(self._store, proposal.fid)
        is_destructive = any(one["destructive"] for one in proposal.plan_file["operations"])
        return rule_for(
            self._gatekeeper.policy(),
            process.partition.account,
            Right(proposal.command),
            is_destructive=is_destructive,
        )

    def accepted(self, proposal: Proposal) -> tuple[Approval, ...]:
        """The approvals that the policy of now accepts: a user may have left, or may approve no more."""
        process, right = any_process(self._store, proposal.fid), Right(proposal.command)

        def is_peer(user: str) -> bool:
            return not self._gatekeeper.refusal(self._gatekeeper.named(user), right, process)

        return accepted(self.rule(proposal), proposal.approvals, is_peer)

    def needed(self, proposal: Proposal) -> int:
        """Return how many users must still agree."""
        return still_needed(self.rule(proposal), self.accepted(proposal)) if proposal.state in LIVING else 0

    def why_reopened(self, proposal: Proposal) -> str:
        """Return why an approved proposal needs more approvals again; empty where it has enough."""
        if proposal.state is not ProposalState.APPROVED:
            return ""
        counted = self.accepted(proposal)
        if not still_needed(self.rule(proposal), counted):
            return ""
        lost = [one.by for one in proposal.approvals if one not in counted]
        if not lost:
            return "the policy asks for more approvals now"
        return f"the policy does not accept the approval of {', '.join(lost)} any more"

    def why_not_approve(self, caller: Caller, proposal: Proposal) -> str:
        """Return why the caller may not approve a proposal that is not over; empty when they may."""
        if proposal.state not in LIVING:
            return ""
        if why := self._why_not_with_token(caller, proposal):
            return why
        if proposal.state is not ProposalState.OPEN:
            return ""
        rule = self.rule(proposal)
        why = why_not_approver(proposal, rule, caller.name, is_root=caller.is_root)
        return why or ("" if rule is not None else self._why_no_peer(caller, proposal))

    def why_not_reject(self, caller: Caller, proposal: Proposal) -> str:
        """Return why the caller may neither reject nor withdraw a proposal that is not over; empty when they may."""
        if proposal.state not in LIVING:
            return ""
        if why := self._why_not_with_token(caller, proposal):
            return why
        if caller.name == proposal.proposed_by:
            return ""
        rule = self.rule(proposal)
        if rule is not None and not caller.is_root and caller.name not in rule.approvers:
            return f"the policy lets {', '.join(sorted(rule.approvers))} do that"
        if rule is None and (why := self._why_no_peer(caller, proposal)):
            return why
        if proposal.state is ProposalState.APPROVED:
            return f"it is approved, and only {proposal.proposed_by} may withdraw it"
        return ""

    def _why_not_with_token(self, caller: Caller, proposal: Proposal) -> str:
        """Return why the token of the caller decides nothing about the command; empty where it may, and without one."""
        account, command = any_process(self._store, proposal.fid).partition.account, proposal.command
        if is_made_for(caller.narrowing, Right(command), account):
            return ""
        return f"the token was made for less, and to decide about it takes one that was made for '{command}' there"

    def _why_no_peer(self, caller: Caller, proposal: Proposal) -> str:
        """Return the reason why a user may not decide about a proposal for which the policy names no approver. It is
        empty when they may, since they could give the command themselves."""
        process = any_process(self._store, proposal.fid)
        if caller.is_root or not self._gatekeeper.refusal(caller, Right(proposal.command), process):
            return ""
        return f"it takes the right to '{proposal.command}' there, where no rule of the policy names who approves"
