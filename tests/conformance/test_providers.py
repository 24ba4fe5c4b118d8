"""The simulated provider keeps the contract of the provider port, in each of its behaviours."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from tenuto.model.ids import LogicalId, Partition, TypeName
from tenuto.model.observation import Owner, Sweep
from tenuto.providers.simulated import types
from tenuto.providers.simulated.behaviour import Behaviour
from tenuto.providers.simulated.cloud import Cloud
from tenuto.providers.simulated.provider import SimulatedProvider
from tenuto_testing.clock import VirtualClock
from tenuto_testing.ids import SeededIds
from tenuto_testing.ops import RecordedOps
from tenuto_testing.provider_bench import Bench
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


class Misread(SimulatedProvider):
    """A provider that reads the marks of things wrongly."""

    owner: Owner | None = None

    def sweep(self, *asked: Any, **how: Any) -> Mapping[TypeName, Sweep]:
        return {
            name: replace(one, items={it: replace(item, owner=self.owner) for it, item in one.items.items()})
            for name, one in super().sweep(*asked, **how).items()
        }


def test_a_mark_that_is_not_shown_or_not_right_is_told_with_the_thing_and_where_to_look() -> None:
    case = case_of(Behaviour())
    provider = Misread(Cloud(VirtualClock()), clock=VirtualClock(), ops=case.ops)
    with Bench(replace(case, provider=provider, examples=EXAMPLES[:1])) as bench:
        (request,) = bench.make_all()
        with pytest.raises(AssertionError, match=r"Net \(Simulated::Network\): its tags show no mark.*TagCalls"):
            bench.check_marked(request)
        provider.owner = replace(bench.owner(request), logical_id=LogicalId("Other"))
        with pytest.raises(AssertionError, match=r"its tags show the mark of .*Other.*, which should be .*Net"):
            bench.check_marked(request)
