"""Commands that are given without a proposal, where a rule of the policy may ask for one.

Theory of operation. A rule about destructive commands lets the others pass, but not on trust: the plan that was judged
harmless is the plan that is executed, or stored where the process is Suspended. The owner of the Conductor may override
a rule, and says why: the event keeps the reason. It is stored in the commit of the command, so that a command that is
refused, be it by a lock, has overridden nothing. A plan that a rule lets pass overrides nothing either.
"""

from collections.abc import Callable
from dataclasses import dataclass

from tenuto.core.access.approvals import rule_for
from tenuto.errors import NotAllowedError, ProviderError
from tenuto.model.access import Right
from tenuto.model.event import Event, EventType
from tenuto.model.ids import Instant, JsonMap
from tenuto.model.process import Process
from tenuto.model.proposal import ApprovalRule, When
from tenuto.ports.clock import Clock
from tenuto.ports.store_changes import Append
from tenuto.service.access.callers import Caller
from tenuto.service.access.gatekeeper import Gatekeeper

LONGEST_REASON = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    """A command that may be given. `file` is the plan that must be executed in its place, when a rule lets the command
    pass because this plan is harmless; `along` is stored in its commit."""

    file: JsonMap | None = None
    along: tuple[Append, ...] = ()


class DirectCommands:
    """Judges commands by the policy of now. Keeps nothing."""

    def __init__(self, *, clock: Clock, gatekeeper: Gatekeeper) -> None:
        self._clock = clock
        self._gatekeeper = gatekeeper

    def check(
        self,
        caller: Caller,
        right: Right,
        process: Process,
        rehearse: Callable[[], JsonMap | None],
        *,
        reason: str = "",
    ) -> Passed:
        """Judge a command, or raise NotAllowedError, with the words to type, when a rule asks for approval."""
        policy, account = self._gatekeeper.policy(), process.partition.account
        rule = rule_for(policy, account, right)
        if rule is None:
            return Passed()
        if _overrides(caller, reason):
            return Passed(along=(override(process, right.value, caller, reason, at=self._clock.now()),))
        is_about_harm = rule_for(policy, account, right, is_destructive=False) is None
        file = self._judged(caller, rehearse) if is_about_harm else None
        if refusal := self.needs_approval(caller, right, process, file):
            raise NotAllowedError(f"{refusal} Nothing was changed.")
        return Passed(file=file)

    def needs_approval(
        self, caller: Caller, right: Right, process: Process, file: JsonMap | None, *, reason: str = ""
    ) -> str:
        """Return which approval a command needs that would execute this plan, and the words to type; empty when it
        needs none, or where the owner overrides the rule with a reason. A plan that is not known may destroy."""
        if _overrides(caller, reason):
            return ""
        policy, account = self._gatekeeper.policy(), process.partition.account
        is_destructive = file is None or any(one["destructive"] for one in file["operations"])
        rule = rule_for(policy, account, right, is_destructive=is_destructive)
        if rule is None:
            return ""
        name, given = process.alias or process.fid, " FILE" if right is Right.UPDATE else ""
        override = " Or override the rule, and say why: --reason TEXT." if caller.is_root else ""
        return (
            f"'{right.value}' in the account {account} takes the approval of {_count(rule)} of "
            f"{', '.join(sorted(rule.approvers))}{_when(rule)}. Propose it: 'tenuto {right.value} {name}{given} "
            f"--propose -m TEXT'.{override}"
        )

    def asks_reason(self, caller: Caller, right: Right, process: Process) -> bool:
        """Whether the caller may override a rule that is about this command."""
        return caller.is_root and rule_for(self._gatekeeper.policy(), process.partition.account, right) is not None

    def _judged(self, caller: Caller, rehearse: Callable[[], JsonMap | None]) -> JsonMap | None:
        """The plan that a rule judges. For the owner none is as good as one that destroys: a reason lets both pass."""
        try:
            return rehearse()
        except ProviderError:
            if not caller.is_root:
                raise
            return None

    def refusal(self, caller: Caller, right: Right, process: Process) -> str:
        """Return why a command for many processes leaves this one out; empty when no rule is about it."""
        if rule_for(self._gatekeeper.policy(), process.partition.account, right) is None:
            return ""
        return f"'{right.value}' may take an approval there: give the command for it alone"


def override(process: Process, command: str, caller: Caller, reason: str, *, at: Instant, number: int = 0) -> Append:
    """The event of an override; `number` is that of a proposal."""
    event = Event(
        at=at,
        type=EventType.APPROVAL_OVERRIDDEN,
        fid=process.fid,
        subject=process.alias or process.fid,
        actor=caller.name,
        reason=reason.strip()[:LONGEST_REASON],
        data={"command": command} | ({"proposal": number} if number else {}),
    )
    return Append(events=(event,))


def _overrides(caller: Caller, reason: str) -> bool:
    """Whether the owner sets a rule aside for one command, and says why."""
    return caller.is_root and bool(reason.strip())


def _count(rule: ApprovalRule) -> str:
    return "one" if rule.count == 1 else str(rule.count)


def _when(rule: ApprovalRule) -> str:
    return " when it deletes or replaces anything" if rule.when is When.DESTRUCTIVE else ""
