"""scripts/corpus: every template of a folder is run, and told in a table."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "corpus"
GOOD = """
Parameters: {Delay: {Type: Number}}
Resources:
  Kept: {Type: AWS::SQS::Queue, DeletionPolicy: Retain, Properties: {DelaySeconds: !Ref Delay}}
  Gone: {Type: AWS::SQS::Queue}
"""
BAD = "Resources: {F: {Type: AWS::Glue::DevEndpoint, Properties: {RoleArn: x}}}\n"


@pytest.mark.slow
def test_a_folder_of_templates_is_run_planned_killed_and_told(tmp_path: Path) -> None:
    (tmp_path / "good.yaml").write_text(GOOD)
    (tmp_path / "good.parameters.json").write_text(json.dumps([{"ParameterKey": "Delay", "ParameterValue": "5"}]))
    (tmp_path / "unmanaged.yaml").write_text(BAD)
    (tmp_path / "notes.yaml").write_text("a: b\n")
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(tmp_path), "--json"], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    good, unmanaged = map(json.loads, done.stdout.splitlines())
    assert good == {
        "template": "good.yaml",
        "compiles": True,
        "served": True,
        "converges": True,
        "plans_nothing": True,
        "leaves_nothing": True,
        "types": ["AWS::SQS::Queue"],
        "said": "",
    }
    assert (unmanaged["compiles"], unmanaged["converges"], unmanaged["said"]) == (False, None, "T704 x1")
    assert done.stderr == "2 templates, 1 compile, 1 are run, 1 of these pass\n"
