"""Accounts between the store and the providers: each side asks here for the knowledge of the other.

Questions about the settings and the credentials of an account go to its provider. A named account belongs to one
provider. The default account is there for each of them: its credentials are those that each provider finds by itself,
and the questions of users about it go to the provider that accounts are usually added for.

The accounts of the store, as providers ask for them, are `StoredAccounts`.
"""

from collections.abc import Mapping

from tenuto.conductor.providing.providers import AbsentProvider
from tenuto.core.access import accounts
from tenuto.errors import ConflictError, NotFoundError, PermanentError, UserError
from tenuto.kit.nearest import meant
from tenuto.model.account import Account, Identity, KnownCredentials
from tenuto.model.event import Event, EventType
from tenuto.ports.accounts import CheckedSettings, GivenSettings, HasAccountSettings
from tenuto.ports.clock import Clock
from tenuto.ports.provider import Provider
from tenuto.ports.secrets import Secrets, place_of_setting
from tenuto.ports.store import Store
from tenuto.ports.store_administration import SaveAccount
from tenuto.ports.store_changes import Append


class AccountProviders:
    """The providers that answer for accounts. `providers` has at least one, in the order of the settings."""

    def __init__(self, providers: Mapping[str, Provider]) -> None:
        self._providers = providers

    def named(self, name: str | None) -> str:
        """The provider of a new account. Without a name the first whose accounts have settings, or else the first.

        Raises NotFoundError.
        """
        if name is None:
            with_settings = (one for one, found in self._providers.items() if isinstance(found, HasAccountSettings))
            return next(with_settings, next(iter(self._providers)))
        if name not in self._providers:
            there = ", ".join(self._providers)
            raise NotFoundError(
                f"The Conductor runs without a provider {name!r}.{meant(name, self._providers)} It has: {there}. "
                f"Restart it with --provider {name}, beside those, or name one of them."
            )
        return name

    def check_settings(self, provider: str, settings: GivenSettings) -> CheckedSettings:
        """Check settings as the provider of this name reads them. Raises UserError; without the provider
        TransientError.
        """
        found = self._provider(provider)
        if isinstance(found, HasAccountSettings | AbsentProvider):
            return found.check_settings(settings)
        if settings.given:
            raise UserError(
                f"Accounts of the provider {provider} have no settings: leave out {', '.join(settings.given)}."
            )
        return CheckedSettings(settings={}, description=f"the provider {provider}, which needs no settings")

    def identify(self, account: Account) -> Identity:
        return self._provider(account.provider or self.named(None)).identify(account)

    def credentials(self, account: Account) -> KnownCredentials:
        """Return the known state of an account's credentials, without a call. Of the default account all that the
        providers know of it.
        """
        asked = [self._provider(account.provider)] if account.provider else list(self._providers.values())
        known = [provider.credentials(account.name) for provider in asked]
        return KnownCredentials(
            confirmed_at=min((one.confirmed_at for one in known if one.confirmed_at is not None), default=None),
            problem=" ".join(dict.fromkeys(one.problem for one in known if one.problem)),
        )

    def _provider(self, name: str) -> Provider:
        return self._providers.get(name) or AbsentProvider(name, ())


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
