"""Things without a mark that another hand made: a creation in their place is refused, and nothing of them changes.

Each world has another process with a resource of the same type, so that a sweep of the type is there when the other
hand acts. That sweep is older than the thing, and tells nothing of whose it is.
"""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tenuto.model.command import ProcessState
from tenuto_testing.cloud import BOUNDLESS, Cloud
from tenuto_testing.mortality import Blow, Crash
from tenuto_testing.strict_world import REGION, StrictWorld

HOUR = 3600.0
TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"Service": ["ec2.amazonaws.com"]}, "Action": ["sts:AssumeRole"]}],
}
THEIRS = json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Deny", "Action": "*", "Resource": "*"}]})


def _declared(type_name: str, **properties: Any) -> dict[str, Any]:
    return {"Type": f"AWS::{type_name}", "Properties": properties}


def _template(path: Path, **resources: Any) -> Path:
    path.write_text(json.dumps({"Resources": resources}))
    return path


def _client(world: StrictWorld, service: str) -> Any:
    return world.stranger().create_client(service, REGION)


def _alias(world: StrictWorld) -> tuple[dict[str, Any], Callable[[], Any]]:
    kms = _client(world, "kms")
    key = kms.create_key()["KeyMetadata"]["KeyId"]
    kms.create_alias(AliasName="alias/theirs", TargetKeyId=key)
    return _declared("KMS::Alias", AliasName="alias/theirs", TargetKeyId=key), lambda: kms.list_aliases()["Aliases"]


