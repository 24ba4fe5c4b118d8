"""The properties that an autoscaler, a schedule or a deployment of the same composition moves are left to it."""

import json
from typing import Any

import pytest

from tenuto.compositions.compile import compile_text
from tenuto.model.ids import JsonMap

ROLE = "arn:aws:iam::123456789012:role/scaler"
SERVICE = {"Cluster": "prod", "DesiredCount": 2, "TaskDefinition": "web:1", "LoadBalancers": [{"ContainerPort": 80}]}
TABLE = {
    "TableName": "orders",
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5},
}
GROUP = {
    "MinSize": "1",
    "MaxSize": "9",
    "DesiredCapacity": "3",
    "LaunchTemplate": {"LaunchTemplateId": "lt-1", "Version": "1"},
    "AvailabilityZones": ["us-east-1a"],
}
NAMED = {"AutoScalingGroupName": {"Ref": "It"}}


def target(place: Any, dimension: str, **more: Any) -> JsonMap:
    return {
        "Type": "AWS::ApplicationAutoScaling::ScalableTarget",
        "Properties": {
            "MinCapacity": 1,
            "MaxCapacity": 9,
            "ResourceId": place,
            "RoleARN": ROLE,
            "ScalableDimension": dimension,
            "ServiceNamespace": dimension.partition(":")[0],
            **more,
        },
    }


def of(kind: str, **properties: Any) -> JsonMap:
    return {"Type": kind, "Properties": properties}


def ours(resources: JsonMap, name: str = "It") -> JsonMap:
    """The metadata of ours that a resource has when its composition is compiled."""
    text = json.dumps({"Resources": resources})
    composition = compile_text(text, file="x.json", parameters={}, region="us-east-1").composition
    found: JsonMap = next(one for one in composition.resources if one.logical_id == name).metadata.get("Tenuto", {})
    return found


def ignored(thing: JsonMap, mover: JsonMap) -> Any:
    return ours({"It": thing, "Mover": mover}).get("ignore")


@pytest.mark.parametrize(
    "place",
    [
        {"Fn::Join": ["/", ["service", "prod", {"Fn::GetAtt": ["It", "Name"]}]]},
        {"Fn::Sub": "service/prod/${It.Name}"},
        "service/prod/web",
        {"Fn::Join": ["/", ["service", {"Ref": "AWS::StackName"}, "web"]]},
    ],
)
def test_a_service_that_is_scaled_is_left_to_its_target(place: Any) -> None:
    service = of("AWS::ECS::Service", ServiceName="web", **SERVICE)
    found = ours({"It": service, "Scaling": target(place, "ecs:service:DesiredCount")})
    assert found == {"ignore": ["DesiredCount"], "moved_by": ["Scaling"]}


@pytest.mark.parametrize("place", [{"Fn::Sub": "table/${It}"}, "table/orders"])
def test_only_the_dimension_that_is_scaled_is_left(place: Any) -> None:
    scaled = target(place, "dynamodb:table:WriteCapacityUnits")
    assert ignored(of("AWS::DynamoDB::Table", **TABLE), scaled) == ["ProvisionedThroughput.WriteCapacityUnits"]


def test_another_service_is_held() -> None:
    resources = {
        "It": of("AWS::ECS::Service", ServiceName="api", **SERVICE),
        "Web": of("AWS::ECS::Service", ServiceName="web", **SERVICE),
        "Scaling": target("service/prod/web", "ecs:service:DesiredCount"),
    }
    assert ours(resources) == {}
    assert ours(resources, "Web")["ignore"] == ["DesiredCount"]


def test_the_bounds_of_a_target_are_left_to_its_own_schedule() -> None:
    night = {
        "ScheduledActionName": "night",
        "Schedule": "cron(0 20 * * ? *)",
        "ScalableTargetAction": {"MinCapacity": 0},
    }
    service = of("AWS::ECS::Service", ServiceName="web", **SERVICE)
    scaling = target("service/prod/web", "ecs:service:DesiredCount", ScheduledActions=[night])
    assert ours({"It": service, "Scaling": scaling}, "Scaling")["ignore"] == ["MinCapacity"]


def test_a_group_with_a_policy_is_scaled_by_it() -> None:
    policy = of("AWS::AutoScaling::ScalingPolicy", AdjustmentType="ChangeInCapacity", ScalingAdjustment=1, **NAMED)
    assert ignored(of("AWS::AutoScaling::AutoScalingGroup", **GROUP), policy) == ["DesiredCapacity"]


def test_a_schedule_moves_the_sizes_that_it_names() -> None:
    action = of("AWS::AutoScaling::ScheduledAction", MinSize=2, DesiredCapacity=4, Recurrence="0 8 * * *", **NAMED)
    assert ignored(of("AWS::AutoScaling::AutoScalingGroup", **GROUP), action) == ["DesiredCapacity", "MinSize"]


