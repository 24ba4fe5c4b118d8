"""Classic templates with security groups of the default VPC, which refer to them by name, on the strict cloud."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from strict_life import gone, settled

from tenuto.compositions.compile import compile_file
from tenuto.compositions.documents.canonical import digest
from tenuto.compositions.documents.document import to_document
from tenuto.model.composition import Composition
from tenuto.service.intake.composition import Submission
from tenuto_testing.cloud import Cloud
from tenuto_testing.strict_world import REGION, StrictWorld

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


def test_a_composition_of_an_earlier_version_keeps_the_id_until_its_next_update(tmp_path: Path) -> None:
    resources = {
        "Web": CLASSIC["Web"],
        "Rule": {
            "Type": "AWS::EC2::SecurityGroupIngress",
            "Properties": {**PORT, "GroupId": {"Ref": "Web"}, "CidrIp": "10.0.0.0/8"},
        },
        "Told": {"Type": "AWS::SSM::Parameter", "Properties": {"Type": "String", "Value": {"Ref": "Web"}}},
    }
    world = StrictWorld(Cloud)
    compiled = compile_file(written(tmp_path, resources), parameters={}, region=REGION).composition
    before = _with_ids(compiled)
    assert before.digest != compiled.digest
    world.system.commands.run(Submission(document=to_document(before), secrets={}), alias="web")
    settled(world)
    ids = world.ids("web")
    assert world.system.queries.process("web").outputs == {"Group": ids["Web"]}
    world.update(tmp_path / "web.json", "web")
    settled(world)
    assert world.ids("web") == ids
    assert world.system.queries.plan("web").planning.plan.is_empty
    ec2, ssm = (world.stranger().create_client(name, REGION) for name in ("ec2", "ssm"))
    name = ec2.describe_security_groups(GroupIds=[ids["Web"]])["SecurityGroups"][0]["GroupName"]
    assert world.system.queries.process("web").outputs == {"Group": name}
    assert ssm.get_parameter(Name=ids["Told"])["Parameter"]["Value"] == name


def _with_ids(composition: Composition) -> Composition:
    """The composition as it was compiled when every `Ref` was written down as it stands."""
    resources = tuple(replace(one, properties=_plain(one.properties)) for one in composition.resources)
    outputs = tuple(replace(one, value=_plain(one.value)) for one in composition.outputs)
    changed = replace(composition, resources=resources, outputs=outputs)
    return replace(changed, digest=digest(changed))


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if not isinstance(value, dict):
        return value
    if value == {"Fn::GetAtt": ["Web", "GroupName"]}:
        return {"Ref": "Web"}
    return {name: _plain(one) for name, one in value.items()}
