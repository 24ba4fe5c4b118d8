"""The buttons: each does the act that its page names, and no more.

An act that needs a plan carries the digest of the plan that was shown. If the plan has moved, nothing is done, and the
page shows the changes. There is no button that runs, updates, imports or releases, and none that widens rights: a
session that was stolen must not make itself stronger. Those pages show the command to type.
"""

from collections.abc import Callable, Mapping

from tenuto.errors import ForbiddenError, PlanMovedError, UserError
from tenuto.kit.page_url import page_url
from tenuto.model.access import Right
from tenuto.model.command import Command, ProcessState
from tenuto.model.ids import LogicalId
from tenuto.model.process import Process
from tenuto.model.proposal import Proposal
from tenuto.service.commands.direct_commands import Passed
from tenuto.service.commands.plan_view import PlanView, plan_document
from tenuto.service.views.plan_text import is_grave
from tenuto.web.page import Act, Again, Done
from tenuto.web.pages.process import kill_page, plan
from tenuto.web.pages.proposals import proposal as proposal_page
from tenuto.web.pages.proposals import proposal_of
from tenuto.web.visit import Visit

_PROPOSED: Mapping[str, Command] = {one.value: one for one in (Command.KILL, Command.RESUME)}
UNTIL = ("15m", "1h", "4h", "24h")
"""A page asks for an end of enforcement that is off: enforcement that a click switches off must come back by itself."""


def check(visit: Visit) -> Done:
    """Look now."""
    found = visit.live_process(Right.STATUS)
    visit.services.commands.check(found.fid)
    return Done(path=_back(visit, found), note="checked")


def suspend(visit: Visit) -> Done:
    found = visit.live_process(Right.SUSPEND)
    visit.services.commands.suspend(found.fid, actor=visit.caller.name)
    return Done(path=_back(visit, found), note="suspended")


def retry(visit: Visit) -> Done:
    found = visit.live_process(Right.RETRY)
    name = visit.given("resource")
    visit.services.commands.retry(found.fid, (LogicalId(name),) if name else (), actor=visit.caller.name)
    is_suspended = found.state is ProcessState.SUSPENDED
    return Done(path=_back(visit, found), note="retried-later" if is_suspended else "retried")


class _UnnamedError(Exception):
    """The plan is one that takes the name of the process, and another name or none was typed."""


def resume(visit: Visit) -> Done | Again:
    """Execute the plan that was shown, or show the differences. A grave plan takes the name of the process, by the rule
    of the command line."""
    found = visit.live_process(Right.RESUME)
    name = found.alias or found.fid

    def check(view: PlanView) -> None:
        if visit.given("name") != name and is_grave(plan_document(view)):
            raise _UnnamedError

    try:
        _execute(visit, found, Command.RESUME, Right.RESUME, check)
    except _UnnamedError:
        context = {**plan(visit), "wrong": f"Type {name} to confirm. Nothing was done."}
        return Again(path=_path(found, "plan"), template="plan.html", status=422, context=context)
    except PlanMovedError as moved:
        return _moved(visit, found, Command.RESUME, moved)
    return Done(path=_path(found), note="resumed")


def kill(visit: Visit) -> Done | Again:
    """Delete the shown process, when its name was typed and the secret was given lately."""
    found = visit.live_process(Right.KILL)
    name = found.alias or found.fid
    if visit.given("name") != name:
        return _again(visit, found, 422, f"Type {name} to confirm. Nothing was done.")
    sessions, secret = visit.services.sessions, visit.given("secret")
    if not visit.signed.was_proved(sessions.now()):
        if not secret:
            return _again(
                visit,
                found,
                422,
                "More than ten minutes have passed since you gave your secret: type it. Nothing was done.",
            )
        if why_not := sessions.prove(visit.signed, secret, Right.KILL, visit.address):
            return _again(visit, found, 403, f"{why_not} Nothing was done.")
    try:
        _execute(visit, found, Command.KILL, Right.KILL)
    except PlanMovedError as moved:
        return _moved(visit, found, Command.KILL, moved)
    return Done(path=_path(found), note="killing")


def propose(visit: Visit) -> Done | Again:
    """Keep the plan that was shown, for others to agree to it."""
    command = _PROPOSED.get(visit.given("command"))
    if command is None:
        raise UserError(f"Propose one of {', '.join(_PROPOSED)}.")
    found = visit.live_process(Right(command.value))
    if not visit.given("comment").strip():
        raise UserError("Say in words why, for those who are asked to agree. Nothing was done.")
    try:
        view = visit.plans.agreed(command, found.fid, visit.given("digest"), actor=visit.caller.name)
    except PlanMovedError as moved:
        return _moved(visit, found, command, moved)
    made = visit.services.proposals.propose(visit.caller, view, visit.given("comment"))
    may_read = Right.PLAN.value in visit.rights(found)
    path = page_url("proposals", str(made.number)) if may_read else _path(found)
    return Done(path=path, note="proposed", proposal=made.state.value)


def _moved(visit: Visit, found: Process, command: Command, moved: PlanMovedError) -> Again:
    """The page of the plan as it is now, with the differences."""
    if command is Command.KILL:
        context = {**kill_page(visit, found), "moved": moved.moved}
        return Again(path=_path(found, "kill"), template="kill.html", status=409, context=context)
    context = {**plan(visit), "moved": moved.moved}
    return Again(path=_path(found, "plan"), template="plan.html", status=409, context=context)


