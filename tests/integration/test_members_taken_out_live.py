"""Members that an update takes out of a property that stays declared are gone afterwards, on a real Conductor, and a
converged template plans nothing."""

from typing import Any

import pytest
from live import Live, begun_at

TEMPLATE = """
Resources:
  Cluster: {Type: AWS::ECS::Cluster}
  Task:
    Type: AWS::ECS::TaskDefinition
    Properties:
      Family: web
      ContainerDefinitions:
        - Name: web
          Image: nginx
          Memory: 128
          Command: [run]
  Service:
    Type: AWS::ECS::Service
    Properties:
      Cluster: !Ref Cluster
      TaskDefinition: !Ref Task
      DesiredCount: 0
      DeploymentConfiguration:
        MaximumPercent: 150
        DeploymentCircuitBreaker: {Enable: true, Rollback: true}
  Front:
    Type: AWS::CloudFront::Distribution
    Properties:
      DistributionConfig:
        Enabled: true
        DefaultRootObject: index.html
        WebACLId: some-acl
        Logging: {Bucket: logs.s3.amazonaws.com, Prefix: front}
        Origins:
          - Id: site
            DomainName: site.example.com
            OriginPath: /live
            CustomOriginConfig: {OriginProtocolPolicy: https-only}
        DefaultCacheBehavior:
          TargetOriginId: site
          ViewerProtocolPolicy: https-only
          CachePolicyId: 658327ea-f89d-4fab-a63d-7e88639e58f6
          ResponseHeadersPolicyId: 67f7725c-6f97-4210-82d7-5512b31e9d03
  Files:
    Type: AWS::S3::Bucket
    Properties:
      PublicAccessBlockConfiguration: {BlockPublicAcls: true, BlockPublicPolicy: true}
      LifecycleConfiguration:
        Rules:
          - {Id: old, Status: Enabled, ExpirationInDays: 30, NoncurrentVersionExpiration: {NoncurrentDays: 3}}
  Queue: {Type: AWS::SQS::Queue}
  Rule:
    Type: AWS::Events::Rule
    Properties:
      ScheduleExpression: rate(1 day)
      Targets: [{Id: queue, Arn: !GetAtt Queue.Arn, Input: '{"a": 1}'}]
  Api: {Type: AWS::ApiGatewayV2::Api, Properties: {Name: front, ProtocolType: HTTP}}
  Stage:
    Type: AWS::ApiGatewayV2::Stage
    Properties:
      ApiId: !Ref Api
      StageName: live
      DefaultRouteSettings: {DetailedMetricsEnabled: true, ThrottlingBurstLimit: 10, ThrottlingRateLimit: 5}
"""
LINES = (
    "          Command: [run]\n",
    "        DeploymentCircuitBreaker: {Enable: true, Rollback: true}\n",
    "        DefaultRootObject: index.html\n",
    "        WebACLId: some-acl\n",
    "        Logging: {Bucket: logs.s3.amazonaws.com, Prefix: front}\n",
    "            OriginPath: /live\n",
    "          ResponseHeadersPolicyId: 67f7725c-6f97-4210-82d7-5512b31e9d03\n",
    ", NoncurrentVersionExpiration: {NoncurrentDays: 3}",
    """, Input: '{"a": 1}'""",
    "DetailedMetricsEnabled: true, ",
    ", BlockPublicPolicy: true",
)

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def distribution(live: Live) -> Any:
    return live.aws("cloudfront").get_distribution_config(Id=live.id("lean", "Front"))["DistributionConfig"]


