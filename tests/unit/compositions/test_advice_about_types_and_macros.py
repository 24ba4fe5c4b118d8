"""Advice about a macro, and about a name that no resource type has, is about what the reader can do."""

import pytest

from tenuto.compositions.compile import compile_text
from tenuto.errors import CompileError
from tenuto.model.diagnostic import Diagnostic

QUEUE = "  Q: {Type: AWS::SQS::Queue}\n"


def problem(text: str) -> Diagnostic:
    with pytest.raises(CompileError) as caught:
        compile_text(text, file="t.yaml", parameters={}, region="eu-west-1")
    return caught.value.diagnostics[0]


def of_type(name: str) -> Diagnostic:
    return problem(f"Resources:\n  A: {{Type: {name}}}\n")


@pytest.mark.parametrize(
    "text",
    [
        "Resources:\n  Q:\n    Type: AWS::SQS::Queue\n    Properties:\n"
        "      QueueName: {Fn::Transform: {Name: PyPlate, Parameters: {}}}\n",
        "Resources:\n  Q:\n    Type: AWS::SQS::Queue\n    Properties:\n"
        "      DelaySeconds: 5\n      Fn::Transform: {Name: PyPlate, Parameters: {}}\n",
        "Resources:\n  Q:\n    Type: AWS::SQS::Queue\n    Properties:\n"
        "      Fn::Transform: [{Name: PyPlate, Parameters: {}}]\n",
        f"Fn::Transform: {{Name: PyPlate}}\nResources:\n{QUEUE}",
        f"Resources:\n  Fn::Transform: {{Name: PyPlate}}\n{QUEUE}",
    ],
)
def test_a_macro_is_told_by_its_name(text: str) -> None:
    told = problem(text)
    assert told.code == "T702"
    assert told.detail.startswith("Fn::Transform calls PyPlate, a program that rewrites the template")


def test_a_macro_as_a_resource_is_left_to_cloudformation() -> None:
    told = of_type("AWS::CloudFormation::Macro")
    assert (told.code, told.hint.partition(".")[0]) == ("T703", "Deploy the macro with CloudFormation")
    assert of_type("Acme::S3::Bucket::MODULE").hint == "Declare the resources themselves."


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("AWS::EC2::Subnett", "Did you mean AWS::EC2::Subnet?"),
        ("AWS::EC3::Subnet", "Did you mean AWS::EC2::Subnet?"),
        ("AWS::Lamda::Function", "Did you mean AWS::Lambda::Function?"),
        ("AWS::OpsWorks::Stack", "Check the spelling; `tenuto types` lists the types."),
        ("AWS::OpsWorks::Layer", "Check the spelling; `tenuto types` lists the types."),
    ],
)
def test_a_guess_is_of_the_same_service(name: str, meant: str) -> None:
    assert of_type(name).hint == meant


def test_of_a_private_type_the_registry_is_told() -> None:
    assert "A private type" in of_type("My::Own::Type").hint


def test_a_name_that_must_match_is_to_be_chosen_anew() -> None:
    role = "arn:aws:iam::123456789012:role/r"
    given = f"Role: '{role}', Handler: a.b, Runtime: python3.12, Code: {{ZipFile: x}}"
    function = f"Type: AWS::Lambda::Function, Properties: {{{given}, Environment: {{Variables: {{A: b}}}}}}"
    told = problem(f"Resources:\n  F: {{{function}}}\n")
    assert (told.code, told.hint) == ("T504", "Choose a name that matches.")
