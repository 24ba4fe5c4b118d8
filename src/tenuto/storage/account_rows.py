"""Rows of accounts and the values they hold."""

from typing import Any

from tenuto.model.account import Access, Account, ByEnvironment, ByProfile, ByRole
from tenuto.storage.rows import Row

_WAYS = ("profile", "role_arn", "source", "external_id")


def account_row(account: Account, generation: int) -> dict[str, Any]:
    return {
        "name": account.name,
        **{column: getattr(account.access, column, None) for column in _WAYS},
        "region": account.region,
        "account_id": account.account_id,
        "created_at": account.created_at,
        "generation": generation,
    }


def account_of(row: Row) -> Account:
    return Account(
        name=row["name"],
        access=_access_of(row),
        region=row["region"],
        account_id=row["account_id"],
        created_at=row["created_at"],
        generation=row["generation"],
    )


def _access_of(row: Row) -> Access:
    if row["profile"] is not None:
        return ByProfile(profile=row["profile"])
    if row["role_arn"] is not None:
        return ByRole(role_arn=row["role_arn"], source=row["source"], external_id=row["external_id"])
    return ByEnvironment()
