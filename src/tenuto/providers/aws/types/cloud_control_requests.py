"""The requests of Cloud Control: the token of one that is under way, the questions about it, and how it ended.

A request is sent once and then asked about by its token, which is noted in the progress of the attempt. A request that
failed for a reason of the service alone is sent again under the next number of tries: AWS takes it as a new one. A
creation that failed may have left a thing, so it is sent again only when that was searched for (`left`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from tenuto.errors import PermanentError, ProviderError
from tenuto.model.ids import JsonMap
from tenuto.model.outcome import Done, Outcome, Pending, Refused
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.cloud_control_facts import THROUGH
from tenuto.providers.aws.types.cloud_control_model import sent

SERVICE = "cloudcontrol"
_SHORTEST_S, _LONGEST_S = 1.0, 30.0
"""The seconds between two questions about a request. AWS says when to ask again; a far moment is not waited for, since
most requests end sooner."""
_FIRST_S = 2.0
_AGAIN = frozenset({"Throttling", "ServiceInternalError", "ServiceTimeout", "NetworkFailure", "InternalFailure"})
"""The failures of a request that say nothing of the request itself."""
_HELD = "ResourceConflict"
_WISHED = ("create", "update")
"""The acts that bring about properties."""
_FORGOTTEN = "RequestTokenNotFoundException"
_EARLY_S, _EARLY_TRIES = 10.0, 12
"""The seconds until a request is sent again that a service may have refused since it does not know a fresh thing yet,
and how often."""
_GONE, _GONE_TRIES = "NotFound", 6
"""The tries of a request that names a thing that the service does not know: a thing may be a moment old, and of the
very thing that is changed the next sweep tells whether it is gone."""
_CODES = {
    "AccessDenied": "AccessDenied",
    "AlreadyExists": "ResourceAlreadyExists",
    "InvalidCredentials": "AccessDenied",
    "NotFound": "ResourceNotFound",
    "ServiceLimitExceeded": "LimitExceeded",
    "UnauthorizedTaggingOperation": "AccessDenied",
}
"""The codes of failed requests, with the codes of calls that have the same meaning."""

Left = Callable[[JsonMap, float], Outcome | None]
"""The end of a failed request that may have left something, by its last event and the seconds since that was first
seen: Pending while AWS may not show the thing yet, Refused with the thing, None where nothing was left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """The note of a request in the progress of its attempt."""

    request: str = ""
    """The token by which AWS is asked about it; empty where it is to be sent again."""
    tries: int = 0
    wish: Mapping[str, str] = field(default_factory=dict)
    """The digests of the properties that it was sent for (`cloud_control_model.sent`)."""
    ended_at: float | None = None
    """The moment at which its failure was seen first, where it is not clear yet whether it left anything."""

    def as_progress(self) -> JsonMap:
        more = {"wish": self.wish, "ended_at": self.ended_at}
        return {"request": self.request, "tries": self.tries, **{name: one for name, one in more.items() if one}}

    def again(self) -> "Note":
        """The note of the same request when it is sent again."""
        return Note(tries=self.tries + 1)


def note_of(work: Work) -> Note:
    """The note of the request that is under way, or is to be sent again; an empty one where none is."""
    told = work.request.progress
    return Note(
        request=str(told.get("request") or ""),
        tries=int(told.get("tries") or 0),
        wish=told.get("wish") or {},
        ended_at=told.get("ended_at"),
    )


