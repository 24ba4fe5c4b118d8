"""Resources that nothing is made of: those whose condition is false, and those whose type makes nothing."""

import pytest

from tenuto.compositions.checks.managed import Managed
from tenuto.compositions.compile import compile_text
from tenuto.errors import CompileError
from tenuto.model.composition import Composition

CDK_METADATA = """
  CDKMetadata:
    Type: AWS::CDK::Metadata
    Properties: {Analytics: 'v2:deflate64:H4sIAAAAAAAA'}
"""
MANAGED = Managed(types={"AWS::EC2::VPC": {}})


def compiled(text: str, managed: Managed | None = MANAGED, **parameters: str) -> Composition:
    found = compile_text(text, file="app.yaml", parameters=parameters, region="eu-west-1", managed=managed)
    assert found.diagnostics == ()
    return found.composition


def codes_of(text: str, **parameters: str) -> list[str]:
    with pytest.raises(CompileError) as failed:
        compile_text(text, file="app.yaml", parameters=parameters, region="eu-west-1", managed=MANAGED)
    return [one.code for one in failed.value.diagnostics]


def with_condition(type_name: str) -> str:
    return f"""
Parameters:
  Stage: {{Type: String, Default: test}}
Conditions:
  IsProduction: !Equals [!Ref Stage, production]
Resources:
  Vpc:
    Type: AWS::EC2::VPC
    Properties: {{CidrBlock: 10.0.0.0/16}}
  Extra:
    Type: {type_name}
    Condition: IsProduction
    DependsOn: Vpc
    Properties: {{}}
"""


@pytest.mark.parametrize("condition", ["", "    Condition: CDKMetadataAvailable\n"])
def test_the_metadata_of_the_cdk_is_no_resource(condition: str) -> None:
    text = (
        "Conditions:\n  CDKMetadataAvailable: !Or [!Equals [!Ref 'AWS::Region', eu-west-1], !Equals [a, b]]\n"
        "Resources:\n  Vpc:\n    Type: AWS::EC2::VPC\n    DependsOn: CDKMetadata\n"
        "    Properties: {CidrBlock: 10.0.0.0/16}" + CDK_METADATA + condition
    )
    found = compiled(text)
    assert [one.logical_id for one in found.resources] == ["Vpc"]
    assert found.resources[0].depends_on == ()


def test_a_template_with_and_without_the_metadata_of_the_cdk_is_one_composition() -> None:
    vpc = "Resources:\n  Vpc:\n    Type: AWS::EC2::VPC\n    Properties: {CidrBlock: 10.0.0.0/16}"
    assert compiled(vpc + CDK_METADATA).digest == compiled(vpc).digest


def test_the_metadata_of_the_cdk_alone_is_nothing_to_run() -> None:
    assert codes_of("Resources:" + CDK_METADATA) == ["T111"]


@pytest.mark.parametrize(
    "type_name",
    ["AWS::Events::Rule", "Custom::Job", "AWS::CloudFormation::Stack", "AWS::CloudFormation::WaitCondition"],
)
def test_what_a_condition_leaves_out_needs_no_managed_type(type_name: str) -> None:
    assert [one.logical_id for one in compiled(with_condition(type_name)).resources] == ["Vpc"]
    assert codes_of(with_condition(type_name), Stage="production")


def test_what_a_condition_leaves_out_still_needs_a_type_that_exists() -> None:
    assert codes_of(with_condition("AWS::EC2::Subnett")) == ["T502"]


def test_conditions_that_leave_nothing_are_named_each_once() -> None:
    text = """
Conditions:
  Never: !Equals [a, b]
  Nor: !Equals [c, d]
Resources:
  A: {Type: AWS::EC2::VPC, Condition: Never, Properties: {CidrBlock: 10.0.0.0/16}}
  B: {Type: AWS::EC2::VPC, Condition: Never, Properties: {CidrBlock: 10.0.0.0/16}}
  C: {Type: AWS::EC2::VPC, Condition: Nor, Properties: {CidrBlock: 10.0.0.0/16}}
"""
    with pytest.raises(CompileError) as failed:
        compile_text(text, file="app.yaml", parameters={}, region="eu-west-1")
    assert [(one.code, one.subject) for one in failed.value.diagnostics] == [("T111", "Never"), ("T111", "Nor")]
    assert failed.value.diagnostics[0].detail.endswith("Also on line 7.")
