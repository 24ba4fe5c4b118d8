"""Members of properties through Cloud Control: those that never change, those that no list shows, and defaults.

By the strict cloud, which refuses an update that leaves out what AWS sets, and shows no member that is write-only.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tenuto.model.ids import Partition
from tenuto_testing.cloud import Cloud
from tenuto_testing.cloud.pace import Pace
from tenuto_testing.strict_world import StrictWorld

HERE = Partition(account="default", region="us-east-1")
CANARY = "AWS::Synthetics::Canary"
VISITOR = {
    "Name": "visitor",
    "ExecutionRoleArn": "arn:aws:iam::123456789012:role/visitor",
    "RuntimeVersion": "syn-python-selenium-5.1",
    "Schedule": {"Expression": "rate(1 hour)"},
    "ArtifactS3Location": "s3://records/visits",
    "Code": {"Handler": "visit.run", "S3Bucket": "code", "S3Key": "visit.zip"},
}
PRODUCT = "AWS::ServiceCatalog::CloudFormationProduct"
STORE = {
    "Name": "store",
    "Owner": "shop",
    "ProvisioningArtifactParameters": [
        {"Name": "one", "DisableTemplateValidation": True, "Info": {"LoadTemplateFromURL": "https://example.org/a"}}
    ],
}
ACCELERATOR = "AWS::GlobalAccelerator::Accelerator"
WORKGROUP = "AWS::Athena::WorkGroup"


@pytest.fixture
def world() -> StrictWorld:
    return StrictWorld(lambda clock: Cloud(clock, pace=Pace(handler_s=2.0)))


@pytest.fixture
def template(tmp_path: Path) -> Callable[[str, Any], Path]:
    def write(name: str, properties: Any) -> Path:
        path = tmp_path / "web.json"
        path.write_text(json.dumps({"Resources": {"One": {"Type": name, "Properties": properties}}}), encoding="utf-8")
        return path

    return write


Template = Callable[[str, Any], Path]


def shown(world: StrictWorld, name: str) -> dict[str, Any]:
    client: Any = world.stranger().create_client("cloudcontrol", HERE.region)
    answer = client.get_resource(TypeName=name, Identifier=world.ids("web")["One"])
    model: dict[str, Any] = json.loads(answer["ResourceDescription"]["Properties"])
    return model


def patches(world: StrictWorld) -> list[list[dict[str, Any]]]:
    return [json.loads(one.parameters["PatchDocument"]) for one in world.aws.log if one.action == "UpdateResource"]


def is_quiet(world: StrictWorld) -> bool:
    planning = world.system.queries.plan("web").planning
    return planning.is_converged and planning.plan.is_empty and not planning.waits


def test_a_member_changes_beside_one_that_aws_sets(world: StrictWorld, template: Template) -> None:
    world.run(template(CANARY, VISITOR), "web")
    assert world.settle()
    before = shown(world, CANARY)["Code"]["SourceLocationArn"]
    world.update(template(CANARY, {**VISITOR, "Code": {**VISITOR["Code"], "Handler": "other.run"}}), "web")  # type: ignore[dict-item]
    assert world.settle()
    after = shown(world, CANARY)["Code"]
    assert (after["Handler"], after["SourceLocationArn"]) == ("other.run", before)
    assert is_quiet(world)
    assert [one["path"] for one in patches(world)[0]] == ["/Code/Handler", "/Code/S3Bucket", "/Code/S3Key"]


def test_a_member_that_is_taken_out_goes_and_what_aws_sets_stays(world: StrictWorld, template: Template) -> None:
    version: dict[str, Any] = {"SelectedEngineVersion": "Athena engine version 3"}
    settings: dict[str, Any] = {
        "EngineVersion": version,
        "RequesterPaysEnabled": True,
        "EnforceWorkGroupConfiguration": True,
    }
    world.run(template(WORKGROUP, {"Name": "team", "WorkGroupConfiguration": settings}), "web")
    assert world.settle()
    effective = shown(world, WORKGROUP)["WorkGroupConfiguration"]["EngineVersion"]["EffectiveEngineVersion"]
    less = {"EngineVersion": version, "EnforceWorkGroupConfiguration": False}
    world.update(template(WORKGROUP, {"Name": "team", "WorkGroupConfiguration": less}), "web")
    assert world.settle()
    after = shown(world, WORKGROUP)["WorkGroupConfiguration"]
    assert after == {
        "EngineVersion": {**version, "EffectiveEngineVersion": effective},
        "EnforceWorkGroupConfiguration": False,
    }
    assert is_quiet(world)


def test_a_hidden_member_of_a_list_is_no_drift_and_is_sent_when_it_is_declared_anew(
    world: StrictWorld, template: Template
) -> None:
    world.run(template(PRODUCT, STORE), "web")
    assert world.settle()
    world.advance(600)
    assert patches(world) == []
    assert is_quiet(world)
    [artifact] = STORE["ProvisioningArtifactParameters"]
    other = {**artifact, "DisableTemplateValidation": False}  # type: ignore[dict-item]
    world.update(template(PRODUCT, {**STORE, "ProvisioningArtifactParameters": [other]}), "web")
    assert world.settle()
    world.advance(600)
    assert patches(world) == [[{"op": "add", "path": "/ProvisioningArtifactParameters", "value": [other]}]]
    assert is_quiet(world)


def test_a_property_that_is_taken_out_gets_the_default_of_the_schema_back(
    world: StrictWorld, template: Template
) -> None:
    world.run(template(ACCELERATOR, {"Name": "fast", "Enabled": False, "IpAddressType": "DUAL_STACK"}), "web")
    assert world.settle()
    world.update(template(ACCELERATOR, {"Name": "fast"}), "web")
    assert world.settle()
    after = shown(world, ACCELERATOR)
    assert (after["Enabled"], after["IpAddressType"]) == (True, "IPV4")
    assert is_quiet(world)


def test_a_property_that_was_never_declared_is_not_held_at_its_default(world: StrictWorld, template: Template) -> None:
    world.run(template(ACCELERATOR, {"Name": "fast"}), "web")
    assert world.settle()
    client: Any = world.stranger().create_client("cloudcontrol", HERE.region)
    patch = json.dumps([{"op": "add", "path": "/Enabled", "value": False}])
    client.update_resource(TypeName=ACCELERATOR, Identifier=world.ids("web")["One"], PatchDocument=patch)
    world.advance(600)
    assert shown(world, ACCELERATOR)["Enabled"] is False
    assert is_quiet(world)
