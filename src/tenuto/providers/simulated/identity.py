"""The identity behind the credentials of each account, as the simulated provider finds it out."""

import threading
from collections.abc import Callable

from tenuto.core.access import accounts
from tenuto.core.access.accounts import is_confirmed, to_change, to_read
from tenuto.errors import ProviderError
from tenuto.model.account import Account, Confirmation, KnownCredentials
from tenuto.model.ids import Instant
from tenuto.ports.clock import Clock
from tenuto.providers.simulated.cloud import Cloud


class Identities:
    """The answers of one life. Thread-safe. `meet` lets the question itself meet a fault."""

    def __init__(self, cloud: Cloud, clock: Clock, interval_s: float, meet: Callable[[str], None]) -> None:
        self.asked = 0
        """The number of times that the cloud was asked."""
        self._cloud = cloud
        self._clock = clock
        self._interval_s = interval_s
        self._meet = meet
        self._known: dict[str, Confirmation] = {}
        self._problems: dict[str, str] = {}
        self._lock = threading.Lock()

    def confirm_to_read(self, account: str) -> None:
        """Be sure enough to read. Raises UnconfirmedError and TransientError, as do the others."""
        self.confirm_since(account, to_read(self._clock.now(), self._interval_s))

    def confirm_to_change(self, account: str) -> None:
        self.confirm_since(account, to_change(self._clock.now(), self._interval_s))

    def confirm_since(self, account: str, moment: Instant) -> None:
        with self._lock:
            given = self._cloud.credentials(account)
            if is_confirmed(self._known.get(account), given.key, moment):
                return
            self._known.pop(account, None)
            self.asked += 1
            try:
                self._meet(account)
                expected = self._cloud.behaviour.accounts[account]
                own = Account(name=account, account_id=expected)
                accounts.confirmed(own, given.account_id, ())
            except ProviderError as error:
                self._problems[account] = str(error)
                raise
            self._problems.pop(account, None)
            self._known[account] = Confirmation(
                account_id=given.account_id, fingerprint=given.key, at=self._clock.now()
            )

    def credentials(self, account: str) -> KnownCredentials:
        """The known facts about the credentials, without a question."""
        with self._lock:
            known = self._known.get(account)
            return KnownCredentials(
                confirmed_at=known.at if known is not None else None, problem=self._problems.get(account, "")
            )
