"""The AWS provider keeps the contract of the provider port in front of a cloud that is as strict as AWS."""

from collections.abc import Callable

import pytest
from aws_examples import EXAMPLES, IMPOSSIBLE
from night import by_day

from tenuto.model.ids import Partition
from tenuto.providers.aws.provider import AwsProvider
from tenuto_testing.clock import VirtualClock
from tenuto_testing.cloud import BOUNDLESS, Buckets, Cloud, InProcessSession, Lag, Pace
from tenuto_testing.ids import SeededIds
from tenuto_testing.ops import RecordedOps
from tenuto_testing.provider_conformance import CHECKS, ProviderCase

PARTITION = Partition(account="default", region="us-east-1")
FREE = frozenset(
    {
        "Bucket",
        "Instance",
        "Key",
        "LooseAddress",
        "OtherInstance",
        "OtherRole",
        "OtherTopic",
        "Policy",
        "Queue",
        "Role",
    }
)
"""AWS deletes instances that addresses lead to, key pairs that instances use, buckets with their policy, topics with
their subscriptions and queues that are subscribed; of addresses of instances and of IAM's things, the provider lets go
before it deletes them.
"""


def at_once(clock: VirtualClock) -> Cloud:
    return Cloud(clock, quotas=BOUNDLESS)


def at_its_pace(clock: VirtualClock) -> Cloud:
    return Cloud(clock, quotas=BOUNDLESS, pace=Pace(times=0.5), buckets=Buckets())


def late(clock: VirtualClock) -> Cloud:
    return Cloud(clock, quotas=BOUNDLESS, pace=Pace(times=0.5), lag=Lag(new_s=4.0))


@pytest.mark.parametrize("make", by_day(1, [at_its_pace, at_once, late]), ids=lambda make: make.__name__)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_aws_provider_conforms_strictly(
    check: Callable[[ProviderCase], None], make: Callable[[VirtualClock], Cloud]
) -> None:
    clock, ops = VirtualClock(), RecordedOps()
    case = ProviderCase(
        provider=AwsProvider(session=InProcessSession(make(clock)), ops=ops, clock=clock, workers=1),
        partition=PARTITION,
        examples=EXAMPLES,
        ids=SeededIds(check.__name__),
        ops=ops,
        wait=clock.advance,
        impossible=IMPOSSIBLE,
        unknown_partition=Partition(account="999999999999", region=PARTITION.region),
        free=FREE,
    )
    check(case)
