"""Things of EC2 that carry our tags and that the database does not know: told, held, adopted, deleted."""

import json
from typing import Any

from tenuto.compositions.compile import compile_text
from tenuto.compositions.documents.document import to_document
from tenuto.model.command import ProcessState
from tenuto.model.ids import Partition, PhysicalId
from tenuto.service.intake.composition import Submission
from tenuto_testing.cloud import Cloud
from tenuto_testing.strict_world import StrictWorld

HERE = Partition(account="default", region="us-east-1")
TEMPLATE = """
Resources:
  Net: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.0.0.0/16}}
  Sub: {Type: AWS::EC2::Subnet, Properties: {VpcId: !Ref Net, CidrBlock: 10.0.1.0/24}}
"""


def standing() -> StrictWorld:
    """A world in which the template stands as `web`."""
    world = StrictWorld(Cloud)
    compiled = compile_text(TEMPLATE, file="web.yaml", parameters={}, region=HERE.region)
    world.system.commands.run(Submission(document=to_document(compiled.composition), secrets={}), alias="web")
    assert world.settle()
    world.advance(120)
    return world


def tagged_subnet(world: StrictWorld, block: str, resource: str) -> PhysicalId:
    """A subnet that an earlier life of the process made, as its tags say."""
    ec2: Any = world.stranger().create_client("ec2", HERE.region)
    tags = {"tenuto:process": world.fid("web"), "tenuto:resource": resource, "tenuto:object": "ghost"}
    made = ec2.create_subnet(
        VpcId=world.ids("web")["Net"],
        CidrBlock=block,
        TagSpecifications=[
            {"ResourceType": "subnet", "Tags": [{"Key": key, "Value": value} for key, value in tags.items()]}
        ],
    )
    return PhysicalId(made["Subnet"]["SubnetId"])


def test_a_kill_that_an_unknown_subnet_holds_up_tells_it_and_ends_once_it_is_deleted() -> None:
    world = standing()
    ghost = tagged_subnet(world, "10.0.9.0/24", "More")
    world.advance(60)
    assert [one.physical_id for one in world.system.marks.things()] == [ghost]
    world.system.commands.kill("web")
    world.advance(120)
    process = world.store.process("web")
    assert process is not None
    assert ghost in process.last_message
    assert f"'tenuto doctor web --delete {ghost}'" in process.last_message
    assert world.system.unknown_things.delete("web", ghost)[1] == ""
    assert world.settle()
    assert world.store.processes() == ()


def test_a_subnet_that_stands_in_the_place_of_one_that_is_gone_is_held_and_adopted() -> None:
    world = standing()
    ec2: Any = world.stranger().create_client("ec2", HERE.region)
    ec2.delete_subnet(SubnetId=world.ids("web")["Sub"])
    ghost = tagged_subnet(world, "10.0.1.0/24", "Sub")
    world.advance(180)
    process = world.store.process("web")
    assert process is not None
    assert f"Sub is not made: AWS::EC2::Subnet {ghost}" in process.last_message
    world.system.unknown_things.adopt("web", ghost)
    assert world.settle()
    assert world.ids("web")["Sub"] == ghost
    [shown] = ec2.describe_subnets(SubnetIds=[ghost])["Subnets"]
    marks = {tag["Key"]: tag["Value"] for tag in shown["Tags"]}
    sub = next(one for one in world.store.objects(world.fid("web")) if one.physical_id == ghost)
    assert marks["tenuto:object"] == sub.object_id
    assert world.system.marks.things() == ()


def test_a_policy_without_marks_that_stands_already_is_not_taken_over_by_a_retry() -> None:
    """Nothing tells a policy of a role from one that another user made: the creation that it refused made nothing."""
    world = StrictWorld(Cloud)
    trust = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": "*", "Action": "sts:AssumeRole"}]}
    may = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "sns:Publish", "Resource": "*"}]}
    iam: Any = world.stranger().create_client("iam", HERE.region)
    iam.create_role(RoleName="theirs", AssumeRolePolicyDocument=json.dumps(trust))
    iam.put_role_policy(RoleName="theirs", PolicyName="beside", PolicyDocument=json.dumps(may))
    policy = {"RoleName": "theirs", "PolicyName": "beside", "PolicyDocument": may}
    text = json.dumps({"Resources": {"Pol": {"Type": "AWS::IAM::RolePolicy", "Properties": policy}}})
    compiled = compile_text(text, file="web.json", parameters={}, region=HERE.region)
    world.system.commands.run(Submission(document=to_document(compiled.composition), secrets={}), alias="web")
    for order in (world.system.commands.resume, world.system.commands.resume, None):
        world.advance(120)
        process = world.store.process("web")
        assert process is not None
        assert process.state is ProcessState.SUSPENDED
        assert "adopt what exists" in process.last_message
        if order is not None:
            order("web")
    world.system.commands.kill("web")
    world.advance(120)
    assert iam.list_role_policies(RoleName="theirs")["PolicyNames"] == ["beside"]
