"""Classic templates with security groups of the default VPC, which refer to them by name, on the strict cloud."""

import json
from pathlib import Path
from typing import Any

from strict_life import gone, settled

from tenuto.testing.cloud import Cloud
from tenuto.testing.strict_world import REGION, StrictWorld

PORT = {"IpProtocol": "tcp", "FromPort": 80, "ToPort": 80}
CLASSIC: dict[str, Any] = {
    "Web": {
        "Type": "AWS::EC2::SecurityGroup",
        "Properties": {"GroupDescription": "web", "SecurityGroupIngress": [{**PORT, "CidrIp": "0.0.0.0/0"}]},
    },
    "Data": {
        "Type": "AWS::EC2::SecurityGroup",
        "Properties": {
            "GroupDescription": "data",
            "SecurityGroupIngress": [{**PORT, "SourceSecurityGroupName": {"Ref": "Web"}}],
        },
    },
    "More": {
        "Type": "AWS::EC2::SecurityGroupIngress",
        "Properties": {
            "GroupName": {"Ref": "Data"},
            "IpProtocol": "tcp",
            "FromPort": 81,
            "ToPort": 81,
            "SourceSecurityGroupId": {"Ref": "Web"},
        },
    },
    "Server": {
        "Type": "AWS::EC2::Instance",
        "Properties": {"ImageId": "ami-0abcdef1234567890", "SecurityGroups": [{"Ref": "Web"}]},
    },
    "Other": {
        "Type": "AWS::EC2::Instance",
        "Properties": {"ImageId": "ami-0abcdef1234567890", "SecurityGroupIds": [{"Fn::GetAtt": ["Data", "GroupId"]}]},
    },
}


def written(folder: Path, resources: dict[str, Any]) -> Path:
    path = folder / "web.json"
    outputs = {"Group": {"Value": {"Ref": "Web"}}}
    path.write_text(json.dumps({"Resources": resources, "Outputs": outputs}))
    return path


def test_a_classic_template_converges_and_stays_as_it_is(tmp_path: Path) -> None:
    world = StrictWorld(Cloud)
    before = world.standing()
    world.run(written(tmp_path, CLASSIC), "web")
    settled(world)
    queries = world.system.queries
    assert queries.plan("web").planning.plan.is_empty
    ids = world.ids("web")
    ec2 = world.stranger().create_client("ec2", REGION)
    [group] = ec2.describe_security_groups(GroupIds=[ids["Web"]])["SecurityGroups"]
    found = ec2.describe_instances(InstanceIds=[ids["Server"]])["Reservations"][0]["Instances"][0]
    assert [one["GroupId"] for one in found["SecurityGroups"]] == [ids["Web"]]
    assert queries.process("web").outputs == {"Group": group["GroupName"]}
    gone(world, before)


def test_a_rule_that_names_its_group_by_name_gets_another_description_in_place(tmp_path: Path) -> None:
    world = StrictWorld(Cloud)
    before = world.standing()
    world.run(written(tmp_path, CLASSIC), "web")
    settled(world)
    ids = world.ids("web")
    described = {**CLASSIC["More"], "Properties": {**CLASSIC["More"]["Properties"], "Description": "more"}}
    world.update(written(tmp_path, {**CLASSIC, "More": described}), "web")
    settled(world)
    assert world.ids("web") == ids
    assert world.system.queries.plan("web").planning.plan.is_empty
    gone(world, before)
