"""The accounts that a provider may act in, as its adapter asks for them."""

from typing import Protocol

from tenuto.model.account import Account, ByRole


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

    def external_id(self, access: ByRole) -> str | None:
        """Return the external id of the role in clear; None without one. Raises PermanentError when it cannot be
        opened.
        """
        ...
