"""A DynamoDB table as a sweep shows it, in the shape in which tables are declared.

A table is described by one call at every sweep; its time to live, its backups, the stream that is told of its changes,
its contributor insights, its policy, that of its stream and its tags cost another one each, where they are declared.
"""

from collections.abc import Callable, Mapping

from tenuto.core.planning.equality.values import means_same
from tenuto.errors import ProviderError
from tenuto.model.ids import Json, JsonMap
from tenuto.model.observation import Condition
from tenuto.model.resource import Comparison, Rule
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.client.answers.pages import Paging
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import Scope, Seen, Work
from tenuto.providers.aws.observed import seen
from tenuto.providers.aws.types import dynamodb_insights, dynamodb_policies, dynamodb_throughput
from tenuto.providers.aws.types.tag_calls import TagCalls

NAME = "AWS::DynamoDB::Table"
CONDITIONS: Mapping[str, Condition] = {
    "CREATING": Condition.PENDING,
    "UPDATING": Condition.PENDING,
    "DELETING": Condition.GOING,
}
_LIST = Paging(
    service="dynamodb",
    operation="ListTables",
    members="TableNames",
    token_in="ExclusiveStartTableName",
    token_out="LastEvaluatedTableName",
    size_name="Limit",
    page_size=100,
)
TAGS = TagCalls(
    service="dynamodb",
    list_call="ListTagsOfResource",
    id_name="ResourceArn",
    identify=lambda work: work.request.attributes.get("Arn") or described(work)["TableArn"],
)
INDEX_RULES: Mapping[str, Rule] = {
    f"{name}{path}": Comparison.SET
    for name in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes")
    for path in ("", ".Projection.NonKeyAttributes")
}
"""Neither indexes nor the attributes that one projects have an order."""
INDEX_PARTS = ("IndexName", "KeySchema", "Projection")
"""The members of an index that nothing changes."""


def read(client: AccountClient, scope: Scope) -> list[Seen]:
    if scope.names is not None:
        return named(client, scope.named(NAME), _BY_NAME)
    names = sorted(str(name) for name in client.pages(_LIST))
    tables = _tables(client, [name for name in names if scope.is_tracked(NAME, name)])
    spared = {name: scope.spared(NAME, name) for name in tables}
    shown = _seen(tables, scope.details(client, NAME, tables, lambda asked: _details(client, asked, tables, spared)))
    others = [name for name in names if not scope.is_tracked(NAME, name)]
    return shown + [seen(NAME, name, {"TableName": name}, tags=()) for name in others]


def named(client: AccountClient, names: list[str], details: frozenset[str]) -> list[Seen]:
    """Tables by their names, with these details as they are now. Those that are not there are left out."""
    tables = _tables(client, names)
    return _seen(tables, _details(client, dict.fromkeys(tables, details), tables))


def _tables(client: AccountClient, names: list[str]) -> dict[str, JsonMap]:
    """Return the descriptions of the tables that exist."""
    return client.each_there(lambda name: _described(client, name), names)


def _details(
    client: AccountClient,
    asked: Mapping[str, frozenset[str]],
    tables: Mapping[str, JsonMap],
    spared: Mapping[str, frozenset[str]] | None = None,
) -> dict[str, JsonMap]:
    """The facts that the description of a table does not show, as far as asked for; without tables that are gone."""
    sparing = spared or {}
    return client.each_there(
        lambda name: {
            detail: _detail(client, detail, tables[name], is_spared=detail in sparing.get(name, ()))
            for detail in sorted(asked[name])
        },
        asked,
    )


def _detail(client: AccountClient, detail: str, table: JsonMap, *, is_spared: bool) -> Json:
    """One of the facts; nothing where AWS or an emulator does not serve a fact that is not declared."""
    try:
        return DETAILS[detail](client, table)
    except ProviderError as error:
        if is_spared and faults.is_missing_part(error):
            return None
        raise


def _time_to_live(client: AccountClient, table: JsonMap) -> Json:
    answer = client.read("dynamodb", "DescribeTimeToLive", TableName=table["TableName"])
    return _lasting(answer["TimeToLiveDescription"])


def _recovery(client: AccountClient, table: JsonMap) -> Json:
    answer = client.read("dynamodb", "DescribeContinuousBackups", TableName=table["TableName"])
    return _recovered(answer["ContinuousBackupsDescription"])


def _streaming(client: AccountClient, table: JsonMap) -> Json:
    shown = destination(client, str(table["TableName"]))
    if shown.get("DestinationStatus") not in ("ACTIVE", "ENABLING", "UPDATING"):
        return None
    names = ("StreamArn", "ApproximateCreationDateTimePrecision")
    return {name: shown[name] for name in names if name in shown}


def destination(client: AccountClient, name: str) -> JsonMap:
    """The stream of Kinesis that is told of each change of a table, or was last; empty when there was none."""
    answer = client.read("dynamodb", "DescribeKinesisStreamingDestination", TableName=name)
    found = list(answer.get("KinesisDataStreamDestinations") or ())
    # One that was turned off is shown for a while.
    found.sort(key=lambda one: one.get("DestinationStatus") in ("DISABLED", "ENABLE_FAILED"))
    return found[0] if found else {}


