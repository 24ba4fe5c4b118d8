"""The capacity that is reserved for a load balancer: none is asked for where there can be none."""

from typing import cast

import pytest

from tenuto.model.ids import Json, JsonMap
from tenuto.providers.aws.blocks.calls import Call
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.types.elbv2_parts import CAPACITY

ARN = "arn:aws:elasticloadbalancing:us-east-1:123456789012:loadbalancer/net/front/1"


class CapacityClient:
    """A client that answers one question, and counts how often it was asked."""

    def __init__(self, answer: JsonMap) -> None:
        self.answer = answer
        self.asked: list[str] = []

    def read(self, service: str, operation: str, **given: Json) -> JsonMap:
        assert given == {"LoadBalancerArn": ARN}
        self.asked.append(operation)
        return self.answer


def seen(client: CapacityClient, kind: str) -> JsonMap:
    thing = Thing(
        client=cast(AccountClient, client), service="elbv2", words="LoadBalancerArn", id=ARN, answer={"Type": kind}
    )
    return CAPACITY.read(thing)


@pytest.mark.parametrize("answer", [{}, {"MinimumLoadBalancerCapacity": {"CapacityUnits": 0}}])
def test_no_units_are_no_capacity(answer: JsonMap) -> None:
    assert seen(CapacityClient(answer), "network") == {}


def test_a_reserved_capacity_is_shown() -> None:
    client = CapacityClient({"MinimumLoadBalancerCapacity": {"CapacityUnits": 2750}, "DecreaseRequestsRemaining": 2})
    assert seen(client, "network") == {"MinimumLoadBalancerCapacity": {"CapacityUnits": 2750}}
    assert client.asked == [cast(Call, CAPACITY.read_by).operation]


def test_a_gateway_is_not_asked_for_a_capacity() -> None:
    client = CapacityClient({})
    assert seen(client, "gateway") == {}
    assert client.asked == []
