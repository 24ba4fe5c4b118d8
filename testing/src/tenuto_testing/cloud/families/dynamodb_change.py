"""Changes of a DynamoDB table: one at a time, none that changes nothing, and some not again for an hour."""

from collections.abc import Mapping
from typing import Any

from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.families.dynamodb_checks import (
    check_attributes,
    check_index,
    check_stream,
    check_throughput,
    invalid,
)
from tenuto_testing.cloud.families.dynamodb_table import (
    TABLE,
    active,
    awake,
    billing_of,
    encryption_of,
    index_of,
    name_of,
    seen,
    shown,
    stream_of,
    throughput,
)
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data, Thing

_DAYS = 35
_UNITS = ("ReadCapacityUnits", "WriteCapacityUnits")
_AT_ONCE = frozenset({"DeletionProtectionEnabled"})
"""Changes that do not make the table UPDATING."""


def _update(call: Call) -> Data:
    table = active(call, name_of(call))
    given = [name for name in call.parameters if name not in ("AttributeDefinitions", "TableName")]
    if not given:
        raise Refusal(
            "ValidationException",
            "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates or "
            "SSESpecification or ReplicaUpdates is required",
        )
    unknown = sorted(set(given) - _CHANGES.keys())
    if unknown:
        raise Refusal("UnknownOperationException", f"The strict cloud does not change {', '.join(unknown)} of tables.")
    changed: Data = {}
    for name in sorted(given):
        changed |= _CHANGES[name](call, table)
    data = call.edit(table)
    data.update(changed)
    if not _AT_ONCE.issuperset(given):
        data["TableStatus"] = "UPDATING"
        call.later(call.cloud.pace.table_s, lambda then: awake(then, table))
    return {"TableDescription": shown(data)}


def _billing(call: Call, table: Thing) -> Data:
    """Billing and throughput belong together."""
    before = (table.get("BillingModeSummary") or {}).get("BillingMode", "PROVISIONED")
    billing, wanted = call.want("BillingMode", before), call.want("ProvisionedThroughput")
    if billing == "PAY_PER_REQUEST" or billing != before:
        check_throughput(wanted, billing, "the table")
    if billing == before and wanted and _units(wanted) == _units(table["ProvisionedThroughput"]):
        raise Refusal(
            "ValidationException",
            "The provisioned throughput for the table will not change. The requested value equals the current value.",
        )
    if billing == "PROVISIONED" and billing != before:
        _check_indexes(call, table)
    found = {} if billing == before else billing_of(call, billing)
    if wanted or billing == "PAY_PER_REQUEST":
        found["ProvisionedThroughput"] = throughput(wanted)
    return found


def _check_indexes(call: Call, table: Thing) -> None:
    """A table that is to be billed for its throughput needs one of each index. Raises Refusal."""
    updates = [one.get("Update") or {} for one in call.want("GlobalSecondaryIndexUpdates") or ()]
    given = {one.get("IndexName"): one.get("ProvisionedThroughput") for one in updates}
    for index in table["GlobalSecondaryIndexes"]:
        check_throughput(given.get(index["IndexName"]), "PROVISIONED", f"the index {index['IndexName']}")


def _units(wanted: Data) -> tuple[int, ...]:
    return tuple(wanted[name] for name in _UNITS)


def _stream(call: Call, table: Thing) -> Data:
    wanted, present = call.want("StreamSpecification"), table.get("StreamSpecification")
    check_stream(wanted)
    if wanted["StreamEnabled"] and present:
        raise Refusal("ValidationException", f"Table already has an enabled stream: TableName: {table.id}")
    if not wanted["StreamEnabled"] and not present:
        raise Refusal("ValidationException", f"Table is not streaming: TableName: {table.id}")
    found = stream_of(call, wanted, table["TableArn"])
    if not wanted["StreamEnabled"]:
        found = {"StreamSpecification": None}
    return found


def _encryption(call: Call, table: Thing) -> Data:
    found = encryption_of(call, call.want("SSESpecification"))
    if found["SSEDescription"] == table.get("SSEDescription"):
        raise invalid("Table is already encrypted by given KMSMasterKey")
    return found


def _indexes(call: Call, table: Thing) -> Data:
    """One index comes or goes; its throughput may change together with others'. An attribute of a key keeps its
    type.
    """
    updates = call.want("GlobalSecondaryIndexUpdates")
    if sum("Update" not in one for one in updates) > 1:
        raise Refusal(
            "LimitExceededException",
            "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table",
        )
    kinds = {one["AttributeName"]: one["AttributeType"] for one in table["AttributeDefinitions"]}
    for one in call.want("AttributeDefinitions") or ():
        if kinds.get(name := one["AttributeName"], one["AttributeType"]) != one["AttributeType"]:
            raise invalid(f"Attribute {name} is of the type {kinds[name]} in a key of the table or of an index")
    present = {one["IndexName"]: one for one in table["GlobalSecondaryIndexes"]}
    before = (table.get("BillingModeSummary") or {}).get("BillingMode", "PROVISIONED")
    billing = call.want("BillingMode", before)
    for update in updates:
        ((way, wanted),) = update.items()
        name = wanted["IndexName"]
        if way == "Create":
            check_index(wanted, billing)
            if name in present:
                raise Refusal("ValidationException", f"Attempting to create an index which already exists: {name}")
            present[name] = index_of(wanted, table["TableArn"], "CREATING")
            continue
        if name not in present:
            raise Refusal("ResourceNotFoundException", f"Requested resource not found: Index: {name}")
        if way == "Delete":
            present[name] = {**present[name], "IndexStatus": "DELETING"}
        else:
            check_throughput(wanted["ProvisionedThroughput"], billing, f"the index {name}")
            units = throughput(wanted["ProvisionedThroughput"])
            present[name] = {**present[name], "IndexStatus": "UPDATING", "ProvisionedThroughput": units}
    staying = [one for one in present.values() if one["IndexStatus"] != "DELETING"]
    keys = [table["KeySchema"], *(one["KeySchema"] for one in (*table["LocalSecondaryIndexes"], *staying))]
    used = {part["AttributeName"] for key in keys for part in key}
    known = {
        one["AttributeName"]: one
        for one in (*table["AttributeDefinitions"], *(call.want("AttributeDefinitions") or ()))
    }
    definitions = [one for name, one in known.items() if name in used]
    check_attributes(definitions, keys)
    return {"AttributeDefinitions": definitions, "GlobalSecondaryIndexes": list(present.values())}


