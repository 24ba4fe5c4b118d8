"""Properties that say one thing in two ways, exchanged for each other in front of the strict cloud."""

import json
from pathlib import Path
from typing import Any

import pytest
from strict_life import settled

from tenuto.compositions.compile import compile_file
from tenuto.compositions.documents.document import to_document
from tenuto.model.plan import Operation
from tenuto.model.verb import Verb
from tenuto.service.intake.composition import Submission
from tenuto_testing.cloud import Cloud
from tenuto_testing.strict_world import REGION, StrictWorld

Properties = dict[str, Any]
RULE = {"IpProtocol": "tcp", "FromPort": 443, "ToPort": 443}


class Stage:
    """A world with one resource of a process `web`, and things that it may name."""

    def __init__(self, folder: Path) -> None:
        self.world = StrictWorld(Cloud)
        self.folder = folder
        self.ec2 = self.world.stranger().create_client("ec2", REGION)
        self.names = {
            "group": self._group("front"),
            "other": self._group("back"),
            "zone": f"{REGION}a",
            "zone_id": self._zone_id(f"{REGION}a"),
            "other_zone_id": self._zone_id(f"{REGION}b"),
        }
        address = self.ec2.allocate_address(Domain="vpc")
        self.names |= {"allocation": address["AllocationId"], "address": address["PublicIp"]}
        self.names["instance"] = self._instance()

    def _group(self, name: str) -> str:
        return str(self.ec2.create_security_group(GroupName=name, Description="d")["GroupId"])

    def _zone_id(self, name: str) -> str:
        [zone] = self.ec2.describe_availability_zones(ZoneNames=[name])["AvailabilityZones"]
        return str(zone["ZoneId"])

    def _instance(self) -> str:
        made = self.ec2.run_instances(ImageId="ami-0abcdef1234567890", MinCount=1, MaxCount=1)
        return str(made["Instances"][0]["InstanceId"])

    def submission(self, type_name: str, properties: Properties) -> Submission:
        filled = json.loads(json.dumps(properties))
        for key, value in filled.items():
            filled[key] = _filled(value, self.names)
        path = self.folder / "web.json"
        path.write_text(json.dumps({"Resources": {"Data": {"Type": type_name, "Properties": filled}}}))
        compiled = compile_file(path, parameters={}, region=REGION)
        return Submission(document=to_document(compiled.composition), secrets=compiled.secrets)

    def shown(self, type_name: str, properties: Properties) -> tuple[Operation, ...]:
        """The operations of an update, as its dry run shows them."""
        submission = self.submission(type_name, properties)
        return self.world.system.commands.dry_runs.update("web", submission).planning.plan.operations


def _filled(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, list):
        return [_filled(one, names) for one in value]
    return value.format(**names) if isinstance(value, str) else value


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


VOLUME: Properties = {"Size": 8, "Encrypted": False}
INSTANCE: Properties = {"ImageId": "ami-0abcdef1234567890"}
CASES = [
    pytest.param(
        "AWS::EC2::Volume",
        {**VOLUME, "AvailabilityZone": "{zone}"},
        {**VOLUME, "AvailabilityZoneId": "{zone_id}"},
        {**VOLUME, "AvailabilityZoneId": "{other_zone_id}"},
        id="the zone of a volume",
    ),
    pytest.param(
        "AWS::EC2::Instance",
        {**INSTANCE, "SecurityGroupIds": ["{group}"]},
        {**INSTANCE, "SecurityGroups": ["front"]},
        {**INSTANCE, "SecurityGroups": ["back"]},
        id="the groups of an instance",
    ),
    pytest.param(
        "AWS::EC2::SecurityGroupIngress",
        {**RULE, "GroupId": "{group}", "CidrIp": "10.0.0.0/8"},
        {**RULE, "GroupName": "front", "CidrIp": "10.0.0.0/8"},
        {**RULE, "GroupName": "back", "CidrIp": "10.0.0.0/8"},
        id="the group of a rule",
    ),
    pytest.param(
        "AWS::EC2::SecurityGroupIngress",
        {**RULE, "GroupId": "{group}", "SourceSecurityGroupId": "{other}"},
        {**RULE, "GroupId": "{group}", "SourceSecurityGroupName": "back"},
        {**RULE, "GroupId": "{group}", "SourceSecurityGroupName": "front"},
        id="the source of a rule",
    ),
    pytest.param(
        "AWS::EC2::EIPAssociation",
        {"AllocationId": "{allocation}", "InstanceId": "{instance}"},
        {"EIP": "{address}", "InstanceId": "{instance}"},
        {"EIP": "198.51.100.77", "InstanceId": "{instance}"},
        id="an address",
    ),
]


@pytest.mark.parametrize(("type_name", "first", "same", "another"), CASES)
def test_the_same_in_the_words_of_another_property_is_no_change_and_something_else_is(
    stage: Stage, type_name: str, first: Properties, same: Properties, another: Properties
) -> None:
    commands, queries = stage.world.system.commands, stage.world.system.queries
    for begin, then in ((first, same), (same, first)):
        commands.run(stage.submission(type_name, begin), alias="web")
        settled(stage.world)
        assert queries.plan("web").planning.plan.is_empty
        assert stage.shown(type_name, then) == ()
        commands.update("web", stage.submission(type_name, then))
        settled(stage.world)
        assert queries.plan("web").planning.plan.is_empty
        assert [one.verb for one in stage.shown(type_name, another)] == [Verb.REPLACE]
        commands.kill("web")
        assert stage.world.settle()


def test_an_import_says_each_thing_once(stage: Stage) -> None:
    stage.ec2.associate_address(AllocationId=stage.names["allocation"], InstanceId=stage.names["instance"])
    [address] = stage.ec2.describe_addresses()["Addresses"]
    volume = stage.ec2.create_volume(AvailabilityZone=f"{REGION}a", Size=8)["VolumeId"]
    wanted = [
        f"AWS::EC2::EIPAssociation {address['AssociationId']}",
        f"AWS::EC2::Volume {volume}",
        f"AWS::EC2::Instance {stage.names['instance']}",
    ]
    template = stage.world.system.queries.existing(wanted, region=REGION)
    declared = {one["Type"]: one["Properties"].keys() for one in template["Resources"].values()}
    said = {"AllocationId", "EIP", "InstanceId", "NetworkInterfaceId"}
    assert declared["AWS::EC2::EIPAssociation"] & said == {"AllocationId", "InstanceId"}
    zones = {"AvailabilityZone", "AvailabilityZoneId"}
    assert declared["AWS::EC2::Volume"] & zones == {"AvailabilityZone"}
    assert declared["AWS::EC2::Instance"] & {"SecurityGroupIds", "SecurityGroups"} == {"SecurityGroupIds"}