def test_what_is_taken_out_of_a_property_goes(live: Live) -> None:
    live.apply("lean", TEMPLATE)
    first = {name: live.id("lean", name) for name in ("Task", "Service", "Front", "Files", "Rule", "Stage")}
    lean = TEMPLATE
    for line in LINES:
        assert line in lean
        lean = lean.replace(line, "")
    live.apply("lean", lean)

    assert live.id("lean", "Task") != first.pop("Task"), "a container without a command is another revision"
    assert {name: live.id("lean", name) for name in first} == first
    cluster, name = str(first["Service"]).split("|")
    [service] = live.aws("ecs").describe_services(cluster=cluster, services=[name])["services"]
    assert service["deploymentConfiguration"]["deploymentCircuitBreaker"] == {"enable": False, "rollback": False}
    assert service["deploymentConfiguration"]["maximumPercent"] == 150

    front = distribution(live)
    assert (front["DefaultRootObject"], front["WebACLId"], front["Logging"]["Enabled"]) == ("", "", False)
    assert front["Origins"]["Items"][0].get("OriginPath", "") == ""
    assert "ResponseHeadersPolicyId" not in front["DefaultCacheBehavior"]
    assert front["DefaultCacheBehavior"]["CachePolicyId"] == "658327ea-f89d-4fab-a63d-7e88639e58f6"

    [rule] = live.aws("s3").get_bucket_lifecycle_configuration(Bucket=live.id("lean", "Files"))["Rules"]
    assert "NoncurrentVersionExpiration" not in rule
    shut = live.aws("s3").get_public_access_block(Bucket=live.id("lean", "Files"))["PublicAccessBlockConfiguration"]
    assert shut["BlockPublicPolicy"], "what lets others in changes only when it is declared otherwise"
    name = str(live.id("lean", "Rule")).rpartition("|")[2]
    [target] = live.aws("events").list_targets_by_rule(Rule=name)["Targets"]
    assert "Input" not in target
    stage = live.aws("apigatewayv2").get_stage(ApiId=live.id("lean", "Api"), StageName="live")
    assert stage["DefaultRouteSettings"]["DetailedMetricsEnabled"] is False

    before = live.changes("lean")
    live.two_jobs_later("lean")
    assert live.changes("lean") == before


def test_limits_that_no_call_takes_away_are_told_to_stay(live: Live) -> None:
    begin = TEMPLATE.index("  Api:")
    alone = "Resources:\n" + TEMPLATE[begin:]
    live.apply("lean", alone)
    without = alone[: alone.index("      DefaultRouteSettings")]
    (live.folder / "lean.yaml").write_text(without)
    told = live.tenuto("plan", "lean", str(live.folder / "lean.yaml"), check=True).out
    assert "stays: it is no longer declared, and held no longer" in told
    live.apply("lean", without)
    live.until_converged("lean", begun_at(live.status("lean")))
    assert "stays" not in live.tenuto("plan", "lean", check=True).out


LOG_IN = """
Parameters: {Secret: {Type: String, NoEcho: true}}
Resources:
  Net: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.0.0.0/16}}
  One: {Type: AWS::EC2::Subnet, Properties: {VpcId: !Ref Net, CidrBlock: 10.0.0.0/24, AvailabilityZone: us-east-1a}}
  Two: {Type: AWS::EC2::Subnet, Properties: {VpcId: !Ref Net, CidrBlock: 10.0.1.0/24, AvailabilityZone: us-east-1b}}
  Balancer:
    Type: AWS::ElasticLoadBalancingV2::LoadBalancer
    Properties: {Scheme: internal, Subnets: [!Ref One, !Ref Two]}
  Front:
    Type: AWS::ElasticLoadBalancingV2::Listener
    Properties:
      LoadBalancerArn: !Ref Balancer
      Port: 80
      Protocol: HTTP
      DefaultActions:
        - Type: authenticate-oidc
          Order: 1
          AuthenticateOidcConfig:
            Issuer: https://log.in
            ClientId: web
            ClientSecret: !Ref Secret
            AuthorizationEndpoint: https://log.in/a
            TokenEndpoint: https://log.in/t
            UserInfoEndpoint: https://log.in/u
        - Type: fixed-response
          Order: 2
          FixedResponseConfig: {StatusCode: "200"}
"""


def test_a_secret_that_is_never_shown_is_sent_once_for_each_value(live: Live) -> None:
    path = live.folder / "lean.yaml"
    path.write_text(LOG_IN)
    for secret in ("one", "two"):
        live.tenuto("apply", str(path), "-a", "lean", "-p", f"Secret={secret}", "--wait=120", check=True)
        live.two_jobs_later("lean")
    assert [one["operation"] for one in live.changes("lean")].count("ModifyListener") == 1
