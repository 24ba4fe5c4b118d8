"""One right at one place, asked for before a handler runs, and how its denial is told.

A denial in a namespace in which the caller has no right at all is told as if nothing were there. The checked things are
handed on: an account and a process by the names that were checked.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from tenuto.api.requests.calls import Call
from tenuto.errors import ForbiddenError, NoProcessError, NotAllowedError, NotFoundError
from tenuto.model.access import Right
from tenuto.model.account import DEFAULT_ACCOUNT
from tenuto.model.ids import JsonMap, PlanId
from tenuto.model.process import Process
from tenuto.service.access.callers import Place


def account_of(call: Call, reference: str | None) -> str:
    """The name of the account that is meant: grants are about names."""
    return call.services.gatekeeper.account_name(reference or DEFAULT_ACCOUNT)


def check(call: Call, right: Right, place: Place) -> None:
    with hidden(call, place):
        call.services.gatekeeper.check(call.caller, right, place)


def check_alias(call: Call, alias: str | None) -> None:
    """Raise NotAllowedError for an alias of a process that the caller may not know of: aliases are of the whole
    Conductor, and the refusal of the service would name that process."""
    process = call.services.gatekeeper.live_process(alias) if alias else None
    if process is None or process.alias != alias:
        return
    if call.services.gatekeeper.is_hidden(call.caller, process.partition.account):
        raise NotAllowedError(f"The alias {alias} is in use. Choose another one. Nothing was changed.")


@contextmanager
def hidden(call: Call, place: Place) -> Iterator[None]:
    """Turn a denial in a namespace in which the caller has no right at all into the answer for a missing thing.

    Raises NotFoundError. The denied command is kept as an event all the same.
    """
    try:
        yield
    except ForbiddenError:
        gatekeeper, path = call.services.gatekeeper, call.path
        if not place.account or not gatekeeper.hides(call.caller, place):
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


def at(call: Call, process: Process) -> Call:
    return replace(call, path={**call.path, "process": process.fid})


def with_body(call: Call, **values: str) -> Call:
    given: JsonMap = {**call.body.values, **values}
    return replace(call, body=replace(call.body, values=given))
