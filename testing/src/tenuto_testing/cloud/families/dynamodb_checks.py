"""The checks of DynamoDB for a table: names, keys, the attributes of the keys, indexes and throughput."""

import re
from collections.abc import Iterable, Sequence

from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data

_NAME = re.compile(r"[a-zA-Z0-9_.-]{3,255}")
_MOST_GLOBAL = 20
_MOST_LOCAL = 5
_ROLES = (["HASH"], ["HASH", "RANGE"])


def invalid(why: str) -> Refusal:
    return Refusal("ValidationException", f"One or more parameter values were invalid: {why}")


def check_name(name: str) -> None:
    """Raises Refusal."""
    if not _NAME.fullmatch(name):
        raise Refusal(
            "ValidationException",
            f"Invalid table/index name '{name}'. Table/index names must be between 3 and 255 characters long, and may "
            "contain only the characters a-z, A-Z, 0-9, '_', '-', and '.'",
        )


def check_table(order: Data) -> None:
    """A whole order for a table. Raises Refusal."""
    billing = order.get("BillingMode", "PROVISIONED")
    local, others = order.get("LocalSecondaryIndexes") or [], order.get("GlobalSecondaryIndexes") or []
    check_throughput(order.get("ProvisionedThroughput"), billing, "the table")
    if not order.get("KeySchema"):
        raise invalid("Missing the key 'KeySchema' in CreateTable")
    keys = [order["KeySchema"], *(one["KeySchema"] for one in (*local, *others))]
    for key in keys:
        _check_key(key)
    _check_names([one["IndexName"] for one in (*local, *others)])
    if len(others) > _MOST_GLOBAL or len(local) > _MOST_LOCAL:
        raise invalid(f"there can be {_MOST_GLOBAL} global and {_MOST_LOCAL} local secondary indexes")
    for one in others:
        check_index(one, billing)
    for one in local:
        _check_projection(one)
        if len(one["KeySchema"]) < 2 or one["KeySchema"][0] != order["KeySchema"][0]:
            raise invalid(f"the local index {one['IndexName']} must have the table's hash key and a range key")
    check_attributes(order.get("AttributeDefinitions") or [], keys)


def check_attributes(definitions: Sequence[Data], keys: Iterable[Sequence[Data]]) -> None:
    """Every attribute of a key is defined, and every one that is defined is of a key. Raises Refusal."""
    defined = [one["AttributeName"] for one in definitions]
    used = {part["AttributeName"] for key in keys for part in key}
    if len(set(defined)) < len(defined):
        raise invalid("Duplicate AttributeName in AttributeDefinitions")
    if used - set(defined):
        raise invalid(
            f"Some index key attributes are not defined in AttributeDefinitions. Keys: {sorted(used)}, "
            f"AttributeDefinitions: {sorted(defined)}"
        )
    if set(defined) - used:
        raise invalid(
            "Some AttributeDefinitions are not used. AttributeDefinitions: "
            f"{sorted(defined)}, keys used: {sorted(used)}"
        )


def check_index(index: Data, billing: str) -> None:
    """A global index. Raises Refusal."""
    check_name(index["IndexName"])
    _check_key(index["KeySchema"])
    _check_projection(index)
    check_throughput(index.get("ProvisionedThroughput"), billing, f"the index {index['IndexName']}")


def check_throughput(wanted: Data | None, billing: str, what: str) -> None:
    """Raises Refusal."""
    if billing == "PAY_PER_REQUEST" and wanted:
        raise invalid(
            "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST"
        )
    if billing == "PROVISIONED" and not wanted:
        raise invalid(
            f"ReadCapacityUnits and WriteCapacityUnits must be specified for {what} when BillingMode is PROVISIONED"
        )


def check_stream(wanted: Data) -> None:
    """Raises Refusal."""
    if wanted["StreamEnabled"] != bool(wanted.get("StreamViewType")):
        raise invalid("StreamViewType must be given when a stream is enabled, and only then")


def _check_key(key: Sequence[Data]) -> None:
    if [part["KeyType"] for part in key] not in _ROLES:
        raise invalid("The first KeySchemaElement must be a HASH key, and a second one a RANGE key")
    if len({part["AttributeName"] for part in key}) < len(key):
        raise invalid("The hash and the range key must be two attributes")


def _check_projection(index: Data) -> None:
    projection = index.get("Projection") or {}
    kind = projection.get("ProjectionType")
    if not kind:
        raise invalid(f"Unknown ProjectionType: null of the index {index['IndexName']}")
    if (kind == "INCLUDE") != bool(projection.get("NonKeyAttributes")):
        raise invalid(f"ProjectionType is {kind}, and NonKeyAttributes go with INCLUDE, and only with it")


def _check_names(names: Sequence[str]) -> None:
    for name in names:
        check_name(name)
    if len(set(names)) < len(names):
        raise invalid(f"Duplicate index name: {sorted(names)}")
