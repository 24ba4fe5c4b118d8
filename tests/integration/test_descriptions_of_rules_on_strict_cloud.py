"""A description that an update takes out of a rule of a security group goes; the traffic is never cut meanwhile."""

import json
from pathlib import Path
from typing import Any

import pytest
from strict_life import settled

from tenuto.model.verb import Verb
from tenuto_testing.cloud import Cloud
from tenuto_testing.strict_world import REGION, StrictWorld, submission

RULE = {"IpProtocol": "tcp", "FromPort": 443, "ToPort": 443, "CidrIp": "10.0.0.0/8"}
OTHER = {**RULE, "FromPort": 80, "ToPort": 80, "Description": "plain"}


def template(folder: Path, side: str, rule: dict[str, Any]) -> Path:
    group = {"GroupDescription": "front", side: [rule, OTHER]}
    path = folder / "web.json"
    path.write_text(json.dumps({"Resources": {"Grp": {"Type": "AWS::EC2::SecurityGroup", "Properties": group}}}))
    return path


def described(world: StrictWorld) -> dict[str, tuple[str, str | None]]:
    """The id and the description of each rule, by its port; without those of other groups."""
    rules = world.stranger().create_client("ec2", REGION).describe_security_group_rules()["SecurityGroupRules"]
    own = [one for one in rules if one["GroupId"] == world.ids("web")["Grp"] and one["IpProtocol"] == "tcp"]
    return {str(one["FromPort"]): (one["SecurityGroupRuleId"], one.get("Description")) for one in own}


@pytest.mark.parametrize("side", ["SecurityGroupIngress", "SecurityGroupEgress"])
def test_a_description_that_is_taken_out_goes_and_the_rule_stays(tmp_path: Path, side: str) -> None:
    world = StrictWorld(Cloud)
    world.run(template(tmp_path, side, {**RULE, "Description": "all"}), "web")
    settled(world)
    before = described(world)
    bare = template(tmp_path, side, RULE)
    [operation] = world.system.commands.dry_runs.update("web", submission(bare)).planning.plan.operations
    assert (operation.verb, [one.path for one in operation.changes]) == (Verb.MODIFY, [side])
    world.update(bare, "web")
    settled(world)
    assert described(world) == {"443": (before["443"][0], None), "80": before["80"]}
    assert world.system.queries.plan("web").planning.plan.is_empty
