"""The accounts of a provider that stands alone."""

import threading

from tenuto.core.access import accounts
from tenuto.errors import PermanentError
from tenuto.model.account import Account


class OwnAccount:
    """Implements `ports.accounts.AccountBook` without a store: the default account, with the id that was found."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._own = accounts.OWN

    def account(self, name: str) -> Account:
        if name != self._own.name:
            raise PermanentError(f"There is no account {name} here, only {self._own.name}.", code="UnknownAccount")
        with self._lock:
            return self._own

    def confirm(self, name: str, account_id: str) -> None:
        account = self.account(name)
        with self._lock:
            self._own = accounts.confirmed(account, account_id, ())

    def secret(self, account: Account, setting: str) -> str | None:
        return account.secrets.get(setting)
