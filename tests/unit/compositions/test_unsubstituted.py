"""`${NAME}` outside of `Fn::Sub` is told where NAME is a name of the template, and nowhere else."""

import json
from typing import Any

import pytest

from tenuto.compositions.compile import compile_text


def told(declared: Any, *, outputs: Any = None, condition: str = "") -> list[str]:
    """The names that are told of in a property."""
    thing = {"Type": "AWS::SSM::Parameter", "Properties": {"Type": "String", "Value": declared}}
    template = {
        "Parameters": {"Stage": {"Type": "String", "Default": "test"}},
        "Conditions": {"Never": {"Fn::Equals": ["a", "b"]}},
        "Resources": {
            "Thing": {**thing, **({"Condition": condition} if condition else {})},
            "Queue": {"Type": "AWS::SQS::Queue"},
        },
        "Outputs": outputs or {},
    }
    compiled = compile_text(json.dumps(template), file="x.json", parameters={}, region="us-east-1")
    assert {one.code for one in compiled.diagnostics} <= {"T807"}
    return [one.subject for one in compiled.diagnostics]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("arn:${AWS::Partition}:sqs:${AWS::Region}:x", ["AWS::Partition", "AWS::Region"]),
        ("${Stage} ${Stage}", ["Stage"]),
        ("${Queue}", ["Queue"]),
        ("${Queue.Arn}", ["Queue.Arn"]),
        ({"Fn::Join": ["-", ["a", "${Stage}"]]}, ["Stage"]),
    ],
)
def test_a_name_of_the_template_is_told(text: Any, names: list[str]) -> None:
    assert told(text) == names


@pytest.mark.parametrize(
    "text",
    [
        {"Fn::Sub": "a-${Stage}"},
        {"Fn::Sub": ["a-${Other}", {"Other": {"Fn::Join": ["", ["x", {"Ref": "Stage"}]]}}]},
        "arn:aws:s3:::home/${aws:username}/*",
        "echo ${HOME} ${1} ${#Stage}",
        "Stage=$(hostname)\necho ${Stage}",
        "${!Stage}",
        "${Stage",
    ],
)
def test_nothing_else_is(text: Any) -> None:
    assert told(text) == []


def test_a_resource_that_is_left_out_is_not_read() -> None:
    assert told("${Stage}", condition="Never") == []


def test_an_output_is_read() -> None:
    assert told("x", outputs={"Where": {"Value": "https://${Queue}"}}) == ["Queue"]
