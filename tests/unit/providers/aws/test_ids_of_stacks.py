"""The physical ids of what a stack of CloudFormation shows under another id: they follow from what is declared."""

from typing import Any, cast

import pytest

from tenuto.model.ids import JsonMap, Partition, TypeName
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.stacks import AwsStacks

HERE = Partition(account="default", region="us-east-1")
SERVICE = "arn:aws:ecs:us-east-1:123456789012:service/fleet/web"

GRAPHQL = "arn:aws:appsync:us-east-1:123456789012:apis/a1"


def no_client(_: Partition) -> AccountClient:
    return cast(Any, None)


@pytest.mark.parametrize(
    ("name", "given", "properties", "expected"),
    [
        ("AWS::ApiGateway::Stage", "live", {"RestApiId": "a1", "StageName": "live"}, "a1|live"),
        ("AWS::ApiGateway::Resource", "r1", {"RestApiId": "a1", "ParentId": "r0", "PathPart": "x"}, "a1|r1"),
        ("AWS::ApiGateway::Resource", "a1|r1", {"RestApiId": "a1", "ParentId": "r0", "PathPart": "x"}, "a1|r1"),
        (
            "AWS::ApiGateway::Method",
            "shop-Method-1ABC",
            {"RestApiId": "a1", "ResourceId": "r1", "HttpMethod": "GET"},
            "a1|r1|GET",
        ),
        ("AWS::ApiGatewayV2::Route", "r1", {"ApiId": "a1", "RouteKey": "GET /"}, "a1|r1"),
        ("AWS::AppSync::ApiKey", f"{GRAPHQL}/apikeys/da2-1", {"ApiId": "a1"}, "a1|da2-1"),
        ("AWS::Cognito::UserPoolClient", "c1", {"UserPoolId": "us-east-1_p"}, "us-east-1_p|c1"),
        ("AWS::ECS::Service", SERVICE, {"Cluster": "fleet"}, "fleet|web"),
        ("AWS::ECS::Service", SERVICE.replace("fleet", "default"), {}, "default|web"),
        ("AWS::Events::Rule", "shop-Rule-1ABC", {"ScheduleExpression": "rate(1 hour)"}, "default|shop-Rule-1ABC"),
        ("AWS::Events::Rule", "bus|often", {"EventBusName": "bus", "Name": "often"}, "bus|often"),
        (
            "AWS::Lambda::Alias",
            "arn:aws:lambda:us-east-1:123456789012:function:fn:live",
            {"FunctionName": "fn", "Name": "live"},
            "fn|live",
        ),
        ("AWS::Lambda::Permission", "shop-Perm-1ABC", {"FunctionName": "fn"}, "fn|shop-Perm-1ABC"),
        ("AWS::Logs::MetricFilter", "errors", {"LogGroupName": "front"}, "front|errors"),
        (
            "AWS::AutoScaling::ScalingPolicy",
            "arn:aws:autoscaling:us-east-1:123456789012:scalingPolicy:1:autoScalingGroupName/web:policyName/out",
            {"AutoScalingGroupName": "web"},
            "web|out",
        ),
        ("AWS::IAM::Policy", "shop-Pol-1ABC", {"PolicyName": "p", "Roles": ["b", "a"]}, "p|role/a|role/b"),
        ("AWS::SQS::QueuePolicy", "shop-QP-1ABC", {"Queues": ["https://q/1"]}, "https://q/1"),
        (
            "AWS::Route53::RecordSet",
            "www.example.org",
            {"HostedZoneId": "Z1", "Name": "www.example.org", "Type": "A"},
            "www.example.org|Z1|A",
        ),
    ],
)  # fmt: skip
def test_an_id_follows_from_what_is_declared(name: str, given: str, properties: JsonMap, expected: str) -> None:
    stacks = AwsStacks(no_client)
    assert not stacks.is_known_by_given_id(TypeName(name))
    assert stacks.derive(HERE, TypeName(name), given, properties) == expected


@pytest.mark.parametrize(
    "name", ["AWS::S3::Bucket", "AWS::AppSync::Resolver", "AWS::Lambda::Function", "AWS::IAM::Role"]
)
def test_the_id_that_a_stack_shows_is_that_of_many_types(name: str) -> None:
    stacks = AwsStacks(no_client)
    assert stacks.is_known_by_given_id(TypeName(name))
    assert stacks.derive(HERE, TypeName(name), "given", {}) is None


def test_what_is_not_declared_gives_no_id() -> None:
    assert AwsStacks(no_client).derive(HERE, TypeName("AWS::Lambda::Permission"), "sid", {}) is None