def carried(
    work: Work,
    verb: str,
    send: Callable[[int], JsonMap],
    left: Left = lambda _event, _ended_s: None,
    lost: Callable[[], Done | None] = lambda: None,
    *,
    is_outdated: bool = False,
) -> JsonMap | Outcome:
    """The last event of the request that is under way, or of one that is sent now; Pending while it is open.

    A request that AWS has forgotten is one without an answer: it is sent again where `lost` finds no result of it. The
    end of a request that `is_outdated` says nothing of the present wish: that is sent then.
    """
    note = note_of(work)
    event = status_of(work, note.request) if note.request else None
    if note.request and event is None:
        if (found := lost()) is not None:
            return found
        note = note.again()
    elif is_outdated and event is not None and not is_open(event):
        note, event = note.again(), None
    if event is None:
        note = replace(note, wish=sent(work.request) if verb in _WISHED else {})
        event = send(note.tries).get("ProgressEvent") or {}
        if not event.get("RequestToken") or not event.get("OperationStatus"):
            raise faults.not_of_aws(f"{SERVICE} {verb}")
    noted = replace(note, request=str(event["RequestToken"]))
    if is_open(event):
        said = text_in(work, event) or f"AWS carries it out through {THROUGH}"
        return Pending(message=said, delay_s=_wait_s(work, event), progress=noted.as_progress())
    return event if event["OperationStatus"] == "SUCCESS" else _failed(work, event, noted, left)


def _failed(work: Work, event: JsonMap, noted: Note, left: Left) -> JsonMap | Outcome:
    """The end of a request that failed, once it is clear whether it left anything."""
    now = work.client.clock.now()
    ended_at = now if noted.ended_at is None else noted.ended_at
    end = left(event, now - ended_at)
    if isinstance(end, Pending):
        return replace(end, progress=replace(noted, ended_at=ended_at).as_progress())
    return end if isinstance(end, Refused) else _sent_again(work, event, noted)


def _sent_again(work: Work, event: JsonMap, note: Note) -> JsonMap | Pending:
    """Pending where a request that failed, and left nothing, is sent again; else its event, which is its end."""
    code = str(event.get("ErrorCode") or "Cancelled")
    message, again = failure_text(work, event), note.again().as_progress()
    if note.tries < _tries_of(event):
        return Pending(message=message, code=code, delay_s=_EARLY_S, progress=again)
    if event["OperationStatus"] == "CANCEL_COMPLETE" or code in {*_AGAIN, _HELD}:
        return Pending(
            message=message, code=code, is_held=code == _HELD, is_throttled=code == "Throttling", progress=again
        )
    return event


def _tries_of(event: JsonMap) -> int:
    """The tries of a request that failed since its service may not know a fresh thing, role or permission yet. Nothing
    is waited for before a deletion."""
    code, is_deletion = str(event.get("ErrorCode")), event.get("Operation") == "DELETE"
    if event["OperationStatus"] != "FAILED" or is_deletion:
        return 0
    if code == _GONE:
        return _GONE_TRIES
    return _EARLY_TRIES if faults.is_maybe_unknown_yet(code, str(event.get("StatusMessage"))) else 0


def status_of(work: Work, token: str) -> JsonMap | None:
    """The last event of a request; None where AWS has forgotten it, as it does after seven days. Raises ProviderError,
    also where the answer is about another request."""
    try:
        answer = work.read(SERVICE, "GetResourceRequestStatus", RequestToken=token)
    except PermanentError as error:
        if error.code != _FORGOTTEN:
            raise
        return None
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


def failure_of(work: Work, event: JsonMap) -> Refused:
    """The outcome of a request that failed for good."""
    code, message = str(event.get("ErrorCode") or "GeneralServiceException"), failure_text(work, event)
    error: ProviderError = PermanentError(message, code=_CODES.get(code, code))
    is_taken = faults.is_taken(error)
    return Refused(message=message, code="ResourceAlreadyExists" if is_taken else code, hint=faults.hint(error))


def failure_text(work: Work, event: JsonMap) -> str:
    """The failure of a request in words."""
    said = text_in(work, event) or "it gives no reason"
    return f"{THROUGH} reports {event.get('ErrorCode') or event.get('OperationStatus')}: {said}"


def text_in(work: Work, event: JsonMap) -> str:
    """The words of AWS about a request."""
    return work.client.masked_text(str(event.get("StatusMessage") or ""))[: faults.LONGEST]
