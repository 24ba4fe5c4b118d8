"""Custom resources of the CDK that Tenuto does without."""

from typing import Any

import pytest

from tenuto.compositions.compile import compile_text
from tenuto.compositions.documents.document import to_document
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
TOLD = """
Resources:
  Bucket: {Type: AWS::S3::Bucket}
  May:
    Type: AWS::Lambda::Permission
    Properties: {Action: 'lambda:InvokeFunction', FunctionName: f, Principal: s3.amazonaws.com}
  Notifications:
    Type: Custom::S3BucketNotifications
    DependsOn: [May, Rights]
    Properties:
      ServiceToken: !GetAtt BucketNotificationsHandler050a0587b7544547bf325f094a3db8347ECC3691.Arn
      BucketName: !Ref Bucket
      Managed: true
      SkipDestinationValidation: false
      NotificationConfiguration:
        LambdaFunctionConfigurations:
          - {Events: ['s3:ObjectCreated:*'], LambdaFunctionArn: 'arn:aws:lambda:eu-west-1:123456789012:function:f'}
  Role:
    Type: AWS::IAM::Role
    Properties: {AssumeRolePolicyDocument: {Version: '2012-10-17', Statement: []}}
  Rights:
    Type: AWS::IAM::Policy
    Properties:
      PolicyName: Rights
      Roles: [!Ref Role]
      PolicyDocument:
        Version: '2012-10-17'
        Statement: [{Effect: Allow, Action: 's3:PutBucketNotification', Resource: !GetAtt Bucket.Arn}]
  BucketNotificationsHandler050a0587b7544547bf325f094a3db8347ECC3691:
    Type: AWS::Lambda::Function
    DependsOn: Role
    Properties: {Code: {ZipFile: x}, Handler: index.handler, Runtime: python3.13, Role: !GetAtt Role.Arn}
"""
KEPT = """
Resources:
  Group:
    Type: Custom::LogRetention
    Properties:
      ServiceToken: !GetAtt LogRetentionaae0aa3c5b4d4f87b02d85b201efdd8aFD4BFC8A.Arn
      LogGroupName: /aws/lambda/f
      RetentionInDays: 7
      SdkRetry: {maxRetries: 3}
  LogRetentionaae0aa3c5b4d4f87b02d85b201efdd8aFD4BFC8A:
    Type: AWS::Lambda::Function
    Properties: {Code: {ZipFile: x}, Handler: index.x, Runtime: nodejs22.x, Role: 'arn:aws:iam::123456789012:role/r'}
Outputs: {Name: {Value: !GetAtt Group.LogGroupName}}
"""
TRUSTED = """
Resources:
  GitHub:
    Type: Custom::AWSCDKOpenIdConnectProvider
    Properties:
      ServiceToken: !GetAtt CustomAWSCDKOpenIdConnectProviderCustomResourceProviderHandlerF2C543E0.Arn
      ClientIDList: [sts.amazonaws.com]
      Url: https://token.example.com
      RejectUnauthorized: false
      CodeHash: 8fefc46b
  CustomAWSCDKOpenIdConnectProviderCustomResourceProviderHandlerF2C543E0:
    Type: AWS::Lambda::Function
    Properties: {Code: {ZipFile: x}, Handler: index.x, Runtime: nodejs22.x, Role: 'arn:aws:iam::123456789012:role/r'}
Outputs: {Arn: {Value: !Ref GitHub}}
"""
IMAGES = """
Resources:
  Images: {Type: AWS::ECR::Repository}
  Empties:
    Type: Custom::ECRAutoDeleteImages
    DependsOn: Images
    Properties: {ServiceToken: !GetAtt Handler.Arn, RepositoryName: !Ref Images}
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


def test_notifications_need_no_function_and_wait_for_the_permission() -> None:
    found = resources(TOLD)
    assert sorted(found) == ["Bucket", "May", "Notifications"]
    made = found["Notifications"]
    assert made["type"] == "Custom::CDK::BucketNotifications"
    assert made["depends_on"] == ["Bucket", "May"]
    assert made["properties"]["BucketName"] == {"Ref": "Bucket"}
    assert made["properties"]["LambdaFunctionConfigurations"][0]["Events"] == ["s3:ObjectCreated:*"]
    # The CDK holds all of a bucket of its own, so that nothing else is told either.
    assert made["properties"]["EventBridge"] is False


def test_notifications_of_a_bucket_of_others_say_nothing_of_event_bridge() -> None:
    text = TOLD.replace("Managed: true", "Managed: false").replace("BucketName: !Ref Bucket", "BucketName: elsewhere")
    assert "EventBridge" not in resources(text)["Notifications"]["properties"]


def test_a_log_group_is_kept_for_days_without_a_function() -> None:
    found = resources(KEPT)
    assert sorted(found) == ["Group"]
    assert found["Group"]["type"] == "Custom::CDK::LogRetention"
    assert found["Group"]["properties"] == {"LogGroupName": "/aws/lambda/f", "RetentionInDays": 7}


@pytest.mark.parametrize(
    ("was", "is_now"),
    [
        (
            "GetAtt LogRetentionaae0aa3c5b4d4f87b02d85b201efdd8aFD4BFC8A.Arn",
            "Sub 'arn:aws:lambda:eu-west-1:1:function:f'",
        ),
        ("RetentionInDays: 7", "LogGroupRegion: us-east-1"),
        ("RetentionInDays: 7", "Own: property"),
    ],
    ids=["a function of the user", "another region", "a property that the CDK has not"],
)
def test_what_the_cdk_did_not_write_stays_a_custom_resource(was: str, is_now: str) -> None:
    found = resources(KEPT.replace(was, is_now))
    assert found["Group"]["type"] == "Custom::LogRetention"
    assert len(found) == 2


def test_a_role_with_rights_of_two_functions_keeps_them_for_the_one_that_stays() -> None:
    found = resources(TOLD + "Outputs: {Role: {Value: !GetAtt Role.Arn}}\n")
    assert {"Role", "Rights"} <= set(found)


def test_a_provider_of_open_id_connect_is_that_of_aws() -> None:
    found = resources(TRUSTED)
    assert {name: one["type"] for name, one in found.items()} == {"GitHub": "AWS::IAM::OIDCProvider"}
    assert found["GitHub"]["properties"] == {
        "ClientIdList": ["sts.amazonaws.com"],
        "Url": "https://token.example.com",
    }


def test_a_provider_of_which_thumbprints_are_asked_keeps_its_function() -> None:
    found = resources(TRUSTED.replace("!Ref GitHub", "!Join [',', !GetAtt GitHub.Thumbprints]"))
    assert found["GitHub"]["type"] == "Custom::AWSCDKOpenIdConnectProvider"


def test_a_repository_whose_images_are_deleted_needs_no_function() -> None:
    found = resources(IMAGES)
    assert [*found] == ["Images"]
    assert found["Images"]["properties"] == {"EmptyOnDelete": True}
    others = resources(IMAGES.replace("!Ref Images", "images-of-others"))
    assert others["Empties"]["type"] == "Custom::ECRAutoDeleteImages"
