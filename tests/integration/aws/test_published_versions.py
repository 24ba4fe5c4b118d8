"""Versions of functions, which Lambda publishes once for unchanged code: none is taken for ours that is not."""

from collections.abc import Callable, Iterator
from typing import Any

import botocore.session
import pytest

from tenuto.model.ids import LogicalId, Partition, TypeName
from tenuto.model.outcome import Done, Refused, Request
from tenuto.providers.aws.provider import AwsProvider
from tenuto_testing.ids import SeededIds
from tenuto_testing.ops import RecordedOps
from tenuto_testing.provider_conformance import Bench, Example, ProviderCase

ROLE = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole"}],
}
NEEDS = (
    Example(name=LogicalId("Role"), type=TypeName("AWS::IAM::Role"), properties={"AssumeRolePolicyDocument": ROLE}),
    Example(
        name=LogicalId("Fn"),
        type=TypeName("AWS::Lambda::Function"),
        properties={
            "Role": {"Fn::GetAtt": ["Role", "Arn"]},
            "Runtime": "python3.12",
            "Handler": "index.run",
            "Code": {"ZipFile": "def run(event, context): pass"},
        },
    ),
)


@pytest.fixture
def bench(provider: AwsProvider, partition: Partition, ids: SeededIds, ops: RecordedOps) -> Iterator[Bench]:
    case = ProviderCase(
        provider=provider, partition=partition, examples=NEEDS, ids=ids, ops=ops, wait=lambda seconds: None
    )
    with Bench(case) as made:
        made.make_all()
        yield made


@pytest.fixture
def client(session: botocore.session.Session) -> Any:
    return session.create_client("lambda", region_name="us-east-1")


@pytest.fixture
def version(bench: Bench) -> Callable[..., Request]:
    def request(name: str, **more: str) -> Request:
        properties = {"FunctionName": {"Ref": "Fn"}, **more}
        example = Example(name=LogicalId(name), type=TypeName("AWS::Lambda::Version"), properties=properties)
        return bench.request(example)

    return request


def published(client: Any, bench: Bench) -> list[str]:
    name = bench.requests[LogicalId("Fn")].physical_id
    return [one["Version"] for one in client.list_versions_by_function(FunctionName=name)["Versions"][1:]]


def test_a_version_of_another_with_the_same_code_is_neither_taken_nor_deleted(
    bench: Bench, client: Any, version: Callable[..., Request]
) -> None:
    name = bench.requests[LogicalId("Fn")].physical_id
    client.publish_version(FunctionName=name, Description="the first")
    request = version("Edition", Description="the first")
    (outcome,) = bench.provider.create(bench.partition, [request])
    assert isinstance(outcome, Refused)
    assert outcome.code == "AlreadyPublished"
    assert "version 1" in outcome.message
    assert "Tenuto did not make it" in outcome.message
    assert bench.provider.find(bench.partition, [request]) == [None]
    assert published(client, bench) == ["1"]


def test_a_version_under_a_new_name_with_the_same_code_is_refused_with_the_former_name(
    bench: Bench, client: Any, version: Callable[..., Request]
) -> None:
    bench.make(version("Edition"))
    (outcome,) = bench.provider.create(bench.partition, [version("SecondEdition")])
    assert isinstance(outcome, Refused)
    assert "Edition), so it cannot become SecondEdition" in outcome.message
    assert "keep the former name" in outcome.message
    assert published(client, bench) == ["1"]


def test_the_deletion_of_a_version_leaves_the_function_and_its_other_versions(
    bench: Bench, client: Any, version: Callable[..., Request]
) -> None:
    made = bench.make(version("Edition", Description="ours"))
    name = bench.requests[LogicalId("Fn")].physical_id
    client.update_function_configuration(FunctionName=name, Timeout=9)
    client.publish_version(FunctionName=name)
    bench.remove(made)
    assert published(client, bench) == ["2"]


def test_a_request_that_arrives_twice_publishes_once_and_is_answered_alike(
    bench: Bench, client: Any, version: Callable[..., Request]
) -> None:
    request = version("Edition")
    first, second = (bench.provider.create(bench.partition, [request])[0] for _ in range(2))
    assert isinstance(first, Done)
    assert isinstance(second, Done)
    assert first.physical_id == second.physical_id
    assert published(client, bench) == ["1"]


def test_a_description_without_room_for_the_mark_is_refused_before_anything_is_published(
    bench: Bench, client: Any, version: Callable[..., Request]
) -> None:
    (outcome,) = bench.provider.create(bench.partition, [version("Edition", Description="x" * 250)])
    assert isinstance(outcome, Refused)
    assert "shorten it" in outcome.message
    assert published(client, bench) == []
