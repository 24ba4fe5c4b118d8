"""What can be run is said by the types themselves, and what is nearest is said first."""

from collections.abc import Mapping

import pytest

from tenuto.compositions.checks.managed import Managed, alternatives, managed_of
from tenuto.compositions.compile import compile_text
from tenuto.compositions.diagnostics.codes import PROPERTY_NOT_HELD, TYPE_NOT_MANAGED
from tenuto.errors import CompileError
from tenuto.model.diagnostic import Diagnostic
from tenuto.model.ids import TypeName
from tenuto.providers.aws.types.catalogue import FACTS

QUEUE, TOPIC = "AWS::SQS::Queue", "AWS::SNS::Topic"
PLACED = """
Conditions: {No: !Equals [a, b]}
Resources:
  Jobs:
    Type: AWS::SQS::Queue
    Properties:
      VisibilityTimeout: !If [No, 30, !Ref "AWS::NoValue"]
      Tags:
        - {Key: a, Value: b}
  News: {Type: AWS::SNS::Topic, Condition: No}
"""


def told(text: str, managed: Managed) -> list[Diagnostic]:
    try:
        compile_text(text, file="t.yaml", parameters={}, region="us-east-1", managed=managed)
    except CompileError as failed:
        return [one for one in failed.diagnostics if isinstance(one, Diagnostic)]
    return []


def test_what_a_condition_leaves_out_is_not_judged() -> None:
    assert told(PLACED, Managed(types={QUEUE: {"VisibilityTimeout": ""}})) == []


def test_a_nested_property_is_refused_at_its_line() -> None:
    [one] = told(PLACED, Managed(types={QUEUE: {"Tags.Value": ""}}))
    assert one.position is not None
    assert (one.code, one.position.line, one.subject) == (
        PROPERTY_NOT_HELD.code,
        9,
        "Resources.Jobs.Properties.Tags[0].Value",
    )
    assert "does not manage Tags[0].Value of AWS::SQS::Queue" in one.detail


def test_a_refusal_gives_the_advice_of_the_provider() -> None:
    [one] = told(PLACED, Managed(types={QUEUE: {"Tags.Value": "Declare the key alone."}}))
    assert one.hint == "Declare the key alone."
    [one] = told(PLACED, Managed(types={QUEUE: {"Tags.Value": ""}}))
    assert one.hint == PROPERTY_NOT_HELD.hint


@pytest.mark.parametrize(
    ("type_name", "path", "advice"),
    [
        ("AWS::SecretsManager::RotationSchedule", "HostedRotationLambda", "RotationLambdaARN"),
        ("AWS::Lambda::Function", "FunctionScalingConfig", "put-function-scaling-config"),
        ("AWS::ApiGateway::Deployment", "DeploymentCanarySettings", "CanarySetting"),
    ],
)
def test_what_aws_refuses_to_hold_says_what_to_do(type_name: str, path: str, advice: str) -> None:
    refused = managed_of(FACTS).types[TypeName(type_name)]
    assert isinstance(refused, Mapping)
    assert advice in refused[path]


def resources(*types: str) -> str:
    return "Resources:\n" + "".join(f"  R{number}: {{Type: '{one}'}}\n" for number, one in enumerate(types))


def test_a_type_is_told_once_with_how_many_have_it_and_what_is_nearest() -> None:
    managed = Managed(types={name: {} for name in ("AWS::EC2::VPC", "AWS::EC2::Subnet", "AWS::EC2::VPCPeering", TOPIC)})
    found = told(resources("AWS::EC2::Host", "AWS::EC2::Host", "AWS::EC2::InternetGateway"), managed)
    types = [one for one in found if one.code == TYPE_NOT_MANAGED.code]
    assert [one.position and one.position.line for one in types] == [2, 4]
    assert "2 resources (R0 and R1)" in types[0].detail
    assert "1 resource (R2)" in types[1].detail
    assert all("Of AWS::EC2 it manages" in one.detail for one in types)
    assert "2 of the 2 types of this composition are not managed" in types[0].hint
    assert TOPIC not in types[0].detail


def test_that_nothing_is_near_is_said() -> None:
    [one] = [found for found in told(resources("AWS::SNS::Topic"), Managed(types={QUEUE: {}})) if found.code == "T704"]
    assert one.detail.endswith("It manages no type of AWS::SNS.")


def test_a_missing_provider_is_one_reason_and_not_one_for_each_of_its_types() -> None:
    managed = Managed(types={TypeName("Simulated::Network"): {}})
    found = told(resources("AWS::EC2::VPC", "AWS::EC2::Subnet", "AWS::EC2::Subnet", "AWS::SNS::Topic"), managed)
    [one] = [each for each in found if each.code == "T704"]
    assert one.detail == (
        "The providers of this Conductor bring no type of AWS, and the composition has 3 types of it: AWS::EC2::VPC, "
        "AWS::EC2::Subnet and AWS::SNS::Topic."
    )
    assert "--provider" in one.hint


@pytest.mark.parametrize(("is_whole", "codes"), [(True, ["T704"]), (False, [])])
def test_types_of_other_vendors_are_left_to_a_conductor_that_may_know_them(is_whole: bool, codes: list[str]) -> None:
    managed = Managed(types={QUEUE: {}}, is_whole=is_whole)
    assert [one.code for one in told(resources("Cloud::Node"), managed)] == codes


def test_the_nearest_alternative_comes_first() -> None:
    names = [QUEUE, "AWS::EC2::VPC", "AWS::EC2::SecurityGroup", "AWS::EC2::SecurityGroupIngress"]
    assert alternatives("AWS::EC2::SecurityGroups", names)[0] == "AWS::EC2::SecurityGroup"
    assert alternatives("AWS::Lambda::Function", names) == ()


def test_a_set_of_stacks_is_a_resource_like_others_and_a_macro_is_none() -> None:
    """CloudFormation makes sets of stacks for whoever calls it; macros it knows only from stacks of its own."""
    sets, macro = "AWS::CloudFormation::StackSet", "AWS::CloudFormation::Macro"
    text = "Resources: {Some: {Type: %s, Properties: {StackSetName: a, PermissionModel: SELF_MANAGED, TemplateURL: u}}}"
    assert told(text % sets, Managed(types={sets: {}})) == []
    assert [one.code for one in told(text % macro, Managed(types={sets: {}}))] == ["T703"]
