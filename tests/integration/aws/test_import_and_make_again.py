"""An import document is enough to make its things again, when they vanish: nothing in it excludes anything else.

One of each type is made, let go of, described, and adopted as it is described. Then it is made from the very same
document a second time, in a world where there is nothing of it.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from aws_examples import EXAMPLES
from strict_life import settled

from tenuto.compositions.existing import Thing, template_of
from tenuto.errors import NotDeclarableError
from tenuto.model.ids import PhysicalId
from tenuto.model.observation import ObservedItem
from tenuto.model.verb import Verb
from tenuto.providers.aws.types.s3_bucket import BUCKET
from tenuto.service.intake.composition import Submission
from tenuto_testing.cloud import BOUNDLESS, Cloud
from tenuto_testing.strict_world import REGION, StrictWorld, submission

Resources = dict[str, Any]


def world() -> StrictWorld:
    return StrictWorld(lambda clock: Cloud(clock, quotas=BOUNDLESS))


def described(place: StrictWorld, resources: Resources, folder: Path) -> Resources:
    """What an import says of the resources, once they were made and let go of."""
    place.system.commands.run(_submission(resources, folder), alias="web")
    settled(place)
    wanted = [
        f"{one.type} {one.current.physical_id}"
        for one in place.system.queries.process("web").resources
        if one.current is not None
    ]
    place.system.commands.release("web")
    assert place.settle()
    found: Resources = place.system.queries.existing(wanted, region=REGION)["Resources"]
    return found


def _submission(resources: Resources, folder: Path) -> Submission:
    path = folder / "web.json"
    path.write_text(json.dumps({"Resources": resources}))
    return submission(path)


def resource(type_name: str, **properties: Any) -> Resources:
    return {"Type": f"AWS::{type_name}", "Properties": properties}


def everything() -> Resources:
    """One of each type, without the rule that names the default group of one VPC."""
    found = {str(one.name): {"Type": str(one.type), "Properties": dict(one.properties)} for one in EXAMPLES}
    group = found["Group"]["Properties"]
    group["SecurityGroupIngress"] = [one for one in group["SecurityGroupIngress"] if "SourceSecurityGroupId" not in one]
    return found


VOLUMES = {
    f"Volume{number}": resource("EC2::Volume", AvailabilityZone=f"{REGION}a", Size=size, VolumeType=kind, **more)
    for number, (kind, size, more) in enumerate(
        [
            ("gp2", 100, {}),
            ("gp3", 10, {}),
            ("gp3", 10, {"Iops": 4000, "Throughput": 200}),
            ("io1", 10, {"Iops": 200}),
            ("io2", 10, {"Iops": 200, "MultiAttachEnabled": True}),
            ("standard", 10, {}),
            ("st1", 125, {}),
        ]
    )
}
MACHINES = {
    "Front": resource("EC2::SecurityGroup", GroupDescription="front"),
    "Named": resource("EC2::Instance", ImageId="ami-0abcdef1234567890", SecurityGroups=[{"Ref": "Front"}]),
    "Small": resource("EC2::Instance", ImageId="ami-0abcdef1234567890", InstanceType="t2.micro"),
    "Address": resource("EC2::EIP", InstanceId={"Ref": "Small"}),
    "Worker": {"Type": "Cloud::Node", "Properties": {"MachineType": "t3.micro", "Image": "ami-0abcdef1234567890"}},
}


@pytest.mark.parametrize("resources", [everything(), VOLUMES, MACHINES], ids=["everything", "volumes", "machines"])
def test_what_was_described_is_adopted_as_it_is_and_can_be_made_again(resources: Resources, tmp_path: Path) -> None:
    place = world()
    document = described(place, resources, tmp_path)
    adopting = _submission(document, tmp_path)
    plan = place.system.commands.dry_runs.run(adopting, alias="same", account="default", adopts=True).planning.plan
    assert {one.verb for one in plan.operations} == {Verb.ADOPT}

    elsewhere = world()
    unnamed = {name: {key: one[key] for key in ("Type", "Properties")} for name, one in document.items()}
    elsewhere.system.commands.run(_submission(unnamed, tmp_path), alias="web")
    settled(elsewhere)
    assert elsewhere.system.queries.plan("web").planning.plan.is_empty


def test_a_volume_that_grows_keeps_no_operations_of_its_old_size(tmp_path: Path) -> None:
    document = described(world(), {"Volume0": VOLUMES["Volume0"]}, tmp_path)
    [volume] = document.values()
    assert volume["Properties"].keys() & {"Iops", "Throughput", "SnapshotId"} == set()


def test_what_aws_chose_is_left_out(tmp_path: Path) -> None:
    document = described(world(), MACHINES, tmp_path)
    chosen = {"CpuOptions", "PrivateIpAddress", "SecurityGroups", "PublicIpv4Pool"}
    for one in document.values():
        assert one["Properties"].keys() & chosen == set()
        assert "State" not in one["Properties"].get("MetadataOptions", {})
        assert not {"AvailabilityZone", "SubnetId"} <= one["Properties"].keys()


NETWORK = {
    "Net": resource("EC2::VPC", CidrBlock="10.0.0.0/16"),
    "Way": resource("EC2::InternetGateway"),
    "Attachment": resource("EC2::VPCGatewayAttachment", VpcId={"Ref": "Net"}, InternetGatewayId={"Ref": "Way"}),
    "Sub": resource("EC2::Subnet", VpcId={"Ref": "Net"}, CidrBlock="10.0.1.0/24"),
    "Address": resource("EC2::EIP", Domain="vpc"),
    "Nat": {
        **resource(
            "EC2::NatGateway", SubnetId={"Ref": "Sub"}, AllocationId={"Fn::GetAtt": ["Address", "AllocationId"]}
        ),
        "DependsOn": "Attachment",
    },
}


def test_what_repeats_something_else_is_left_out(tmp_path: Path) -> None:
    document = described(world(), NETWORK, tmp_path)
    shown = {one["Type"]: one["Properties"].keys() for one in document.values()}
    assert shown["AWS::EC2::NatGateway"] == {"AllocationId", "AvailabilityMode", "ConnectivityType", "SubnetId"}
    assert "AvailabilityZone" in shown["AWS::EC2::Subnet"]
    assert "AvailabilityZoneId" not in shown["AWS::EC2::Subnet"]


@pytest.mark.parametrize(("access", "is_said"), [("Custom", False), ("PublicRead", True)])
def test_access_that_no_canned_word_names_is_left_out(access: str, is_said: bool) -> None:
    found = ObservedItem(physical_id=PhysicalId("shared"), properties={"BucketName": "shared", "AccessControl": access})
    [bucket] = template_of([Thing(facts=BUCKET.facts, item=found)], region=REGION)["Resources"].values()
    assert ("AccessControl" in bucket["Properties"]) is is_said


def test_what_comes_and_goes_with_something_else_is_not_imported(tmp_path: Path) -> None:
    place = world()
    ec2 = place.stranger().create_client("ec2", REGION)
    ssm = place.stranger().create_client("ssm", REGION)
    vpc = ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
    within = [{"Name": "vpc-id", "Values": [vpc]}]
    [group] = ec2.describe_security_groups(Filters=within)["SecurityGroups"]
    [acl] = ec2.describe_network_acls(Filters=within)["NetworkAcls"]
    [table] = ec2.describe_route_tables(Filters=within)["RouteTables"]
    ssm.put_parameter(Name="/secret", Type="SecureString", Value="x")
    wanted = {
        f"AWS::EC2::SecurityGroup {group['GroupId']}": "default security group of its VPC",
        f"AWS::EC2::NetworkAcl {acl['NetworkAclId']}": "default network ACL",
        f"AWS::EC2::RouteTable {table['RouteTableId']}": "main route table",
        "AWS::SSM::Parameter /secret": "cannot hold a SecureString",
    }
    for one, why in wanted.items():
        with pytest.raises(NotDeclarableError, match=why):
            place.system.queries.existing([one], region=REGION)
    named = resource("EC2::SecurityGroup", GroupDescription="default VPC security group", VpcId=vpc)
    named["Metadata"] = {"Tenuto": {"ResourceIdentifier": group["GroupId"]}}
    with pytest.raises(NotDeclarableError, match="Leave it out"):
        place.system.commands.run(_submission({"Group": named}, tmp_path), alias="web", adopts=True)
