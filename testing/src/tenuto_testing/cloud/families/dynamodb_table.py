"""DynamoDB tables: made and deleted in a while, and in between not to be touched."""

from collections.abc import Mapping
from typing import Any

from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.families.dynamodb_checks import check_name, check_stream, check_table
from tenuto_testing.cloud.families.kms_key import key_arn
from tenuto_testing.cloud.families.plain_tags import TagCodes, tagged, untagged
from tenuto_testing.cloud.paging import cut
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.wire.xml import timestamp
from tenuto_testing.cloud.world import Data, Kind, Thing, View

TABLE = Kind(name="table", prefix="", id_name="TableName", not_found="ResourceNotFoundException")
_PAGE = 100
_TAGS_PAGE = 10
_CODES = TagCodes("ValidationException", "LimitExceededException")
_STATES = {"CREATING": "being created", "DELETING": "being deleted", "UPDATING": "being updated"}


def name_of(call: Call) -> str:
    """The table that is meant, which may be said by its ARN."""
    return str(call.want("TableName")).rpartition("table/")[2]


def seen(call: Call, name: str, code: str = "ResourceNotFoundException") -> View:
    """A table as the caller can see it. Raises Refusal."""
    view = call.place.sight(TABLE, name, call.horizon())
    if view is None:
        raise Refusal(code, f"Requested resource not found: Table: {name} not found")
    return view


def active(call: Call, name: str, code: str = "ResourceNotFoundException") -> Thing:
    """A table that takes changes. Raises Refusal."""
    table = seen(call, name, code).thing
    if table.gone_at is not None:
        raise Refusal(code, f"Requested resource not found: Table: {name} not found")
    state = table["TableStatus"]
    if state != "ACTIVE":
        raise in_use(f"Table is {_STATES[state]}: {name}")
    return table


def in_use(why: str) -> Refusal:
    return Refusal("ResourceInUseException", f"Attempt to change a resource which is still in use: {why}")


def shown(data: Data) -> Data:
    """A table as it is described."""
    return {name: value for name, value in data.items() if name != "Tags" and value not in (None, [])}


def throughput(wanted: Data | None) -> Data:
    """As a table or an index shows it."""
    units = wanted or {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0}
    return {"NumberOfDecreasesToday": 0, **units}


def index_of(wanted: Data, arn: str, state: str | None) -> Data:
    """An index as it is described; local ones have neither state nor throughput."""
    found = {
        **{name: wanted[name] for name in ("IndexName", "KeySchema", "Projection")},
        "IndexArn": f"{arn}/index/{wanted['IndexName']}",
        "IndexSizeBytes": 0,
        "ItemCount": 0,
    }
    if state is None:
        return found
    return {**found, "IndexStatus": state, "ProvisionedThroughput": throughput(wanted.get("ProvisionedThroughput"))}


def stream_of(call: Call, wanted: Data | None, arn: str) -> Data:
    """The stream of a table, as the table shows it."""
    if not wanted or not wanted["StreamEnabled"]:
        return {"StreamSpecification": None, "LatestStreamArn": None, "LatestStreamLabel": None}
    label = timestamp(call.now).removesuffix("Z")
    return {
        "StreamSpecification": wanted,
        "LatestStreamArn": f"{arn}/stream/{label}",
        "LatestStreamLabel": label,
    }


def encryption_of(call: Call, wanted: Data | None) -> Data:
    """The encryption of a table, as the table shows it: nothing, when the key is DynamoDB's own."""
    if not wanted or not wanted.get("Enabled"):
        return {"SSEDescription": None}
    try:
        arn = key_arn(call, wanted.get("KMSMasterKeyId") or "alias/aws/dynamodb")
    except Refusal as unknown:
        raise Refusal("ValidationException", f"KMS key metadata retrieval failed: {unknown.message}") from unknown
    return {"SSEDescription": {"Status": "ENABLED", "SSEType": "KMS", "KMSMasterKeyArn": arn}}


def billing_of(call: Call, billing: str) -> Data:
    if billing == "PROVISIONED":
        return {"BillingModeSummary": None}
    return {"BillingModeSummary": {"BillingMode": billing, "LastUpdateToPayPerRequestDateTime": call.now}}


