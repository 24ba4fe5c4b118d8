"""Two resources of a composition that mean one thing: one has it, and the other is refused with its name.

If both had it, each would correct what the other did, and whoever removes one of the two would remove the thing.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tenuto.model.command import ProcessState
from tenuto_testing.cloud import BOUNDLESS, Cloud, Failure, Fault
from tenuto_testing.strict_world import StrictWorld

Resources = Mapping[str, Any]
HOUR = 3600.0


def _declared(type_name: str, **properties: Any) -> dict[str, Any]:
    return {"Type": f"AWS::{type_name}", "Properties": properties}


def _statement(action: str) -> dict[str, Any]:
    return {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": action, "Resource": ["*"]}]}


NET = {"Net": _declared("EC2::VPC", CidrBlock="10.0.0.0/16")}
TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"Service": ["ec2.amazonaws.com"]}, "Action": ["sts:AssumeRole"]}],
}


def _entry(action: str) -> dict[str, Any]:
    rule = {"Protocol": -1, "RuleNumber": 100, "RuleAction": action, "CidrBlock": "10.0.0.0/8"}
    return _declared("EC2::NetworkAclEntry", NetworkAclId={"Ref": "Acl"}, **rule)


def _route() -> dict[str, Any]:
    there = {"DestinationCidrBlock": "0.0.0.0/0", "GatewayId": {"Ref": "Igw"}}
    return {**_declared("EC2::Route", RouteTableId={"Ref": "Tab"}, **there), "DependsOn": "Att"}


def _policy(action: str) -> dict[str, Any]:
    return _declared("IAM::RolePolicy", RoleName={"Ref": "Rol"}, PolicyName="x", PolicyDocument=_statement(action))


ROUTES = {
    **NET,
    "Igw": _declared("EC2::InternetGateway"),
    "Att": _declared("EC2::VPCGatewayAttachment", VpcId={"Ref": "Net"}, InternetGatewayId={"Ref": "Igw"}),
    "Tab": _declared("EC2::RouteTable", VpcId={"Ref": "Net"}),
}
ENTRIES = {**NET, "Acl": _declared("EC2::NetworkAcl", VpcId={"Ref": "Net"})}
ROLE = {"Rol": _declared("IAM::Role", AssumeRolePolicyDocument=TRUST)}
TWICE = {
    "two entries that differ": {**ENTRIES, "One": _entry("allow"), "Two": _entry("deny")},
    "two entries that are alike": {**ENTRIES, "One": _entry("allow"), "Two": _entry("allow")},
    "two routes": {**ROUTES, "One": _route(), "Two": _route()},
    "two policies": {**ROLE, "One": _policy("s3:GetObject"), "Two": _policy("s3:PutObject")},
}


@pytest.fixture
def world() -> StrictWorld:
    return StrictWorld(lambda clock: Cloud(clock, quotas=BOUNDLESS))


def saved(path: Path, resources: Resources) -> Path:
    path.write_text(json.dumps({"Resources": resources}))
    return path


def without_both(resources: Resources, gone: str) -> Resources:
    return {name: one for name, one in resources.items() if name != gone}


def halted(world: StrictWorld) -> tuple[str, str]:
    """The one of the two that was refused, and the one that has the thing."""
    process = world.system.queries.process("app").process
    assert process.state is ProcessState.SUSPENDED
    [has] = [name for name, physical_id in world.ids("app").items() if name in {"One", "Two"} and physical_id != "None"]
    refused = "Two" if has == "One" else "One"
    assert process.last_message.startswith(refused)
    assert f"it is {has}, which declares the same. Declare it once" in process.last_message
    return refused, has


@pytest.mark.parametrize("resources", TWICE.values(), ids=TWICE)
def test_one_of_two_that_mean_one_thing_has_it(world: StrictWorld, tmp_path: Path, resources: Resources) -> None:
    world.run(saved(tmp_path / "app.json", resources), "app")
    assert world.settle()
    refused, _ = halted(world)
    known = len(world.changes())
    world.clock.advance(HOUR)
    world.update(saved(tmp_path / "mended.json", without_both(resources, refused)), "app")
    world.system.commands.resume("app")
    assert world.settle()
    assert world.system.queries.process("app").process.converged_at is not None
    assert world.changes()[known:] == []


@pytest.mark.parametrize("failure", [Failure.LOST, Failure.CUT, Failure.DONE_BUT_BUSY])
def test_what_one_has_is_not_found_for_the_other_when_answers_are_lost(
    world: StrictWorld, tmp_path: Path, failure: Failure
) -> None:
    before = world.standing()
    world.aws.faults.script(Fault(failure, "CreateNetworkAclEntry", count=2))
    world.run(saved(tmp_path / "app.json", TWICE["two entries that differ"]), "app")
    for _ in range(3):
        world.settle()
        world.clock.advance(HOUR)
    halted(world)
    known = len(world.changes())
    world.system.commands.kill("app")
    assert world.settle()
    assert world.changes()[known:].count("DeleteNetworkAclEntry") == 1
    assert world.standing() == before
