"""The spread of one bulk request over items: fan-out, errors as outcomes, and patience with fresh things.

A mistake in the block of a type ends the act that meets it, and not those of its neighbours in the same call. What such
an act had sent by then may be done: a creation is looked up before it is tried again.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from traceback import format_tb

import structlog

from tenuto.errors import BugError, ProviderError, TransientError
from tenuto.model.ids import Instant, ObjectId
from tenuto.model.outcome import Outcome, Pending, Refused, Request
from tenuto.providers.aws.client import faults
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import AwsType, Work

PATIENCE_S = 60.0
"""The time for which "there is no such thing" is taken for "not known here yet". EC2 and IAM mostly agree within
seconds."""
_ROLE_PATIENCE_S = 120.0
"""The time for which a service may not know a role, or a permission of one, which reach it later than ids do."""

_OUTAGE_S = 120.0
"""The time for which a refusal may come from a clock, a renewal of credentials, or something on the way that keeps us
from the account. Longer would only hide from people that a permission is missing."""

_MISTAKES = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    BugError,
    LookupError,
    NotImplementedError,
    TypeError,
    ValueError,
)
"""The errors of a block that is wrong, or of an answer that it does not understand. Any other (of the store, say) is of
the whole run."""

_CODE = "Mistake"

_log = structlog.get_logger("tenuto.ops")


class Patience:
    """The moments since which objects meet an error that may only mean that they came early. Thread-safe; lost on a
    restart.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._since: dict[tuple[ObjectId, str], Instant] = {}

    def outcome(self, object_id: ObjectId, error: ProviderError, now: Instant) -> Outcome:
        """The outcome for an object that met an error."""
        patience_s = PATIENCE_S if faults.is_gone(error) else _ROLE_PATIENCE_S
        if faults.is_maybe_early(error) and self._is_left(object_id, error.code, now, patience_s):
            return Pending(message=str(error), code=error.code, request_id=error.request_id, is_undone=True)
        self.renew(object_id)
        return outcome_of(error)

    def _is_left(self, object_id: ObjectId, code: str, now: Instant, patience_s: float) -> bool:
        with self._lock:
            return now - self._since.setdefault((object_id, code), now) < patience_s

    def renew(self, object_id: ObjectId) -> None:
        """Forget the errors of an object: it worked, or a person acted, and the next such error begins anew."""
        with self._lock:
            for key in [key for key in self._since if key[0] == object_id]:
                del self._since[key]


def outcome_of(error: ProviderError) -> Outcome:
    """The outcome for the item that met an error."""
    if isinstance(error, TransientError):
        return Pending(
            message=str(error),
            code=error.code,
            request_id=error.request_id,
            is_undone=faults.is_undone(error),
            is_held=faults.is_held(error),
            is_throttled=faults.is_throttled(error.code),
            hint=faults.hint(error),
        )
    if faults.is_unconfirmed(error):
        # Without an end: nothing is wrong with the item, and it goes on by itself once the credentials are right.
        return Pending(message=str(error), code=error.code, request_id=error.request_id, is_undone=True)
    if faults.may_pass(error):
        return Pending(
            message=str(error),
            code=error.code,
            request_id=error.request_id,
            is_undone=faults.is_denied(error),
            is_held=True,
            patience_s=_OUTAGE_S,
            hint=faults.hint(error),
        )
    code = "ResourceAlreadyExists" if faults.is_taken(error) else error.code
    return Refused(message=str(error), code=code, request_id=error.request_id, hint=faults.hint(error))


def each(
    client: AccountClient,
    kind: AwsType,
    requests: Sequence[Request],
    act: Callable[[Work], Outcome],
    patience: Patience,
) -> list[Outcome]:
    """The outcome of each request, in order, a few at a time."""

    def one(request: Request) -> Outcome:
        work = Work(client=client, request=request, type=kind)
        try:
            outcome = act(work)
        except ProviderError as error:
            return _of_all(work, patience.outcome(request.object_id, error, client.clock.now()))
        except _MISTAKES as error:
            # Without the text of the error: it may repeat a secret, and only outcomes are masked.
            where, name = format_tb(error.__traceback__), type(error).__name__
            _log.warning("act.raised", type=request.type, object_id=request.object_id, error=name, where=where)
            return _of_mistake(work, error)
        patience.renew(request.object_id)
        return outcome

    return client.each(one, requests)


def _of_mistake(work: Work, error: Exception) -> Outcome:
    """The outcome of an act that a mistake of ours ended."""
    message = f"Tenuto made a mistake with {work.request.type}: {error!r}."
    hint = "Report it with the log of the Conductor; 'tenuto retry' tries again."
    if work.sent and work.request.physical_id is None:
        return Pending(message=message, code=_CODE, is_held=True, patience_s=_OUTAGE_S, hint=hint)
    return Refused(message=message, code=_CODE, hint=hint)


def _of_all(work: Work, outcome: Outcome) -> Outcome:
    """The outcome of an act whose last call failed: whether nothing was done says each call for itself alone."""
    if not isinstance(outcome, Pending):
        return outcome
    return replace(outcome, is_undone=not work.sent or (outcome.is_undone and not work.done))
