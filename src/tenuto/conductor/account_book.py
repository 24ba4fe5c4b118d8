"""The accounts of the store, as providers ask for them."""

from tenuto.core.access import accounts
from tenuto.errors import ConflictError, PermanentError
from tenuto.model.account import Account
from tenuto.model.event import Event, EventType
from tenuto.ports.clock import Clock
from tenuto.ports.secrets import Secrets, place_of_setting
from tenuto.ports.store import Store
from tenuto.ports.store_administration import SaveAccount
from tenuto.ports.store_changes import Append

_ATTEMPTS = 5
"""An account is written when it is added, first used and changed; to lose five times in a row needs a fault."""
_ACTOR = "conductor"


class StoredAccounts:
    """Implements `ports.accounts.AccountBook`. Keeps nothing: a change of an account counts from the next call on."""

    def __init__(self, *, store: Store, secrets: Secrets, clock: Clock) -> None:
        self._store = store
        self._secrets = secrets
        self._clock = clock

    def account(self, name: str) -> Account:
        found = self._store.account(name)
        if found is not None:
            return found
        if name == accounts.OWN.name:
            return accounts.OWN
        raise PermanentError(
            f"The account {name} is not known any more. Add it again with 'tenuto account add {name}'.",
            code="UnknownAccount",
        )

    def confirm(self, name: str, account_id: str) -> None:
        for _ in range(_ATTEMPTS):
            account = self.account(name)
            confirmed = accounts.confirmed(account, account_id, self._store.accounts())
            if confirmed == account:
                return
            try:
                self._store.commit(self._learnt(confirmed))
            except ConflictError as faster:
                lost = faster
            else:
                return
        raise lost

    def secret(self, account: Account, setting: str) -> str | None:
        sealed = account.secrets.get(setting)
        return None if sealed is None else self._secrets.unseal(sealed, place_of_setting(account.name, setting))

    def _learnt(self, account: Account) -> tuple[SaveAccount, Append]:
        event = Event(
            at=self._clock.now(),
            type=EventType.ACCOUNT_CHANGED,
            subject=account.name,
            after=account.account_id or "",
            actor=_ACTOR,
            reason="used for the first time",
        )
        return SaveAccount(account=account, expected_generation=account.generation), Append(events=(event,))
