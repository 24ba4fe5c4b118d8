"""The places of questions: a process that the asker may ask about, or the answer for one that is not there."""

from tenuto.errors import ForbiddenError, NoProcessError, NotFoundError
from tenuto.model.access import Right
from tenuto.model.command import ProcessState
from tenuto.model.process import Process
from tenuto.service.access.callers import Caller
from tenuto.service.access.gatekeeper import Gatekeeper


def permitted_process(gatekeeper: Gatekeeper, caller: Caller, reference: str, right: Right) -> Process:
    """The process of a name, live or gone, about which the caller has a right.

    Raises ForbiddenError, and NoProcessError where there is none or the caller may not know of it.
    """
    try:
        process = gatekeeper.process(reference)
    except NoProcessError as missing:
        raise gatekeeper.with_guess(caller, missing) from None
    place = gatekeeper.place_of(process)
    try:
        gatekeeper.check(caller, right, place)
    except ForbiddenError:
        if gatekeeper.hides(caller, place):
            raise gatekeeper.with_guess(caller, NoProcessError(reference)) from None
        raise
    return process


def permitted_live_process(gatekeeper: Gatekeeper, caller: Caller, reference: str, right: Right) -> Process:
    """The process of a name, as `permitted_process` finds it, while it is live. Raises NotFoundError as well."""
    process = permitted_process(gatekeeper, caller, reference, right)
    if process.state is ProcessState.GONE:
        raise NotFoundError(f"Process {reference} is gone. Its history tells how; 'tenuto run' makes a new one.")
    return process


def rights_at(gatekeeper: Gatekeeper, caller: Caller, process: Process) -> frozenset[Right]:
    """The rights of a caller about one process. Asking is no denied command."""
    return frozenset(right for right in Right if not gatekeeper.refusal(caller, right, process))
