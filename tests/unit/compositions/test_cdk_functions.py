"""Custom resources of the CDK that Tenuto does without."""

from typing import Any

import pytest

from tenuto.compositions.compile import compile_text
from tenuto.compositions.document import to_document
from tenuto.errors import CompileError

TEMPLATE = """
Resources:
  Bucket:
    Type: AWS::S3::Bucket
    Properties: {Tags: [{Key: aws-cdk:auto-delete-objects, Value: 'true'}]}
  Policy:
    Type: AWS::S3::BucketPolicy
    Properties:
      Bucket: !Ref Bucket
      PolicyDocument:
        Version: '2012-10-17'
        Statement:
          - {Effect: Allow, Action: 's3:DeleteObject*', Principal: {AWS: !GetAtt Role.Arn}, Resource: '*'}
  Empties:
    Type: Custom::S3AutoDeleteObjects
    DependsOn: Policy
    Properties: {ServiceToken: !GetAtt Handler.Arn, BucketName: !Ref Bucket}
  Role:
    Type: AWS::IAM::Role
    Properties: {AssumeRolePolicyDocument: {Version: '2012-10-17', Statement: []}}
  Handler:
    Type: AWS::Lambda::Function
    DependsOn: Role
    Properties:
      Code: {S3Bucket: assets, S3Key: a.zip}
      Handler: index.handler
      Runtime: nodejs22.x
      Role: !GetAtt Role.Arn
  Queue: {Type: AWS::SQS::Queue, DependsOn: [Empties]}
"""
RESTRICTED = """
Resources:
  Vpc: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.0.0.0/16}}
  Closed:
    Type: Custom::VpcRestrictDefaultSG
    Properties:
      ServiceToken: !GetAtt Handler.Arn
      DefaultSecurityGroupId: !GetAtt Vpc.DefaultSecurityGroup
      Account: !Ref AWS::AccountId
  Handler:
    Type: AWS::Lambda::Function
    Properties: {Code: {ZipFile: x}, Handler: index.x, Runtime: nodejs22.x, Role: 'arn:aws:iam::123456789012:role/r'}
"""


def resources(text: str) -> Any:
    compiled = compile_text(text, file="t.yaml", parameters={}, region="eu-west-1")
    return to_document(compiled.composition)["resources"]


def test_a_bucket_that_is_emptied_needs_no_function() -> None:
    found = resources(TEMPLATE)
    assert sorted(found) == ["Bucket", "Queue"]
    assert found["Queue"]["depends_on"] == []


def test_a_policy_that_says_more_keeps_the_rest() -> None:
    more = (
        "          - {Effect: Deny, Action: 's3:PutObject', Principal: '*', Resource: !GetAtt Bucket.Arn}\n  Empties:"
    )
    found = resources(TEMPLATE.replace("  Empties:", more, 1))
    (statement,) = found["Policy"]["properties"]["PolicyDocument"]["Statement"]
    assert statement["Effect"] == "Deny"


def test_a_role_that_something_else_needs_stays_with_its_rights() -> None:
    found = resources(TEMPLATE + "Outputs: {Role: {Value: !Sub '${Role.Arn}'}}\n")
    assert sorted(found) == ["Bucket", "Policy", "Queue", "Role"]


def test_a_function_that_something_else_needs_stays() -> None:
    found = resources(TEMPLATE + "Outputs: {Handler: {Value: !Ref Handler}}\n")
    assert {"Handler", "Role"} <= set(found)


def test_a_vpc_with_a_closed_default_group_has_a_property_for_it() -> None:
    found = resources(RESTRICTED)
    assert sorted(found) == ["Vpc"]
    assert found["Vpc"]["properties"]["RestrictDefaultSecurityGroup"] is True


def test_nobody_can_declare_that_property() -> None:
    with pytest.raises(CompileError) as failed:
        resources("Resources: {V: {Type: AWS::EC2::VPC, Properties: {RestrictDefaultSecurityGroup: true}}}\n")
    assert "T504" in [one.code for one in failed.value.diagnostics]


def test_what_is_about_something_else_stays_a_custom_resource() -> None:
    found = resources(TEMPLATE.replace("BucketName: !Ref Bucket", "BucketName: elsewhere"))
    assert {"Empties", "Handler", "Role", "Policy"} <= set(found)
