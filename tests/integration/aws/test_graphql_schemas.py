"""The schema of a GraphQL API: taken at the birth and when another one is declared, refused with the reason."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from tenuto.model.ids import JsonMap, LogicalId, Partition, PhysicalId, TypeName
from tenuto.model.outcome import Done, Pending, Refused
from tenuto.providers.aws.provider import AwsProvider
from tenuto_testing.ids import SeededIds
from tenuto_testing.ops import RecordedOps
from tenuto_testing.provider_conformance import Bench, Example, ProviderCase

THING = LogicalId("Thing")
GOOD = "type Query { one: String }"
OTHER = "type Query { two: Int }"
BROKEN = "type Query { one: "


@pytest.fixture
def api(stranger: Callable[[str], Any]) -> Iterator[str]:
    made = stranger("appsync").create_graphql_api(name="told", authenticationType="API_KEY")["graphqlApi"]["apiId"]
    yield made
    stranger("appsync").delete_graphql_api(apiId=made)


@pytest.fixture
def make(provider: AwsProvider, partition: Partition, ids: SeededIds, ops: RecordedOps) -> Callable[..., Bench]:
    def bench(**properties: Any) -> Bench:
        thing = Example(name=THING, type=TypeName("AWS::AppSync::GraphQLSchema"), properties=properties)
        return Bench(
            ProviderCase(
                provider=provider, partition=partition, examples=(thing,), ids=ids, ops=ops, wait=lambda seconds: None
            )
        )

    return bench


def updated(bench: Bench, properties: JsonMap) -> Done | Refused:
    request = replace(bench.requests[THING], properties=properties)
    request = replace(request, observed=bench.ready(request).properties)
    (outcome,) = bench.provider.modify(bench.partition, [request])
    while isinstance(outcome, Pending):
        again = replace(request, progress={**request.progress, **outcome.progress})
        (outcome,) = bench.provider.modify(bench.partition, [again])
    assert isinstance(outcome, Done | Refused)
    if isinstance(outcome, Done):
        bench.requests[THING] = replace(request, attributes={**request.attributes, **outcome.attributes})
    return outcome


def starts(bench: Bench) -> int:
    return [op.operation for op in bench.case.ops.all].count("StartSchemaCreation")


def test_a_schema_is_sent_once_for_each_declaration(
    api: str, make: Callable[..., Bench], stranger: Callable[[str], Any]
) -> None:
    with make(ApiId=api, Definition=GOOD) as bench:
        bench.make_all()
        assert bench.requests[THING].physical_id == PhysicalId(f"{api}GraphQLSchema")
        updated(bench, {"ApiId": api, "Definition": GOOD})
        assert starts(bench) == 1
        updated(bench, {"ApiId": api, "Definition": OTHER})
        assert starts(bench) == 2
        fields = stranger("appsync").get_type(apiId=api, typeName="Query", format="SDL")["type"]
        assert fields["name"] == "Query"
        bench.remove(bench.requests[THING])


def test_a_schema_may_stand_in_a_bucket(api: str, make: Callable[..., Bench], stranger: Callable[[str], Any]) -> None:
    stranger("s3").create_bucket(Bucket="schemas")
    stranger("s3").put_object(Bucket="schemas", Key="a/b.graphql", Body=OTHER.encode())
    with make(ApiId=api, DefinitionS3Location="s3://schemas/a/b.graphql") as bench:
        bench.make_all()
        assert stranger("appsync").get_schema_creation_status(apiId=api)["status"] in ("ACTIVE", "SUCCESS")
        bench.remove(bench.requests[THING])


def test_a_schema_that_cannot_be_taken_is_refused_and_the_one_before_comes_back(
    api: str, make: Callable[..., Bench]
) -> None:
    with make(ApiId=api, Definition=GOOD) as bench:
        bench.make_all()
        refused = updated(bench, {"ApiId": api, "Definition": BROKEN})
        assert isinstance(refused, Refused)
        assert "cannot take the schema of Thing" in refused.message
        assert isinstance(updated(bench, {"ApiId": api, "Definition": GOOD}), Done)
        bench.remove(bench.requests[THING])
