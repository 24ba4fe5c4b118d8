"""Declared values that the real AWS shows in other words, or that a service of it adds: none of them is a drift."""

from typing import Any

import pytest

from tenuto.core.planning.comparing.changes import changes_of
from tenuto.core.planning.comparing.secrets import Desired, digest_of
from tenuto.model.ids import JsonMap, TypeName
from tenuto.providers.aws.types.catalogue import FACTS
from tenuto_testing.store_samples import an_object

_OIDC = {"Issuer": "i", "ClientId": "c", "AuthorizationEndpoint": "a", "TokenEndpoint": "t", "UserInfoEndpoint": "u"}


def paths(name: str, declared: JsonMap, shown: JsonMap, before: JsonMap | None = None) -> list[str]:
    """The paths that differ, of what was declared like this since it was made, or like `before` until now."""
    was = declared if before is None else before
    found = an_object(type=TypeName(name), desired=was, desired_digest=digest_of(was, None))
    desired = Desired(properties=declared, digest=digest_of(declared, None))
    changes = changes_of(desired, {"Tags": [], **shown}, found, FACTS[TypeName(name)], None)
    return [change.path for change in changes]


@pytest.mark.parametrize(
    ("name", "declared", "shown"),
    [
        ("Cpu", ".25 vCPU", "256"),
        ("Cpu", "0.5 vcpu", "512"),
        ("Cpu", "2 vCPU", "2048"),
        ("Memory", "0.5GB", "512"),
        ("Memory", "1 GB", "1024"),
        ("Memory", "30 GB", "30720"),
    ],
)
def test_the_size_of_a_task_may_be_said_in_larger_units(name: str, declared: str, shown: str) -> None:
    assert paths("AWS::ECS::TaskDefinition", {name: declared}, {name: shown}) == []
    assert paths("AWS::ECS::TaskDefinition", {name: declared}, {name: "4096"}) == [name]


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("AWS::ElasticLoadBalancingV2::Listener", "DefaultActions"),
        ("AWS::ElasticLoadBalancingV2::ListenerRule", "Actions"),
    ],
)
def test_a_client_secret_is_never_shown_and_sent_when_it_is_another_one(name: str, path: str) -> None:
    def actions(**more: Any) -> JsonMap:
        return {path: [{"Type": "authenticate-oidc", "Order": 1, "AuthenticateOidcConfig": {**_OIDC, **more}}]}

    assert paths(name, actions(ClientSecret="s"), actions()) == []
    assert paths(name, actions(ClientSecret="other"), actions(), actions(ClientSecret="s")) == [path]


@pytest.mark.parametrize(
    ("declared", "differs"),
    [
        ("web", False),
        ("web:7", False),
        ("arn:aws:ecs:us-east-1:1:task-definition/web", False),
        ("arn:aws:ecs:us-east-1:1:task-definition/web:7", False),
        ("web:6", True),
        ("web:77", True),
        ("we", True),
        ("arn:aws:ecs:us-east-1:2:task-definition/web", True),
    ],
)
def test_a_family_of_task_definitions_stands_for_the_revision_that_is_shown(declared: str, differs: bool) -> None:
    shown = {"TaskDefinition": "arn:aws:ecs:us-east-1:1:task-definition/web:7"}
    found = paths("AWS::ECS::Service", {"TaskDefinition": declared}, shown)
    assert found == (["TaskDefinition"] if differs else [])


@pytest.mark.parametrize("name", ["AWS::Lambda::Permission", "AWS::Lambda::LayerVersionPermission"])
def test_an_account_is_the_same_principal_by_its_id_and_by_the_arn_of_its_root(name: str) -> None:
    """Both types are made anew for any change."""
    root, other = "arn:aws:iam::123456789012:root", "arn:aws:iam::210987654321:root"
    assert paths(name, {"Principal": root}, {"Principal": "123456789012"}) == []
    assert paths(name, {"Principal": other}, {"Principal": "123456789012"}) == ["Principal"]


@pytest.mark.parametrize(
    ("declared", "differs"),
    [
        ("execute-api:/*", False),
        ("arn:aws:execute-api:us-east-1:123456789012:a1b2c3/*", False),
        ("execute-api:/prod/*", True),
        ("arn:aws:execute-api:us-east-1:123456789012:a1b2c3/prod/*", True),
        ("*", True),
    ],
)
def test_a_policy_of_an_api_is_shown_with_the_whole_names_of_what_it_is_about(declared: str, differs: bool) -> None:
    def policy(resource: str) -> JsonMap:
        return {"Policy": {"Statement": [{"Effect": "Allow", "Principal": "*", "Resource": resource}]}}

    shown = policy("arn:aws:execute-api:us-east-1:123456789012:a1b2c3/*")
    assert paths("AWS::ApiGateway::RestApi", policy(declared), shown) == (["Policy"] if differs else [])
    narrowed = policy("arn:aws:execute-api:us-east-1:123456789012:a1b2c3/prod/*")
    assert paths("AWS::ApiGateway::RestApi", policy("execute-api:/*"), narrowed) == ["Policy"]


@pytest.mark.parametrize(("declared", "differs"), [("host", False), ("instanceId", False), ("memory", True)])
def test_a_host_is_an_instance_where_tasks_are_placed(declared: str, differs: bool) -> None:
    shown = {"PlacementStrategies": [{"Type": "spread", "Field": "instanceId"}]}
    found = paths("AWS::ECS::Service", {"PlacementStrategies": [{"Type": "spread", "Field": declared}]}, shown)
    assert found == (["PlacementStrategies"] if differs else [])


@pytest.mark.parametrize("name", ["AWS::RDS::DBCluster", "AWS::DocDB::DBCluster", "AWS::Neptune::DBCluster"])
def test_a_cluster_of_databases_is_in_three_zones_whichever_were_declared(name: str) -> None:
    """Another zone would replace it."""
    declared: JsonMap = {"AvailabilityZones": ["us-east-1a", "us-east-1b"]}
    assert paths(name, declared, {"AvailabilityZones": ["us-east-1c", "us-east-1b", "us-east-1a"]}) == []
    assert paths(name, declared, {"AvailabilityZones": ["us-east-1c", "us-east-1b"]}) == ["AvailabilityZones"]
