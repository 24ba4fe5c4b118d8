"""The authorization check asks, before any handler runs, whether the caller may make the request.

Each route names the right that it needs. Most are about the process in their path; the others are listed at the end.
The checked values are those that are then used: the process is handed on by its FID, and an account that was left out
is filled in, so that an alias which changes hands between the check and the command leads nowhere else.

Some rights depend on the body: on the alias of a process that is to be, its account, `dry_run`. A large body is read
only for a caller whom some body would let through (`admitted`): the values in the path are checked exactly, and those
in the body count as favourable. The exact check follows in any case.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from tenuto.api.requests import object_rights as objects
from tenuto.api.requests.calls import Call
from tenuto.api.requests.right_checks import account_of, at, check, check_alias, hidden, with_body
from tenuto.api.requests.route import ApiRoute, Open
from tenuto.compositions.policies.approvals import PROPOSED
from tenuto.errors import NotFoundError
from tenuto.model.access import OF_CONDUCTOR, Right
from tenuto.model.ids import PlanId
from tenuto.model.process import Process
from tenuto.service.access.callers import Place
from tenuto.service.existing.unknown_things import no_such_thing
from tenuto.service.intake.aliases import check_alias as well_formed


def admitted(route: ApiRoute, call: Call) -> None:
    """Refuse a caller who may make the request with no body at all. Raises ForbiddenError, NotFoundError."""
    gatekeeper, caller = call.services.gatekeeper, call.caller
    if route.right is Open.TO_ALL:
        return
    gatekeeper.check_known(caller)
    if caller.is_root or route.right is Open.TO_USERS:
        return
    if route.right is Open.TO_ROOT:
        gatekeeper.check_root(caller)
    elif route.right in OF_CONDUCTOR:
        gatekeeper.check(caller, route.right, Place())
    else:
        process = None
        if "number" in call.path:
            _proposal(call, route.right)
            return
        if "process" in call.path:
            if route.operation == "apply":
                process = _applied_to(call)
            else:
                process = gatekeeper.live_process(call.path["process"]) or gatekeeper.process(call.path["process"])
        rights = (route.right, *_OTHER_RIGHTS.get(route.operation, ()), *((Right.PLAN,) if route.has_dry_run else ()))
        place = gatekeeper.place_of(process) if process else None
        with hidden(call, place or Place()):
            gatekeeper.check_any(caller, rights, place)


def authorized(route: ApiRoute, call: Call) -> Call:
    """The call as it may be made. Raises ForbiddenError, NotFoundError, UserError."""
    gatekeeper, caller = call.services.gatekeeper, call.caller
    if route.right is Open.TO_ALL:
        return call
    gatekeeper.check_known(caller)
    if caller.is_root or route.right is Open.TO_USERS:
        return call
    if route.right is Open.TO_ROOT:
        gatekeeper.check_root(caller)
        return call
    right = Right.PLAN if route.has_dry_run and call.body.flag("dry_run") else route.right
    usual = _about_conductor if right in OF_CONDUCTOR else _about_process
    return _EXCEPTIONS.get(route.operation, usual)(call, right)


def _about_conductor(call: Call, right: Right) -> Call:
    check(call, right, Place())
    return call


def _about_process(call: Call, right: Right) -> Call:
    """The process in the path, live or gone."""
    process = call.services.gatekeeper.process(call.path["process"])
    check(call, right, call.services.gatekeeper.place_of(process))
    return at(call, process)


def _in_account(call: Call, right: Right) -> Call:
    """An account in the body, and the alias of a process that is to be."""
    account, alias = account_of(call, call.body.text("account")), call.body.text("alias")
    check(call, right, Place(account=account, alias=alias))
    check_alias(call, alias)
    return with_body(call, account=account)


def _apply(call: Call, right: Right) -> Call:
    """An update of the live process of that alias, else a run.

    A process that the caller may not know of is answered as a run is: to a caller who may not run there, an alias in
    use looks like a free one.
    """
    alias = call.path["process"]
    process = _applied_to(call)
    if process is not None:
        check(call, Right.UPDATE if right is Right.RUN else right, call.services.gatekeeper.place_of(process))
        return at(call, process)
    account = account_of(call, call.body.text("account"))
    check(call, right, Place(account=account, alias=alias))
    well_formed(alias)  # A FID is no alias, be there such a process of others or not.
    check_alias(call, alias)
    return with_body(call, account=account)


def _applied_to(call: Call) -> Process | None:
    """The live process that an `apply` is about, where the caller may know of it."""
    gatekeeper = call.services.gatekeeper
    process = gatekeeper.live_process(call.path["process"])
    if process is None or gatekeeper.is_hidden(call.caller, process.partition.account):
        return None
    return process


def _execute(call: Call, right: Right) -> Call:
    """The command that a plan file was made by."""
    return _about_process(call, Right(call.services.commands.plan_files.read(call.body.mapping("plan")).command.value))


def _proposal(call: Call, right: Right) -> Call:
    """A proposal in the path: about the process that its plan is of."""
    call.services.proposals.asked(call.caller, call.path["number"], right)
    return call


def _propose(call: Call, right: Right) -> Call:
    """The command in the body: a user proposes commands that they may give."""
    given = call.body.text("command") or ""
    known = {one.value for one in PROPOSED}
    return _about_process(call, Right(given) if given in known else right)


def _rename(call: Call, right: Right) -> Call:
    """A property of a process; a new alias must be one that the caller may set properties of, too."""
    call = _about_process(call, right)
    if call.path["key"] == "alias":
        process = call.services.gatekeeper.process(call.path["process"])
        alias = call.body.text("value")
        check(call, right, replace(call.services.gatekeeper.place_of(process), alias=alias))
        check_alias(call, alias)
    return call


def _stored_plan(call: Call, right: Right) -> Call:
    check(call, right, call.services.gatekeeper.place_of_plan(PlanId(call.path["plan"])))
    return call


def _list(call: Call, right: Right) -> Call:
    """Check a request about processes: the handler leaves out those that the caller may not see."""
    given = call.query.text("account")
    account = account_of(call, given) if given else None
    with hidden(call, Place(account=account or "")):
        call.services.gatekeeper.check_somewhere(call.caller, right, account=account)
    return call


def _by_cause(call: Call, right: Right) -> Call:
    """Check a request about processes of any account: the service, or the handler, asks for each of them."""
    call.services.gatekeeper.check_somewhere(call.caller, right)
    return call


def _one_account(call: Call, right: Right) -> Call:
    """A user with any right there may know where it is: the command line asks before it compiles."""
    account = account_of(call, call.path["account"])
    if not call.services.gatekeeper.may_somewhere(call.caller, account):
        with hidden(call, Place(account=account)):
            call.services.gatekeeper.check(call.caller, right, Place())
    return replace(call, path={**call.path, "account": account})


def _events(call: Call, right: Right) -> Call:
    """Check a request about events or problems of one process, or of all that the caller may see; the handler leaves
    out the others.
    """
    reference = call.query.text("process")
    if reference is None:
        call.services.gatekeeper.check_somewhere(call.caller, right)
        return call
    process = call.services.gatekeeper.process(reference)
    check(call, right, call.services.gatekeeper.place_of(process))
    return replace(call, query=replace(call.query, values={**call.query.values, "process": process.fid}))


def _delete_unknown(call: Call, right: Right) -> Call:
    """Check the right to delete an unknown thing: in its process, or in the account where no such process is known."""
    reference = call.body.text("process") or ""
    gatekeeper = call.services.gatekeeper
    try:
        process = gatekeeper.process(reference)
    except NotFoundError:
        process = None
    if process is None or gatekeeper.hides(call.caller, gatekeeper.place_of(process)):
        account = account_of(call, call.body.text("account"))
        check(call, right, Place(account=account))
        if process is not None:
            raise no_such_thing(reference, call.body.required("id"))
        return with_body(call, account=account)
    check(call, right, call.services.gatekeeper.place_of(process))
    return with_body(call, process=process.fid, account=process.partition.account)


_OTHER_RIGHTS: Mapping[str, tuple[Right, ...]] = {
    "apply": (Right.UPDATE,),
    "execute": (Right.RESUME, Right.KILL, Right.RELEASE),
    "propose": (Right.RESUME, Right.KILL, Right.RELEASE),
}
"""The rights that a request may take instead of that of its route, as its body says. Dry runs take `plan`."""

_EXCEPTIONS: Mapping[str, Callable[[Call, Right], Call]] = {
    "account": _one_account,
    "processes": _list,
    "summary": _by_cause,
    "rates": _by_cause,
    "sweeps": _by_cause,
    "find": _by_cause,
    "request": _by_cause,
    "events": _events,
    "names": _events,
    "resume_cause": _by_cause,
    "doctor": _events,
    "unknown_things": _events,
    "delete_unknown": _delete_unknown,
    "run": _in_account,
    "existing": _in_account,
    "lookups": _in_account,
    "stack": _in_account,
    "retain_stack": _in_account,
    "empty_stack": _in_account,
    "delete_stack": _in_account,
    "check_things": _in_account,
    "check_validations": _in_account,
    "apply": _apply,
    "execute": _execute,
    "propose": _propose,
    "proposals": _by_cause,
    "proposal": _proposal,
    "approve": _proposal,
    "reject": _proposal,
    "set_property": _rename,
    "objects": _list,
    "declared_objects": _list,
    "create_object": objects.create_object,
    "object": objects.one_object,
    "delete_object": objects.one_object,
    "tag_object": objects.one_object,
    "retry_object": objects.one_object,
    "object_events": objects.one_object,
    "versions": objects.artifact,
    "delete_version": objects.one_object,
    "content": objects.artifact,
    "share": objects.one_object,
    "verify": objects.one_object,
    "begin_upload": objects.in_namespace,
    "upload": objects.in_namespace,
    "append_upload": objects.in_namespace,
    "truncate_upload": objects.in_namespace,
    "finish_upload": objects.in_namespace,
    "fetch_artifact": objects.in_namespace,
    "label_artifact": objects.in_namespace,
    "stored_plan": _stored_plan,
}
