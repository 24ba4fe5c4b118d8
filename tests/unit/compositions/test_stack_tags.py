"""The tags that CloudFormation put on things for their stack, in the shape of each type and in the stack's template."""

import json
from typing import Any

import pytest

from tenuto.compositions.checks.provided import default_schemas
from tenuto.compositions.cloudformation.stack_tags import stack_tags
from tenuto.compositions.cloudformation.stack_template import with_tags
from tenuto.model.ids import Json, JsonMap, LogicalId
from tenuto.model.stack import StackTags

SCHEMAS = default_schemas("us-east-1")
COST = {"cost": "x"}
IN_A_LIST = [{"Key": "cost", "Value": "x"}]
A, B = LogicalId("A"), LogicalId("B")


def added(type_name: str, shown: JsonMap, declared: JsonMap | None = None) -> Json:
    found = stack_tags(COST, SCHEMAS.find(type_name), shown, declared or {})
    return None if found is None else {found.property: found.added}


@pytest.mark.parametrize(
    ("type_name", "name", "value"),
    [
        ("AWS::EC2::VPC", "Tags", IN_A_LIST),
        ("AWS::SSM::Parameter", "Tags", COST),
        ("AWS::EFS::FileSystem", "FileSystemTags", IN_A_LIST),
        ("AWS::Route53::HostedZone", "HostedZoneTags", IN_A_LIST),
        ("AWS::AutoScaling::AutoScalingGroup", "Tags", [{**IN_A_LIST[0], "PropagateAtLaunch": True}]),
    ],
)
def test_a_tag_of_the_stack_has_the_shape_of_the_type(type_name: str, name: str, value: Json) -> None:
    assert added(type_name, {name: value}) == {name: value}


def test_a_key_that_the_resource_declares_itself_is_not_added() -> None:
    other = {"Key": "Name", "Value": "net"}
    assert added("AWS::EC2::VPC", {"Tags": IN_A_LIST}, {"Tags": [{"Key": "cost", "Value": "mine"}]}) is None
    assert added("AWS::EC2::VPC", {"Tags": [*IN_A_LIST, other]}, {"Tags": [other]}) == {"Tags": IN_A_LIST}
    assert added("AWS::SSM::Parameter", {"Tags": COST}, {"Tags": {"cost": "mine"}}) is None


def test_a_tag_that_the_thing_does_not_show_is_not_added() -> None:
    assert added("AWS::EC2::VPC", {"Tags": [{"Key": "other", "Value": "x"}]}) is None
    assert added("AWS::EC2::VPC", {}) is None
    assert added("AWS::EC2::Route", {"Tags": IN_A_LIST}) is None


def test_a_tag_that_was_changed_by_hand_has_the_value_of_the_stack() -> None:
    assert added("AWS::EC2::VPC", {"Tags": [{"Key": "cost", "Value": "by hand"}]}) == {"Tags": IN_A_LIST}


YAML_TEMPLATE = """\
Resources:
  A:
    Type: AWS::EC2::VPC
    Properties:
      CidrBlock: !Ref Cidr # given
      Tags: # ours
      - !If [IsProd, {Key: stage, Value: prod}, !Ref AWS::NoValue]
      - Key: Name
        Value: !Sub "${AWS::StackName}-net"
"""


def test_tags_are_added_to_those_that_stand_in_the_template_which_stays_as_it_is() -> None:
    value = StackTags(property="Tags", added=[{"Key": "cost", "Value": "no"}])
    bare = "  B: {Type: AWS::EC2::InternetGateway"
    text, left = with_tags(f"{YAML_TEMPLATE}{bare}}}\n", {A: value, B: value})
    assert left == ()
    added_to_both = '      - Key: "cost"\n        Value: "no"\n' + bare
    assert text == f'{YAML_TEMPLATE}{added_to_both}, Properties: {{Tags: [{{Key: "cost", Value: "no"}}]}}}}\n'


@pytest.mark.parametrize(
    "tags",
    ["!If [IsProd, [{Key: a, Value: b}], []]", "!Ref AWS::NoValue", "{'Fn::If': [IsProd, [], []]}"],
)
def test_the_result_of_a_function_takes_no_tags_and_is_told(tags: str) -> None:
    template = f"Resources:\n  A: {{Type: AWS::EC2::VPC, Properties: {{Tags: {tags}}}}}\n"
    value = StackTags(property="Tags", added=[{"Key": "cost", "Value": "x"}])
    text, left = with_tags(template, {A: value})
    assert left == (A,)
    assert "cost" not in text


@pytest.mark.parametrize(
    ("properties", "value", "then"),
    [
        ({}, IN_A_LIST, {"Tags": IN_A_LIST}),
        ({"Tags": {"a": "b"}}, COST, {"Tags": {"a": "b", "cost": "x"}}),
        ({"Tags": [{"Key": "a", "Value": {"Ref": "B"}}]}, IN_A_LIST, None),
    ],
)
def test_a_template_in_json_takes_them_too(properties: JsonMap, value: Any, then: JsonMap | None) -> None:
    template = json.dumps({"Resources": {"A": {"Type": "T", "Properties": properties}}})
    text, left = with_tags(template, {A: StackTags(property="Tags", added=value)})
    found = json.loads(text)["Resources"]["A"]["Properties"]
    assert left == ()
    assert found == (then or {"Tags": [*properties["Tags"], *value]})
