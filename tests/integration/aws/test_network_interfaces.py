"""The addresses of a network interface change in place, and its primary one does not."""

from dataclasses import replace

import pytest
from block_examples import EXAMPLES, THING

from tenuto.model.ids import Json, Partition, TypeName
from tenuto.model.outcome import Refused
from tenuto.providers.aws.provider import AwsProvider
from tenuto_testing.ids import SeededIds
from tenuto_testing.ops import RecordedOps
from tenuto_testing.provider_conformance import Bench, Example, ProviderCase

NAME = TypeName("AWS::EC2::NetworkInterface")
NEEDS = EXAMPLES[NAME].needs
PRIMARY, SECOND, THIRD = "10.0.0.10", "10.0.0.11", "10.0.0.12"


def addresses(*others: str, primary: str = PRIMARY) -> list[dict[str, Json]]:
    members: list[dict[str, Json]] = [{"Primary": True, "PrivateIpAddress": primary}]
    return [*members, *({"Primary": False, "PrivateIpAddress": one} for one in others)]


@pytest.fixture
def bench(provider: AwsProvider, partition: Partition, ids: SeededIds, ops: RecordedOps) -> Bench:
    properties = {"SubnetId": {"Ref": "One"}, "PrivateIpAddresses": addresses(SECOND)}
    examples = (*NEEDS, Example(name=THING, type=NAME, properties=properties))
    return Bench(
        ProviderCase(
            provider=provider, partition=partition, examples=examples, ids=ids, ops=ops, wait=lambda seconds: None
        )
    )


def test_other_addresses_come_before_those_that_go(bench: Bench, ops: RecordedOps) -> None:
    with bench:
        bench.make_all()
        request = bench.requests[THING]
        before = len(ops.all)
        changed = replace(request, properties={**request.properties, "PrivateIpAddresses": addresses(THIRD)})
        changed = bench.configure(changed)
        assert [op.operation for op in ops.all[before:]] == ["AssignPrivateIpAddresses", "UnassignPrivateIpAddresses"]
        item = bench.ready(changed)
        assert bench.differing(changed, item) == ()
        assert item.attributes["PrimaryPrivateIpAddress"] == PRIMARY
        assert item.attributes["SecondaryPrivateIpAddresses"] == [THIRD]


def test_another_primary_address_is_refused_before_anything_is_changed(bench: Bench, ops: RecordedOps) -> None:
    with bench:
        bench.make_all()
        request, before = bench.requests[THING], len(ops.all)
        wished = {**request.properties, "PrivateIpAddresses": addresses(SECOND, primary="10.0.0.99")}
        [outcome] = bench.provider.modify(bench.partition, [replace(request, properties=wished)])
        assert isinstance(outcome, Refused)
        assert "that makes a new interface" in outcome.message
        assert ops.all[before:] == ()
