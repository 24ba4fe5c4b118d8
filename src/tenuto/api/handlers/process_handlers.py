"""The requests about processes: one function per request, from a call to the document that answers it.

All handlers are synchronous. Those of other subjects are in modules of their own, one beside each table of routes.
"""

from collections.abc import Callable

from tenuto.api.requests.calls import Call
from tenuto.errors import UserError
from tenuto.model.access import Right
from tenuto.model.account import DEFAULT_ACCOUNT
from tenuto.model.ids import JsonMap, LogicalId
from tenuto.model.process import Process
from tenuto.model.proposal import ProposalState
from tenuto.service.commands import plan_view
from tenuto.service.commands.causes import Asker
from tenuto.service.commands.causes_view import causes_document
from tenuto.service.commands.process_commands import Commands
from tenuto.service.common.values import time_text
from tenuto.service.intake.composition import Submission
from tenuto.service.views import catalogue_view, process_view
from tenuto.service.views.progress_view import MOST_RESOURCES, progress_document

MOST_NAMES = 1000
"""The most names in an answer. More help no reader to choose one."""


def run(call: Call) -> JsonMap:
    body = call.body
    alias, account = body.text("alias"), body.text("account") or DEFAULT_ACCOUNT
    only, adopts = body.flag("only_adopt"), body.flag("import")
    is_enforced = not body.flag("unenforced")
    if body.flag("dry_run"):
        view = call.commands.dry_runs.run(
            submission_of(call),
            alias=alias,
            account=account,
            adopts=adopts,
            only_adopts=only,
            is_enforced=is_enforced,
            actor=call.actor,
        )
        return _rehearsal(call, view, Right.RUN)
    process = call.commands.run(
        submission_of(call),
        alias=alias,
        account=account,
        adopts=adopts,
        only_adopts=only,
        is_enforced=is_enforced,
        is_locked=body.flag("locked"),
        actor=call.actor,
    )
    return process_view.process_document(process)


def apply(call: Call) -> JsonMap:
    body = call.body
    alias, account = call.path["process"], body.text("account") or None
    adopts = body.flag("import")
    if body.flag("dry_run"):
        view = call.commands.dry_runs.apply(
            submission_of(call), alias=alias, account=account, adopts=adopts, actor=call.actor, is_kept=_is_kept(call)
        )
        return _rehearsal(call, view, Right.UPDATE)

    def give(commands: Commands) -> Process:
        return commands.apply(
            submission_of(call),
            alias=alias,
            account=account,
            adopts=adopts,
            is_locked=body.flag("locked"),
            actor=call.actor,
            shown=_shown(call),
        )

    if call.services.gatekeeper.live_process(alias) is None:
        return process_view.process_document(give(call.commands))
    runs = call.commands.dry_runs
    return _given(
        call,
        Right.UPDATE,
        lambda: runs.apply(submission_of(call), alias=alias, account=account, actor=call.actor, is_kept=False).file,
        give,
    )


def update(call: Call) -> JsonMap:
    reference, runs = call.path["process"], call.commands.dry_runs
    account = call.body.text("account") or None
    return _commanded(
        call,
        Right.UPDATE,
        lambda is_kept: runs.update(reference, submission_of(call), account=account, actor=call.actor, is_kept=is_kept),
        lambda commands: commands.update(
            reference, submission_of(call), account=account, actor=call.actor, shown=_shown(call)
        ),
    )


def suspend(call: Call) -> JsonMap:
    return process_view.process_document(call.commands.suspend(call.path["process"], actor=call.actor))


def resume(call: Call) -> JsonMap:
    reference, runs = call.path["process"], call.commands.dry_runs
    return _commanded(
        call,
        Right.RESUME,
        lambda is_kept: runs.resume(reference, actor=call.actor, is_kept=is_kept),
        lambda commands: commands.resume(reference, actor=call.actor),
    )


def resume_cause(call: Call) -> JsonMap:
    causes = tuple(dict.fromkeys(call.body.texts("causes")))
    if not all(causes) or not causes:
        raise UserError("The body needs 'causes': a list of codes, such as AccessDenied.")
    is_seen = call.services.gatekeeper.seen_by(call.caller, Right.STATUS)
    asker = Asker(
        name=call.actor,
        sees=lambda process: is_seen(process.fid),
        refusal=lambda process: (
            call.services.gatekeeper.refusal(call.caller, Right.RESUME, process)
            or call.services.proposals.direct.refusal(call.caller, Right.RESUME, process)
        ),
    )
    if call.body.flag("dry_run"):
        return causes_document(call.commands.causes.suspended_by(causes, asker=asker), is_done=False)
    only = call.body.texts("processes") if "processes" in call.body.values else None
    return causes_document(call.commands.causes.resume(causes, only=only, asker=asker), is_done=True)


def kill(call: Call) -> JsonMap:
    reference, runs = call.path["process"], call.commands.dry_runs
    return _commanded(
        call,
        Right.KILL,
        lambda is_kept: runs.kill(reference, actor=call.actor, is_kept=is_kept),
        lambda commands: commands.kill(reference, actor=call.actor),
    )


def release(call: Call) -> JsonMap:
    reference, runs, keep_tags = call.path["process"], call.commands.dry_runs, call.body.flag("keep_tags")
    return _commanded(
        call,
        Right.RELEASE,
        lambda is_kept: runs.release(reference, keep_tags=keep_tags, actor=call.actor, is_kept=is_kept),
        lambda commands: commands.release(reference, keep_tags=keep_tags, actor=call.actor),
    )


