"""The requests of Cloud Control: the token of one that is under way, the questions about it, and how it ended.

A request is sent once and then asked about by its token, which is noted in the progress of the attempt. A request that
failed for a reason of the service alone is sent again under the next number of tries: AWS takes it as a new one.
"""

from collections.abc import Callable

from tenuto.errors import PermanentError, ProviderError
from tenuto.model.ids import JsonMap
from tenuto.model.outcome import Outcome, Pending, Refused
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.cloud_control_facts import THROUGH
from tenuto.providers.aws.types.cloud_control_model import client_token

SERVICE = "cloudcontrol"
_SHORTEST_S, _LONGEST_S = 1.0, 30.0
"""The seconds between two questions about a request. AWS says when to ask again; a far moment is not waited for, since
most requests end sooner."""
_FIRST_S = 2.0
_AGAIN = frozenset({"Throttling", "ServiceInternalError", "ServiceTimeout", "NetworkFailure", "InternalFailure"})
"""The failures of a request that say nothing of the request itself."""
_HELD = "ResourceConflict"
_EARLY_S, _EARLY_TRIES = 10.0, 12
"""The seconds until a request is sent again that a service may have refused since it does not know a fresh thing yet,
and how often."""
_CODES = {
    "AccessDenied": "AccessDenied",
    "AlreadyExists": "ResourceAlreadyExists",
    "InvalidCredentials": "AccessDenied",
    "NotFound": "ResourceNotFound",
    "ServiceLimitExceeded": "LimitExceeded",
    "UnauthorizedTaggingOperation": "AccessDenied",
}
"""The codes of failed requests, with the codes of calls that have the same meaning."""


def request_of(work: Work) -> str:
    """The token of the request that is under way; empty where none is."""
    return str(work.request.progress.get("request") or "")


def carried(work: Work, verb: str, send: Callable[[str], JsonMap]) -> JsonMap | Pending:
    """The last event of the request that is under way, or of one that is sent now; Pending while it is open."""
    token, tries = request_of(work), int(work.request.progress.get("tries") or 0)
    if token:
        event = status_of(work, token)
    else:
        answer = send(client_token(work.request, verb, tries))
        event = answer.get("ProgressEvent") or {}
        if not event.get("RequestToken") or not event.get("OperationStatus"):
            raise faults.not_of_aws(f"{SERVICE} {verb}")
    if is_open(event):
        said = str(event.get("StatusMessage") or f"AWS carries it out through {THROUGH}")
        return Pending(
            message=said, delay_s=_wait_s(work, event), progress={"request": event["RequestToken"], "tries": tries}
        )
    if _is_early(event) and tries < _EARLY_TRIES:
        return Pending(message=_text(event), code=event["ErrorCode"], delay_s=_EARLY_S, progress=_next(tries))
    if event["OperationStatus"] == "CANCEL_COMPLETE" or event.get("ErrorCode") in {*_AGAIN, _HELD}:
        code = str(event.get("ErrorCode") or "Cancelled")
        return Pending(
            message=_text(event),
            code=code,
            is_held=code == _HELD,
            is_throttled=code == "Throttling",
            progress=_next(tries),
        )
    return event


def _next(tries: int) -> JsonMap:
    """The progress of a request that is sent again."""
    return {"request": "", "tries": tries + 1}


def _is_early(event: JsonMap) -> bool:
    """Whether a request failed since its service may not know a fresh role or permission, and has made nothing."""
    is_whole = event["OperationStatus"] == "FAILED" and not event.get("Identifier")
    return is_whole and faults.is_maybe_unknown_yet(str(event.get("ErrorCode")), str(event.get("StatusMessage")))


def status_of(work: Work, token: str) -> JsonMap:
    """The last event of a request. Raises ProviderError, also where the answer is about another request."""
    answer = work.read(SERVICE, "GetResourceRequestStatus", RequestToken=token)
    event = answer.get("ProgressEvent") or {}
    if event.get("RequestToken") != token or not event.get("OperationStatus"):
        raise faults.not_of_aws(f"{SERVICE} GetResourceRequestStatus")
    return dict(event)


def is_open(event: JsonMap) -> bool:
    """Whether AWS still carries out a request."""
    return event.get("OperationStatus") in ("PENDING", "IN_PROGRESS", "CANCEL_IN_PROGRESS")


def _wait_s(work: Work, event: JsonMap) -> float:
    again = event.get("RetryAfter")
    if again is None:
        return _FIRST_S
    return float(min(_LONGEST_S, max(_SHORTEST_S, again.timestamp() - work.client.clock.now())))


def failure_of(work: Work, event: JsonMap) -> Outcome:
    """The outcome of a request that failed for good."""
    code = str(event.get("ErrorCode") or "GeneralServiceException")
    error: ProviderError = PermanentError(_text(event), code=_CODES.get(code, code))
    hint = faults.hint(error)
    is_taken = faults.is_taken(error)
    return Refused(message=_text(event), code="ResourceAlreadyExists" if is_taken else code, hint=hint)


def _text(event: JsonMap) -> str:
    said = str(event.get("StatusMessage") or "it gives no reason")
    return f"{THROUGH} reports {event.get('ErrorCode') or event.get('OperationStatus')}: {said}"