def awake(then: Call, table: Thing) -> None:
    """Make the table and its indexes ready after their creation or change."""
    if table["TableStatus"] in ("CREATING", "UPDATING"):
        data = then.edit(table)
        data["TableStatus"] = "ACTIVE"
        data["GlobalSecondaryIndexes"] = [
            {**one, "IndexStatus": "ACTIVE"}
            for one in data["GlobalSecondaryIndexes"]
            if one["IndexStatus"] != "DELETING"
        ]


def _create(call: Call) -> Data:
    name, order = call.want("TableName"), call.parameters
    check_name(name)
    check_table(order)
    if call.want("StreamSpecification"):
        check_stream(call.want("StreamSpecification"))
    tags = tagged([], call.want("Tags") or (), _CODES)
    if name in call.place.table(TABLE).things:
        raise Refusal("ResourceInUseException", f"Table already exists: {name}")
    arn = f"arn:aws:dynamodb:{call.region}:{call.account}:table/{name}"
    data = {
        "AttributeDefinitions": order["AttributeDefinitions"],
        "CreationDateTime": call.now,
        "DeletionProtectionEnabled": bool(order.get("DeletionProtectionEnabled")),
        "GlobalSecondaryIndexes": [index_of(one, arn, "CREATING") for one in order.get("GlobalSecondaryIndexes") or ()],
        "ItemCount": 0,
        "KeySchema": order["KeySchema"],
        "LocalSecondaryIndexes": [index_of(one, arn, None) for one in order.get("LocalSecondaryIndexes") or ()],
        "ProvisionedThroughput": throughput(order.get("ProvisionedThroughput")),
        "TableArn": arn,
        "TableClassSummary": {"TableClass": order["TableClass"]} if order.get("TableClass") else None,
        "TableId": call.cloud.ids.digits("table-id", 32),
        "TableSizeBytes": 0,
        "TableStatus": "CREATING",
        **billing_of(call, order.get("BillingMode", "PROVISIONED")),
        **stream_of(call, order.get("StreamSpecification"), arn),
        **encryption_of(call, order.get("SSESpecification")),
    }
    pace = call.cloud.pace
    hidden = {
        "backups_at": call.now + (pace.table_s + pace.backups_s) * pace.times,
        "is_recoverable": False,
        "recovery_days": 0,
        "lasting": {},
    }
    table = call.make(TABLE, data, id=name, hidden=hidden, is_asked_for=False)
    table.data["Tags"] = tags
    call.later(pace.table_s, lambda then: awake(then, table))
    return {"TableDescription": shown(table.data)}


def _describe(call: Call) -> Data:
    return {"Table": shown(seen(call, name_of(call)).data)}


def _list(call: Call) -> Data:
    names = sorted({view.thing.id for view in call.seen(TABLE)})
    start, size = call.want("ExclusiveStartTableName"), call.want("Limit", _PAGE)
    after = [name for name in names if name > (start or "")]
    page = after[:size]
    return {"TableNames": page, "LastEvaluatedTableName": page[-1]} if len(after) > size else {"TableNames": page}


def _delete(call: Call) -> Data:
    table = active(call, name_of(call))
    if table["DeletionProtectionEnabled"]:
        raise Refusal(
            "ValidationException",
            "Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection "
            "first.",
        )
    call.edit(table)["TableStatus"] = "DELETING"
    call.later(call.cloud.pace.table_s, lambda then: then.remove(table))
    return {"TableDescription": shown(table.data)}


def _of_arn(call: Call) -> str:
    return str(call.want("ResourceArn")).rpartition("table/")[2]


def _tag(call: Call) -> Data:
    table = active(call, _of_arn(call))
    tags = tagged(table.tags(), call.want("Tags"), _CODES)
    call.edit(table)["Tags"] = tags
    return {}


def _untag(call: Call) -> Data:
    table = active(call, _of_arn(call))
    call.edit(table)["Tags"] = untagged(table.tags(), call.want("TagKeys"))
    return {}


def _tags(call: Call) -> Data:
    tags = seen(call, _of_arn(call)).data["Tags"]
    page, token = cut(call, tags, lambda tag: tag["Key"], _TAGS_PAGE)
    return {"Tags": page, "NextToken": token} if token else {"Tags": page}


HANDLERS: Mapping[str, Any] = {
    "CreateTable": _create,
    "DeleteTable": _delete,
    "DescribeTable": _describe,
    "ListTables": _list,
    "ListTagsOfResource": _tags,
    "TagResource": _tag,
    "UntagResource": _untag,
}