DETAILS: Mapping[str, Callable[[AccountClient, JsonMap], Json]] = {
    dynamodb_insights.NAME: dynamodb_insights.of_table,
    dynamodb_insights.OF_INDEXES: dynamodb_insights.of_indexes,
    dynamodb_policies.NAME: dynamodb_policies.of_table,
    dynamodb_policies.OF_STREAM: dynamodb_policies.of_stream,
    "KinesisStreamSpecification": _streaming,
    "PointInTimeRecoverySpecification": _recovery,
    "Tags": lambda client, table: TAGS.read(client, table["TableArn"]),
    "TimeToLiveSpecification": _time_to_live,
}

_BY_NAME = frozenset({"PointInTimeRecoverySpecification", "Tags", "TimeToLiveSpecification"})
"""The details of a table that is looked up. The rest comes with the next sweep, where the account allows that."""


def _seen(tables: Mapping[str, JsonMap], details: Mapping[str, JsonMap]) -> list[Seen]:
    """The tables with these details."""
    return [
        seen(
            NAME,
            name,
            _detailed(tables[name], more),
            attributes=attributes(tables[name]),
            tags=more.get("Tags") or (),
            condition=CONDITIONS.get(str(tables[name].get("TableStatus")), Condition.READY),
        )
        for name, more in details.items()
    ]


def _detailed(table: JsonMap, details: JsonMap) -> dict[str, Json]:
    """The properties of a table with these details. Those of an index or a stream stand within another property."""
    found = _properties(table) | {name: one for name, one in details.items() if name != "Tags" and "." not in name}
    policies, stream = details.get(dynamodb_policies.OF_STREAM) or {}, found["StreamSpecification"]
    if stream and (policy := policies.get(table.get("LatestStreamArn"))):
        found["StreamSpecification"] = {**stream, dynamodb_policies.NAME: policy}
    insights = details.get(dynamodb_insights.OF_INDEXES) or {}
    for index in found["GlobalSecondaryIndexes"]:
        if index["IndexName"] in insights:
            index[dynamodb_insights.NAME] = insights[index["IndexName"]]
    return found


def attributes(table: JsonMap) -> dict[str, Json]:
    return {"Arn": table["TableArn"], "StreamArn": table.get("LatestStreamArn")}


def _properties(table: JsonMap) -> dict[str, Json]:
    """Return the properties that the description of a table shows: neither its time to live nor its backups."""
    billing = (table.get("BillingModeSummary") or {}).get("BillingMode") or "PROVISIONED"
    throughput = dict.fromkeys((dynamodb_throughput.LIMITS, dynamodb_throughput.PROVISIONED))
    return {
        **throughput,
        **dynamodb_throughput.shown(table, billing),
        "AttributeDefinitions": table.get("AttributeDefinitions"),
        "BillingMode": billing,
        "DeletionProtectionEnabled": bool(table.get("DeletionProtectionEnabled")),
        "GlobalSecondaryIndexes": [_index(one, billing) for one in table.get("GlobalSecondaryIndexes") or ()],
        "KeySchema": table.get("KeySchema"),
        "LocalSecondaryIndexes": [_index(one, "") for one in table.get("LocalSecondaryIndexes") or ()],
        "SSESpecification": _encryption(table.get("SSEDescription") or {}),
        "StreamSpecification": _stream(table.get("StreamSpecification") or {}),
        "TableClass": (table.get("TableClassSummary") or {}).get("TableClass"),
        "TableName": table.get("TableName"),
    }


def is_same_index(one: JsonMap, other: JsonMap) -> bool:
    """Whether the global index need not be made anew."""
    lasting = {name: one[name] for name in INDEX_PARTS if name in one}
    return means_same([lasting], [{name: other.get(name) for name in lasting}], INDEX_RULES, "GlobalSecondaryIndexes")


def _index(index: JsonMap, billing: str) -> dict[str, Json]:
    """An index, a local one without any billing."""
    throughput = dynamodb_throughput.shown(index, billing) if billing else {}
    return {**{name: index[name] for name in INDEX_PARTS if name in index}, **throughput}


def _encryption(description: JsonMap) -> dict[str, Json]:
    if description.get("Status") not in ("ENABLED", "ENABLING", "UPDATING"):
        return {"SSEEnabled": False}
    kept = {"SSEType": description.get("SSEType"), "KMSMasterKeyId": description.get("KMSMasterKeyArn")}
    return {"SSEEnabled": True, **{name: value for name, value in kept.items() if value}}


def _stream(specification: JsonMap) -> Json:
    return {"StreamViewType": specification["StreamViewType"]} if specification.get("StreamEnabled") else None


def _recovered(backups: JsonMap) -> dict[str, Json]:
    """The PointInTimeRecoverySpecification, from the description of the backups."""
    found = backups.get("PointInTimeRecoveryDescription") or {}
    is_on, days = found.get("PointInTimeRecoveryStatus") == "ENABLED", found.get("RecoveryPeriodInDays")
    return {"PointInTimeRecoveryEnabled": is_on, **({"RecoveryPeriodInDays": days} if is_on and days else {})}


def _lasting(description: JsonMap) -> dict[str, Json]:
    """The TimeToLiveSpecification."""
    is_on = description.get("TimeToLiveStatus") in ("ENABLED", "ENABLING")
    name = description.get("AttributeName")
    return {"Enabled": is_on, **({"AttributeName": name} if name else {})}


def described(work: Work) -> JsonMap:
    """The description of the table that the work is about. Raises when there is none."""
    return _described(work.client, str(work.id))


def _described(client: AccountClient, name: str) -> JsonMap:
    found: JsonMap = client.read("dynamodb", "DescribeTable", TableName=name)["Table"]
    return found