def enforcement(visit: Visit) -> Done:
    """Switch enforcement on, or off for a time."""
    found = visit.live_process(Right.PROPERTY)
    is_on = visit.given("value") == "on"
    until = visit.given("until")
    if not is_on and until not in UNTIL:
        raise UserError(f"Enforcement that is switched off here needs an end: one of {', '.join(UNTIL)}.")
    reason = visit.given("reason")
    if not is_on and not reason.strip():
        raise UserError("Say in words why enforcement is switched off, for the history. Nothing was done.")
    visit.services.commands.set_property(
        found.fid,
        "enforcement",
        "on" if is_on else "off",
        until=None if is_on else until,
        reason=reason,
        actor=visit.caller.name,
    )
    return Done(path=_path(found), note="enforced" if is_on else "not-enforced")


def lock(visit: Visit) -> Done:
    found = visit.live_process(Right.PROPERTY)
    is_on = visit.given("value") == "on"
    visit.services.commands.set_property(found.fid, "lock", "on" if is_on else "off", actor=visit.caller.name)
    return Done(path=_path(found), note="locked" if is_on else "unlocked")


def test_notification(visit: Visit) -> Done:
    visit.check(Right.NOTIFICATION)
    told = visit.services.notifications.test(visit.path["name"])
    if not told["delivered"]:
        raise UserError(f"The test event did not arrive: {told['error']}")
    return Done(path="/notifications", note="tested")


def redeliver(visit: Visit) -> Done:
    visit.check(Right.NOTIFICATION)
    visit.services.notifications.redeliver(visit.path["name"], (), actor=visit.caller.name)
    return Done(path="/notifications", note="redelivered")


def end_session(visit: Visit) -> Done:
    if not visit.services.sessions.end(visit.given("session"), caller=visit.caller):
        raise ForbiddenError("There is no such session of yours. It may be over already.")
    return Done(path="/me", note="ended")


def _execute(
    visit: Visit, found: Process, command: Command, right: Right, check: Callable[[PlanView], None] = lambda _: None
) -> None:
    """Execute the plan that was shown, where no rule of the policy asks for an approval first. `check` comes before
    that rule."""

    def permit(view: PlanView) -> Passed:
        check(view)
        direct = visit.services.proposals.direct
        return direct.check(visit.caller, right, found, lambda: view.file, reason=visit.given("reason"))

    visit.plans.execute(command, found.fid, visit.given("digest"), actor=visit.caller.name, permit=permit)


def approve(visit: Visit) -> Done | Again:
    """Agree to the plan that was read. A plan that deletes or replaces takes the name of the process, of a user who may
    approve it."""
    proposal, digest = proposal_of(visit), visit.given("digest")
    visit.services.proposals.check_approval(visit.caller, proposal, digest=digest)
    view = proposal_page(visit)
    if view["is_destructive"] and visit.given("name") != proposal.process:
        path = page_url("proposals", str(proposal.number))
        context = {**view, "wrong": f"Type {proposal.process} to approve what deletes or replaces. Nothing was done."}
        return Again(path=path, template="proposal.html", status=422, context=context)
    proposal, process = visit.services.proposals.approve(
        visit.caller, proposal.number, digest=digest, comment=visit.given("comment")
    )
    is_stored = process is not None and process.state is ProcessState.SUSPENDED
    return _decided(proposal, "proposal-stored" if is_stored else "")


def reject(visit: Visit) -> Done:
    proposal = proposal_of(visit)
    return _decided(visit.services.proposals.reject(visit.caller, proposal.number, comment=visit.given("comment")))


def _decided(proposal: Proposal, note: str = "") -> Done:
    """The page of a proposal that was decided, with a note that tells its new state where none is given."""
    path = page_url("proposals", str(proposal.number))
    return Done(path=path, note=note or f"proposal-{proposal.state.lower()}", proposal=proposal.state.value)


def _again(visit: Visit, found: Process, status: int, wrong: str) -> Again:
    context = {**kill_page(visit, found), "wrong": wrong}
    return Again(path=_path(found, "kill"), template="kill.html", status=status, context=context)


def _path(found: Process, *parts: str) -> str:
    return page_url("processes", found.alias or found.fid, *parts)


def _back(visit: Visit, found: Process) -> str:
    """The overview when the button stands there, else the page of the process or of one resource."""
    name = visit.given("resource")
    if visit.given("from") == "overview":
        return "/"
    if visit.given("from") == "resource" and name:
        return page_url("processes", found.alias or found.fid, "resources", name)
    return _path(found)


ACTS: tuple[Act, ...] = (
    Act(path="/processes/{process}/check", name="check", run=check),
    Act(path="/processes/{process}/suspend", name="suspend", run=suspend),
    Act(path="/processes/{process}/retry", name="retry", run=retry),
    Act(path="/processes/{process}/resume", name="resume", run=resume),
    Act(path="/processes/{process}/kill", name="kill", run=kill),
    Act(path="/processes/{process}/propose", name="propose", run=propose),
    Act(path="/processes/{process}/enforcement", name="enforcement", run=enforcement),
    Act(path="/processes/{process}/lock", name="lock", run=lock),
    Act(path="/proposals/{number}/approve", name="approve", run=approve),
    Act(path="/proposals/{number}/reject", name="reject", run=reject),
    Act(path="/notifications/{name}/test", name="test-notification", run=test_notification),
    Act(path="/notifications/{name}/redeliver", name="redeliver", run=redeliver),
    Act(path="/sessions/end", name="end-session", run=end_session),
)
