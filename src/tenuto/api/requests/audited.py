"""The lines of the audit about a request: one before a command and one after it, and one for a request that was refused
before.

A command that fails after its first line gets its second one here, for every kind of error: a line `begun` without
another one is that of a Conductor that has ended. A request that is denied or refused before it began has one line, and
equal ones are counted (`Audit.not_begun`).
"""

from dataclasses import replace
from urllib.parse import quote

from tenuto.api.requests.calls import Call
from tenuto.api.requests.route import ApiRoute, Open, SentFile
from tenuto.errors import ForbiddenError
from tenuto.kit.canonical import DocumentError
from tenuto.model.ids import JsonMap
from tenuto.service.access.audit import NOTHING_MORE, Act, Became, shown_digest
from tenuto.service.commands.proposals import digest_of

_ABOUT_PROPOSALS = ("propose", "approve", "reject")


class AuditedError(Exception):
    """The failure of a command that the audit has been told of. `error` is the failure itself."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


def carried_out(route: ApiRoute, call: Call) -> JsonMap | SentFile:
    """The answer of the handler of a command, with a line of the audit before and after it. Raises AuditedError, and
    StoreUnavailableError when the line before cannot be written: then nothing was done."""
    audit, act = call.services.audit, replace(_act(route, call), plan=_named_plan(route, call))
    audit.begun(act)
    try:
        document = route.handler(call)
    except Exception as error:
        audit.failed(act, error)
        raise AuditedError(error) from error
    audit.done(act, _became(route, document))
    return document


def tell_refused(route: ApiRoute, call: Call, error: Exception) -> None:
    """Write the outcome of a request that did not begin: of a command, and of a question that was denied."""
    if route.method != "GET" or isinstance(error, ForbiddenError):
        call.services.audit.not_begun(_act(route, call), error)


def _act(route: ApiRoute, call: Call) -> Act:
    path = route.path.format(**{name: quote(one, safe="") for name, one in call.path.items()})
    return Act(
        way="api",
        operation=route.operation,
        path=path,
        address=call.address,
        caller=call.caller,
        request=call.services.current.request,
        reason=_reason(call),
    )


def _became(route: ApiRoute, document: JsonMap | SentFile) -> Became:
    if isinstance(document, SentFile):
        return NOTHING_MORE
    if route.right is Open.TO_ALL:
        return Became(user=str(document["user"]))
    if route.operation in _ABOUT_PROPOSALS:
        return Became(plan=str(document["digest"]), proposal=str(document["state"]))
    return NOTHING_MORE


def _named_plan(route: ApiRoute, call: Call) -> str:
    """The digest of the plan that a command names: a proposal's, or that of a plan file. Empty for no plan."""
    if route.operation == "approve":
        return shown_digest(call.body.values.get("digest"))
    file = call.body.values.get("plan") if route.operation == "execute" else None
    try:
        return digest_of(file) if isinstance(file, dict) else ""
    except DocumentError:
        return ""


def _reason(call: Call) -> str:
    """The words of the caller for the history. Of a wrong kind they are refused elsewhere, and told here as none."""
    given = call.body.values.get("reason") or call.body.values.get("comment")
    return given if isinstance(given, str) else ""
