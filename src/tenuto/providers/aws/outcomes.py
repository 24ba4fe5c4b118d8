"""The outcome of an act that met an error, and the patience with things that are too fresh for AWS to know them."""

import threading

from tenuto.errors import ProviderError, TakenError, TransientError
from tenuto.model.ids import Instant, ObjectId
from tenuto.model.outcome import Outcome, Pending, Refused
from tenuto.providers.aws.client.answers import faults

PATIENCE_S = 60.0
"""The time for which "there is no such thing" is taken for "not known here yet". EC2 and IAM mostly agree within
seconds."""
_ROLE_PATIENCE_S = 120.0
"""The time for which a service may not know a role, or a permission of one, which reach it later than ids do."""
OUTAGE_S = 120.0
"""The time for which a refusal may come from a clock, a renewal of credentials, or something on the way that keeps us
from the account. Longer would only hide from people that a permission is missing."""


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
            patience_s=OUTAGE_S,
            hint=faults.hint(error),
        )
    code = "ResourceAlreadyExists" if faults.is_taken(error) else error.code
    return Refused(
        message=str(error),
        code=code,
        request_id=error.request_id,
        hint=faults.hint(error),
        is_unsent=isinstance(error, TakenError),
    )
