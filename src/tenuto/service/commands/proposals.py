"""Proposals: commands that others agree to before they are carried out, and the two-person rule of a policy.

Theory of operation. A proposal keeps the plan file of a dry run inside of the Conductor, so that no seal of a secret
leaves the store. A user who approves it names the digest of the plan that they have read, and when enough users have
agreed, that plan is executed like every plan file: planned again, compared, and refused when anything moved. Then the
proposal is stale, and names the differences; a new one is made. So one approval can never serve two deletions.

The plan of an update of a Suspended process is not executed but stored, as by the update itself; `resume` applies it.
Without that an update that a rule is about could correct nothing that has halted.

A plan is not executed while a job is at work, since that job may change the facts that the plan rests on. Then the
proposal stays Approved until a user approves it again, or it expires. Rejected: to execute it by itself when the job
ends. That may be hours later, at a time that none of the approvers has chosen.

The command and the end of its proposal are one commit. A Conductor that dies leaves both or neither, so no plan is
executed of a proposal that says otherwise.

Users are compared, not sessions or secrets. The rights of the one who proposed are checked again when the plan is
executed, and so is whether those who approved still may (`deciders`). The command is that of the one who proposed; the
approvals stand in its detail and in the events.

Commands without a proposal are judged by the same rules (`direct_commands`). An approval by the owner where the rule
does not name the owner overrides it, and takes a reason.
"""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from tenuto.core.access.approvals import is_override
from tenuto.errors import (
    ConflictError,
    ForbiddenError,
    NotAllowedError,
    NotFoundError,
    OvertakenError,
    PlanBusyError,
    PlanMovedError,
    UserError,
)
from tenuto.kit.canonical import to_text
from tenuto.lifecycles.proposal import LIVING, check_move
from tenuto.model.access import Right
from tenuto.model.command import ProcessState
from tenuto.model.event import Event, EventType
from tenuto.model.ids import Instant, JsonMap
from tenuto.model.process import Process
from tenuto.model.proposal import Approval, ApprovalRule, Proposal, ProposalState
from tenuto.ports.clock import Clock
from tenuto.ports.record_kinds import PROPOSAL
from tenuto.ports.records import SaveRecord
from tenuto.ports.store import Store
from tenuto.ports.store_changes import Append, StoreChange
from tenuto.service.access.callers import LONGEST_NAME, Caller
from tenuto.service.access.gatekeeper import Gatekeeper
from tenuto.service.accounts.tenants import is_key_name
from tenuto.service.commands.deciders import Deciders
from tenuto.service.commands.direct_commands import DirectCommands, override
from tenuto.service.commands.overtaken import overtaken
from tenuto.service.commands.plan_view import PlanView
from tenuto.service.commands.process_commands import Commands
from tenuto.service.common.finding import live_process
from tenuto.service.common.until_stored import until_stored

LIFETIME_S = 24 * 3600.0
"""The world has moved by then; a plan of yesterday is made again."""
LONGEST_COMMENT = 2000
_LONGEST_NUMBER = 8
_NO_GRANT = "no grant of the policy allows it"