def _role_policy(world: StrictWorld) -> tuple[dict[str, Any], Callable[[], Any]]:
    iam = _client(world, "iam")
    iam.create_role(RoleName="theirs", AssumeRolePolicyDocument=json.dumps(TRUST))
    iam.put_role_policy(RoleName="theirs", PolicyName="p", PolicyDocument=THEIRS)
    ours = {**json.loads(THEIRS), "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}
    declared = _declared("IAM::RolePolicy", RoleName="theirs", PolicyName="p", PolicyDocument=ours)
    return declared, lambda: iam.get_role_policy(RoleName="theirs", PolicyName="p")["PolicyDocument"]


def _bucket_policy(world: StrictWorld) -> tuple[dict[str, Any], Callable[[], Any]]:
    s3 = _client(world, "s3")
    s3.create_bucket(Bucket="theirs")
    deny = {"Effect": "Deny", "Principal": "*", "Action": "s3:*", "Resource": "arn:aws:s3:::theirs/*"}
    s3.put_bucket_policy(Bucket="theirs", Policy=json.dumps({"Version": "2012-10-17", "Statement": [deny]}))
    ours = {"Version": "2012-10-17", "Statement": [{**deny, "Action": "s3:GetObject"}]}
    declared = _declared("S3::BucketPolicy", Bucket="theirs", PolicyDocument=ours)
    return declared, lambda: s3.get_bucket_policy(Bucket="theirs")["Policy"]


def _route(world: StrictWorld) -> tuple[dict[str, Any], Callable[[], Any]]:
    ec2 = _client(world, "ec2")
    vpc = ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
    gateways = [ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"] for _ in range(2)]
    ec2.attach_internet_gateway(VpcId=vpc, InternetGatewayId=gateways[0])
    table = ec2.create_route_table(VpcId=vpc)["RouteTable"]["RouteTableId"]
    ec2.create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", GatewayId=gateways[0])
    declared = _declared("EC2::Route", RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", GatewayId=gateways[0])
    return declared, lambda: ec2.describe_route_tables(RouteTableIds=[table])["RouteTables"][0]["Routes"]


def _another(world: StrictWorld, tmp_path: Path) -> None:
    """A process with a resource of each type."""
    template = _template(
        tmp_path / "own.json",
        Key=_declared("KMS::Key"),
        Name=_declared("KMS::Alias", AliasName="alias/own", TargetKeyId={"Ref": "Key"}),
        Sto=_declared("S3::Bucket"),
        Den=_declared(
            "S3::BucketPolicy",
            Bucket={"Ref": "Sto"},
            PolicyDocument={
                "Version": "2012-10-17",
                "Statement": [
                    {"Effect": "Deny", "Principal": "*", "Action": "s3:*", "Resource": {"Fn::Sub": "${Sto.Arn}/*"}}
                ],
            },
        ),
        Rol=_declared("IAM::Role", AssumeRolePolicyDocument=TRUST),
        Pol=_declared("IAM::RolePolicy", RoleName={"Ref": "Rol"}, PolicyName="p", PolicyDocument=json.loads(THEIRS)),
        Net=_declared("EC2::VPC", CidrBlock="10.0.0.0/16"),
        Igw=_declared("EC2::InternetGateway"),
        Att=_declared("EC2::VPCGatewayAttachment", VpcId={"Ref": "Net"}, InternetGatewayId={"Ref": "Igw"}),
        Tab=_declared("EC2::RouteTable", VpcId={"Ref": "Net"}),
        Out={
            **_declared(
                "EC2::Route",
                RouteTableId={"Ref": "Tab"},
                DestinationCidrBlock="0.0.0.0/0",
                GatewayId={"Ref": "Igw"},
            ),
            "DependsOn": "Att",
        },
    )
    world.run(template, "own")
    assert world.settle()
    world.advance(25.0)


@pytest.fixture
def world(tmp_path: Path) -> StrictWorld:
    made = StrictWorld(lambda clock: Cloud(clock, quotas=BOUNDLESS))
    _another(made, tmp_path)
    return made


Theirs = Callable[[StrictWorld], tuple[Mapping[str, Any], Callable[[], Any]]]
THINGS: Mapping[str, Theirs] = {
    "an alias": _alias,
    "a bucket policy": _bucket_policy,
    "an inline policy": _role_policy,
    "a route": _route,
}
every_thing = pytest.mark.parametrize("theirs", THINGS.values(), ids=THINGS)


@every_thing
def test_what_another_hand_made_is_refused_and_survives_a_kill(
    world: StrictWorld, tmp_path: Path, theirs: Theirs
) -> None:
    declared, shown = theirs(world)
    before = shown()
    world.run(_template(tmp_path / "app.json", Mine=declared), "app")
    assert world.settle()
    process = world.system.queries.process("app").process
    assert process.state is ProcessState.SUSPENDED
    assert "ResourceAlreadyExists" in process.causes
    world.system.commands.resume("app")
    assert world.settle()
    assert shown() == before
    world.system.commands.kill("app")
    assert world.settle()
    assert shown() == before


@every_thing
@pytest.mark.parametrize("commits", range(2, 6))
def test_what_another_hand_made_is_not_taken_after_a_crash(
    world: StrictWorld, tmp_path: Path, theirs: Theirs, commits: int
) -> None:
    declared, shown = theirs(world)
    before = shown()
    world.run(_template(tmp_path / "app.json", Mine=declared), "app")
    world.fate.arm(Blow(operation="commit", is_after=True, count=commits))
    with suppress(Crash):
        world.settle()
    world.fate.disarm()
    world.crash()
    world.advance(HOUR)
    assert shown() == before
    world.system.commands.kill("app")
    assert world.settle()
    assert shown() == before


def test_the_thing_of_another_process_is_told_as_its(world: StrictWorld, tmp_path: Path) -> None:
    world.advance(HOUR)
    key = _client(world, "kms").create_key()["KeyMetadata"]["KeyId"]
    declared = _declared("KMS::Alias", AliasName="alias/own", TargetKeyId=key)
    world.run(_template(tmp_path / "app.json", Mine=declared), "app")
    assert world.settle()
    message = world.system.queries.process("app").process.last_message
    assert "It belongs to another process. Give it another name, or adopt the thing once" in message
