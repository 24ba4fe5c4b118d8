"""A managed policy is attached to a role whose name holds every character that IAM takes in one."""

from pathlib import Path

from tenuto_testing.cloud import Cloud
from tenuto_testing.strict_world import StrictWorld

TEMPLATE = """
Resources:
  R:
    Type: AWS::IAM::Role
    Properties:
      RoleName: odd.role+=,@-_x
      AssumeRolePolicyDocument:
        Version: "2012-10-17"
        Statement: {Effect: Allow, Principal: {Service: ec2.amazonaws.com}, Action: "sts:AssumeRole"}
  M:
    Type: AWS::IAM::ManagedPolicy
    Properties:
      ROLES
      PolicyDocument: {Version: "2012-10-17", Statement: [{Effect: Allow, Action: "s3:*", Resource: "*"}]}
"""


def attached(world: StrictWorld) -> list[str]:
    iam = world.stranger().create_client("iam", "us-east-1")
    found = iam.list_attached_role_policies(RoleName="odd.role+=,@-_x")["AttachedPolicies"]
    return [str(one["PolicyArn"]) for one in found]


def test_an_attachment_is_marked_whatever_the_name_of_its_role(tmp_path: Path) -> None:
    world = StrictWorld(Cloud)
    before, path = world.standing(), tmp_path / "web.yaml"
    path.write_text(TEMPLATE.replace("ROLES", "Roles: [!Ref R]"))
    world.run(path, "web")
    assert world.settle()
    assert len(attached(world)) == 1
    assert world.system.queries.plan("web").planning.plan.is_empty
    path.write_text(TEMPLATE.replace("ROLES", "Description: none"))
    world.update(path, "web")
    assert world.settle()
    assert world.system.queries.process("web").process.last_message == ""
    world.system.commands.kill("web")
    assert world.settle()
    assert world.standing() == before
