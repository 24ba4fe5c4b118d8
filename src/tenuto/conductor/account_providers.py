"""The provider of each account: whom questions about its settings and its credentials go to.

A named account belongs to one provider. The default account is there for each of them: its credentials are those that
each provider finds by itself, and what a user asks about it goes to the provider that accounts are usually added for.
"""

from collections.abc import Mapping

from tenuto.conductor.absent_provider import AbsentProvider
from tenuto.errors import NotFoundError, UserError
from tenuto.kit.nearest import meant
from tenuto.model.account import Account, Identity, KnownCredentials
from tenuto.ports.accounts import CheckedSettings, GivenSettings, HasAccountSettings
from tenuto.ports.provider import Provider


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
        """Return what is known of an account's credentials, without a call. Of the default account all that the
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
