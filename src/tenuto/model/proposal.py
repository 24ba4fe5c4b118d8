"""A proposal: a command with its plan, kept until others have agreed to it; and the rules that ask for one."""

from dataclasses import dataclass
from enum import StrEnum

from tenuto.model.access import Right
from tenuto.model.ids import Fid, Instant, JsonMap


class ProposalState(StrEnum):
    OPEN = "Open"
    APPROVED = "Approved"
    """Enough users have agreed; the plan is executed, or will be once no job is at work."""
    EXECUTED = "Executed"
    REJECTED = "Rejected"
    WITHDRAWN = "Withdrawn"
    """The user who made it took it back."""
    STALE = "Stale"
    """The state of one whose plan would be another one by now."""
    EXPIRED = "Expired"


class When(StrEnum):
    """The plans for which a rule asks for approval."""

    ALWAYS = "always"
    DESTRUCTIVE = "destructive"
    """Plans that delete or replace anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRule:
    """Commands in accounts that take the approval of `count` of these users, who did not propose them."""

    accounts: tuple[str, ...]
    commands: frozenset[Right]
    when: When
    approvers: frozenset[str]
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """One user has agreed."""

    by: str
    at: Instant
    comment: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """One proposed command. `plan_file` is the plan that is executed exactly, or not at all; `digest` names it."""

    number: int
    state: ProposalState
    command: str
    fid: Fid
    process: str
    """The name of the process, for people: that of the last move in the store, and that of now in the service."""
    plan_file: JsonMap
    digest: str
    comment: str
    proposed_by: str
    proposed_at: Instant
    expires_at: Instant
    approvals: tuple[Approval, ...] = ()
    ended_by: str = ""
    ended_at: Instant | None = None
    reason: str = ""
    generation: int = 0
