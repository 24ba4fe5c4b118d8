"""Credentials that sign nothing before AWS has said whose they are.

The rule is `core.access.accounts`. It is kept here, where botocore asks for the copy that signs a request, because
credentials may be renewed between any check and the signature. A set that was not confirmed, or not lately enough, is
shown to STS first, alone; when the answer is not the expected account, no copy is handed out, and so nothing is signed.
"""

import threading
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from botocore.credentials import Credentials, ReadOnlyCredentials

from tenuto.core.access.accounts import is_confirmed, to_change, to_read
from tenuto.errors import ProviderError, TransientError, UnconfirmedError
from tenuto.model.account import Account, Confirmation
from tenuto.model.ids import Instant
from tenuto.ports.clock import Clock
from tenuto.ports.provider import NOT_CONFIRMED
from tenuto.providers.aws.client.entrance.entering import entering
from tenuto.providers.aws.client.entrance.programs import LATE

Lost = Callable[[ProviderError], None]
"""Take the credentials as lost: their renewal came too late. Never raises."""
Ask = Callable[[ReadOnlyCredentials], str]
"""Ask whose credentials are: the id of the account, which is the expected one. Raises ProviderError."""


class GuardedCredentials(Credentials):  # type: ignore[misc] # botocore has no types
    """The credentials of an account. Thread-safe: one question at a time, and a caller that waited for it uses its
    answer.
    """

    def __init__(
        self, account: Account, inner: Credentials, ask: Ask, lost: Lost, clock: Clock, interval_s: float
    ) -> None:
        self.inner = inner
        self.method = inner.method
        self.confirmation: Confirmation | None = None
        """The last answer, as long as it is not contradicted."""
        self._account = account
        self._ask = ask
        self._lost = lost
        self._clock = clock
        self._interval_s = interval_s
        self._lock = threading.Lock()

    def get_frozen_credentials(self) -> ReadOnlyCredentials:
        """The credentials with which botocore signs a request. Raises ProviderError, and then nothing is signed."""
        return self.confirmed_since(to_read(self._clock.now(), self._interval_s))

    def confirm_to_change(self) -> None:
        """Be sure enough to change something. Raises ProviderError."""
        self.confirmed_since(to_change(self._clock.now(), self._interval_s))

    def confirmed_since(self, moment: Instant) -> ReadOnlyCredentials:
        """The credentials of now, confirmed at or after a moment. Raises ProviderError."""
        given = self._given()
        fingerprint = _fingerprint(given)
        with self._lock:
            if not is_confirmed(self.confirmation, fingerprint, moment):
                # The moment of the question: events while it is on its way are not covered by the answer.
                at = self._clock.now()
                self.confirmation = None
                account_id = self._asked(given)
                self.confirmation = Confirmation(account_id=account_id, fingerprint=fingerprint, at=at)
        return given

    def _given(self) -> ReadOnlyCredentials:
        """The credentials of now, renewed when their end is near."""
        try:
            with entering(self._account):
                return self.inner.get_frozen_credentials()
        except UnconfirmedError as error:
            if error.code == LATE:
                # The SDK would have each thread try again: from now on those that open the account do.
                self._lost(error)
            raise

    def _asked(self, given: ReadOnlyCredentials) -> str:
        """The account id of the credentials. A question that was lost says that the call behind it was never sent."""
        try:
            return self._ask(given)
        except TransientError as error:
            raise TransientError(
                f"{str(error).rstrip('.')}. Tenuto sends nothing before AWS confirms the account {self._account.name}, "
                "and asks again by itself.",
                code=NOT_CONFIRMED,
                request_id=error.request_id,
            ) from error

    def get_deferred_property(self, property_name: str) -> Any:
        return self.inner.get_deferred_property(property_name)


def _fingerprint(given: ReadOnlyCredentials) -> str:
    parts = (given.access_key, given.secret_key, given.token or "")
    return sha256("\0".join(parts).encode()).hexdigest()