@pytest.mark.parametrize(("status", "left"), [("ENABLED", ["DesiredCapacity"]), ("DISABLED", None)])
def test_a_cluster_scales_a_group_where_it_is_told_to(status: str, left: Any) -> None:
    provider = {"AutoScalingGroupArn": {"Ref": "It"}, "ManagedScaling": {"Status": status}}
    mover = of("AWS::ECS::CapacityProvider", AutoScalingGroupProvider=provider)
    assert ignored(of("AWS::AutoScaling::AutoScalingGroup", **GROUP), mover) == left


def test_a_deployment_switches_listeners_and_services() -> None:
    listener = of(
        "AWS::ElasticLoadBalancingV2::Listener",
        LoadBalancerArn="arn:aws:elasticloadbalancing:us-east-1:123456789012:loadbalancer/app/web/0123456789abcdef",
        Port=80,
        Protocol="HTTP",
        DefaultActions=[{"Type": "fixed-response", "FixedResponseConfig": {"StatusCode": "200"}}],
    )
    pair = {"ProdTrafficRoute": {"ListenerArns": [{"Ref": "Front"}]}, "TargetGroups": [{"Name": "a"}, {"Name": "b"}]}
    mover = of(
        "AWS::CodeDeploy::DeploymentGroup",
        ApplicationName="web",
        ServiceRoleArn=ROLE,
        ECSServices=[{"ClusterName": "prod", "ServiceName": {"Fn::GetAtt": ["It", "Name"]}}],
        LoadBalancerInfo={"TargetGroupPairInfoList": [pair]},
    )
    resources = {"It": of("AWS::ECS::Service", **SERVICE), "Front": listener, "Mover": mover}
    assert ours(resources)["ignore"] == ["LoadBalancers", "TaskDefinition"]
    assert ours(resources, "Front")["ignore"] == ["DefaultActions"]


@pytest.mark.parametrize("named", [{"Fn::GetAtt": ["It", "Name"]}, "web"])
def test_a_pipeline_brings_new_versions_to_a_service(named: Any) -> None:
    action = {
        "Name": "deploy",
        "ActionTypeId": {"Category": "Deploy", "Owner": "AWS", "Provider": "ECS", "Version": "1"},
        "Configuration": {"ClusterName": "prod", "ServiceName": named},
    }
    stages = [{"Name": name, "Actions": [action]} for name in ("staging", "prod")]
    store = {"Type": "S3", "Location": "artifacts"}
    mover = of("AWS::CodePipeline::Pipeline", RoleArn=ROLE, Stages=stages, ArtifactStore=store)
    assert ignored(of("AWS::ECS::Service", ServiceName="web", **SERVICE), mover) == ["TaskDefinition"]


@pytest.mark.parametrize(("bound", "left"), [({"MaxAllocatedStorage": 100}, ["AllocatedStorage"]), ({}, None)])
def test_storage_that_grows_by_itself_is_left(bound: JsonMap, left: Any) -> None:
    database = of(
        "AWS::RDS::DBInstance", DBInstanceClass="db.t3.micro", Engine="postgres", AllocatedStorage="20", **bound
    )
    assert ours({"It": database}).get("ignore") == left


def test_an_alias_is_scaled_with_its_function() -> None:
    code = {"ZipFile": "def handler(event, context): pass"}
    resources = {
        "Made": of("AWS::Lambda::Function", Code=code, Role=ROLE, Runtime="python3.12", Handler="index.handler"),
        "It": of(
            "AWS::Lambda::Alias",
            FunctionName={"Ref": "Made"},
            FunctionVersion="1",
            Name="live",
            ProvisionedConcurrencyConfig={"ProvisionedConcurrentExecutions": 1},
        ),
        "Mover": target({"Fn::Sub": "function:${Made}:live"}, "lambda:function:ProvisionedConcurrency"),
    }
    assert ours(resources)["ignore"] == ["ProvisionedConcurrencyConfig"]


def test_what_is_not_declared_is_not_ignored() -> None:
    service = {name: value for name, value in SERVICE.items() if name != "DesiredCount"}
    scaled = target({"Fn::Sub": "service/prod/${It.Name}"}, "ecs:service:DesiredCount")
    assert ours({"It": of("AWS::ECS::Service", **service), "Scaling": scaled}) == {}


@pytest.mark.parametrize("own", [[], ["Tags"]])
def test_a_resource_that_says_what_it_ignores_is_left_as_it_says(own: list[str]) -> None:
    service = {**of("AWS::ECS::Service", **SERVICE), "Metadata": {"Tenuto": {"ignore": own}}}
    scaled = target({"Fn::Sub": "service/prod/${It.Name}"}, "ecs:service:DesiredCount")
    assert ours({"It": service, "Scaling": scaled}) == {"ignore": own}
