"""Accounts as providers see them: the book of those that there are, and the settings that lead into one.

Theory of operation. The core stores the settings of an account and does not know what they mean. A provider that has
settings has the face `HasAccountSettings`; it checks the settings that a user gives, and answers with the form that is
stored, with the values that must be sealed, and with the few facts that the core needs: a description for people, the
account that this one is entered from, and the id that the settings name. A provider without that face takes no
settings.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from tenuto.model.account import Account
from tenuto.model.ids import JsonMap


class AccountBook(Protocol):
    """The accounts, and the account id that each was found to lead to. Thread-safe; asked before every bulk call."""

    def account(self, name: str) -> Account:
        """Return the account as it is now. Raises PermanentError (`UnknownAccount`) when there is none."""
        ...

    def confirm(self, name: str, account_id: str) -> None:
        """Confirm that the credentials of the account lead to this account id. The first one is kept; another one than
        that is refused.

        Raises UnconfirmedError (`WrongAccount`), also when another name has the id. Nothing may be called with
        credentials that were not confirmed.
        """
        ...

    def secret(self, account: Account, setting: str) -> str | None:
        """Return a secret setting in clear; None when the account has none. Raises PermanentError when it cannot be
        opened.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenSettings:
    """The settings that a user gives an account: a new one, or one that is changed."""

    given: JsonMap
    """Plain values by name, secrets in clear; a value that is not given stays as it is."""
    before: Account | None
    """The account that is changed; None for a new one."""
    region: str | None
    """The region that the account will have."""
    name_of: Callable[[str], str]
    """The name of another account, by its name or id. Raises NotFoundError, naming the accounts that there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedSettings:
    """All settings of an account in the form that is stored, and the facts in them."""

    settings: JsonMap
    description: str
    """The way into the account, for people, without a secret. A part of a sentence: `the profile p`."""
    secrets: Mapping[str, str | None] = field(default_factory=dict)
    """The settings that are never shown: in clear, or None for one that stays as it is sealed."""
    source: str | None = None
    """The name of the account whose credentials this one is entered with."""
    account_id: str | None = None
    """The account id that the settings themselves name."""


@runtime_checkable
class HasAccountSettings(Protocol):
    """A provider whose accounts have settings."""

    def check_settings(self, settings: GivenSettings) -> CheckedSettings:
        """Check settings without a call to the provider. Raises UserError: for an unknown setting with those that there
        are.
        """
        ...
