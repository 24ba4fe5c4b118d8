"""The two grounds of the simulator answer alike, and the laws see what is done on them."""

from typing import cast

import pytest

from tenuto.errors import PermanentError, UserError
from tenuto.model.ids import PhysicalId, TypeName
from tenuto.storage.sqlite.memory import MemoryStore
from tenuto_testing.clock import VirtualClock
from tenuto_testing.simulation.ground import Ground, Standing
from tenuto_testing.simulation.laws import Laws
from tenuto_testing.simulation.sceneries import SCENERIES, scenery_of
from tenuto_testing.simulator import from_text, play

CLOUDS = pytest.mark.parametrize("cloud", sorted(SCENERIES))
NETWORKS = {"simulated": TypeName("Simulated::Network"), "aws": TypeName("AWS::EC2::VPC")}


def made(cloud: str) -> tuple[Ground, Laws]:
    scenery, clock = scenery_of(cloud), VirtualClock()
    ground = scenery.ground(clock, scenery.traits, 1)
    laws = Laws(store=MemoryStore(), ground=ground)
    laws.protect_all()
    return ground, laws


def add_network(cloud: str, ground: Ground) -> None:
    ground.add(NETWORKS[cloud], {"CidrBlock": "10.9.0.0/16"})


@CLOUDS
def test_what_strangers_made_is_protected_and_its_loss_is_told(cloud: str) -> None:
    ground, laws = made(cloud)
    with laws.protect():
        add_network(cloud, ground)
    laws.check()
    assert laws.problems == []
    network = next(one for one in ground.standing() if one.state.get("CidrBlock") == "10.9.0.0/16")
    assert laws.is_protected(network)
    ground.purge(network)
    laws.check()
    assert f"{network.physical_id} is a stranger's, and was deleted" in laws.problems


@CLOUDS
def test_a_thing_is_purged_with_everything_in_it(cloud: str) -> None:
    ground, _ = made(cloud)
    before = [one.key for one in ground.standing()]
    add_network(cloud, ground)
    network = next(one for one in ground.standing() if one.state.get("CidrBlock") == "10.9.0.0/16")
    ground.purge(network)
    assert [one.key for one in ground.standing()] == before


@CLOUDS
def test_a_stranger_cannot_make_what_there_is_not(cloud: str) -> None:
    ground, _ = made(cloud)
    with pytest.raises(PermanentError):
        ground.add(TypeName("Other::Castle"), {})


@CLOUDS
def test_what_stands_in_the_account_of_swapped_credentials_is_told_to_be_elsewhere(cloud: str) -> None:
    ground, laws = made(cloud)
    add_network(cloud, ground)
    home = [one.key for one in ground.standing() if not one.is_elsewhere]
    with laws.protect():
        ground.swap("other")
    assert [one.key for one in ground.standing() if not one.is_elsewhere] == home
    laws.check()
    assert laws.problems == []


class Elsewhere:
    """A ground on which one thing stands, in the account of swapped credentials."""

    def standing(self) -> list[Standing]:
        network = PhysicalId("net-1")
        return [
            Standing(kind="network", cloud_id=network, physical_id=network, owner=None, state={}, is_elsewhere=True)
        ]


def test_what_is_made_in_the_account_of_swapped_credentials_breaks_a_law() -> None:
    laws = Laws(store=MemoryStore(), ground=cast(Ground, Elsewhere()))
    laws.check()
    assert laws.problems == ["net-1 was made in the wrong account"]


def test_a_call_that_nothing_has_ordered_is_told() -> None:
    _, laws = made("aws")
    laws.before_change("conductor-1", "CreateVpc")
    assert "CreateVpc: nothing was ordered" in laws.problems


def test_a_value_that_no_stranger_can_give_is_refused_and_the_run_goes_on() -> None:
    report = play(
        from_text(
            "cloud aws\n"
            'run p\n    Net1: {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.1.0.0/16"}}\n'
            "advance 40\ntamper p.Net1 Tags=5\ntamper p.Net1 CidrBlock=7\nadvance 40\n"
        )
    )
    assert not report.problems, report
    assert any("no stranger can give Tags that value" in line for line in report.log)


@pytest.mark.parametrize(
    ("deed", "why"),
    [
        ("tamper p.Net1 CidrBlock=null", "no stranger can give CidrBlock that value"),
        ("tamper p.Net1 Tags=5", "no stranger can give Tags that value"),
        ('tamper p.Net1 Colour="red"', "no stranger can give Colour that value"),
        ("tamper p.Sub1 NetworkId={}", "no stranger can give NetworkId that value"),
    ],
)
def test_the_simulated_cloud_refuses_what_no_cloud_would_take(deed: str, why: str) -> None:
    report = play(
        from_text(
            'run p\n    Net1: {"Type": "Simulated::Network", "Properties": {"CidrBlock": "10.1.0.0/16"}}\n'
            '    Sub1: {"Type": "Simulated::Subnet", "Properties": {"NetworkId": {"Ref": "Net1"}, '
            f'"CidrBlock": "10.1.0.0/24"}}}}\nadvance 40\n{deed}\nadvance 40\n'
        )
    )
    assert not report.problems, report
    assert any(why in line for line in report.log)


def test_only_buckets_of_the_strict_cloud_are_filled() -> None:
    network = 'Net1: {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.1.0.0/16"}}'
    report = play(from_text(f"cloud aws\nrun p\n    {network}\nadvance 40\nfill p.*\nadvance 40\n"))
    assert not report.problems, report
    assert any("is no bucket" in line for line in report.log)


def test_an_unknown_cloud_is_told_with_those_that_there_are() -> None:
    with pytest.raises(UserError, match="there is no cloud 'nine'; there are: aws, simulated"):
        scenery_of("nine")
