"""Members that services of AWS write into declared lists stay there, on a real Conductor, and go along with an update
of the rest: a tag of Amazon ECS, the statements of a log delivery, a mitigation of Shield."""

import json
from typing import Any

import pytest
from live import Live

TEMPLATE = """
Resources:
  Launch:
    Type: AWS::EC2::LaunchTemplate
    Properties: {LaunchTemplateData: {ImageId: ami-12c6146b, InstanceType: t3.micro}}
  Group:
    Type: AWS::AutoScaling::AutoScalingGroup
    Properties:
      AvailabilityZones: [us-east-1a]
      MinSize: "0"
      MaxSize: "1"
      LaunchTemplate: {LaunchTemplateId: !Ref Launch, Version: !GetAtt Launch.LatestVersionNumber}
      Tags: [{Key: stage, Value: one, PropagateAtLaunch: false}]
  Logs: {Type: AWS::S3::Bucket, Properties: {BucketName: delivered-logs}}
  Policy:
    Type: AWS::S3::BucketPolicy
    Properties:
      Bucket: !Ref Logs
      PolicyDocument:
        Version: "2012-10-17"
        Statement:
          - {Sid: one, Effect: Deny, Principal: "*", Action: "s3:DeleteObject", Resource: !Sub "${Logs.Arn}/*"}
  Wall:
    Type: AWS::WAFv2::WebACL
    Properties:
      Name: wall
      Scope: REGIONAL
      DefaultAction: {Allow: {}}
      VisibilityConfig: &seen {SampledRequestsEnabled: false, CloudWatchMetricsEnabled: false, MetricName: one}
      Rules:
        - Name: rates
          Priority: 1
          Action: {Block: {}}
          Statement: {RateBasedStatement: {Limit: 1000, AggregateKeyType: IP}}
          VisibilityConfig: *seen
"""
OTHER = (
    TEMPLATE.replace("Value: one", "Value: two").replace("Sid: one", "Sid: two").replace("Limit: 1000", "Limit: 2000")
)
"""Another value of what is declared, in each of the lists."""
DELIVERY = {
    "Sid": "AWSLogDeliveryWrite1",
    "Effect": "Allow",
    "Principal": {"Service": "delivery.logs.amazonaws.com"},
    "Action": "s3:PutObject",
    "Resource": "arn:aws:s3:::delivered-logs/AWSLogs/123456789012/*",
}
SHIELD = {
    "Name": "ShieldMitigationRuleGroup_123456789012_9ee1",
    "Priority": 10_000_000,
    "OverrideAction": {"Count": {}},
    "Statement": {
        "RuleGroupReferenceStatement": {
            "ARN": "arn:aws:wafv2:us-east-1:153427709519:regional/rulegroup/ShieldMitigationRuleGroup_1_9ee1/0b1e"
        }
    },
    "VisibilityConfig": {
        "SampledRequestsEnabled": True,
        "CloudWatchMetricsEnabled": True,
        "MetricName": "ShieldMitigationRuleGroup",
    },
}

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def web_acl(live: Live) -> tuple[dict[str, str], dict[str, Any]]:
    name, identifier, scope = live.id("served", "Wall").split("|")
    named = {"Name": name, "Id": identifier, "Scope": scope}
    return named, live.aws("wafv2").get_web_acl(**named)


def statements(live: Live) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(live.aws("s3").get_bucket_policy(Bucket="delivered-logs")["Policy"])[
        "Statement"
    ]
    return found


def group_tags(live: Live) -> dict[str, str]:
    name = live.id("served", "Group")
    found = live.aws("autoscaling").describe_tags(Filters=[{"Name": "auto-scaling-group", "Values": [name]}])["Tags"]
    return {one["Key"]: one["Value"] for one in found if not one["Key"].startswith("tenuto:")}


def services_come(live: Live) -> None:
    tag = {"ResourceId": live.id("served", "Group"), "ResourceType": "auto-scaling-group", "PropagateAtLaunch": True}
    live.aws("autoscaling").create_or_update_tags(Tags=[{**tag, "Key": "AmazonECSManaged", "Value": ""}])
    policy = {"Version": "2012-10-17", "Statement": [*statements(live), DELIVERY]}
    live.aws("s3").put_bucket_policy(Bucket="delivered-logs", Policy=json.dumps(policy))
    named, shown = web_acl(live)
    acl = shown["WebACL"]
    live.aws("wafv2").update_web_acl(
        **named,
        LockToken=shown["LockToken"],
        DefaultAction=acl["DefaultAction"],
        VisibilityConfig=acl["VisibilityConfig"],
        Rules=[*acl["Rules"], SHIELD],
    )


def test_what_services_write_stays_and_goes_along_with_an_update(live: Live) -> None:
    live.apply("served", TEMPLATE, wait_s=180)
    services_come(live)
    before = live.changes("served")
    live.two_jobs_later("served")
    assert live.changes("served") == before

    live.apply("served", OTHER, wait_s=180)
    assert group_tags(live) == {"stage": "two", "AmazonECSManaged": ""}
    assert [one["Sid"] for one in statements(live)] == ["two", "AWSLogDeliveryWrite1"]
    _, shown = web_acl(live)
    rules = {one["Name"]: one["Statement"] for one in shown["WebACL"]["Rules"]}
    assert rules.keys() == {"rates", SHIELD["Name"]}
    assert rules["rates"]["RateBasedStatement"]["Limit"] == 2000
    live.tenuto("kill", "served", "--wait=180", check=True)
