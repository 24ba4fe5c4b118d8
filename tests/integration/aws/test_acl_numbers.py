"""Numbers of rules in network ACLs: one rule has a number for each direction."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tenuto_testing.cloud import BOUNDLESS, Cloud
from tenuto_testing.strict_world import StrictWorld

MADE, GONE = "CreateNetworkAclEntry", "DeleteNetworkAclEntry"


@pytest.fixture
def world() -> StrictWorld:
    return StrictWorld(lambda clock: Cloud(clock, quotas=BOUNDLESS))


def template(path: Path, **entries: Mapping[str, Any]) -> Path:
    resources: dict[str, Any] = {
        "Net": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/16"}},
        "Acl": {"Type": "AWS::EC2::NetworkAcl", "Properties": {"VpcId": {"Ref": "Net"}}},
    }
    for name, properties in entries.items():
        rule = {"NetworkAclId": {"Ref": "Acl"}, "Protocol": -1, "RuleAction": "allow", "CidrBlock": "10.0.0.0/8"}
        resources[name] = {"Type": "AWS::EC2::NetworkAclEntry", "Properties": {**rule, **properties}}
    path.write_text(json.dumps({"Resources": resources}))
    return path


def changes_of(world: StrictWorld, before: Path, after: Path) -> list[str]:
    """The changes by which an update turns the one composition into the other."""
    world.run(before, "acl")
    assert world.settle()
    known = len(world.changes())
    world.update(after, "acl")
    assert world.settle()
    assert world.system.queries.process("acl").process.converged_at is not None
    return world.changes()[known:]


def test_a_rule_of_the_other_direction_takes_the_number_while_the_first_one_stands(
    world: StrictWorld, tmp_path: Path
) -> None:
    before = template(tmp_path / "before.json", In={"RuleNumber": 100})
    after = template(tmp_path / "after.json", Out={"RuleNumber": 100, "Egress": True})
    assert changes_of(world, before, after) == [MADE, GONE]


def test_a_rule_of_the_same_direction_waits_until_the_number_is_free(world: StrictWorld, tmp_path: Path) -> None:
    before = template(tmp_path / "before.json", In={"RuleNumber": 100})
    after = template(tmp_path / "after.json", Renamed={"RuleNumber": "100", "Egress": "false"})
    assert changes_of(world, before, after) == [GONE, MADE]


def test_a_rule_that_says_no_direction_any_more_is_one_for_what_comes_in(world: StrictWorld, tmp_path: Path) -> None:
    before = template(tmp_path / "before.json", Rule={"RuleNumber": 100, "Egress": True})
    after = template(tmp_path / "after.json", Rule={"RuleNumber": 100})
    assert changes_of(world, before, after) == [MADE, GONE]