def _class(call: Call, table: Thing) -> Data:
    return {"TableClassSummary": {"TableClass": call.want("TableClass"), "LastUpdateDateTime": call.now}}


def _protection(call: Call, table: Thing) -> Data:
    return {"DeletionProtectionEnabled": call.want("DeletionProtectionEnabled")}


_CHANGES: Mapping[str, Any] = {
    "BillingMode": _billing,
    "DeletionProtectionEnabled": _protection,
    "GlobalSecondaryIndexUpdates": _indexes,
    "ProvisionedThroughput": _billing,
    "SSESpecification": _encryption,
    "StreamSpecification": _stream,
    "TableClass": _class,
}


def _lasting(call: Call) -> Data:
    """Time to live, as it is described: an ordered change is under way for up to an hour."""
    lasting: Data = seen(call, name_of(call)).thing.hidden["lasting"]
    if not lasting:
        return {"TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}}
    verb = "ENABL" if lasting["Enabled"] else "DISABL"
    is_under_way = call.now < lasting["until"]
    name = {"AttributeName": lasting["AttributeName"]} if lasting["Enabled"] or is_under_way else {}
    status = f"{verb}{'ING' if is_under_way else 'ED'}"
    return {"TimeToLiveDescription": {"TimeToLiveStatus": status, **name}}


def _let_last(call: Call) -> Data:
    table, wanted = active(call, name_of(call)), call.want("TimeToLiveSpecification")
    lasting = table.hidden["lasting"]
    if lasting and call.now < lasting["until"]:
        raise Refusal("ValidationException", "Time to live has been modified multiple times within a fixed interval")
    if bool(lasting.get("Enabled")) == wanted["Enabled"]:
        state = "enabled" if wanted["Enabled"] else "disabled"
        raise Refusal("ValidationException", f"TimeToLive is already {state}")
    pace = call.cloud.pace
    table.hidden["lasting"] = {**wanted, "until": call.now + pace.time_to_live_s * pace.times}
    return {"TimeToLiveSpecification": wanted}


def _backups(table: Thing) -> Data:
    is_on = table.hidden["is_recoverable"]
    days = {"RecoveryPeriodInDays": table.hidden["recovery_days"]} if is_on else {}
    recovery = {"PointInTimeRecoveryStatus": "ENABLED" if is_on else "DISABLED", **days}
    return {
        "ContinuousBackupsDescription": {
            "ContinuousBackupsStatus": "ENABLED",
            "PointInTimeRecoveryDescription": recovery,
        }
    }


def _describe_backups(call: Call) -> Data:
    return _backups(seen(call, name_of(call), "TableNotFoundException").thing)


def _back_up(call: Call) -> Data:
    table = call.place.table(TABLE).things.get(name_of(call))
    if table is None or table["TableStatus"] == "DELETING":
        raise Refusal("TableNotFoundException", f"Table not found: {name_of(call)}")
    if call.now < table.hidden["backups_at"]:
        raise Refusal(
            "ContinuousBackupsUnavailableException",
            f"Backups are being enabled for the table: {table.id}. Please retry later",
        )
    wanted = call.want("PointInTimeRecoverySpecification")
    table.hidden["is_recoverable"] = wanted["PointInTimeRecoveryEnabled"]
    table.hidden["recovery_days"] = wanted.get("RecoveryPeriodInDays", _DAYS)
    return _backups(table)


def _streams(call: Call) -> Data:
    """The streams of Kinesis that are told of the changes of a table: none, since no call here turns one on."""
    seen(call, name_of(call))
    return {"TableName": name_of(call), "KinesisDataStreamDestinations": []}


def _insights(call: Call) -> Data:
    """The contributor insights of a table: none, since no call here turns them on."""
    seen(call, name_of(call))
    return {"TableName": name_of(call), "ContributorInsightsStatus": "DISABLED"}


def _policy(call: Call) -> Data:
    """The policy of a table or its stream: none, since no call here puts one."""
    arn = str(call.want("ResourceArn"))
    seen(call, arn.rpartition("table/")[2].partition("/")[0])
    raise Refusal("PolicyNotFoundException", f"Resource-based policy not found for the provided ResourceArn: {arn}")


HANDLERS: Mapping[str, Any] = {
    "DescribeContinuousBackups": _describe_backups,
    "DescribeContributorInsights": _insights,
    "DescribeKinesisStreamingDestination": _streams,
    "DescribeTimeToLive": _lasting,
    "GetResourcePolicy": _policy,
    "UpdateContinuousBackups": _back_up,
    "UpdateTable": _update,
    "UpdateTimeToLive": _let_last,
}
