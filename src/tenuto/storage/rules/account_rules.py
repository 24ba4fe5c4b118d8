"""The rules of every store about accounts; `rules` has the rest."""

from collections.abc import Iterable, Sequence

from tenuto.core.access.accounts import entered_from
from tenuto.errors import BugError, ConflictError
from tenuto.model.account import Account
from tenuto.ports.store_administration import ExpectAccount, RemoveAccount, SaveAccount
from tenuto.ports.store_claims import names_of


def check_save_account(change: SaveAccount, stored: Account | None, holder: str | None) -> None:
    """Refuse old news, an id that changes, and an id that another name has. `holder` is the name that has it now."""
    account = change.account
    _check_generation(account.name, change.expected_generation, stored)
    if stored is not None and stored.account_id not in (None, account.account_id):
        raise BugError(
            f"account {account.name} is {stored.account_id} and cannot become {account.account_id}: its processes would"
            " be held in another place; remove it and add it again"
        )
    if account.account_id is not None and holder not in (None, account.name):
        raise ConflictError(f"{account.account_id} is the account {holder} already; an account has one name")


def check_remove_account(
    change: RemoveAccount,
    stored: Account | None,
    *,
    residents: Sequence[str],
    objects: Sequence[tuple[str, str]],
    others: Iterable[Account],
) -> None:
    """Refuse to remove an account that is needed, or one of an older generation. `residents` are the live processes
    that live there, and `objects` the types and names of the first live objects of requests.
    """
    _check_generation(change.name, change.expected_generation, stored)
    if residents:
        raise ConflictError(
            f"account {change.name} has live processes: {', '.join(residents)}; kill or release them first"
        )
    if objects:
        raise ConflictError(f"account {change.name} has live objects: {names_of(objects)}; delete them first")
    entered = entered_from(change.name, others)
    if entered:
        raise ConflictError(f"account {change.name} is the source of {', '.join(entered)}; remove those first")


def check_expected_account(change: ExpectAccount, stored: Account | None) -> None:
    """Refuse a commit for an account that was removed since it was looked up."""
    if stored is None or stored.created_at != change.created_at:
        raise ConflictError(f"account {change.name} was removed meanwhile: nothing can be made in it any more")


def _check_generation(name: str, expected: int, stored: Account | None) -> None:
    generation = stored.generation if stored else 0
    if generation != expected:
        raise ConflictError(
            f"account {name} is at generation {generation}, not {expected}: another writer changed it; read it again, "
            "then decide again"
        )
