"""`AWS::StackId` is the FID, and CloudFormation's ARN where a template takes it apart."""

import json
from typing import Any

import pytest

from tenuto.compositions.compile import compile_text
from tenuto.core.language.resolve import Environment, resolve

pytestmark = pytest.mark.usefixtures("types_without_schemas")

FID = "0f0e0d0c-1111-4222-8333-444455556666"
RUNNING = Environment(
    references={"AWS::StackId": FID, "AWS::StackName": "web", "AWS::AccountId": "123456789012"}, region="eu-west-1"
)
STACK_ID = {"Ref": "AWS::StackId"}


def value(declared: Any) -> Any:
    """The value that a property has when the process runs."""
    template = {"Resources": {"Thing": {"Type": "Simulated::Thing", "Properties": {"V": declared}}}}
    compiled = compile_text(json.dumps(template), file="web.json", parameters={}, region="eu-west-1")
    return resolve(compiled.composition.resources[0].properties, RUNNING)["V"]


def part(number: int, sign: str, of: Any = STACK_ID) -> Any:
    return {"Fn::Select": [number, {"Fn::Split": [sign, of]}]}


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        (part(2, "/"), FID),
        (part(1, "/"), "web"),
        (part(0, "-", part(2, "/")), "0f0e0d0c"),
        (part(4, "-", part(2, "/")), "444455556666"),
        (part(3, ":"), "eu-west-1"),
        (part(4, ":"), "123456789012"),
        (part(2, "/", {"Fn::Sub": "${AWS::StackId}"}), FID),
        ({"Fn::Sub": ["logs-${Id}", {"Id": part(2, "/")}]}, f"logs-{FID}"),
    ],
)
def test_a_part_of_the_id_is_what_cloudformation_has_there(declared: Any, expected: str) -> None:
    assert value(declared) == expected


ARN = f"arn:aws:cloudformation:eu-west-1:123456789012:stack/web/{FID}"


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        (STACK_ID, ARN),
        ([STACK_ID, "*"], [ARN, "*"]),
        ({"Fn::Sub": "${AWS::StackId}/*"}, f"{ARN}/*"),
        ({"Fn::Join": ["", ["arn:aws:x:::", STACK_ID]]}, f"arn:aws:x:::{FID}"),
        ("*", "*"),
    ],
)
def test_a_policy_speaks_of_the_arn(declared: Any, expected: Any) -> None:
    assert value({"Effect": "Allow", "Action": "a:b", "Resource": declared})["Resource"] == expected
    assert value({"Effect": "Deny", "Action": "a:b", "NotResource": declared})["NotResource"] == expected


def test_a_resource_that_belongs_to_no_statement_is_the_fid() -> None:
    assert value({"Resource": STACK_ID}) == {"Resource": FID}


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        (STACK_ID, FID),
        ({"Fn::Sub": "logs-${AWS::StackId}"}, f"logs-{FID}"),
        (part(0, "-"), "0f0e0d0c"),
        ({"Fn::Join": ["/", ["a", STACK_ID]]}, f"a/{FID}"),
    ],
)
def test_elsewhere_it_is_the_fid(declared: Any, expected: str) -> None:
    assert value(declared) == expected
