"""A Conductor that dies by SIGKILL right before, or right after, a durable write of a build, an update and a kill.

Every death is a real one of the real program on a real file. After it another Conductor takes over, the user repeats a
command that may have been lost, and the account must then hold exactly what the template declares, by its tags and by
its counts: nothing missing, nothing twice, nothing left over. A few lives per act are drawn here from a fixed seed;
the nightly run tries each write of each act, one death at a time.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from doomed import Death, Doomed
from emulation import emulated_aws
from night import IS_NIGHT

from tenuto.providers.aws.client.owner import OBJECT

OWN = Path(__file__).parents[1] / "templates" / "own"
BEFORE, AFTER = OWN / "before_update.yaml", OWN / "after_update.yaml"
NAME = "web"
SIDES = ("before", "after")
SEED = 20
LIVES = 5 if IS_NIGHT else 3
"""Deaths in one act: with writes drawn up to `MOST`, they get a build from its first write to its last."""
MOST = 12

pytestmark = [pytest.mark.slow, pytest.mark.timeout(6 * 3600 if IS_NIGHT else 600)]

BUILT = {"vpcs": 1, "subnets": 1, "route tables": 2, "associations": 1, "addresses": 1, "security groups": 2}
"""What the first template makes, with the route table and the security group that come with a VPC."""
UPDATED = {"vpcs": 1, "subnets": 1, "route tables": 2, "associations": 1, "internet gateways": 1, "security groups": 2}

TAGGED = {
    "AWS::EC2::VPC": ("describe_vpcs", "Vpcs", "VpcId"),
    "AWS::EC2::Subnet": ("describe_subnets", "Subnets", "SubnetId"),
    "AWS::EC2::RouteTable": ("describe_route_tables", "RouteTables", "RouteTableId"),
    "AWS::EC2::SecurityGroup": ("describe_security_groups", "SecurityGroups", "GroupId"),
    "AWS::EC2::EIP": ("describe_addresses", "Addresses", "AllocationId"),
    "AWS::EC2::InternetGateway": ("describe_internet_gateways", "InternetGateways", "InternetGatewayId"),
}
"""Types that carry our name, and how somebody else finds them: call, list, id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One installation, one process, and what was in the account before it."""

    live: Doomed
    at_first: dict[str, int]

    def play(self, deaths: Sequence[Death]) -> int:
        """A build, an update and a kill, each under the same deaths. How many came."""
        live = self.live
        died = live.survive(deaths, live.apply(BEFORE, NAME), live.is_as(BEFORE, NAME))
        self._check(BUILT)
        died += live.survive(deaths, live.apply(AFTER, NAME), live.is_as(AFTER, NAME))
        self._check(UPDATED)
        died += live.survive(deaths, live.end(NAME), live.is_gone(NAME))
        self._check({})
        return died

    def _check(self, grown: dict[str, int]) -> None:
        """The account has grown by so many of each, and all that carries our name is tracked, once."""
        account = self.live.account()
        assert {name: account[name] - self.at_first[name] for name in account} == dict.fromkeys(account, 0) | grown
        document = self.live.status(NAME)
        resources = document["resources"].values() if document is not None else ()
        tracked = sorted(one["id"] for one in resources if one["type"] in TAGGED)
        assert sorted(self._ours()) == tracked

    def _ours(self) -> Iterator[str]:
        """The id of everything that stands and carries our name. (The emulator's index of tags keeps the dead.)"""
        ec2 = self.live.aws("ec2")
        for describe, members, key in TAGGED.values():
            for one in getattr(ec2, describe)()[members]:
                if any(tag["Key"] == OBJECT for tag in one.get("Tags", ())):
                    yield one[key]


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with emulated_aws() as emulator:
        live = Doomed(tmp_path, emulator.url)
        try:
            yield Scene(live=live, at_first=live.account())
        finally:
            live.stop()


def test_no_row_of_deaths_leaves_a_duplicate_or_an_orphan(scene: Scene) -> None:
    chance = random.Random(SEED)
    deaths = [Death(number=chance.randint(1, MOST), when=chance.choice(SIDES)) for _ in range(LIVES)]
    assert scene.play(deaths) > LIVES, "most deaths come before the work is done"


@pytest.mark.nightly
@pytest.mark.parametrize("when", SIDES)
def test_no_write_of_a_build_an_update_or_a_kill_is_a_bad_one_to_die_at(scene: Scene, when: str) -> None:
    number = 1
    while scene.play([Death(number=number, when=when)]):
        number += 1
    assert number > MOST, "a build, an update and a kill need more writes than this"
