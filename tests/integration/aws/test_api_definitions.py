"""APIs that a template describes by an OpenAPI definition: taken at the birth, sent anew when they change, and no more.

The emulator takes definitions of OpenAPI 3 alone, and shows what they make.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tenuto.model.ids import JsonMap, LogicalId, Partition, TypeName
from tenuto.model.outcome import Done, Refused
from tenuto.providers.aws.provider import AwsProvider
from tenuto.providers.aws.types import apigateway_definition
from tenuto_testing.ids import SeededIds
from tenuto_testing.ops import RecordedOps
from tenuto_testing.provider_conformance import Bench, Example, ProviderCase

THING = LogicalId("Thing")
REST, HTTP = TypeName("AWS::ApiGateway::RestApi"), TypeName("AWS::ApiGatewayV2::Api")
PUTS = {REST: "PutRestApi", HTTP: "ReimportApi"}


def definition(*paths: str, title: str = "shop") -> JsonMap:
    integration = {
        "type": "http_proxy",
        "httpMethod": "GET",
        "uri": "https://example.com",
        "payloadFormatVersion": "1.0",
    }
    answers = {"200": {"description": "it is there"}}
    method = {"get": {"responses": answers, "x-amazon-apigateway-integration": integration}}
    return {"openapi": "3.0.1", "info": {"title": title, "version": "1"}, "paths": dict.fromkeys(paths, method)}


@pytest.fixture
def make(provider: AwsProvider, partition: Partition, ids: SeededIds, ops: RecordedOps) -> Callable[..., Bench]:
    def bench(name: TypeName, **properties: Any) -> Bench:
        thing = Example(name=THING, type=name, properties=properties)
        return Bench(
            ProviderCase(
                provider=provider, partition=partition, examples=(thing,), ids=ids, ops=ops, wait=lambda seconds: None
            )
        )

    return bench


def paths_of(stranger: Callable[[str], Any], name: TypeName, api: str) -> set[str]:
    if name == REST:
        shown = stranger("apigateway").get_resources(restApiId=api)["items"]
        return {one["path"] for one in shown if "resourceMethods" in one}
    return {one["RouteKey"].removeprefix("GET ") for one in stranger("apigatewayv2").get_routes(ApiId=api)["Items"]}


def changed(bench: Bench, properties: JsonMap) -> Done:
    """The outcome of an update, after what the last sweep shows, with what it leaves behind remembered."""
    request = replace(bench.requests[THING], properties=properties)
    request = replace(request, observed=bench.ready(request).properties)
    outcome = bench.until_done(bench.provider.modify, request)
    assert isinstance(outcome, Done)
    bench.requests[THING] = replace(request, attributes={**request.attributes, **outcome.attributes})
    return outcome


@pytest.mark.parametrize("name", [REST, HTTP])
def test_a_definition_is_taken_at_the_birth_and_again_only_when_it_changes(
    name: TypeName, make: Callable[..., Bench], stranger: Callable[[str], Any]
) -> None:
    with make(name, Body=definition("/items"), Description="all that is sold") as bench:
        bench.make_all()
        made = bench.requests[THING]
        api = str(made.physical_id)
        assert paths_of(stranger, name, api) == {"/items"}
        seen = bench.ready(made)
        # The template has the last word about the API itself.
        assert (seen.properties["Name"], seen.properties["Description"]) == ("shop", "all that is sold")

        def puts() -> int:
            return [op.operation for op in bench.case.ops.all].count(PUTS[name])

        assert puts() == 1
        changed(bench, {**made.properties, "Description": "all that was sold"})
        assert puts() == 1, "the definition is the same"
        changed(bench, {**made.properties, "Body": definition("/items", "/orders")})
        assert puts() == 2
        assert paths_of(stranger, name, api) == {"/items", "/orders"}
        bench.remove(bench.requests[THING])


@pytest.mark.parametrize("name", [REST, HTTP])
def test_an_api_whose_creation_lost_its_answer_gets_its_definition(
    name: TypeName, make: Callable[..., Bench], stranger: Callable[[str], Any]
) -> None:
    with make(name, Body=definition("/items")) as bench:
        request = bench.request(bench.case.examples[0])
        assert isinstance(bench.provider.create(bench.partition, [request])[0], Done)
        # The answer is lost, and with it the note of what was sent; a day later the API is found by its marks.
        found = bench.provider.find(bench.partition, [request])[0]
        assert found is not None
        request = replace(request, physical_id=found.physical_id, observed=found.properties)
        assert paths_of(stranger, name, str(found.physical_id)) == set()
        assert isinstance(bench.until_done(bench.provider.modify, request), Done)
        assert paths_of(stranger, name, str(found.physical_id)) == {"/items"}
        bench.remove(request)


def test_a_definition_may_stand_in_a_bucket(make: Callable[..., Bench], stranger: Callable[[str], Any]) -> None:
    store = stranger("s3")
    store.create_bucket(Bucket="definitions")
    store.put_object(Bucket="definitions", Key="shop.json", Body=json.dumps(definition("/items")).encode())
    with make(REST, Name="front", BodyS3Location={"Bucket": "definitions", "Key": "shop.json"}) as bench:
        bench.make_all()
        made = bench.requests[THING]
        assert paths_of(stranger, REST, str(made.physical_id)) == {"/items"}
        assert bench.ready(made).properties["Name"] == "front"
        bench.remove(made)


@pytest.mark.parametrize(("content", "told"), [(b"{" + b" " * 100, "more than"), (b"\xff\xfe", "no UTF-8 text")])
def test_what_is_no_definition_is_refused_with_its_place(
    content: bytes,
    told: str,
    make: Callable[..., Bench],
    stranger: Callable[[str], Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(apigateway_definition, "_LARGEST_BYTES", 64)
    store = stranger("s3")
    store.create_bucket(Bucket="definitions")
    store.put_object(Bucket="definitions", Key="shop.json", Body=content)
    with make(REST, Name="front", BodyS3Location={"Bucket": "definitions", "Key": "shop.json"}) as bench:
        request = bench.request(bench.case.examples[0])
        made = bench.provider.create(bench.partition, [request])[0]
        assert isinstance(made, Done)
        request = replace(request, physical_id=made.physical_id, attributes=made.attributes)
        outcome = bench.provider.modify(bench.partition, [request])[0]
        assert isinstance(outcome, Refused)
        assert told in outcome.message
        assert "s3://definitions/shop.json" in outcome.message
        bench.remove(request)
