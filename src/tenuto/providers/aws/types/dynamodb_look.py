"""What a look shows of a DynamoDB table, in the shape in which tables are declared."""

from collections.abc import Mapping

from tenuto.core.equality import means_same
from tenuto.model.ids import Json, JsonMap
from tenuto.model.observation import Condition

NAME = "AWS::DynamoDB::Table"
CONDITIONS: Mapping[str, Condition] = {
    "CREATING": Condition.PENDING,
    "UPDATING": Condition.PENDING,
    "DELETING": Condition.GOING,
}
_THROUGHPUT = ("ReadCapacityUnits", "WriteCapacityUnits")


def properties_of(table: JsonMap, lasting: JsonMap, backups: JsonMap) -> dict[str, Json]:
    """From the descriptions of a table, of its time to live and of its backups."""
    billing = (table.get("BillingModeSummary") or {}).get("BillingMode") or "PROVISIONED"
    recovery = backups.get("PointInTimeRecoveryDescription") or {}
    is_recoverable = recovery.get("PointInTimeRecoveryStatus") == "ENABLED"
    days = recovery.get("RecoveryPeriodInDays")
    return {
        "AttributeDefinitions": table.get("AttributeDefinitions"),
        "BillingMode": billing,
        "DeletionProtectionEnabled": bool(table.get("DeletionProtectionEnabled")),
        "GlobalSecondaryIndexes": [_index(one, billing) for one in table.get("GlobalSecondaryIndexes") or ()],
        "KeySchema": table.get("KeySchema"),
        "LocalSecondaryIndexes": [_index(one, "") for one in table.get("LocalSecondaryIndexes") or ()],
        "PointInTimeRecoverySpecification": {
            "PointInTimeRecoveryEnabled": is_recoverable,
            **({"RecoveryPeriodInDays": days} if is_recoverable and days else {}),
        },
        "ProvisionedThroughput": _throughput(table) if billing == "PROVISIONED" else None,
        "SSESpecification": _encryption(table.get("SSEDescription") or {}),
        "StreamSpecification": _stream(table.get("StreamSpecification") or {}),
        "TableClass": (table.get("TableClassSummary") or {}).get("TableClass"),
        "TableName": table.get("TableName"),
        "TimeToLiveSpecification": _lasting(lasting),
    }


def is_same_index(one: JsonMap, other: JsonMap) -> bool:
    return means_same(one, other, {})


def _index(index: JsonMap, billing: str) -> dict[str, Json]:
    throughput = {"ProvisionedThroughput": _throughput(index)} if billing == "PROVISIONED" else {}
    names = ("IndexName", "KeySchema", "Projection")
    return {**{name: index[name] for name in names if name in index}, **throughput}


def _throughput(owner: JsonMap) -> dict[str, Json]:
    found = owner.get("ProvisionedThroughput") or {}
    return {name: found.get(name) for name in _THROUGHPUT}


def _encryption(description: JsonMap) -> dict[str, Json]:
    if description.get("Status") not in ("ENABLED", "ENABLING", "UPDATING"):
        return {"SSEEnabled": False}
    kept = {"SSEType": description.get("SSEType"), "KMSMasterKeyId": description.get("KMSMasterKeyArn")}
    return {"SSEEnabled": True, **{name: value for name, value in kept.items() if value}}


def _stream(specification: JsonMap) -> Json:
    return {"StreamViewType": specification["StreamViewType"]} if specification.get("StreamEnabled") else None


def _lasting(description: JsonMap) -> dict[str, Json]:
    is_on = description.get("TimeToLiveStatus") in ("ENABLED", "ENABLING")
    name = description.get("AttributeName")
    return {"Enabled": is_on, **({"AttributeName": name} if name else {})}
