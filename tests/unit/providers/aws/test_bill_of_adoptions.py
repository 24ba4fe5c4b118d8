"""The bill of an adoption: the call that writes Tenuto's tags, for each thing of each type that carries tags."""

import pytest

from tenuto.core.planning.bill import bill_of
from tenuto.model.ids import Fid, Instant, ObjectId, Partition, PlanId, TypeName
from tenuto.model.plan import Operation, Plan, Step, StepKind
from tenuto.model.verb import Verb
from tenuto.providers.aws.types.catalogue import BLOCKS, FACTS
from tenuto_testing.store_samples import a_step

KINDS = ((StepKind.ADOPT, Verb.ADOPT), (StepKind.RELEASE, Verb.RELEASE))


def bill(kind: StepKind, verb: Verb, *names: str) -> dict[str, int]:
    """The calls of a plan that adopts, or releases, a thing of each of these types."""
    steps = [one_step(kind, f"r{number}", name) for number, name in enumerate(names)]
    operations = [
        Operation(verb=verb, logical_id=step.logical_id, object_id=step.object_id, type=step.type) for step in steps
    ]
    plan = Plan(
        plan_id=PlanId("plan"), fid=Fid("process"), partition=Partition(account="default", region="eu-west-1"),
        command="run", observed_at=Instant(0.0), operations=tuple(operations), steps=tuple(steps),
    )  # fmt: skip
    return {line.api: line.calls for line in bill_of(plan, FACTS).lines}


def one_step(kind: StepKind, name: str, type_name: str) -> Step:
    return a_step(kind, name, object_id=ObjectId(name), type=TypeName(type_name))


@pytest.mark.parametrize(("kind", "verb"), KINDS)
@pytest.mark.parametrize(
    ("name", "api"),
    [
        ("AWS::S3::Bucket", "s3:changes"),
        ("AWS::SQS::Queue", "sqs:changes"),
        ("AWS::SNS::Topic", "sns:changes"),
        ("AWS::DynamoDB::Table", "dynamodb:changes"),
        ("AWS::IAM::Role", "iam:changes"),
        ("AWS::IAM::ManagedPolicy", "iam:changes"),
        ("AWS::Logs::LogGroup", "logs:changes"),
        ("AWS::SSM::Parameter", "ssm:changes"),
        ("AWS::NetworkFirewall::Firewall", "cloudcontrol:changes"),
    ],
)
def test_each_thing_that_changes_hands_costs_one_call(kind: StepKind, verb: Verb, name: str, api: str) -> None:
    assert bill(kind, verb, name, name) == {api: 2}


def test_a_call_of_ec2_marks_one_thing_since_each_has_marks_of_its_own() -> None:
    names = ("AWS::EC2::VPC", "AWS::EC2::Subnet", "AWS::EC2::Subnet", "AWS::EC2::SecurityGroupIngress")
    assert bill(StepKind.ADOPT, Verb.ADOPT, *names) == {"ec2:CreateTags": 4}
    assert bill(StepKind.RELEASE, Verb.RELEASE, *names) == {"ec2:DeleteTags": 4}


@pytest.mark.parametrize(("kind", "verb"), KINDS)
def test_a_thing_without_tags_changes_hands_without_a_call(kind: StepKind, verb: Verb) -> None:
    assert bill(kind, verb, "AWS::EC2::Route", "AWS::IAM::RolePolicy", "AWS::S3::BucketPolicy") == {}


def test_the_calls_are_on_the_bill_of_every_type_that_is_marked() -> None:
    """A type that can carry marks and names no call for it would be adopted for more than its plan says."""
    marked = [name for name, kind in BLOCKS.items() if kind.marks is not None or kind.tagged_as]
    assert len(marked) > 100
    assert [name for name in marked if not (FACTS[name].calls.adopt and FACTS[name].calls.release)] == []
