"""Templates held by a real Conductor in front of the strict cloud: no orphan and no duplicate, whatever happens."""

import random
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
from night import by_day
from strict_life import build, gone, is_one_of_each, patient, settled

from tenuto.model.event import EventType
from tenuto.ports.clock import Clock
from tenuto.ports.store_reads import EventQuery
from tenuto.providers.aws.client.owner import OBJECT
from tenuto_testing.cloud import Buckets, Cloud, Failure, Lag, Pace
from tenuto_testing.mortality import Blow
from tenuto_testing.strict_world import StrictWorld

TEMPLATES = Path(__file__).parents[1] / "templates"
NAT = TEMPLATES / "vpc_with_managed_nat_and_private_subnet.yaml"
MODULES = TEMPLATES / "rain_modules_vpc.yml"
BOTH = pytest.mark.parametrize("template", [NAT, MODULES], ids=lambda path: path.stem)
SEEDS = 3
"""Drawn for each kind of trouble; a failure names the one it was."""


@BOTH
def test_a_template_is_built_held_and_killed_at_awss_own_pace(template: Path) -> None:
    world = StrictWorld(patient)
    before = build(world, template)
    is_one_of_each(world)
    made = len(world.changes())
    world.advance(300.0)
    assert len(world.changes()) == made, "what is as declared was changed"
    gone(world, before)


@BOTH
def test_what_strangers_do_is_undone_and_nothing_else_is_touched(template: Path) -> None:
    world = StrictWorld(patient)
    before = build(world, template)
    ids = world.ids("web")
    stranger = world.stranger().create_client("ec2", "us-east-1")
    association = next(found for found in ids.values() if found.startswith("rtbassoc-"))
    subnet = next(found for found in ids.values() if found.startswith("subnet-"))
    nat = next(found for found in ids.values() if found.startswith("nat-"))
    stranger.disassociate_route_table(AssociationId=association)
    stranger.modify_subnet_attribute(SubnetId=subnet, MapPublicIpOnLaunch={"Value": False})
    stranger.delete_nat_gateway(NatGatewayId=nat)
    world.advance(60.0)
    settled(world)
    after = world.ids("web")
    changed = {ids[name] for name in ids if after[name] != ids[name]}
    assert changed == {association, nat}
    is_one_of_each(world)
    gone(world, before)


def replayed(world: StrictWorld) -> dict[str, Any]:
    """A route table that the network makes once more, when the answer to its creation has long been stored."""
    world.run(NAT, "web")
    while not (tables := [one for one in world.ids("web").values() if one.startswith("rtb-") and "|" not in one]):
        world.advance(1.0)
    world.advance(15.0)
    stranger = world.stranger().create_client("ec2", "us-east-1")
    [table] = stranger.describe_route_tables(RouteTableIds=tables[:1])["RouteTables"]
    tags = [{"ResourceType": "route-table", "Tags": table["Tags"]}]
    duplicate: dict[str, Any] = stranger.create_route_table(VpcId=table["VpcId"], TagSpecifications=tags)["RouteTable"]
    settled(world)
    world.advance(600.0)
    return duplicate


def test_a_request_that_arrives_again_much_later_keeps_nobody_from_killing() -> None:
    world = StrictWorld(patient)
    before = world.standing()
    replayed(world)
    gone(world, before)


