"""A deployment that a group declares is started when the group is there, and again when another one is declared."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from block_examples import BenchOf

from tenuto.model.ids import Json, LogicalId, TypeName
from tenuto.model.outcome import Done
from tenuto_testing.provider_conformance import Example

APPLICATION, GROUP = "AWS::CodeDeploy::Application", "AWS::CodeDeploy::DeploymentGroup"


def _deployment(key: str) -> dict[str, Json]:
    place = {"Bucket": "builds", "Key": key, "BundleType": "zip"}
    return {"Description": key, "Revision": {"RevisionType": "S3", "S3Location": place}}


def test_each_declared_deployment_is_started_once(bench_of: BenchOf, stranger: Callable[[str], Any]) -> None:
    properties: dict[str, Json] = {
        "ApplicationName": {"Ref": "Shop"},
        "DeploymentGroupName": "machines",
        "ServiceRoleArn": "arn:aws:iam::123456789012:role/deployer",
        "Deployment": _deployment("first.zip"),
    }
    shop = Example(name=LogicalId("Shop"), type=TypeName(APPLICATION), properties={"ApplicationName": "shop"})
    group = Example(name=LogicalId("Machines"), type=TypeName(GROUP), properties=properties)
    codedeploy = stranger("codedeploy")

    def started() -> list[str]:
        ids = codedeploy.list_deployments(applicationName="shop", deploymentGroupName="machines")["deployments"]
        found = codedeploy.batch_get_deployments(deploymentIds=ids)["deploymentsInfo"]
        return sorted(one["revision"]["s3Location"]["key"] for one in found)

    with bench_of((shop, group)) as bench:
        _, made = bench.make_all()
        assert started() == ["first.zip"]
        made = bench.configure(made)
        assert started() == ["first.zip"]
        bench.configure(replace(made, properties={**made.properties, "Deployment": _deployment("second.zip")}))
        assert started() == ["first.zip", "second.zip"]


def test_what_is_released_carries_no_mark(bench_of: BenchOf, stranger: Callable[[str], Any]) -> None:
    shop = Example(name=LogicalId("Shop"), type=TypeName(APPLICATION), properties={"ApplicationName": "shop"})
    codedeploy = stranger("codedeploy")
    arn = "arn:aws:codedeploy:us-east-1:123456789012:application:shop"
    with bench_of((shop,)) as bench:
        [made] = bench.make_all()
        assert codedeploy.list_tags_for_resource(ResourceArn=arn)["Tags"]
        (outcome,) = bench.provider.disclaim(bench.partition, [made])
        assert isinstance(outcome, Done)
        assert codedeploy.list_tags_for_resource(ResourceArn=arn)["Tags"] == []
