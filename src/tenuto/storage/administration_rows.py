"""Rows of the administration and the values they hold."""

import json
from typing import Any

from tenuto.kit.canonical import to_text
from tenuto.kit.documents import dumps, loads
from tenuto.model.access import PolicyText, RuntimeSetting, UserSecret
from tenuto.model.account import Access, Account, ByEnvironment, ByProfile, ByRole
from tenuto.model.lease import Lease
from tenuto.model.notification import Delivery
from tenuto.model.rule import Rule, StoredRule
from tenuto.ports.store_administration import ProcessVersion
from tenuto.storage.columns import Row, fields_of, same_fields

_LEASE = ("holder", "epoch", "renewed_at", "expires_at")
_DELIVERY = ("sink", "number", "event_id", "tries", "next_at", "last_error", "died_at")
_POLICY = ("text", "file", "set_at", "set_by")
_SECRET = ("user", "key", "digest", "created_at", "created_by")
_SETTING = ("key", "value", "set_at", "set_by")
_RULE = ("added_at", "added_by")
_VERSION = ("fid", "composition_digest", "updated_at")
_WAYS = ("profile", "role_arn", "source", "external_id")


def policy_row(policy: PolicyText) -> dict[str, Any]:
    return fields_of(policy, _POLICY)


def policy_of(row: Row) -> PolicyText:
    return PolicyText(**same_fields(row, _POLICY))


def secret_row(secret: UserSecret) -> dict[str, Any]:
    return fields_of(secret, _SECRET)


def secret_of(row: Row) -> UserSecret:
    return UserSecret(**same_fields(row, _SECRET))


def setting_row(setting: RuntimeSetting) -> dict[str, Any]:
    return fields_of(setting, _SETTING)


def setting_of(row: Row) -> RuntimeSetting:
    return RuntimeSetting(**same_fields(row, _SETTING))


def lease_row(lease: Lease) -> dict[str, Any]:
    return fields_of(lease, _LEASE)


def lease_of(row: Row) -> Lease:
    return Lease(**same_fields(row, _LEASE))


def rule_row(stored: StoredRule) -> dict[str, Any]:
    return {**fields_of(stored, _RULE), "name": stored.rule.name, "document": dumps(stored.rule)}


def rule_of(row: Row) -> StoredRule:
    return StoredRule(rule=loads(Rule, row["document"]), **same_fields(row, _RULE))


def version_of(row: Row) -> ProcessVersion:
    return ProcessVersion(**same_fields(row, _VERSION))


def delivery_row(delivery: Delivery) -> dict[str, Any]:
    return {**fields_of(delivery, _DELIVERY), "document": to_text(delivery.document)}


def delivery_of(row: Row) -> Delivery:
    return Delivery(document=json.loads(row["document"]), **same_fields(row, _DELIVERY))


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
