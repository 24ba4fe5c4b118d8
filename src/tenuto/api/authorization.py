"""The authorization check asks, before any handler runs, whether the caller may make the request.

Each route names the right that it needs. Most are about the process in their path; the others are listed at the end.
What is checked is what is then used: the process is handed on by its FID, and an account that was left out is filled
in, so that an alias which changes hands between the check and the command leads nowhere else.

Some rights depend on the body: on the alias of a process that is to be, its account, `dry_run`. A large body is read
only for a caller whom some body would let through (`admitted`): what is in the path is checked exactly, and what would
be in the body counts as favourable. The exact check follows in any case.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace

from tenuto.api.calls import Call
from tenuto.api.route import ApiRoute, Open
from tenuto.compositions.access_approvals import PROPOSED
from tenuto.errors import ForbiddenError, NoProcessError, NotFoundError, UserError
from tenuto.model.access import OF_CONDUCTOR, QUESTIONS, Right
from tenuto.model.account import DEFAULT_ACCOUNT
from tenuto.model.ids import JsonMap, PlanId
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto.service.callers import Place
from tenuto.service.proposals import number_of


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
            gatekeeper.check_somewhere(caller, route.right)
            return
        if "process" in call.path:
            process = gatekeeper.live_process(call.path["process"])
            if process is None and route.operation != "apply":
                process = gatekeeper.process(call.path["process"])
        rights = (route.right, *_OTHER_RIGHTS.get(route.operation, ()), *((Right.PLAN,) if route.has_dry_run else ()))
        place = Place.of(process) if process else None
        with _hidden(call, place or Place()):
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
    _check(call, right, Place())
    return call


def _about_process(call: Call, right: Right) -> Call:
    """The process in the path, live or gone."""
    process = call.services.gatekeeper.process(call.path["process"])
    _check(call, right, Place.of(process))
    return _at(call, process)


def _in_account(call: Call, right: Right) -> Call:
    """An account in the body, and the alias of a process that is to be."""
    account = _account(call, call.body.text("account"))
    _check(call, right, Place(account=account, alias=call.body.text("alias")))
    return _with_body(call, account=account)


def _apply(call: Call, right: Right) -> Call:
    """An update of the live process of that alias, else a run."""
    alias = call.path["process"]
    process = call.services.gatekeeper.live_process(alias)
    if process is not None:
        _check(call, Right.UPDATE if right is Right.RUN else right, Place.of(process))
        return _at(call, process)
    account = _account(call, call.body.text("account"))
    _check(call, right, Place(account=account, alias=alias))
    return _with_body(call, account=account)


def _execute(call: Call, right: Right) -> Call:
    """The command that a plan file was made by."""
    return _about_process(call, Right(call.services.commands.plan_files.read(call.body.mapping("plan")).command.value))


def _proposal(call: Call, right: Right) -> Call:
    """A proposal in the path: about the process that its plan is of."""
    call.services.gatekeeper.check_somewhere(call.caller, right)
    found = call.services.proposals.proposal(number_of(call.path["number"]))
    _check(call, right, Place.of(call.services.gatekeeper.process(found.fid)))
    return call


def _propose(call: Call, right: Right) -> Call:
    """The command in the body: a user proposes what they may do."""
    given = call.body.text("command") or ""
    known = {one.value for one in PROPOSED}
    return _about_process(call, Right(given) if given in known else right)


def _rename(call: Call, right: Right) -> Call:
    """A property of a process; a new alias must be one that the caller may set properties of, too."""
    call = _about_process(call, right)
    if call.path["key"] == "alias":
        process = call.services.gatekeeper.process(call.path["process"])
        _check(call, right, replace(Place.of(process), alias=call.body.text("value")))
    return call


def _stored_plan(call: Call, right: Right) -> Call:
    _check(call, right, call.services.gatekeeper.place_of_plan(PlanId(call.path["plan"])))
    return call


def _list(call: Call, right: Right) -> Call:
    """Check a request about processes: the handler leaves out those that the caller may not see."""
    given = call.query.text("account")
    account = _account(call, given) if given else None
    with _hidden(call, Place(account=account or "")):
        call.services.gatekeeper.check_somewhere(call.caller, right, account=account)
    return call


def _by_cause(call: Call, right: Right) -> Call:
    """Check a request about processes of any account: the service, or the handler, asks for each of them."""
    call.services.gatekeeper.check_somewhere(call.caller, right)
    return call


def _one_account(call: Call, right: Right) -> Call:
    """A user with any right there may know where it is: the command line asks before it compiles."""
    account = _account(call, call.path["account"])
    if not call.services.gatekeeper.may_somewhere(call.caller, account):
        with _hidden(call, Place(account=account)):
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
    _check(call, right, Place.of(process))
    return replace(call, query=replace(call.query, values={**call.query.values, "process": process.fid}))


def _delete_unknown(call: Call, right: Right) -> Call:
    """Check the right to delete an unknown thing: in its process, or in the account where no such process is known."""
    reference = call.body.text("process") or ""
    try:
        process = call.services.gatekeeper.process(reference)
    except NotFoundError:
        account = _account(call, call.body.text("account"))
        _check(call, right, Place(account=account))
        return _with_body(call, account=account)
    _check(call, right, Place.of(process))
    return _with_body(call, process=process.fid, account=process.partition.account)


def _object(call: Call, right: Right) -> Call:
    """The object in the path, of the type in the query if one is given, handed on by its id.

    Its type says what it takes to change it.
    """
    objects, gatekeeper, sharing = call.services.objects, call.services.gatekeeper, call.services.artifacts.sharing
    asks = gatekeeper.reader(call.caller, Right.STATUS)

    def is_there(item: ManagedObject) -> bool:
        return not gatekeeper.is_hidden(call.caller, item.partition.account) or sharing.is_seen(item, asks)

    item = objects.find(call.path["object"], call.query.text("type"), is_there)
    if right is Right.OBJECT:
        right = objects.right_of(item.type)
    home = Place(account=item.partition.account)
    if right not in QUESTIONS or not sharing.is_seen(item, gatekeeper.reader(call.caller, right)):
        with _hidden(call, home):
            gatekeeper.check(call.caller, right, Place() if right in OF_CONDUCTOR else home)
    return replace(call, path={**call.path, "object": item.object_id})


def _artifact(call: Call, right: Right) -> Call:
    """The artifact in the path: one that a request made, or by its id one that a process declares."""
    try:
        return _object(call, right)
    except NotFoundError:
        item = call.services.artifacts.declared(call.path["object"])
        sees = call.services.gatekeeper.reader(call.caller, right)
        if item is None or not call.services.artifacts.sharing.is_seen(item, sees):
            raise
    return call


def _in_namespace(call: Call, right: Right) -> Call:
    """The namespace in the path, or another account; what else is in the path belongs to it."""
    account = _account(call, call.path["namespace"])
    _check(call, right, Place(account=account))
    return replace(call, path={**call.path, "namespace": account})


def _create_object(call: Call, right: Right) -> Call:
    """An object of a type and an account in the body."""
    account = _account(call, call.body.text("account"))
    with suppress(UserError):  # The service refuses a type that there is not, to a caller who may make objects.
        right = call.services.objects.type(call.body.text("type") or "").right
    _check(call, right, Place() if right in OF_CONDUCTOR else Place(account=account))
    return _with_body(call, account=account)


def _account(call: Call, reference: str | None) -> str:
    """The name of the account that is meant: grants are about names."""
    return call.services.gatekeeper.account_name(reference or DEFAULT_ACCOUNT)


def _check(call: Call, right: Right, place: Place) -> None:
    with _hidden(call, place):
        call.services.gatekeeper.check(call.caller, right, place)


@contextmanager
def _hidden(call: Call, place: Place) -> Iterator[None]:
    """Turn a denial in a namespace in which the caller has no right at all into the answer for what is not there.

    Raises NotFoundError. The denied command is kept as an event all the same.
    """
    try:
        yield
    except ForbiddenError:
        gatekeeper, path = call.services.gatekeeper, call.path
        if not place.account or not gatekeeper.is_hidden(call.caller, place.account):
            raise
        gatekeeper.check_known(call.caller)
        if "process" in path and place.fid is not None:
            raise gatekeeper.with_guess(call.caller, NoProcessError(path["process"])) from None
        if "object" in path:
            raise call.services.objects.missing(path["object"], call.query.text("type")) from None
        if "plan" in path:
            raise gatekeeper.missing_plan(PlanId(path["plan"])) from None
        reference = call.query.text("process")
        if reference is not None and place.fid is not None:
            raise gatekeeper.with_guess(call.caller, NoProcessError(reference)) from None
        raise NotFoundError(
            f"There is no account {place.account!r} in which {call.caller.name} may do anything. Nothing was changed; "
            f"'tenuto user whoami' shows what {call.caller.name} may do."
        ) from None


def _at(call: Call, process: Process) -> Call:
    return replace(call, path={**call.path, "process": process.fid})


def _with_body(call: Call, **values: str) -> Call:
    given: JsonMap = {**call.body.values, **values}
    return replace(call, body=replace(call.body, values=given))


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
    "create_object": _create_object,
    "object": _object,
    "delete_object": _object,
    "tag_object": _object,
    "retry_object": _object,
    "object_events": _object,
    "versions": _artifact,
    "delete_version": _object,
    "content": _artifact,
    "share": _object,
    "verify": _object,
    "begin_upload": _in_namespace,
    "upload": _in_namespace,
    "append_upload": _in_namespace,
    "truncate_upload": _in_namespace,
    "finish_upload": _in_namespace,
    "fetch_artifact": _in_namespace,
    "label_artifact": _in_namespace,
    "stored_plan": _stored_plan,
}
