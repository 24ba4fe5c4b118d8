"""A secret whose value AWS makes up: alone or in a document, anew only when its declaration changes."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tenuto.model.ids import LogicalId, Partition, TypeName
from tenuto.model.outcome import Done, Refused
from tenuto.providers.aws.provider import AwsProvider
from tenuto_testing.ids import SeededIds
from tenuto_testing.ops import RecordedOps
from tenuto_testing.provider_conformance import Bench, Example, ProviderCase

THING = LogicalId("Thing")
TEMPLATE = {"SecretStringTemplate": '{"username": "admin"}', "GenerateStringKey": "password"}
RULE = {**TEMPLATE, "PasswordLength": 20, "ExcludePunctuation": True}


@pytest.fixture
def bench(provider: AwsProvider, partition: Partition, ids: SeededIds, ops: RecordedOps) -> Bench:
    properties = {"Name": "front/generated", "GenerateSecretString": RULE}
    thing = Example(name=THING, type=TypeName("AWS::SecretsManager::Secret"), properties=properties)
    return Bench(
        ProviderCase(
            provider=provider, partition=partition, examples=(thing,), ids=ids, ops=ops, wait=lambda seconds: None
        )
    )


def test_the_value_is_a_member_of_the_document_and_is_made_anew_only_when_the_rule_changes(
    bench: Bench, stranger: Callable[[str], Any]
) -> None:
    def value() -> Any:
        return json.loads(stranger("secretsmanager").get_secret_value(SecretId="front/generated")["SecretString"])

    with bench:
        bench.make_all()
        first = value()
        assert first["username"] == "admin"
        assert (len(first["password"]), first["password"].isalnum()) == (20, True)

        made = bench.requests[THING]
        for properties, is_kept in (
            ({**made.properties, "Description": "for the front"}, True),
            ({**made.properties, "GenerateSecretString": {**RULE, "PasswordLength": 24}}, False),
        ):
            request = replace(bench.requests[THING], properties=properties)
            request = replace(request, observed=bench.ready(request).properties)
            outcome = bench.until_done(bench.provider.modify, request)
            assert isinstance(outcome, Done)
            assert (value() == first) is is_kept
            bench.requests[THING] = replace(request, attributes={**request.attributes, **outcome.attributes})
        assert len(value()["password"]) == 24


def test_half_a_rule_about_a_document_is_refused_before_anything_is_made(bench: Bench) -> None:
    with bench:
        rule = {"GenerateStringKey": "password"}
        thing = replace(bench.case.examples[0], properties={"Name": "front/half", "GenerateSecretString": rule})
        outcome = bench.provider.create(bench.partition, [bench.request(thing)])[0]
        assert isinstance(outcome, Refused)
        assert "go together" in outcome.message
        assert [op.operation for op in bench.case.ops.all] == []
