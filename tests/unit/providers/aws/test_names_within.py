"""A name is exclusive within what it is a name in, and one that any number of revisions have is not at all."""

import pytest

from tenuto.core.planning.comparing.exclusive import Holders
from tenuto.model.ids import JsonMap, TypeName
from tenuto.providers.aws.types.catalogue import FACTS
from tenuto_testing.store_samples import an_object


def is_held(name: str, standing: JsonMap, wanted: JsonMap) -> bool:
    """Whether what stands holds something that the wanted one needs, so that it would have to go first."""
    return bool(Holders([an_object(type=TypeName(name), desired=standing)], FACTS).of(TypeName(name), wanted))


@pytest.mark.parametrize(
    ("name", "standing", "elsewhere"),
    [
        ("AWS::Lambda::Alias", {"FunctionName": "a", "Name": "live"}, {"FunctionName": "b"}),
        ("AWS::ECS::Service", {"Cluster": "a", "ServiceName": "web"}, {"Cluster": "b"}),
        ("AWS::Events::Rule", {"EventBusName": "a", "Name": "daily"}, {"EventBusName": "b"}),
        ("AWS::Scheduler::Schedule", {"GroupName": "a", "Name": "daily"}, {"GroupName": "b"}),
        ("AWS::Logs::MetricFilter", {"LogGroupName": "a", "FilterName": "errors"}, {"LogGroupName": "b"}),
        (
            "AWS::AutoScaling::LifecycleHook",
            {"AutoScalingGroupName": "a", "LifecycleHookName": "leaving"},
            {"AutoScalingGroupName": "b"},
        ),
        (
            "AWS::CodeDeploy::DeploymentGroup",
            {"ApplicationName": "a", "DeploymentGroupName": "prod"},
            {"ApplicationName": "b"},
        ),
        (
            "AWS::ApplicationAutoScaling::ScalingPolicy",
            {"ScalingTargetId": "a", "PolicyName": "load"},
            {"ScalingTargetId": "b"},
        ),
    ],
)
def test_a_name_is_taken_only_within_the_same(name: str, standing: JsonMap, elsewhere: JsonMap) -> None:
    assert is_held(name, standing, standing)
    assert not is_held(name, standing, {**standing, **elsewhere})


@pytest.mark.parametrize(
    ("name", "property_name"),
    [("AWS::ECS::TaskDefinition", "Family"), ("AWS::Batch::JobDefinition", "JobDefinitionName")],
)
def test_any_number_of_revisions_have_one_name(name: str, property_name: str) -> None:
    assert not is_held(name, {property_name: "web"}, {property_name: "web"})
    assert not FACTS[TypeName(name)].exclusive


@pytest.mark.parametrize(
    "name", ["AWS::ECS::Service", "AWS::Lambda::Function", "AWS::RDS::DBCluster", "AWS::RDS::DBInstance"]
)
def test_what_may_work_again_is_not_made_anew(name: str) -> None:
    assert FACTS[TypeName(name)].recovers
