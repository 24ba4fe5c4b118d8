"""A deployment says how the stage that it makes is set: at its creation, when that changes, and while it has it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from block_examples import BenchOf

from tenuto.model.ids import Json, JsonMap, LogicalId, TypeName
from tenuto.model.outcome import Refused
from tenuto_testing.provider_conformance import Example

API, RESOURCE, METHOD = (
    Example(name=LogicalId("Api"), type=TypeName("AWS::ApiGateway::RestApi"), properties={"Name": "shop"}),
    Example(
        name=LogicalId("Pets"),
        type=TypeName("AWS::ApiGateway::Resource"),
        properties={
            "RestApiId": {"Ref": "Api"},
            "ParentId": {"Fn::GetAtt": ["Api", "RootResourceId"]},
            "PathPart": "pets",
        },
    ),
    Example(
        name=LogicalId("Method"),
        type=TypeName("AWS::ApiGateway::Method"),
        properties={
            "RestApiId": {"Ref": "Api"},
            "ResourceId": {"Ref": "Pets"},
            "HttpMethod": "GET",
            "AuthorizationType": "NONE",
            "Integration": {"Type": "MOCK"},
        },
    ),
)
SETTINGS: JsonMap = {
    "Description": "what callers meet",
    "LoggingLevel": "INFO",
    "MetricsEnabled": True,
    "MethodSettings": [{"ResourcePath": "/pets", "HttpMethod": "GET", "ThrottlingBurstLimit": 7}],
    "Variables": {"table": "pets", "pace": "slow"},
}


def deployment(name: str = "Deployment", **properties: Json) -> Example:
    return Example(
        name=LogicalId(name),
        type=TypeName("AWS::ApiGateway::Deployment"),
        properties={"RestApiId": {"Ref": "Api"}, "Description": name, **properties},
    )


@pytest.fixture
def stage(stranger: Callable[[str], Any]) -> Callable[[], dict[str, Any]]:
    """The stage `prod` of the only API, as another user of the account sees it."""
    client = stranger("apigateway")

    def shown() -> dict[str, Any]:
        (api,) = client.get_rest_apis()["items"]
        return dict(client.get_stage(restApiId=api["id"], stageName="prod"))

    return shown


def test_a_stage_is_set_as_its_deployment_says(bench_of: BenchOf, stage: Callable[[], dict[str, Any]]) -> None:
    one = deployment(StageName="prod", StageDescription=SETTINGS)
    with bench_of((API, RESOURCE, METHOD, one)) as bench:
        *_, made = bench.make_all()
        shown = stage()
        assert (shown["description"], shown["variables"]) == (SETTINGS["Description"], SETTINGS["Variables"])
        assert shown["methodSettings"]["*/*"]["loggingLevel"] == "INFO"
        assert shown["methodSettings"]["*/*"]["metricsEnabled"] is True
        assert shown["methodSettings"]["~1pets/GET"]["throttlingBurstLimit"] == 7
        fewer = {"Description": "fewer", "Variables": {"table": "cats"}}
        made = bench.configure(replace(made, properties={**made.properties, "StageDescription": fewer}))
        shown = stage()
        assert (shown["description"], shown["variables"]) == ("fewer", {"table": "cats"})
        assert not shown["methodSettings"]
        calls = len(bench.case.ops.all)
        bench.configure(made)
        assert len(bench.case.ops.all) == calls


def test_the_settings_are_those_of_the_deployment_that_the_stage_has_now(
    bench_of: BenchOf, stage: Callable[[], dict[str, Any]]
) -> None:
    first = deployment("First", StageName="prod", StageDescription={"Description": "first"})
    second = deployment("Second", StageName="prod", StageDescription={"Description": "second"})
    with bench_of((API, RESOURCE, METHOD, first, second)) as bench:
        *_, made, _ = bench.make_all()
        later = {**made.properties, "StageDescription": {"Description": "first, changed"}}
        bench.configure(replace(made, properties=later))
        assert stage()["description"] == "second"


def test_settings_without_the_name_of_a_stage_are_refused(bench_of: BenchOf) -> None:
    with bench_of((API, RESOURCE, METHOD)) as bench:
        bench.make_all()
        nameless = deployment(StageDescription={"Description": "of which?"})
        (outcome,) = bench.provider.create(bench.partition, [bench.request(nameless)])
        assert isinstance(outcome, Refused)
        assert "no StageName says which" in outcome.message


def test_settings_of_a_stage_that_is_gone_are_refused(
    bench_of: BenchOf, stranger: Callable[[str], Any], stage: Callable[[], dict[str, Any]]
) -> None:
    one = deployment(StageName="prod", StageDescription={"Description": "there"})
    with bench_of((API, RESOURCE, METHOD, one)) as bench:
        *_, made = bench.make_all()
        client = stranger("apigateway")
        (api,) = client.get_rest_apis()["items"]
        client.delete_stage(restApiId=api["id"], stageName=stage()["stageName"])
        changed = replace(made, properties={**made.properties, "StageDescription": {"Description": "changed"}})
        (outcome,) = bench.provider.modify(bench.partition, [changed])
        assert isinstance(outcome, Refused)
        assert "The stage prod is gone" in outcome.message
