"""A secret that is attached to a database says where it is, once, and keeps all else that is in it."""

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

THING = LogicalId("Attachment")
DATABASE = {"Engine": "postgres", "DBInstanceClass": "db.t3.micro", "AllocatedStorage": "20", "MasterUsername": "ann"}


@pytest.fixture
def make(provider: AwsProvider, partition: Partition, ids: SeededIds, ops: RecordedOps) -> Callable[..., Bench]:
    def bench(*databases: str, value: str = '{"username": "ann", "password": "w"}', kind: str = "DBInstance") -> Bench:
        made = [
            Example(
                name=LogicalId(name.title()),
                type=TypeName("AWS::RDS::DBInstance"),
                properties={**DATABASE, "DBInstanceIdentifier": name, "MasterUserPassword": "correct-horse"},
            )
            for name in databases
        ]
        secret = Example(
            name=LogicalId("Secret"),
            type=TypeName("AWS::SecretsManager::Secret"),
            properties={"Name": "front/db", "SecretString": value},
        )
        attachment = Example(
            name=THING,
            type=TypeName("AWS::SecretsManager::SecretTargetAttachment"),
            properties={"SecretId": {"Ref": "Secret"}, "TargetId": databases[0], "TargetType": f"AWS::RDS::{kind}"},
        )
        return Bench(
            ProviderCase(
                provider=provider,
                partition=partition,
                examples=(*made, secret, attachment),
                ids=ids,
                ops=ops,
                wait=lambda seconds: None,
            )
        )

    return bench


def document(stranger: Callable[[str], Any]) -> Any:
    return json.loads(stranger("secretsmanager").get_secret_value(SecretId="front/db")["SecretString"])


def writes(bench: Bench) -> int:
    return [op.operation for op in bench.case.ops.all].count("PutSecretValue")


def test_the_document_names_the_database_and_follows_another_declaration(
    make: Callable[..., Bench], stranger: Callable[[str], Any]
) -> None:
    with make("one", "two") as bench:
        bench.make_all()
        found = document(stranger)
        assert (found["username"], found["password"]) == ("ann", "w")
        assert (found["engine"], found["dbInstanceIdentifier"], found["port"]) == ("postgres", "one", 5432)
        assert found["host"].startswith("one.")
        made = bench.requests[THING]
        again = replace(made, observed=bench.ready(made).properties)
        assert isinstance(bench.until_done(bench.provider.modify, again), Done)
        assert writes(bench) == 1
        other = replace(again, properties={**made.properties, "TargetId": "two"})
        assert isinstance(bench.until_done(bench.provider.modify, other), Done)
        assert document(stranger)["dbInstanceIdentifier"] == "two"
        bench.remove(other)
        assert document(stranger)["password"] == "w"


def test_a_creation_that_was_cut_off_before_its_end_is_made_again(
    make: Callable[..., Bench], stranger: Callable[[str], Any]
) -> None:
    with make("one") as bench:
        bench.make_all()
        made = bench.requests[THING]
        # The document was written, and then the Conductor died: the mark is missing.
        stranger("secretsmanager").untag_resource(SecretId="front/db", TagKeys=["tenuto:attached"])
        request = replace(made, physical_id=None, attributes={})
        assert bench.provider.find(bench.partition, [request]) == [None]
        assert isinstance(bench.provider.create(bench.partition, [request])[0], Done)
        assert writes(bench) == 1
        assert bench.ready(made).properties["TargetId"] == "one"


@pytest.mark.parametrize(
    ("value", "kind", "told"),
    [
        ("open sesame", "DBInstance", "is no JSON document with members"),
        ('{"password": "w"}', "DBProxy", "a secret can be attached to AWS::DocDB::DBCluster"),
    ],
)
def test_what_cannot_be_attached_is_refused_without_the_value(
    value: str, kind: str, told: str, make: Callable[..., Bench]
) -> None:
    with make("one", value=value, kind=kind) as bench:
        for example in bench.case.examples[:-1]:
            bench.make(bench.request(example))
        outcome = bench.provider.create(bench.partition, [bench.request(bench.case.examples[-1])])[0]
        assert isinstance(outcome, Refused)
        assert told in outcome.message
        assert value not in outcome.message
