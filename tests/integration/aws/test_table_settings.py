"""Settings of a table of DynamoDB that have calls of their own, or that DynamoDB moves by itself: each is set, held and
taken away, and nothing else of the table is made anew for it.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from block_examples import BenchOf

from tenuto.model.ids import Json, LogicalId, TypeName
from tenuto_testing.provider_conformance import Bench, Example

TABLE = LogicalId("Orders")
INDEX: dict[str, Json] = {
    "IndexName": "owners",
    "KeySchema": [{"AttributeName": "owner", "KeyType": "HASH"}],
    "Projection": {"ProjectionType": "ALL"},
}
PROPERTIES: dict[str, Json] = {
    "TableName": "orders",
    "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("id", "owner")],
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "BillingMode": "PAY_PER_REQUEST",
    "GlobalSecondaryIndexes": [INDEX],
}
INSIGHTS = "ContributorInsightsSpecification"
LIMITS = "OnDemandThroughput"
WARM = "WarmThroughput"


def policy(action: str) -> dict[str, Json]:
    allowed = {"Effect": "Allow", "Principal": "*", "Action": f"dynamodb:{action}", "Resource": "*"}
    return {"PolicyDocument": {"Version": "2012-10-17", "Statement": [allowed]}}


@pytest.fixture
def bench(bench_of: BenchOf) -> Iterator[Bench]:
    example = Example(name=TABLE, type=TypeName("AWS::DynamoDB::Table"), properties=PROPERTIES, drift={}, copies=False)
    with bench_of((example,)) as found:
        yield found


@pytest.fixture
def client(stranger: Callable[[str], Any]) -> Any:
    return stranger("dynamodb")


def table_of(client: Any) -> Any:
    return client.describe_table(TableName="orders")["Table"]


def declared(bench: Bench, **more: Json) -> list[str]:
    """Give the table these properties besides, at its creation or later, and see that it has them: the calls."""
    properties = {**PROPERTIES, **more}
    before = len(bench.case.ops.all)
    if TABLE not in bench.requests:
        bench.make(bench.request(bench.case.examples[0], properties=properties))
    else:
        bench.configure(replace(bench.requests[TABLE], properties=properties))
    request = bench.requests[TABLE]
    assert bench.differing(request, bench.ready(request)) == ()
    return [op.operation for op in bench.case.ops.all[before:]]


def drifted(bench: Bench) -> tuple[str, ...]:
    request = bench.requests[TABLE]
    return bench.differing(request, bench.ready(request))


def retyped(**types: str) -> list[Json]:
    return [{"AttributeName": name, "AttributeType": types.get(name, "S")} for name in ("id", "owner")]


def test_an_index_is_made_anew_for_another_type_of_its_attribute(bench: Bench, client: Any) -> None:
    declared(bench)
    assert declared(bench, AttributeDefinitions=retyped(owner="N")) == ["UpdateTable", "UpdateTable"]
    table = table_of(client)
    assert sorted((one["AttributeName"], one["AttributeType"]) for one in table["AttributeDefinitions"]) == [
        ("id", "S"),
        ("owner", "N"),
    ]
    assert [one["IndexName"] for one in table["GlobalSecondaryIndexes"]] == ["owners"]


def test_all_indexes_go_before_the_first_comes_with_another_type(bench: Bench, client: Any) -> None:
    both: list[Json] = [INDEX, {**INDEX, "IndexName": "others"}]
    declared(bench, GlobalSecondaryIndexes=both)
    declared(bench, GlobalSecondaryIndexes=both, AttributeDefinitions=retyped(owner="N"))
    table = table_of(client)
    assert sorted(one["IndexName"] for one in table["GlobalSecondaryIndexes"]) == ["others", "owners"]


def test_insights_are_turned_on_held_and_changed(bench: Bench, client: Any) -> None:
    declared(bench, **{INSIGHTS: {"Enabled": True}})
    assert client.describe_contributor_insights(TableName="orders")["ContributorInsightsStatus"] == "ENABLED"
    client.update_contributor_insights(TableName="orders", ContributorInsightsAction="DISABLE")
    assert drifted(bench) == (INSIGHTS,)
    assert declared(bench, **{INSIGHTS: {"Enabled": "true", "Mode": "THROTTLED_KEYS"}}) == ["UpdateContributorInsights"]
    assert client.describe_contributor_insights(TableName="orders")["ContributorInsightsMode"] == "THROTTLED_KEYS"
    assert declared(bench, **{INSIGHTS: {"Enabled": False, "Mode": "THROTTLED_KEYS"}}) == ["UpdateContributorInsights"]
    assert client.describe_contributor_insights(TableName="orders")["ContributorInsightsStatus"] == "DISABLED"


def test_a_change_of_insights_waits_for_the_one_before(bench: Bench, client: Any) -> None:
    declared(bench, **{INSIGHTS: {"Enabled": False}})
    request = bench.requests[TABLE]
    shown = bench.ready(request).properties
    client.update_contributor_insights(TableName="orders", ContributorInsightsAction="ENABLE")
    wanted = {**request.properties, INSIGHTS: {"Enabled": True, "Mode": "THROTTLED_KEYS"}}
    before = len(bench.case.ops.all)
    bench.provider.modify(bench.partition, [replace(request, properties=wanted, observed=shown)])
    assert [op.operation for op in bench.case.ops.all[before:]] == [], "it is being turned on"
    assert declared(bench, **{INSIGHTS: wanted[INSIGHTS]}) == ["UpdateContributorInsights"]


def test_the_policy_of_a_table_is_there_from_the_beginning_and_held(bench: Bench, client: Any) -> None:
    assert declared(bench, ResourcePolicy=policy("GetItem")) == ["CreateTable"]
    arn = table_of(client)["TableArn"]
    client.delete_resource_policy(ResourceArn=arn)
    assert drifted(bench) == ("ResourcePolicy",)
    assert declared(bench, ResourcePolicy=policy("Query")) == ["PutResourcePolicy"]
    assert "dynamodb:Query" in client.get_resource_policy(ResourceArn=arn)["Policy"]
    assert declared(bench, ResourcePolicy=None) == ["DeleteResourcePolicy"]
    assert declared(bench, ResourcePolicy=None) == []


def test_the_policy_of_a_stream_changes_beside_the_stream(bench: Bench, client: Any) -> None:
    view = {"StreamViewType": "KEYS_ONLY"}
    assert declared(bench, StreamSpecification={**view, "ResourcePolicy": policy("GetRecords")}) == [
        "CreateTable",
        "PutResourcePolicy",
    ]
    stream = table_of(client)["LatestStreamArn"]
    assert "dynamodb:GetRecords" in client.get_resource_policy(ResourceArn=stream)["Policy"]
    client.delete_resource_policy(ResourceArn=stream)
    assert drifted(bench) == ("StreamSpecification",)
    changed = {**view, "ResourcePolicy": policy("DescribeStream")}
    assert declared(bench, StreamSpecification=changed) == ["PutResourcePolicy"]
    assert declared(bench, StreamSpecification={**view, "ResourcePolicy": None}) == ["DeleteResourcePolicy"]
    assert table_of(client)["LatestStreamArn"] == stream


def test_limits_on_demand_are_set_one_by_one_and_taken_away(bench: Bench, client: Any) -> None:
    assert declared(bench, **{LIMITS: {"MaxReadRequestUnits": 9, "MaxWriteRequestUnits": "8"}}) == ["CreateTable"]
    limits = {"MaxReadRequestUnits": 9, "MaxWriteRequestUnits": None}
    assert declared(bench, **{LIMITS: limits}) == ["UpdateTable"]
    assert table_of(client)[LIMITS] == {"MaxReadRequestUnits": 9, "MaxWriteRequestUnits": -1}
    client.update_table(TableName="orders", OnDemandThroughput={"MaxReadRequestUnits": 5})
    assert drifted(bench) == (LIMITS,)
    assert declared(bench, **{LIMITS: limits}) == ["UpdateTable"]
    assert declared(bench, **{LIMITS: None}) == ["UpdateTable"]
    assert table_of(client)[LIMITS]["MaxReadRequestUnits"] == -1
    assert declared(bench, **{LIMITS: None}) == []


def test_a_warm_throughput_is_raised_and_never_lowered(bench: Bench, client: Any) -> None:
    """The emulator refuses less than there is, as DynamoDB does."""
    assert declared(bench, **{WARM: {"ReadUnitsPerSecond": "13000"}}) == ["CreateTable"]
    client.update_table(TableName="orders", WarmThroughput={"ReadUnitsPerSecond": 15000, "WriteUnitsPerSecond": 5000})
    assert drifted(bench) == ()
    wanted = {"ReadUnitsPerSecond": 14000, "WriteUnitsPerSecond": 6000}
    assert declared(bench, **{WARM: wanted}) == ["UpdateTable"]
    assert wanted.items() <= {**table_of(client)[WARM], "ReadUnitsPerSecond": 14000}.items()
    assert table_of(client)[WARM]["ReadUnitsPerSecond"] == 15000


def test_the_settings_of_an_index_change_without_another_index(bench: Bench, client: Any) -> None:
    def index(**more: Json) -> dict[str, Json]:
        return {"GlobalSecondaryIndexes": [{**INDEX, **more}]}

    first = {LIMITS: {"MaxReadRequestUnits": 9}, WARM: {"ReadUnitsPerSecond": 13000}, INSIGHTS: {"Enabled": True}}
    assert declared(bench, **index(**first)) == ["CreateTable", "UpdateContributorInsights"]
    second = {
        LIMITS: {"MaxReadRequestUnits": 7, "MaxWriteRequestUnits": 6},
        WARM: {"ReadUnitsPerSecond": 14000},
        INSIGHTS: {"Enabled": True, "Mode": "THROTTLED_KEYS"},
    }
    assert declared(bench, **index(**second)) == ["UpdateTable", "UpdateContributorInsights"]
    [shown] = table_of(client)["GlobalSecondaryIndexes"]
    assert (shown[LIMITS], shown[WARM]["ReadUnitsPerSecond"]) == (second[LIMITS], 14000)
    asked = {"TableName": "orders", "IndexName": "owners"}
    assert client.describe_contributor_insights(**asked)["ContributorInsightsMode"] == "THROTTLED_KEYS"
    client.update_contributor_insights(**asked, ContributorInsightsAction="DISABLE")
    assert drifted(bench) == ("GlobalSecondaryIndexes",)
    assert declared(bench, **index(**second)) == ["UpdateContributorInsights"]
    off = {**second, INSIGHTS: {"Enabled": False}}
    assert declared(bench, **index(**off)) == ["UpdateContributorInsights"]


def test_the_provisioned_throughput_of_an_index_changes_in_place(bench: Bench, client: Any) -> None:
    few, more = ({"ReadCapacityUnits": units, "WriteCapacityUnits": units} for units in (5, 6))
    billing = {"BillingMode": "PROVISIONED", "ProvisionedThroughput": few}
    declared(bench, **billing, GlobalSecondaryIndexes=[{**INDEX, "ProvisionedThroughput": few}])
    assert declared(bench, **billing, GlobalSecondaryIndexes=[{**INDEX, "ProvisionedThroughput": more}]) == [
        "UpdateTable"
    ]
    [shown] = table_of(client)["GlobalSecondaryIndexes"]
    assert more.items() <= shown["ProvisionedThroughput"].items()


def test_a_table_that_is_billed_for_its_throughput_takes_that_of_its_indexes_along(bench: Bench, client: Any) -> None:
    units = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
    declared(bench)
    billing = {"BillingMode": "PROVISIONED", "ProvisionedThroughput": units}
    assert declared(bench, **billing, GlobalSecondaryIndexes=[{**INDEX, "ProvisionedThroughput": units}]) == [
        "UpdateTable"
    ]
    [shown] = table_of(client)["GlobalSecondaryIndexes"]
    assert units.items() <= shown["ProvisionedThroughput"].items()
