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
PROGRAM = "template = {'Resources': {'Jobs': {'Type': 'AWS::SQS::Queue'}}}\n"
SELECTS = """
Parameters:
  Zones: {Type: "List<AWS::EC2::AvailabilityZone::Name>"}
  ClusterVersion: {Type: String}
  Unit: {Type: "AWS::SSM::Parameter::Value<String>", Default: /landing-zone/unit}
Conditions: {HasUnit: !Not [!Equals [!Ref Unit, ""]]}
Resources:
  InUnit: {Type: AWS::SQS::Queue, Condition: HasUnit, Properties: {Tags: [{Key: unit, Value: !Ref Unit}]}}
  Disk: {Type: AWS::EC2::Volume, Properties: {AvailabilityZone: !Select [3, !Ref Zones], Size: 1}}
  Version: {Type: AWS::SSM::Parameter, Properties: {Type: String, Value: !Ref ClusterVersion, AllowedPattern: '1[.].*'}}
"""
LAYER = {"Resources": {"Code": {"Type": "AWS::Lambda::LayerVersion", "Properties": {"Content": "layer/"}}}}
ROLE = """
Parameters:
  TeamRoleName: {Type: String, Default: TeamRole}
  Path: {Type: AWS::SSM::Parameter::Value<String>}
Resources:
  Reads:
    Type: AWS::IAM::RolePolicy
    Properties:
      RoleName: !Ref TeamRoleName
      PolicyName: reads
      PolicyDocument: {Statement: [{Effect: Allow, Action: "s3:GetObject", Resource: "*"}]}
  Found: {Type: AWS::SSM::Parameter, Properties: {Type: String, Value: !Ref Path}}
  Domain:
    Type: AWS::ApiGateway::DomainName
    Properties:
      DomainName: api.example.com
      RegionalCertificateArn: arn:aws:acm:us-east-1:123456789012:certificate/01234567-89ab-cdef-0123-456789abcdef
      EndpointConfiguration: {Types: [REGIONAL]}
      MutualTlsAuthentication: {TruststoreUri: "s3://trust/store.pem"}
"""
THROUGH = "Resources: {Team: {Type: AWS::Synthetics::Group, Properties: {Name: team}}}\n"
BAD = "Resources: {F: {Type: AWS::Glue::DevEndpoint, Properties: {RoleArn: x}}}\n"


@pytest.mark.slow
def test_a_folder_of_templates_is_run_planned_killed_and_told(tmp_path: Path) -> None:
    (tmp_path / "good.yaml").write_text(GOOD)
    (tmp_path / "good.parameters.json").write_text(json.dumps([{"ParameterKey": "Delay", "ParameterValue": "5"}]))
    (tmp_path / "layer.json").write_text(json.dumps(LAYER))
    (tmp_path / "role.yaml").write_text(ROLE)
    (tmp_path / "unmanaged.yaml").write_text(BAD)
    (tmp_path / "notes.yaml").write_text("a: b\n")
    (tmp_path / "manifest.json").write_text('{"name": "the manifest of a page"}')
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "other.py").write_text("raise SystemExit('this is no template')\n")
    (tmp_path / "selects.yaml").write_text(SELECTS)
    (tmp_path / "through.yaml").write_text(THROUGH)
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(tmp_path), "--json"], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    good, layer, program, role, selects, through, unmanaged = map(json.loads, done.stdout.splitlines())
    assert good == {
        "template": "good.yaml",
        "compiles": True,
        "served": True,
        "converges": True,
        "plans_nothing": True,
        "leaves_nothing": True,
        "types": ["AWS::SQS::Queue"],
        "said": "",
        "on": "emulator",
    }
    assert (unmanaged["compiles"], unmanaged["converges"], unmanaged["said"]) == (False, None, "T704 x1")
    assert (program["template"], program["leaves_nothing"], program["on"]) == ("program.py", True, "emulator")
    assert (layer["template"], layer["leaves_nothing"], layer["said"]) == ("layer.json", True, "")
    assert (role["template"], role["leaves_nothing"], role["said"]) == ("role.yaml", True, "")
    assert (selects["template"], selects["leaves_nothing"], selects["said"]) == ("selects.yaml", True, "")
    assert (through["template"], through["leaves_nothing"], through["on"]) == ("through.yaml", True, "strict cloud")
    assert done.stderr == "7 templates, 6 compile, 6 are run, 6 of these pass\n"
