"""The tags of a stack on its resources: which property has them, and in which shape."""

import json
from pathlib import Path
from typing import Any

import pytest

from tenuto.compositions.compile import compile_file

ROLE = "arn:aws:iam::123456789012:role/x"


@pytest.mark.parametrize(
    ("type_name", "properties", "name", "expected"),
    [
        ("AWS::SQS::Queue", {}, "Tags", [{"Key": "team", "Value": "shop"}]),
        ("AWS::SSM::Parameter", {"Type": "String", "Value": "x"}, "Tags", {"team": "shop"}),
        ("AWS::Cognito::UserPool", {}, "UserPoolTags", {"team": "shop"}),
        ("AWS::EFS::FileSystem", {}, "FileSystemTags", [{"Key": "team", "Value": "shop"}]),
        (
            "AWS::Glue::Job",
            {"Role": ROLE, "Command": {"Name": "glueetl", "ScriptLocation": "s3://b/x"}},
            "Tags",
            {"team": "shop"},
        ),
        (
            "AWS::AutoScaling::AutoScalingGroup",
            {"MinSize": "0", "MaxSize": "1", "AvailabilityZones": ["us-east-1a"], "InstanceId": "i-1"},
            "Tags",
            [{"Key": "team", "Value": "shop", "PropagateAtLaunch": True}],
        ),
    ],
)
def test_a_resource_gets_the_tags_of_the_stack_in_the_shape_of_its_type(
    tmp_path: Path, type_name: str, properties: Any, name: str, expected: Any
) -> None:
    file = tmp_path / "x.json"
    file.write_text(json.dumps({"Resources": {"One": {"Type": type_name, "Properties": properties}}}))
    made = compile_file(file, parameters={}, region="us-east-1", tags={"team": "shop"})
    (one,) = made.composition.resources
    assert one.properties[name] == expected
    assert made.tagged == ("One",)


def test_a_tag_of_a_nested_template_goes_before_one_of_the_stack(tmp_path: Path) -> None:
    (tmp_path / "inner.json").write_text(json.dumps({"Resources": {"Queue": {"Type": "AWS::SQS::Queue"}}}))
    inner = {"TemplateURL": "./inner.json", "Tags": [{"Key": "team", "Value": "inner"}]}
    file = tmp_path / "x.json"
    file.write_text(json.dumps({"Resources": {"In": {"Type": "AWS::CloudFormation::Stack", "Properties": inner}}}))
    made = compile_file(file, parameters={}, region="us-east-1", tags={"team": "shop", "cost": "1"})
    (one,) = made.composition.resources
    assert one.properties["Tags"] == [{"Key": "team", "Value": "inner"}, {"Key": "cost", "Value": "1"}]
