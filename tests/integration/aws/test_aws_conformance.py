"""The AWS provider keeps the contract of the provider port, type by type, in front of an emulated AWS."""

from collections.abc import Callable

import pytest
from aws_examples import EXAMPLES, IMPOSSIBLE

from tenuto.model.ids import Partition
from tenuto.providers.aws.provider import AwsProvider
from tenuto.testing.ids import SeededIds
from tenuto.testing.ops import RecordedOps
from tenuto.testing.provider_conformance import CHECKS, ProviderCase


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


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_aws_provider_conforms(case: ProviderCase, check: Callable[[ProviderCase], None]) -> None:
    check(case)