class Proposals:
    """Every method raises NotFoundError, NotAllowedError, ForbiddenError, UserError or StoreError."""

    def __init__(self, *, store: Store, clock: Clock, commands: Commands, gatekeeper: Gatekeeper) -> None:
        self._store = store
        self._clock = clock
        self._commands = commands
        self._gatekeeper = gatekeeper
        self.deciders = Deciders(store=store, gatekeeper=gatekeeper)
        self.direct = DirectCommands(clock=clock, gatekeeper=gatekeeper)

    @until_stored
    def propose(self, caller: Caller, view: PlanView, comment: str) -> Proposal:
        """Keep a plan as a proposal. The caller has the right to the command."""
        assert view.file is not None, "a dry run of a process that exists has a plan file"
        now = self._clock.now()
        number = max((one.number for one in self._store.proposals()), default=0) + 1
        proposal = Proposal(
            number=number,
            state=ProposalState.OPEN,
            command=str(view.file["command"]),
            fid=view.process.fid,
            process=view.process.alias or view.process.fid,
            plan_file=view.file,
            digest=digest_of(view.file),
            comment=comment[:LONGEST_COMMENT],
            proposed_by=caller.name,
            proposed_at=now,
            expires_at=Instant(now + LIFETIME_S),
        )
        event = self._event(proposal, "", caller.name, comment)
        self._store.commit((SaveRecord(kind=PROPOSAL, value=proposal, expected_generation=0), event))
        return self.proposal(number)

    def all(self, *, is_seen: Callable[[Proposal], bool]) -> tuple[Proposal, ...]:
        """Return the proposals that the caller may see, the newest first."""
        found = [self._aged(one) for one in self._store.proposals()]
        return tuple(one for one in reversed(found) if is_seen(one))

    def living(self, *, is_seen: Callable[[Proposal], bool]) -> tuple[Proposal, ...]:
        """Return the proposals, still to be decided or executed, that the caller may see, the oldest first."""
        found = [self._aged(one) for one in self._store.living_proposals() if is_seen(one)]
        return tuple(one for one in found if one.state in LIVING)

    @until_stored
    def proposal(self, number: int) -> Proposal:
        found = self._store.proposal(number)
        if found is None:
            raise no_proposal(str(number))
        return self._moved_on(found)

    def asked(self, caller: Caller, text: str, right: Right) -> Proposal:
        """The proposal of a number, for a caller who has a right about its process.

        Raises NotFoundError where there is none that the caller may know of: the same for one that is there. Raises
        ForbiddenError where the caller may know of it, since the list has it, and may not do this.
        """
        self._gatekeeper.check_known(caller)
        found = self.proposal(number_of(text))
        process = self._store.process(found.fid)
        if process is None or all(self._gatekeeper.refusal(caller, one, process) for one in (Right.STATUS, right)):
            raise no_proposal(text)
        self._gatekeeper.check(caller, right, self._gatekeeper.place_of(process))
        return found

    def approve(self, caller: Caller, number: int, *, digest: str, comment: str) -> tuple[Proposal, Process | None]:
        """Agree to a proposal, by the digest of its plan. With the last approval that is needed, the plan is executed.

        While a job is at work the proposal stays Approved, and the same call tries again: nothing else does. Returns
        the process when the command was given.
        """
        proposal = self.proposal(number)
        self.check_approval(caller, proposal, digest=digest)
        rule = self.deciders.rule(proposal)
        if proposal.state is ProposalState.OPEN:
            proposal = self._approved(caller, proposal, rule, comment)
        if proposal.state is not ProposalState.APPROVED:
            return proposal, None
        with self._first(proposal):
            return self._executed(proposal, caller)

    def check_approval(self, caller: Caller, proposal: Proposal, *, digest: str) -> None:
        """Raise NotAllowedError or ForbiddenError unless the caller may approve the plan of this digest."""
        number = proposal.number
        self._check_living(proposal)
        if digest != proposal.digest:
            raise NotAllowedError(
                f"The plan of proposal {number} is not the one that was read. 'tenuto proposals {number}' shows it. "
                "Nothing was changed."
            )
        if why := self.deciders.why_not_approve(caller, proposal):
            raise ForbiddenError(f"Proposal {number} cannot be approved by {caller.name}: {why}.")

    def _approved(self, caller: Caller, proposal: Proposal, rule: ApprovalRule | None, comment: str) -> Proposal:
        number = proposal.number
        overrides = is_override(rule, caller.name)
        if overrides and not comment.strip():
            raise NotAllowedError(
                f"The policy does not name {caller.name} among those who approve proposal {number}. The owner may "
                "override that with a reason: give it with -m TEXT. Nothing was changed."
            )
        given = Approval(by=caller.name, at=self._clock.now(), comment=comment[:LONGEST_COMMENT])
        approvals = (*proposal.approvals, given)
        needed = self.deciders.needed(replace(proposal, approvals=approvals))
        state = ProposalState.OPEN if needed else ProposalState.APPROVED
        process = live_process(self._store, proposal.fid)
        more = (override(process, proposal.command, caller, comment, at=given.at, number=number),) if overrides else ()
        with self._first(proposal):
            return self._moved(proposal, state, caller.name, comment, approvals=approvals, more=more)

    @contextmanager
    def _first(self, proposal: Proposal) -> Iterator[None]:
        """Decide about a proposal as it was read: of two users who do so at the same time, the second is told what the
        first has made of it."""
        try:
            yield
        except ConflictError as faster:
            raise overtaken(proposal, self.proposal(proposal.number)) from faster

    def reject(self, caller: Caller, number: int, *, comment: str) -> Proposal:
        """Refuse a proposal, with the reason for it; the user who made it takes it back, and needs none.

        Raises UserError for a refusal without a reason.
        """
        proposal = self.proposal(number)
        self._check_living(proposal)
        is_own = caller.name == proposal.proposed_by
        if why := self.deciders.why_not_reject(caller, proposal):
            raise ForbiddenError(
                f"Proposal {number} cannot be {'withdrawn' if is_own else 'rejected'} by {caller.name}: {why}."
            )
        if is_own:
            with self._first(proposal):
                return self._moved(proposal, ProposalState.WITHDRAWN, caller.name, comment)
        if not comment.strip():
            raise UserError(
                f"Say in words why proposal {number} of {proposal.proposed_by} is rejected: 'tenuto reject {number} "
                "-m TEXT'. Nothing was changed."
            )
        with self._first(proposal):
            return self._moved(proposal, ProposalState.REJECTED, caller.name, comment)

    def _executed(self, proposal: Proposal, caller: Caller) -> tuple[Proposal, Process | None]:
        process = live_process(self._store, proposal.fid)
        right = Right(proposal.command)
        # The policy may have changed since. Those who approved were asked for again when the proposal was read.
        proposer = self._gatekeeper.named(proposal.proposed_by)
        if not proposer.is_root and self._gatekeeper.refusal(proposer, right, process):
            lost = "the key is gone, or was made for less" if is_key_name(proposer.name) else _NO_GRANT
            why = f"{proposer.name} may not give the command '{right}' there any more: {lost}"
            return self._moved(proposal, ProposalState.STALE, caller.name, why), None
        agreed = ", ".join(one.by for one in self.deciders.accepted(proposal))

        def executed(left: Process) -> tuple[StoreChange, ...]:
            self._check_latest(proposal)
            stored = "; the update is stored, and 'resume' applies it" if left.state is ProcessState.SUSPENDED else ""
            return self._move(proposal, ProposalState.EXECUTED, caller.name, f"approved by {agreed}{stored}")[1]

        commands, by = self._commands.along(executed), proposal.proposed_by
        try:
            done = commands.execute(process.fid, proposal.plan_file, actor=by, may_store=True)
        except PlanBusyError:
            return self.proposal(proposal.number), None
        except OvertakenError:
            raise
        except (PlanMovedError, NotAllowedError) as moved:
            return self._moved(proposal, ProposalState.STALE, caller.name, _what_moved(moved)), None
        return self.proposal(proposal.number), done

    def _check_latest(self, proposal: Proposal) -> None:
        """Raise OvertakenError for a proposal that was moved since it was read."""
        now = self.proposal(proposal.number)
        if now.generation != proposal.generation:
            raise overtaken(proposal, now)

    def _aged(self, proposal: Proposal) -> Proposal:
        """The proposal as it is now, with the name that the process has now. Many readers may find at the same moment
        that it is over: one of them writes that, and the others read it again."""
        try:
            return self._moved_on(proposal)
        except ConflictError:
            return self.proposal(proposal.number)

    def _moved_on(self, proposal: Proposal) -> Proposal:
        process = self._store.process(proposal.fid)
        if process is not None:
            proposal = replace(proposal, process=process.alias or process.fid)
        following = self._following(proposal, process)
        if following is None:
            return proposal
        return self._moved(proposal, following[0], "conductor", following[1])

    def _following(self, proposal: Proposal, process: Process | None) -> tuple[ProposalState, str] | None:
        """The move that time, its process or the policy asks for, and why; None where it stays as it is."""
        if proposal.state not in LIVING:
            return None
        if self._clock.now() >= proposal.expires_at:
            return ProposalState.EXPIRED, "no decision came in time"
        if process is None or process.state is ProcessState.GONE:
            return ProposalState.STALE, f"process {proposal.process} is gone"
        why = self.deciders.why_reopened(proposal)
        return (ProposalState.OPEN, why) if why else None

    def _check_living(self, proposal: Proposal) -> None:
        if proposal.state not in LIVING:
            # A reason may be a whole sentence, such as the refusal that made the proposal stale.
            reason = f": {proposal.reason.removesuffix('.')}" if proposal.reason else ""
            is_done = proposal.state is ProposalState.EXECUTED
            following = "There is nothing left to decide" if is_done else "Make a new one"
            raise NotAllowedError(f"Proposal {proposal.number} is {proposal.state}{reason}. {following}.")

    def _moved(
        self,
        proposal: Proposal,
        state: ProposalState,
        actor: str,
        reason: str,
        *,
        approvals: tuple[Approval, ...] | None = None,
        more: tuple[Append, ...] = (),
    ) -> Proposal:
        """Move a proposal, once. Raises ConflictError for one that was moved since it was read."""
        moved, changes = self._move(proposal, state, actor, reason, approvals=approvals)
        self._store.commit((*changes, *more))
        return replace(moved, generation=proposal.generation + 1)

    def _move(
        self,
        proposal: Proposal,
        state: ProposalState,
        actor: str,
        reason: str,
        *,
        approvals: tuple[Approval, ...] | None = None,
    ) -> tuple[Proposal, tuple[StoreChange, ...]]:
        """The proposal after a move, and the changes that store it."""
        if state is not proposal.state:
            check_move(proposal.state, state, number=proposal.number)
        is_over = state not in LIVING
        moved = replace(
            proposal,
            state=state,
            approvals=proposal.approvals if approvals is None else approvals,
            ended_by=actor if is_over else "",
            ended_at=self._clock.now() if is_over else None,
            reason=reason[:LONGEST_COMMENT] if is_over else "",
        )
        saved = SaveRecord(kind=PROPOSAL, value=moved, expected_generation=proposal.generation)
        return moved, (saved, self._event(moved, proposal.state, actor, reason))

    def _event(self, proposal: Proposal, before: str, actor: str, reason: str) -> Append:
        event = Event(
            at=self._clock.now(),
            type=EventType.PROPOSAL_STATE,
            fid=proposal.fid,
            subject=proposal.process,
            before=str(before),
            after=proposal.state.value,
            actor=actor,
            reason=reason[:LONGEST_COMMENT],
            data={"proposal": proposal.number, "command": proposal.command},
        )
        return Append(events=(event,))


def number_of(text: str) -> int:
    """The number of a proposal, as a user wrote it. Raises NotFoundError."""
    if not text.isdecimal() or len(text) > _LONGEST_NUMBER:
        raise no_proposal(text)
    return int(text)


def no_proposal(text: str) -> NotFoundError:
    """The error for a number that no proposal has which the caller may see."""
    return NotFoundError(
        f"There is no proposal {text[:LONGEST_NAME]} that you may see. 'tenuto proposals' lists those that you may."
    )


def _what_moved(refused: PlanMovedError | NotAllowedError) -> str:
    """The reason of a proposal that is stale. That nothing was changed is told beside it."""
    if isinstance(refused, PlanMovedError):
        return "; ".join(refused.moved)
    return str(refused).replace(" Nothing was changed.", "")


def digest_of(plan_file: JsonMap) -> str:
    """The digest of a plan, which an approval names."""
    return hashlib.sha256(to_text(plan_file).encode()).hexdigest()
