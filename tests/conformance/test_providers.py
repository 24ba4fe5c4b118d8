"""The simulated provider keeps the contract of the provider port, in each of its behaviours."""

from collections.abc import Callable

import pytest

from tenuto.model.ids import LogicalId, Partition
from tenuto.providers.simulated import types
from tenuto.providers.simulated.behaviour import Behaviour
from tenuto.providers.simulated.cloud import Cloud
from tenuto.providers.simulated.provider import SimulatedProvider
from tenuto_testing.clock import VirtualClock
from tenuto_testing.ids import SeededIds
from tenuto_testing.ops import RecordedOps
from tenuto_testing.provider_conformance import CHECKS, Example, ProviderCase

TAGS = [{"Key": "team", "Value": "web"}]
EXAMPLES = (
    Example(
        name=LogicalId("Net"),
        type=types.NETWORK,
        properties={"CidrBlock": "10.0.0.5/16", "Label": "main", "Tags": TAGS},
        drift={"Label": "other", "Tags": [{"Key": "team", "Value": "db"}, {"Key": "more", "Value": "1"}]},
        copies=True,
    ),
    Example(
        name=LogicalId("Sub"),
        type=types.SUBNET,
        properties={"NetworkId": {"Ref": "Net"}, "CidrBlock": "10.0.1.0/24", "Zone": "sim-1b"},
        drift={"IsPublic": True, "Tags": TAGS},
    ),
    Example(
        name=LogicalId("Grp"),
        type=types.GROUP,
        properties={"NetworkId": {"Ref": "Net"}, "Ingress": [{"Protocol": "tcp", "Port": 443}]},
        drift={"Ingress": [{"Protocol": "tcp", "Port": 22}], "Egress": []},
    ),
    Example(
        name=LogicalId("Rule"),
        type=types.RULE,
        properties={"GroupId": {"Ref": "Grp"}, "Port": 80, "Note": "plain"},
        drift={"Note": "other"},
    ),
    Example(
        name=LogicalId("Srv"),
        type=types.SERVER,
        properties={
            "SubnetId": {"Fn::GetAtt": ["Sub", "SubnetId"]},
            "Image": "debian",
            "GroupIds": [{"Ref": "Grp"}],
            "Password": "s3cret",
        },
        drift={"Size": "large", "GroupIds": []},
    ),
    Example(name=LogicalId("Addr"), type=types.ADDRESS, properties={}, drift={"Tags": TAGS}, copies=True),
    Example(
        name=LogicalId("Rel"),
        type=types.RELAY,
        properties={"SubnetId": {"Ref": "Sub"}, "AddressId": {"Fn::GetAtt": ["Addr", "AddressId"]}},
    ),
    Example(
        name=LogicalId("Bkt"),
        type=types.BUCKET,
        properties={"Name": "tenuto-examples", "Versioning": True},
        drift={"Versioning": False},
    ),
)
BEHAVIOURS = {
    "exact": Behaviour(),
    "slow to show": Behaviour(visible_after_s=3.0),
    "token-blind": Behaviour(honours_tokens=False),
}


def case_of(behaviour: Behaviour) -> ProviderCase:
    clock = VirtualClock()
    ops = RecordedOps()
    return ProviderCase(
        provider=SimulatedProvider(Cloud(clock, behaviour), clock=clock, ops=ops),
        partition=Partition(account="default", region="sim-1"),
        examples=EXAMPLES,
        ids=SeededIds(),
        ops=ops,
        wait=clock.advance,
        impossible=Example(name=LogicalId("Bad"), type=types.NETWORK, properties={"CidrBlock": "ten dot zero"}),
        unknown_partition=Partition(account="default", region="nowhere-1"),
    )


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_simulated_provider_conforms(check: Callable[[ProviderCase], None], behaviour: str) -> None:
    check(case_of(BEHAVIOURS[behaviour]))
