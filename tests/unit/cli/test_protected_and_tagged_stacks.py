"""The facts of a stack that only the manifest of an assembly has: its tags, and its termination protection."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from person import Person
from terminal import Shell

NETWORK = {"Resources": {"Main": {"Type": "Simulated::Network", "Properties": {"CidrBlock": "10.0.0.0/16"}}}}
OTHER = {"Resources": {"Main": {"Type": "Simulated::Network", "Properties": {"CidrBlock": "10.1.0.0/16"}}}}
UNLOCK = ("-y", "property", "Data", "lock", "--set", "off")


def assembly(folder: Path, template: Any = NETWORK, **properties: Any) -> str:
    folder.mkdir(exist_ok=True)
    stack = {
        "type": "aws:cloudformation:stack",
        "environment": "aws://unknown-account/unknown-region",
        "properties": {"templateFile": "Data.template.json", **properties},
    }
    (folder / "manifest.json").write_text(json.dumps({"version": "1", "artifacts": {"Data": stack}}))
    (folder / "Data.template.json").write_text(json.dumps(template))
    return str(folder)


@pytest.fixture
def protected(tenuto: Shell) -> str:
    return assembly(tenuto.folder / "cdk.out", terminationProtection=True)


def is_locked(tenuto: Shell) -> bool:
    return bool(tenuto("--json", "property", "Data", "lock").document["lock"])


@pytest.mark.parametrize("command", ["run", "apply"])
def test_a_stack_with_termination_protection_is_locked_from_the_start(
    tenuto: Shell, protected: str, command: str
) -> None:
    ended = tenuto("-y", command, protected)
    assert ended.code == 0, ended.err
    assert "Note: Data has termination protection" in ended.err
    assert "'tenuto property Data lock --set off'" in ended.err
    assert is_locked(tenuto)
    assert tenuto("-y", "kill", "Data").code == 5
    assert "composition Data.template, locked" in tenuto("events", "Data").out


def test_a_dry_run_of_a_protected_stack_tells_the_lock_and_locks_nothing(tenuto: Shell, protected: str) -> None:
    ended = tenuto("run", protected, "--dry-run")
    assert (ended.code, "has termination protection" in ended.err) == (0, True)
    assert tenuto("--json", "status").document["processes"] == []


@pytest.mark.parametrize("command", [("apply",), ("update", "Data")])
def test_new_termination_protection_locks_a_process_that_is_there(tenuto: Shell, command: tuple[str, ...]) -> None:
    folder = assembly(tenuto.folder / "cdk.out")
    assert tenuto("-y", "run", folder).code == 0
    assert not is_locked(tenuto)
    assembly(tenuto.folder / "cdk.out", terminationProtection=True)
    ended = tenuto("-y", *command, folder)
    assert ended.code == 0, ended.err
    assert is_locked(tenuto)


def test_a_stack_without_termination_protection_takes_no_lock_away(tenuto: Shell, protected: str) -> None:
    assert tenuto("-y", "run", protected).code == 0
    assembly(tenuto.folder / "cdk.out", terminationProtection=False)
    ended = tenuto("-y", "apply", protected)
    assert ended.code == 0, ended.err
    assert is_locked(tenuto)


def test_a_locked_process_takes_its_own_composition_again_and_no_other(tenuto: Shell, protected: str) -> None:
    assert tenuto("-y", "run", protected).code == 0
    assert tenuto("-y", "apply", protected).code == 0
    assert tenuto("apply", protected, "--dry-run").code == 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", Person(["y"]))
        asked = tenuto("apply", protected)
    assert asked.code == 0, asked.err
    assembly(tenuto.folder / "cdk.out", OTHER, terminationProtection=True)
    for more in ("-y",), ("--dry-run",):
        refused = tenuto("apply", protected, *more)
        assert (refused.code, "Unlock it first" in refused.err) == (5, True)
    assert tenuto(*UNLOCK).code == 0
    ended = tenuto("-y", "apply", protected)
    assert ended.code == 0, ended.err
    assert is_locked(tenuto)


def test_the_tags_of_a_stack_are_on_its_resources_and_told(tenuto: Shell) -> None:
    own = [{"Key": "cost-center", "Value": "own"}]
    resources = {
        "Plain": {"Type": "AWS::SQS::Queue"},
        "Own": {"Type": "AWS::SQS::Queue", "Properties": {"Tags": own}},
        "Handle": {"Type": "AWS::CloudFormation::WaitConditionHandle"},
    }
    folder = assembly(tenuto.folder / "cdk.out", {"Resources": resources}, tags={"cost-center": "42", "team": "shop"})
    ended = tenuto("compile", folder)
    assert ended.code == 0, ended.err
    made = ended.document["resources"]
    both = [{"Key": "cost-center", "Value": "42"}, {"Key": "team", "Value": "shop"}]
    assert made["Plain"]["properties"]["Tags"] == both
    assert made["Own"]["properties"]["Tags"] == [*own, both[1]]
    assert "Tags" not in made["Handle"]["properties"]
    assert "Note: 2 resources of Data get the tags of the stack: cost-center, team." in ended.err


def test_tags_that_the_template_has_already_are_not_told(tenuto: Shell) -> None:
    tags = [{"Key": "team", "Value": "shop"}]
    resources = {"Plain": {"Type": "AWS::SQS::Queue", "Properties": {"Tags": tags}}}
    folder = assembly(tenuto.folder / "cdk.out", {"Resources": resources}, tags={"team": "shop"})
    assert "tags of the stack" not in tenuto("compile", folder).err
