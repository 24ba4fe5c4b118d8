"""The AWS provider keeps the contract of the provider port, type by type, in front of an emulated AWS."""

from collections.abc import Callable

import pytest
from aws_examples import EXAMPLES, IMPOSSIBLE

from tenuto.model.ids import Partition, TypeName
from tenuto.providers.aws.provider import AwsProvider
from tenuto_testing.ids import SeededIds
from tenuto_testing.ops import RecordedOps
from tenuto_testing.provider_conformance import CHECKS, Bench, ProviderCase, the_world_is_as_it_was_before

# The emulator forgets to delete a VPC's default network ACL with its VPC, so that check has a form of its own below.
APPLICABLE = [check for check in CHECKS if check is not the_world_is_as_it_was_before]


@pytest.fixture
def case(provider: AwsProvider, partition: Partition, ids: SeededIds, ops: RecordedOps) -> ProviderCase:
    return ProviderCase(
        provider=provider,
        partition=partition,
        examples=EXAMPLES,
        ids=ids,
        ops=ops,
        wait=lambda seconds: None,
        impossible=IMPOSSIBLE,
        unknown_partition=Partition(account="999999999999", region=partition.region),
        is_strict=False,
    )


@pytest.mark.parametrize("check", APPLICABLE, ids=lambda check: check.__name__)
def test_the_aws_provider_conforms(case: ProviderCase, check: Callable[[ProviderCase], None]) -> None:
    check(case)


def test_an_account_holds_afterwards_what_it_held_before(case: ProviderCase) -> None:
    bench = Bench(case)
    unwatched = {"AWS::EC2::NetworkAcl", "AWS::EC2::NetworkAclEntry", "AWS::EC2::SubnetNetworkAclAssociation"}
    names = sorted({example.type for example in EXAMPLES} - unwatched)
    before = {name: _standing(bench, name) for name in names}
    with bench:
        made = bench.make_all()
    assert {name: _standing(bench, name) for name in names} == before
    acls = bench.sweep(TypeName("AWS::EC2::NetworkAcl"))
    assert not [request for request in made if request.physical_id in acls]


def _standing(bench: Bench, name: TypeName) -> list[str]:
    return sorted(found for found, item in bench.sweep(name).items() if not item.is_ending)
