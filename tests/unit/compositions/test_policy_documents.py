"""Policies that AWS takes pass the check, in whatever form they are; those that it refuses are in `mistakes`."""

import json
from pathlib import Path
from typing import Any

import pytest

from tenuto.compositions.cloudformation.sections.policy_documents import _POLICIES, _schema
from tenuto.compositions.compile import compile_file

STATEMENT = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}
TRUST = {"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}


def diagnostics(tmp_path: Path, type_name: str, **properties: Any) -> list[str]:
    path = tmp_path / "policy.json"
    path.write_text(json.dumps({"Resources": {"Thing": {"Type": type_name, "Properties": properties}}}))
    return [str(one) for one in compile_file(path, parameters={}, region="us-east-1").diagnostics]


@pytest.mark.parametrize(
    "document",
    [
        {"Version": "2012-10-17", "Statement": [STATEMENT]},
        {"Statement": STATEMENT},
        {"Statement": {**STATEMENT, "Sid": ""}},
        {"statement": {"effect": "Deny", "notaction": ["iam:*"], "resource": ["*"]}},
        {"Id": "x", "Statement": [{**STATEMENT, "Sid": "Read", "Condition": {}}]},
        {"Statement": [{**STATEMENT, "Condition": {"ForAnyValue:StringLikeIfExists": {"aws:TagKeys": ["a*", "b"]}}}]},
        {
            "Statement": [
                {**STATEMENT, "Condition": {"Bool": {"aws:SecureTransport": False}, "Null": {"aws:x": "true"}}}
            ]
        },
        {"Statement": [{**STATEMENT, "Condition": {"NumericLessThan": {"s3:TlsVersion": 1.2}}}]},
        {"Statement": [{**STATEMENT, "Resource": [{"Fn::Sub": "arn:${AWS::Partition}:s3:::${AWS::StackName}"}]}]},
        {"Statement": [{"Fn::If": ["Never", STATEMENT, {"Ref": "AWS::NoValue"}]}, STATEMENT]},
    ],
)
def test_a_policy_that_aws_takes_is_taken(tmp_path: Path, document: dict[str, Any]) -> None:
    template = {
        "Conditions": {"Never": {"Fn::Equals": ["a", "b"]}},
        "Resources": {
            "Thing": {
                "Type": "AWS::IAM::ManagedPolicy",
                "Properties": {"PolicyDocument": document},
            }
        },
    }
    path = tmp_path / "policy.json"
    path.write_text(json.dumps(template))
    assert compile_file(path, parameters={}, region="us-east-1").diagnostics == ()


@pytest.mark.parametrize(
    "principal",
    [
        "*",
        {"AWS": ["123456789012", "arn:aws-iso:iam::123456789012:root", "AROAEXAMPLEEXAMPLE"]},
        {"CanonicalUser": "79a59df900b949e55d96a1e698fbacedfd6e09d98eacf8f8d5218e7cd47ef2be"},
        {"Federated": "cognito-identity.amazonaws.com", "Service": ["sns.amazonaws.com"]},
    ],
)
def test_whoever_may_be_named_is_not_judged(tmp_path: Path, principal: Any) -> None:
    document = {"Statement": [{**STATEMENT, "Principal": principal}]}
    assert diagnostics(tmp_path, "AWS::S3::BucketPolicy", Bucket="orders", PolicyDocument=document) == []
    trust = {"Statement": [{**TRUST, "Principal": principal}]}
    assert diagnostics(tmp_path, "AWS::IAM::Role", AssumeRolePolicyDocument=trust) == []


def test_scalars_outside_of_conditions_become_texts(tmp_path: Path) -> None:
    """IAM refuses a number as the id of a statement; CloudFormation sends it as a text."""
    path = tmp_path / "policy.yaml"
    path.write_text("""\
Parameters: {Number: {Type: Number, Default: 7}}
Resources:
  Worker:
    Type: AWS::IAM::Role
    Properties:
      MaxSessionDuration: 3600
      AssumeRolePolicyDocument:
        Version: 2012-10-17
        Statement: {Sid: 1, Effect: Allow, Principal: {AWS: [012345678901]}, Action: sts:AssumeRole}
      Policies:
      - PolicyName: read
        PolicyDocument:
          Statement:
          - Sid: !Ref Number
            Effect: Allow
            Action: "s3:Get*"
            Resource: !Sub "arn:aws:s3:::${AWS::StackName}"
            Condition: {NumericLessThan: {"s3:TlsVersion": 1.2}, Bool: {"aws:SecureTransport": false}}
""")
    [role] = compile_file(path, parameters={}, region="us-east-1").composition.resources
    trust = role.properties["AssumeRolePolicyDocument"]
    assert trust["Version"] == "2012-10-17"
    assert (trust["Statement"]["Sid"], trust["Statement"]["Principal"]) == ("1", {"AWS": ["012345678901"]})
    [statement] = role.properties["Policies"][0]["PolicyDocument"]["Statement"]
    assert statement["Sid"] == "7"
    assert statement["Resource"] == {"Fn::Join": ["", ["arn:aws:s3:::", {"Ref": "AWS::StackName"}]]}
    assert statement["Condition"] == {
        "NumericLessThan": {"s3:TlsVersion": 1.2},
        "Bool": {"aws:SecureTransport": False},
    }
    assert role.properties["MaxSessionDuration"] == 3600


def test_a_policy_that_is_a_text_is_left_to_aws(tmp_path: Path) -> None:
    text = json.dumps({"Statement": {"Effect": "perhaps"}})
    assert diagnostics(tmp_path, "AWS::IAM::ManagedPolicy", PolicyDocument=text) == []


def test_every_kind_of_policy_has_its_schema() -> None:
    for kind in {kind for paths in _POLICIES.values() for kind in paths.values()}:
        document = _schema(kind).document
        assert "$ref" not in json.dumps(document)
        assert document["properties"]["Statement"]["items"]["required"] == ["Effect"]
