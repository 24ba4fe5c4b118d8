"""A distribution is switched off, waited for, and then deleted: each step follows from what CloudFront shows."""

from collections.abc import Callable
from typing import Any

from block_examples import EXAMPLES, THING

from tenuto.model.ids import Partition, TypeName
from tenuto.model.outcome import Done, Pending
from tenuto.providers.aws.provider import AwsProvider
from tenuto_testing.ids import SeededIds
from tenuto_testing.ops import RecordedOps
from tenuto_testing.provider_conformance import Bench, ProviderCase

NAME = TypeName("AWS::CloudFront::Distribution")


def test_a_distribution_is_switched_off_before_it_is_deleted(
    provider: AwsProvider, partition: Partition, ids: SeededIds, ops: RecordedOps, stranger: Callable[[str], Any]
) -> None:
    case = ProviderCase(
        provider=provider,
        partition=partition,
        examples=(EXAMPLES[NAME].thing,),
        ids=ids,
        ops=ops,
        wait=lambda seconds: None,
    )
    with Bench(case) as bench:
        [request] = bench.make_all()
        before = len(ops.all)
        [first] = provider.delete(partition, [request])
        assert isinstance(first, Pending)
        assert "switched off" in first.message
        client = stranger("cloudfront")
        [shown] = client.list_distributions()["DistributionList"]["Items"]
        assert shown["Enabled"] is False
        assert isinstance(bench.until_done(provider.delete, request), Done)
        assert [op.operation for op in ops.all[before:]] == ["UpdateDistribution", "DeleteDistribution"]
        assert client.list_distributions()["DistributionList"]["Quantity"] == 0
        del bench.requests[THING]
