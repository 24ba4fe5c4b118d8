"""Members that others add to a list stay there, on a real Conductor, where a composition declares some of its members:
an update takes out only what was declared before."""

import pytest
from live import Live

TEMPLATE = """
Resources:
  Net: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.0.0.0/16}}
  Beside: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.1.0.0/16}}
  Targets:
    Type: AWS::ElasticLoadBalancingV2::TargetGroup
    Properties:
      VpcId: !Ref Net
      Port: 80
      Protocol: HTTP
      TargetType: ip
      Targets: [{Id: 10.0.0.5}, {Id: 10.0.0.6, Port: 81}]
  Old:
    Type: AWS::ElasticLoadBalancing::LoadBalancer
    Properties:
      AvailabilityZones: [us-east-1a]
      Listeners: [{InstancePort: "80", LoadBalancerPort: "80", Protocol: http}]
      Instances: [i-11111111, i-22222222]
  Zone:
    Type: AWS::Route53::HostedZone
    Properties:
      Name: inside.example
      VPCs: [{VPCId: !Ref Net, VPCRegion: us-east-1}, {VPCId: !Ref Beside, VPCRegion: us-east-1}]
  Topic:
    Type: AWS::SNS::Topic
    Properties:
      Subscription:
        - {Protocol: sqs, Endpoint: "arn:aws:sqs:us-east-1:123456789012:one"}
        - {Protocol: sqs, Endpoint: "arn:aws:sqs:us-east-1:123456789012:two"}
"""
WITHOUT = (
    TEMPLATE.replace(", {Id: 10.0.0.6, Port: 81}", ", {Id: 10.0.0.7}")
    .replace("i-11111111, i-22222222", "i-11111111, i-33333333")
    .replace(", {VPCId: !Ref Beside, VPCRegion: us-east-1}", "")
    .replace(":two", ":three")
)
"""The second member of each list is another one, and that of the zone has none in its place."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def others_come(live: Live) -> None:
    ec2 = live.aws("ec2")
    foreign = ec2.create_vpc(CidrBlock="10.2.0.0/16")["Vpc"]["VpcId"]
    live.aws("elbv2").register_targets(
        TargetGroupArn=live.id("shared", "Targets"), Targets=[{"Id": "10.0.0.99", "Port": 80}]
    )
    live.aws("elb").register_instances_with_load_balancer(
        LoadBalancerName=live.id("shared", "Old"), Instances=[{"InstanceId": "i-99999999"}]
    )
    live.aws("route53").associate_vpc_with_hosted_zone(
        HostedZoneId=live.id("shared", "Zone"), VPC={"VPCId": foreign, "VPCRegion": "us-east-1"}
    )
    queue = "arn:aws:sqs:us-east-1:123456789012:foreign"
    live.aws("sns").subscribe(TopicArn=live.id("shared", "Topic"), Protocol="sqs", Endpoint=queue)


def targets(live: Live) -> dict[str, str]:
    """The state of each target that is shown."""
    health = live.aws("elbv2").describe_target_health(TargetGroupArn=live.id("shared", "Targets"))
    return {one["Target"]["Id"]: one["TargetHealth"]["State"] for one in health["TargetHealthDescriptions"]}


def machines(live: Live) -> set[str]:
    [found] = live.aws("elb").describe_load_balancers()["LoadBalancerDescriptions"]
    return {one["InstanceId"] for one in found["Instances"]}


def networks(live: Live) -> int:
    return len(live.aws("route53").get_hosted_zone(Id=live.id("shared", "Zone"))["VPCs"])


def endpoints(live: Live) -> set[str]:
    shown = live.aws("sns").list_subscriptions_by_topic(TopicArn=live.id("shared", "Topic"))["Subscriptions"]
    return {one["Endpoint"].rpartition(":")[2] for one in shown}


def test_an_update_takes_out_what_it_declared_and_nothing_else(live: Live) -> None:
    live.apply("shared", TEMPLATE)
    others_come(live)
    before = live.changes("shared")
    live.two_jobs_later("shared")
    assert live.changes("shared") == before

    told = live.folder / "shared.yaml"
    told.write_text(WITHOUT)
    shown = live.tenuto("plan", "shared", str(told)).out
    assert "10.0.0.6" in shown
    assert "10.0.0.99" not in shown

    live.apply("shared", WITHOUT)
    assert {name: state for name, state in targets(live).items() if state != "draining"}.keys() == {
        "10.0.0.5",
        "10.0.0.7",
        "10.0.0.99",
    }
    deregistered = [one for one in live.changes("shared") if one["operation"] == "DeregisterTargets"]
    assert len(deregistered) == 1
    assert machines(live) == {"i-11111111", "i-33333333", "i-99999999"}
    assert networks(live) == 2
    assert endpoints(live) == {"one", "three", "foreign"}

    # A target that is on its way out is shown for minutes: nothing is taken out twice, and nothing else is planned.
    before = live.changes("shared")
    live.two_jobs_later("shared")
    assert live.changes("shared") == before

    # Tenuto holds a declared member as ever.
    live.aws("elbv2").deregister_targets(TargetGroupArn=live.id("shared", "Targets"), Targets=[{"Id": "10.0.0.5"}])
    live.until(lambda: targets(live).get("10.0.0.5") not in (None, "draining"), "the declared target is back")