def execute(call: Call) -> JsonMap:
    document = call.body.mapping("plan")
    if not document:
        raise UserError("The body needs 'plan': a plan file, as '--dry-run -o FILE' saves it.")
    right = Right(call.commands.plan_files.read(document).command.value)
    return _given(
        call,
        right,
        lambda: document,
        lambda commands: commands.execute(call.path["process"], document, actor=call.actor),
        is_saved=True,
    )


def retry(call: Call) -> JsonMap:
    names = tuple(LogicalId(name) for name in call.body.texts("resources"))
    process, cleared = call.commands.retry(call.path["process"], names, actor=call.actor)
    return process_view.retried_document(process, cleared)


def set_property(call: Call) -> JsonMap:
    process = call.commands.set_property(
        call.path["process"],
        call.path["key"],
        call.body.required("value"),
        until=call.body.text("until"),
        reason=call.body.text("reason") or "",
        actor=call.actor,
    )
    return process_view.process_document(process)


def get_property(call: Call) -> JsonMap:
    key = call.path["key"]
    view = call.queries.process(call.path["process"])
    document = {"fid": view.process.fid, key: call.queries.property(view.process.fid, key)}
    if key == "enforcement":
        document["enforcement_until"] = time_text(view.process.enforcement_until)
    return document


def processes(call: Call) -> JsonMap:
    is_seen = call.services.gatekeeper.seen_by(call.caller, Right.STATUS)
    found = call.queries.processes(account=call.query.text("account"))
    seen = [one for one in found if is_seen(one.fid)]
    unknown = call.queries.unknown_things()
    unconverged = call.queries.unconverged(seen)
    listed = [process_view.process_document(one, unconverged.get(one.fid), unknown.get(one.fid, 0)) for one in seen]
    living = call.services.proposals.living(is_seen=lambda one: is_seen(one.fid))
    approved = [one for one in living if one.state is ProposalState.APPROVED]
    return {"processes": listed, "proposals": len(living), "approved_proposals": len(approved)}


def names(call: Call) -> JsonMap:
    """Names for the completion of a shell: of processes, or of the resources of one."""
    prefix, reference = call.query.text("prefix") or "", call.query.text("process")
    if reference is not None:
        found = call.queries.resource_names(reference)
    else:
        is_seen = call.services.gatekeeper.seen_by(call.caller, Right.STATUS)
        found = tuple(one.alias or one.fid for one in call.queries.processes() if is_seen(one.fid))
    return {"names": sorted(one for one in found if one.startswith(prefix))[:MOST_NAMES]}


def process(call: Call) -> JsonMap:
    return process_view.process_detail_document(
        call.queries.process(call.path["process"], sweep=call.query.flag("sweep"))
    )


def progress(call: Call) -> JsonMap:
    most = call.query.number("most", 100, MOST_RESOURCES)
    return progress_document(call.queries.progress(call.path["process"], most))


def plan(call: Call) -> JsonMap:
    is_seen = call.services.gatekeeper.seen_by(call.caller, Right.STATUS)
    return plan_view.plan_document(call.queries.plan(call.path["process"]), is_seen)


def explain(call: Call) -> JsonMap:
    names = tuple(LogicalId(name) for name in call.query.texts("resources"))
    found, explanation = call.queries.explain(call.path["process"], names)
    return catalogue_view.explanation_document(found, explanation)


def _rehearsal(call: Call, view: plan_view.PlanView, right: Right) -> JsonMap:
    """The plan of a dry run, and the approval that the command itself would need."""
    document = plan_view.plan_document(view, call.services.gatekeeper.seen_by(call.caller, Right.STATUS))
    if not view.is_new:
        reason = call.body.text("reason") or ""
        needed = call.services.proposals.direct.needs_approval(
            call.caller, right, view.process, view.file, reason=reason
        )
        document = {**document, "needs_approval": needed or None}
    return {**document, "plan_file": view.file} if call.body.flag("plan_file") else document


def _commanded(
    call: Call, right: Right, rehearse: Callable[[bool], plan_view.PlanView], give: Callable[[Commands], Process]
) -> JsonMap:
    """Rehearse a command, or give it. `rehearse` takes whether the history keeps the dry run."""
    if call.body.flag("dry_run"):
        return _rehearsal(call, rehearse(_is_kept(call)), right)
    return _given(call, right, lambda: rehearse(False).file, give)


def _given(
    call: Call,
    right: Right,
    rehearse: Callable[[], JsonMap | None],
    give: Callable[[Commands], Process],
    *,
    is_saved: bool = False,
) -> JsonMap:
    """Give a command, when no rule asks for an approval; of a plan that a rule lets pass, exactly that plan. `is_saved`
    says that the command is to execute a saved plan."""
    process = call.services.gatekeeper.process(call.path["process"])
    reason = call.body.text("reason") or ""
    passed = call.services.proposals.direct.check(call.caller, right, process, rehearse, reason=reason)
    commands = call.commands.along(lambda _: passed.along)
    if passed.file is None:
        return process_view.process_document(give(commands))
    return process_view.process_document(
        commands.execute(process.fid, passed.file, actor=call.actor, may_store=not is_saved)
    )


def _is_kept(call: Call) -> bool:
    return not call.body.flag("unrecorded")


def _shown(call: Call) -> JsonMap:
    """The facts of the process in the plan that the caller has seen; empty when none was shown."""
    return call.body.mapping("shown")


def submission_of(call: Call) -> Submission:
    """The composition of the body, and its secrets."""
    composition = call.body.mapping("composition")
    if not composition:
        raise UserError("The body needs 'composition': a compiled composition, as 'tenuto compile' prints it.")
    secrets = call.body.mapping("secrets")
    if not all(isinstance(value, str) for value in secrets.values()):
        raise UserError("'secrets' in the body must be an object of texts.")
    return Submission(document=composition, secrets=secrets)
