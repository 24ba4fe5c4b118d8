"""Instances, IAM, S3 and the parameter store of the strict cloud, where emulators are kind."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from strict_cloud import Somebody, Stage, code_of

from tenuto_testing.cloud import Pace

IMAGE = "ami-12c6146b"


def policy(**statement: object) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", **statement}]})


TRUST = policy(Principal={"Service": "ec2.amazonaws.com"}, Action="sts:AssumeRole")
ALLOW = policy(Action="s3:*", Resource="*")


def as_large_as(size: int) -> str:
    """A policy of so many characters, blanks aside."""
    bare = len("".join(policy(Action="s3:*", Resource="").split()))
    return policy(Action="s3:*", Resource="x" * (size - bare))


Refused = Callable[[Somebody], object]


def run(me: Somebody, **more: Any) -> str:
    order = {"ImageId": IMAGE, "InstanceType": "t3.micro", "MinCount": 1, "MaxCount": 1, **more}
    return str(me.ec2.run_instances(**order)["Instances"][0]["InstanceId"])


def state(stage: Stage, instance_id: str) -> str:
    found = stage.me.ec2.describe_instances(InstanceIds=[instance_id])["Reservations"][0]["Instances"][0]
    return str(found["State"]["Name"])


def test_an_instance_takes_its_time_to_start_to_stop_and_to_end() -> None:
    stage = Stage(pace=Pace())
    instance = run(stage.me)
    assert state(stage, instance) == "pending"
    stage.clock.advance(21.0)
    assert state(stage, instance) == "running"
    stage.me.ec2.stop_instances(InstanceIds=[instance])
    assert state(stage, instance) == "stopping"
    assert code_of(lambda: stage.me.ec2.start_instances(InstanceIds=[instance])) == "IncorrectInstanceState"
    stage.clock.advance(31.0)
    assert state(stage, instance) == "stopped"
    stage.me.ec2.terminate_instances(InstanceIds=[instance])
    stage.clock.advance(31.0)
    assert state(stage, instance) == "terminated"
    stage.clock.advance(3601.0)
    assert code_of(lambda: state(stage, instance)) == "InvalidInstanceID.NotFound"


@pytest.mark.parametrize(
    ("code", "order"),
    [
        ("InvalidAMIID.NotFound", {"ImageId": "ami-0123456789abcdef0"}),
        ("InvalidAMIID.Malformed", {"ImageId": "debian"}),
        ("InvalidParameterValue", {"InstanceType": "t99.huge"}),
        ("InvalidKeyPair.NotFound", {"KeyName": "nobody"}),
        ("InvalidParameterValue", {"IamInstanceProfile": {"Name": "nobody"}}),
        ("InvalidParameterValue", {"MinCount": 2, "MaxCount": 1}),
        ("InvalidParameterValue", {"UserData": "x" * 20000}),
    ],
)
def test_an_order_for_instances_must_be_right_in_everything(code: str, order: dict[str, Any]) -> None:
    assert code_of(lambda: run(Stage().me, **order)) == code


def test_a_second_order_with_the_same_token_makes_nothing() -> None:
    stage = Stage()
    assert run(stage.me, ClientToken="once") == run(stage.me, ClientToken="once")
    assert code_of(lambda: run(stage.me, ClientToken="once", MaxCount=2)) == "IdempotentParameterMismatch"
    assert len(stage.me.ec2.describe_instances()["Reservations"]) == 1


def test_a_running_instance_is_protected_from_what_needs_it_stopped_and_from_its_end_if_so_ordered() -> None:
    stage = Stage()
    ec2, instance = stage.me.ec2, run(stage.me, DisableApiTermination=True)
    assert code_of(lambda: ec2.terminate_instances(InstanceIds=[instance])) == "OperationNotPermitted"
    change = {"InstanceId": instance, "InstanceType": {"Value": "t3.large"}}
    assert code_of(lambda: ec2.modify_instance_attribute(**change)) == "IncorrectInstanceState"
    ec2.stop_instances(InstanceIds=[instance])
    ec2.modify_instance_attribute(**change)


def test_an_instance_holds_its_subnet_and_its_groups_until_it_has_ended() -> None:
    stage = Stage(pace=Pace())
    ec2, vpc = stage.me.ec2, stage.vpc()
    subnet, group = stage.subnet(vpc), stage.group(vpc)
    instance = run(stage.me, SubnetId=subnet, SecurityGroupIds=[group])
    ec2.terminate_instances(InstanceIds=[instance])
    assert code_of(lambda: ec2.delete_subnet(SubnetId=subnet)) == "DependencyViolation"
    assert code_of(lambda: ec2.delete_security_group(GroupId=group)) == "DependencyViolation"
    stage.clock.advance(31.0)
    ec2.delete_security_group(GroupId=group)
    ec2.delete_subnet(SubnetId=subnet)


@pytest.fixture
def me() -> Somebody:
    """Somebody with a role that is in use in every way, and a bucket."""
    somebody = Stage().me
    iam = somebody.iam
    iam.create_role(RoleName="web", AssumeRolePolicyDocument=TRUST)
    arn = iam.create_policy(PolicyName="read", PolicyDocument=ALLOW)["Policy"]["Arn"]
    iam.attach_role_policy(RoleName="web", PolicyArn=arn)
    iam.create_instance_profile(InstanceProfileName="web")
    iam.add_role_to_instance_profile(InstanceProfileName="web", RoleName="web")
    somebody.s3.create_bucket(Bucket="web-bucket")
    return somebody


READ = "arn:aws:iam::123456789012:policy/read"


@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("DeleteConflict", lambda me: me.iam.delete_role(RoleName="web")),
        ("DeleteConflict", lambda me: me.iam.delete_policy(PolicyArn=READ)),
        ("DeleteConflict", lambda me: me.iam.delete_instance_profile(InstanceProfileName="web")),
        ("DeleteConflict", lambda me: me.iam.delete_policy_version(PolicyArn=READ, VersionId="v1")),
        (
            "LimitExceeded",
            lambda me: me.iam.add_role_to_instance_profile(InstanceProfileName="web", RoleName="web"),
        ),
        ("EntityAlreadyExists", lambda me: me.iam.create_role(RoleName="WEB", AssumeRolePolicyDocument=TRUST)),
        ("ValidationError", lambda me: me.iam.create_role(RoleName="w b", AssumeRolePolicyDocument=TRUST)),
        ("MalformedPolicyDocument", lambda me: me.iam.create_role(RoleName="x", AssumeRolePolicyDocument=ALLOW)),
        ("MalformedPolicyDocument", lambda me: me.iam.create_policy(PolicyName="x", PolicyDocument=TRUST)),
        ("NoSuchEntity", lambda me: me.iam.attach_role_policy(RoleName="web", PolicyArn=f"{READ}ers")),
        ("BucketNotEmpty", lambda me: (me.s3.put_object(Bucket="web-bucket", Key="k"), _delete(me))),
        ("NoSuchBucket", lambda me: me.s3.delete_bucket(Bucket="nobodys-bucket")),
        ("404", lambda me: me.s3.head_bucket(Bucket="nobodys-bucket")),
        ("InvalidBucketName", lambda me: me.s3.create_bucket(Bucket="1.2.3.4")),
        ("AccessControlListNotSupported", lambda me: me.s3.put_bucket_acl(Bucket="web-bucket", ACL="public-read")),
        ("NoSuchTagSet", lambda me: me.s3.get_bucket_tagging(Bucket="web-bucket")),
        ("MalformedPolicy", lambda me: me.s3.put_bucket_policy(Bucket="web-bucket", Policy=ALLOW)),
        (
            "AccessDenied",
            lambda me: me.s3.put_bucket_policy(
                Bucket="web-bucket",
                Policy=policy(Principal="*", Action="s3:GetObject", Resource="arn:aws:s3:::web-bucket/*"),
            ),
        ),
        ("ParameterNotFound", lambda me: me.ssm.get_parameter(Name="/none")),
        ("InvalidAction", lambda me: me.iam.list_users()),
    ],
)
def test_what_iam_s3_and_ssm_do_not_take_is_refused_in_their_words(me: Somebody, code: str, call: Refused) -> None:
    assert code_of(lambda: call(me)) == code


def test_policies_are_as_large_as_iam_lets_them_be(me: Somebody) -> None:
    me.iam.create_policy(PolicyName="large", PolicyDocument=as_large_as(6144))
    assert code_of(lambda: me.iam.create_policy(PolicyName="x", PolicyDocument=as_large_as(6145))) == "LimitExceeded"
    version = {"PolicyArn": READ, "PolicyDocument": as_large_as(6145)}
    assert code_of(lambda: me.iam.create_policy_version(**version)) == "LimitExceeded"
    for name, size in (("a", 10_000), ("b", 240), ("b", 240)):
        me.iam.put_role_policy(RoleName="web", PolicyName=name, PolicyDocument=as_large_as(size))
    more = {"RoleName": "web", "PolicyName": "c", "PolicyDocument": ALLOW}
    assert code_of(lambda: me.iam.put_role_policy(**more)) == "LimitExceeded"
    trust = policy(
        Principal={"Service": [f"s{number}.amazonaws.com" for number in range(100)]}, Action="sts:AssumeRole"
    )
    assert code_of(lambda: me.iam.create_role(RoleName="x", AssumeRolePolicyDocument=trust)) == "LimitExceeded"


def _delete(me: Somebody) -> object:
    return me.s3.delete_bucket(Bucket="web-bucket")


def test_a_bucket_name_is_taken_in_the_whole_world() -> None:
    stage = Stage(accounts={"other": "111111111111"})
    stage.me.s3.create_bucket(Bucket="web-bucket")
    other = Somebody(stage.cloud, access_key="other")
    assert code_of(lambda: other.s3.create_bucket(Bucket="web-bucket")) == "BucketAlreadyExists"
    assert code_of(lambda: other.s3.get_bucket_tagging(Bucket="web-bucket")) == "AccessDenied"


def test_assumed_roles_are_in_the_account_of_their_role() -> None:
    stage = Stage()
    answer = stage.me.sts.assume_role(RoleArn="arn:aws:iam::222222222222:role/ops", RoleSessionName="session")
    inside = Somebody(stage.cloud, access_key=answer["Credentials"]["AccessKeyId"])
    assert inside.sts.get_caller_identity()["Account"] == "222222222222"
