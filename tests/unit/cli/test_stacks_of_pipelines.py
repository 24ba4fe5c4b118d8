"""An assembly with a pipeline of the CDK: the pipeline deploys the stacks of its stages, too."""

import json
from pathlib import Path
from typing import Any

import pytest
from terminal import Shell

QUEUE = {"Resources": {"Main": {"Type": "Simulated::Network", "Properties": {"CidrBlock": "10.0.0.0/16"}}}}


def pipeline(provider: str) -> dict[str, Any]:
    action = {"Name": "Deploy", "ActionTypeId": {"Category": "Deploy", "Owner": "AWS", "Provider": provider}}
    stages = [{"Name": "Prod", "Actions": [action]}]
    return {"Resources": {"Line": {"Type": "AWS::CodePipeline::Pipeline", "Properties": {"Stages": stages}}}}


def assembly(folder: Path, line: dict[str, Any]) -> Path:
    folder.mkdir()
    artifacts = {}
    for name, shown, template in (("Line", "Line", line), ("Web", "Line/Prod/Web", QUEUE), ("Other", "Other", QUEUE)):
        artifacts[name] = {
            "type": "aws:cloudformation:stack",
            "environment": "aws://unknown-account/unknown-region",
            "properties": {"templateFile": f"{name}.template.json", "stackName": name},
            "displayName": shown,
        }
        (folder / f"{name}.template.json").write_text(json.dumps(template))
    (folder / "manifest.json").write_text(json.dumps({"version": "1", "artifacts": artifacts}))
    return folder


@pytest.mark.parametrize(("provider", "is_told"), [("CloudFormation", True), ("S3", False)])
def test_the_stacks_that_a_pipeline_deploys_are_told(tenuto: Shell, provider: str, is_told: bool) -> None:
    folder = assembly(tenuto.folder / "cdk.out", pipeline(provider))
    note = "Note: the pipeline of Line deploys Line/Prod/Web by itself, with CloudFormation."
    assert (note in tenuto("compile", str(folder)).err) is is_told
    assert note not in tenuto("compile", str(folder), "--stack", "Line/*").err
