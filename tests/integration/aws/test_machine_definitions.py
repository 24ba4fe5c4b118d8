"""Machines of Step Functions whose definition stands in S3: read at the birth, and again when its place changes."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tenuto.model.ids import JsonMap, LogicalId, Partition, TypeName
from tenuto.model.outcome import Done, Refused
from tenuto.providers.aws.provider import AwsProvider
from tenuto.providers.aws.types import stepfunctions_state_machine
from tenuto_testing.ids import SeededIds
from tenuto_testing.ops import RecordedOps
from tenuto_testing.provider_conformance import Bench, Example, ProviderCase

THING = LogicalId("Thing")
BUCKET = "machine-definitions"


def definition(state: str) -> bytes:
    return json.dumps(
        {"StartAt": state, "States": {state: {"Type": "Pass", "Result": "${Word}", "End": True}}}
    ).encode()


@pytest.fixture
def make(
    provider: AwsProvider,
    partition: Partition,
    ids: SeededIds,
    ops: RecordedOps,
    stranger: Callable[[str], Any],
) -> Callable[..., Bench]:
    store = stranger("s3")
    store.create_bucket(Bucket=BUCKET)

    def bench(**objects: bytes) -> Bench:
        for key, content in objects.items():
            store.put_object(Bucket=BUCKET, Key=key, Body=content)
        thing = Example(
            name=THING, type=TypeName("AWS::StepFunctions::StateMachine"), properties=declared(next(iter(objects)))
        )
        return Bench(
            ProviderCase(
                provider=provider, partition=partition, examples=(thing,), ids=ids, ops=ops, wait=lambda seconds: None
            )
        )

    return bench


def declared(key: str, word: str = "a") -> JsonMap:
    return {
        "RoleArn": "arn:aws:iam::123456789012:role/machines",
        "DefinitionS3Location": {"Bucket": BUCKET, "Key": key},
        "DefinitionSubstitutions": {"Word": word},
    }


def changed(bench: Bench, properties: JsonMap) -> None:
    request = replace(bench.requests[THING], properties=properties)
    request = replace(request, observed=bench.ready(request).properties)
    outcome = bench.until_done(bench.provider.modify, request)
    assert isinstance(outcome, Done)
    bench.requests[THING] = replace(request, attributes={**request.attributes, **outcome.attributes})


def test_a_definition_is_read_at_the_birth_and_when_its_place_or_a_word_changes(
    make: Callable[..., Bench], stranger: Callable[[str], Any]
) -> None:
    with make(first=definition("One"), second=definition("Two")) as bench:
        bench.make_all()
        arn = str(bench.requests[THING].physical_id)

        def shown() -> tuple[str, str]:
            found = json.loads(stranger("stepfunctions").describe_state_machine(stateMachineArn=arn)["definition"])
            (state,) = found["States"].items()
            return state[0], state[1]["Result"]

        assert shown() == ("One", "a")
        stranger("s3").put_object(Bucket=BUCKET, Key="first", Body=definition("Other"))
        changed(bench, declared("first"))
        assert shown() == ("One", "a"), "the place is the same"
        changed(bench, declared("second"))
        assert shown() == ("Two", "a")
        changed(bench, declared("second", "b"))
        assert shown() == ("Two", "b")
        bench.remove(bench.requests[THING])


def test_a_definition_that_is_too_large_is_refused_with_its_place(
    make: Callable[..., Bench], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stepfunctions_state_machine, "_LARGEST_BYTES", 16)
    with make(first=definition("One")) as bench:
        (outcome,) = bench.provider.create(bench.partition, [bench.request(bench.case.examples[0])])
        assert isinstance(outcome, Refused)
        assert f"s3://{BUCKET}/first" in outcome.message