def test_a_twin_that_cannot_go_is_told_of_and_its_resource_goes_with_it() -> None:
    """A stranger uses the twin by now. The record of the resource is the only one of both."""
    world = StrictWorld(patient)
    before = world.standing()
    duplicate = replayed(world)
    stranger = world.stranger().create_client("ec2", "us-east-1")
    [vpc] = stranger.describe_vpcs(VpcIds=[duplicate["VpcId"]])["Vpcs"]
    network = ip_network(vpc["CidrBlock"])
    last = list(network.subnets(new_prefix=28))[-1]
    subnet = stranger.create_subnet(VpcId=duplicate["VpcId"], CidrBlock=str(last))["Subnet"]
    world.advance(10.0)
    associated = stranger.associate_route_table(RouteTableId=duplicate["RouteTableId"], SubnetId=subnet["SubnetId"])
    world.system.commands.kill("web")
    assert world.settle()
    job = world.system.queries.process("web").process.last_job
    assert job is not None
    assert f"it was made twice, and {duplicate['RouteTableId']} cannot be deleted again" in job.message
    tables = stranger.describe_route_tables(Filters=[{"Name": "tag-key", "Values": [OBJECT]}])["RouteTables"]
    assert duplicate["RouteTableId"] in [table["RouteTableId"] for table in tables]
    assert len(tables) == 2, "the resource stays as well"

    stranger.disassociate_route_table(AssociationId=associated["AssociationId"])
    stranger.delete_subnet(SubnetId=subnet["SubnetId"])
    gone(world, before)


@pytest.mark.parametrize("seed", by_day(1, range(SEEDS)))
@BOTH
def test_lost_answers_errors_and_throttling_leave_no_orphan_and_no_duplicate(template: Path, seed: int) -> None:
    def make(clock: Clock) -> Cloud:
        lag = Lag(new_s=6.0, changed_s=3.0, is_flickering=True)
        cloud = Cloud(clock, seed=seed, pace=Pace(), lag=lag, buckets=Buckets(times=0.2))
        kinds = (Failure.LOST, Failure.CUT, Failure.DONE_BUT_BUSY, Failure.BUSY, Failure.THROTTLED, Failure.REFUSED)
        cloud.faults.by_chance(0.15, *kinds, seed=seed)
        return cloud

    world = StrictWorld(make)
    before = world.standing()
    world.run(template, "web")
    world.advance(1200.0)
    world.aws.faults.stop()
    settled(world)
    is_one_of_each(world)
    gone(world, before)


@pytest.mark.parametrize("seed", by_day(1, range(SEEDS)))
@BOTH
def test_a_conductor_that_dies_after_a_call_finds_what_it_made(template: Path, seed: int) -> None:
    """It dies at a change of the build, and its successor at one of the kill: AWS has done it, nothing knows."""
    chance = random.Random(seed)
    whole = StrictWorld(patient)
    before = build(whole, template)
    building = len(whole.changes())
    gone(whole, before)
    killing = len(whole.changes()) - building
    world = StrictWorld(patient)
    before = world.standing()
    world.fate.arm(Blow(operation="aws", is_after=True, count=chance.randint(1, building)))
    world.run(template, "web")
    settled(world)
    is_one_of_each(world)
    world.fate.arm(Blow(operation="aws", is_after=True, count=chance.randint(1, killing)))
    gone(world, before)
    assert len(world.crashes) == 2


GROUP = """
Resources:
  Net: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.0.0.0/16}}
  Grp:
    Type: AWS::EC2::SecurityGroup
    Properties:
      GroupDescription: web
      VpcId: !Ref Net
      SecurityGroupIngress: [{IpProtocol: tcp, FromPort: 443, ToPort: 443, CidrIp: 0.0.0.0/0}]
"""


@pytest.mark.parametrize("lag_s", [1.0, 2.0, 4.0, 8.0, 15.0])
def test_our_own_change_that_is_seen_late_is_no_drift_and_no_fight(lag_s: float, tmp_path: Path) -> None:
    """The rules of a new group can be seen some seconds after it."""
    template = tmp_path / "group.yaml"
    template.write_text(GROUP)
    world = StrictWorld(lambda clock: Cloud(clock, lag=Lag(new_s=lag_s, changed_s=lag_s)))
    world.run(template, "web")
    world.advance(60.0)
    settled(world)
    events = world.store.events(EventQuery(fid=world.system.queries.process("web").process.fid))
    assert [event.reason for event in events if event.type is EventType.RESOURCE_HELD] == []
    again = [job.plan_summary["modify"] for job in world.system.queries.history("web").history.jobs[1:]]
    assert sum(again) <= lag_s // 5
