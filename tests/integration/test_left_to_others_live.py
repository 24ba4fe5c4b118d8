"""A group and a table that were scaled stay as they are, on a real Conductor, until an update says otherwise."""

import pytest
from live import Live, begun_at

TEMPLATE = """
Resources:
  Launch:
    Type: AWS::EC2::LaunchTemplate
    Properties: {LaunchTemplateData: {InstanceType: t3.micro, ImageId: ami-12c6146b}}
  Fleet:
    Type: AWS::AutoScaling::AutoScalingGroup
    Properties:
      MinSize: "0"
      MaxSize: "5"
      DesiredCapacity: "1"
      AvailabilityZones: [us-east-1a]
      LaunchTemplate: {LaunchTemplateId: !Ref Launch, Version: "1"}
  Load:
    Type: AWS::AutoScaling::ScalingPolicy
    Properties:
      AutoScalingGroupName: !Ref Fleet
      PolicyType: TargetTrackingScaling
      TargetTrackingConfiguration:
        TargetValue: 50
        PredefinedMetricSpecification: {PredefinedMetricType: ASGAverageCPUUtilization}
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      KeySchema: [{AttributeName: id, KeyType: HASH}]
      AttributeDefinitions: [{AttributeName: id, AttributeType: S}]
      ProvisionedThroughput: {ReadCapacityUnits: 5, WriteCapacityUnits: 5}
  Reads:
    Type: AWS::ApplicationAutoScaling::ScalableTarget
    Properties:
      MinCapacity: 5
      MaxCapacity: 50
      ResourceId: !Sub "table/${Orders}"
      RoleARN: !Sub "arn:aws:iam::${AWS::AccountId}:role/scaler"
      ScalableDimension: dynamodb:table:ReadCapacityUnits
      ServiceNamespace: dynamodb
"""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def size(live: Live) -> int:
    [group] = live.aws("autoscaling").describe_auto_scaling_groups()["AutoScalingGroups"]
    found: int = group["DesiredCapacity"]
    return found


def reads_and_writes(live: Live) -> tuple[int, int]:
    table = live.aws("dynamodb").describe_table(TableName=live.id("fleet", "Orders"))["Table"]
    shown = table["ProvisionedThroughput"]
    return shown["ReadCapacityUnits"], shown["WriteCapacityUnits"]


def test_what_an_autoscaler_has_scaled_is_not_set_back(live: Live) -> None:
    live.apply("fleet", TEMPLATE)
    group, table = live.id("fleet", "Fleet"), live.id("fleet", "Orders")
    live.aws("autoscaling").set_desired_capacity(AutoScalingGroupName=group, DesiredCapacity=3)
    scaled = {"ReadCapacityUnits": 20, "WriteCapacityUnits": 9}
    live.aws("dynamodb").update_table(TableName=table, ProvisionedThroughput=scaled)
    # The writes have no autoscaler, so Tenuto holds them.
    live.until(lambda: reads_and_writes(live) == (20, 5), "the writes are set back beside the reads")
    live.until_converged("fleet", begun_at(live.status("fleet")))
    assert size(live) == 3
    told = live.tenuto("plan", "fleet", check=True).out
    assert "what differs is left to Load\n" in told
    assert "what differs is left to Reads\n" in told

    # Bounds that leave it outside move it.
    live.apply("fleet", TEMPLATE.replace('MaxSize: "5"', 'MaxSize: "2"'))
    assert size(live) == 2
    live.aws("autoscaling").update_auto_scaling_group(AutoScalingGroupName=group, MaxSize=5, DesiredCapacity=3)

    # An update of something else leaves it, too; one that declares another size is followed.
    larger = TEMPLATE.replace('MaxSize: "5"', 'MaxSize: "6"')
    live.apply("fleet", larger)
    assert size(live) == 3
    live.apply("fleet", larger.replace('DesiredCapacity: "1"', 'DesiredCapacity: "2"'))
    assert size(live) == 2
