"""What others refer to, and what changes without being declared otherwise: it is read again, and those are changed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from strict_life import patient, settled

from tenuto_testing.strict_world import StrictWorld

NETWORK = """
Resources:
  Net: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.0.0.0/16}}
  Gate: {Type: AWS::EC2::InternetGateway}
  Gated: {Type: AWS::EC2::VPCGatewayAttachment, Properties: {VpcId: !Ref Net, InternetGatewayId: !Ref Gate}}
  Sub: {Type: AWS::EC2::Subnet, Properties: {VpcId: !Ref Net, CidrBlock: 10.0.1.0/24, MapPublicIpOnLaunch: PUBLIC}}
  Host: {Type: AWS::EC2::Instance, DependsOn: Gated, Properties: {ImageId: IMAGE, SubnetId: !Ref Sub}}
  Told: {Type: AWS::SSM::Parameter, Properties: {Type: String, Value: !GetAtt Host.PublicIp}}
"""
ADDRESS = """
  Address: {Type: AWS::EC2::EIP, DependsOn: Gated, Properties: {Domain: vpc}}
  Given:
    Type: AWS::EC2::EIPAssociation
    Properties: {AllocationId: !GetAtt Address.AllocationId, InstanceId: !Ref Host}
"""
OUTPUTS = """
Outputs:
  Where: {Value: !GetAtt Host.PublicIp}
"""
CHAIN = """
Resources:
  First: {Type: AWS::SSM::Parameter, Properties: {Type: String, Value: WORD}}
  Second: {Type: AWS::SSM::Parameter, Properties: {Type: String, Value: !GetAtt First.Value}}
Outputs:
  Word: {Value: !GetAtt Second.Value}
"""


@pytest.fixture
def world() -> StrictWorld:
    return StrictWorld(patient)


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    def written(text: str) -> Path:
        path = tmp_path / "web.yaml"
        path.write_text(text)
        return path

    return written


def host(world: StrictWorld, *, public: str, more: str = "") -> str:
    return NETWORK.replace("IMAGE", world.aws.images[0]).replace("PUBLIC", public) + more + OUTPUTS


def outputs(world: StrictWorld) -> Any:
    return world.system.queries.process("web").outputs


def told(world: StrictWorld, name: str) -> str:
    ssm = world.stranger().create_client("ssm", "us-east-1")
    value: str = ssm.get_parameter(Name=world.ids("web")[name])["Parameter"]["Value"]
    return value


def test_an_address_that_an_instance_gets_after_its_creation_reaches_whoever_refers_to_it(
    world: StrictWorld, write: Callable[[str], Path]
) -> None:
    ec2 = world.stranger().create_client("ec2", "us-east-1")
    world.run(write(host(world, public="false", more=ADDRESS)), "web")
    world.advance(120.0)
    settled(world)
    [address] = ec2.describe_addresses()["Addresses"]
    assert (told(world, "Told"), outputs(world)) == (address["PublicIp"], {"Where": address["PublicIp"]})
    calls = len(world.changes())
    world.advance(120.0)
    assert len(world.changes()) == calls, "what did not change was read again and again"


def test_an_address_that_changes_behind_our_back_reaches_whoever_refers_to_it(
    world: StrictWorld, write: Callable[[str], Path]
) -> None:
    ec2 = world.stranger().create_client("ec2", "us-east-1")
    world.run(write(host(world, public="true")), "web")
    settled(world)
    first = outputs(world)["Where"]
    made = ec2.allocate_address(Domain="vpc")
    world.advance(10.0)
    ec2.associate_address(AllocationId=made["AllocationId"], InstanceId=world.ids("web")["Host"])
    world.advance(60.0)
    settled(world)
    assert made["PublicIp"] != first
    assert (told(world, "Told"), outputs(world)) == (made["PublicIp"], {"Where": made["PublicIp"]})
    reasons = [one.reason for plan in plans(world) for one in plan.operations if one.logical_id == "Host"]
    assert reasons[-1] == "PublicIp is another one now: read again, for what refers to it"


def test_what_an_update_changes_reaches_whoever_refers_to_it(world: StrictWorld, write: Callable[[str], Path]) -> None:
    world.run(write(CHAIN.replace("WORD", "one")), "web")
    settled(world)
    assert (told(world, "Second"), outputs(world)) == ("one", {"Word": "one"})
    world.update(write(CHAIN.replace("WORD", "two")), "web")
    settled(world)
    world.advance(120.0)
    settled(world)
    assert (told(world, "Second"), outputs(world)) == ("two", {"Word": "two"})


def test_a_secret_that_the_provider_shows_in_plain_text_is_not_kept(
    world: StrictWorld, write: Callable[[str], Path]
) -> None:
    secret = "open-sesame-5512"
    text = "Parameters: {Password: {Type: String, NoEcho: true}}\n" + CHAIN.replace("WORD", "!Ref Password")
    world.run(write(text), "web", {"Password": secret})
    world.advance(120.0)
    process = world.system.queries.process("web")
    assert told(world, "First") == secret
    assert [one for one in process.resources if secret in str(one.current)] == []
    assert process.process.last_job is not None
    assert process.process.last_job.message == "Second refers to First.Value, which has no value yet"


def plans(world: StrictWorld) -> list[Any]:
    jobs = world.system.queries.history("web").history.jobs
    found = [world.store.plan(job.plan_id) for job in jobs if job.plan_id]
    return [plan for plan in found if plan is not None]
