"""A secret with replicas: the region of a replica does not show it as a thing of its own. A copy that failed is told
with its reason, and made once nothing stands against it.
"""

from dataclasses import replace
from typing import Any

import botocore.session
import pytest

from tenuto.model.ids import LogicalId, Partition, TypeName
from tenuto.model.outcome import Done, Refused
from tenuto.providers.aws.provider import AwsProvider
from tenuto_testing.ids import SeededIds
from tenuto_testing.ops import RecordedOps
from tenuto_testing.provider_conformance import Bench, Example, ProviderCase

THING = LogicalId("Thing")
SECRET = TypeName("AWS::SecretsManager::Secret")
NAME, ELSEWHERE = "front/replicated", "eu-west-1"


@pytest.fixture
def bench(provider: AwsProvider, partition: Partition, ids: SeededIds, ops: RecordedOps) -> Bench:
    properties = {"Name": NAME, "SecretString": "one", "ReplicaRegions": [{"Region": ELSEWHERE}]}
    thing = Example(name=THING, type=SECRET, properties=properties)
    return Bench(
        ProviderCase(
            provider=provider, partition=partition, examples=(thing,), ids=ids, ops=ops, wait=lambda seconds: None
        )
    )


@pytest.fixture
def elsewhere(session: botocore.session.Session, endpoint: str) -> Any:
    return session.create_client("secretsmanager", region_name=ELSEWHERE, endpoint_url=endpoint)


def test_a_replica_is_no_thing_of_its_region(bench: Bench, elsewhere: Any) -> None:
    with bench:
        bench.make_all()
        shown = elsewhere.list_secrets()["SecretList"]
        assert [(one["Name"], one["PrimaryRegion"]) for one in shown] == [(NAME, bench.partition.region)]
        source, there = bench.types[SECRET].source, replace(bench.partition, region=ELSEWHERE)
        assert [len(bench.provider.sweep(one, source, {})[SECRET].items) for one in (bench.partition, there)] == [1, 0]


def test_a_replica_that_failed_is_told_and_made_once_its_name_is_free(bench: Bench, elsewhere: Any) -> None:
    with bench:
        elsewhere.create_secret(Name=NAME, SecretString="another")
        made = bench.provider.create(bench.partition, [bench.request(bench.case.examples[0])])[0]
        assert isinstance(made, Done)
        request = replace(bench.request(bench.case.examples[0]), physical_id=made.physical_id)
        bench.requests[THING] = request
        request = replace(request, observed=bench.ready(request).properties)
        assert bench.differing(request, bench.ready(request)) == ("ReplicaRegions",)

        [refused] = bench.provider.modify(bench.partition, [request])
        assert isinstance(refused, Refused)
        assert f"to {ELSEWHERE} (Replication failed" in refused.message

        elsewhere.delete_secret(SecretId=NAME, ForceDeleteWithoutRecovery=True)
        assert isinstance(bench.until_done(bench.provider.modify, request), Done)
        assert bench.differing(request, bench.ready(request)) == ()
