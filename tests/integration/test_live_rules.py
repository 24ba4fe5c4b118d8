"""Rules at a real Conductor, with the real command line: behaviours 71 and 72, and across a restart."""

import pytest
from live import PATIENCE_S, Live

pytestmark = pytest.mark.slow

TEMPLATE = """\
Parameters:
  From: {Type: String, Default: 0.0.0.0/0}
Resources:
  Net:
    Type: AWS::EC2::VPC
    Properties: {CidrBlock: 10.0.0.0/16}
  Shell:
    Type: AWS::EC2::SecurityGroup
    Properties:
      GroupDescription: Administrators
      VpcId: !Ref Net
      SecurityGroupIngress:
        - {IpProtocol: tcp, FromPort: 22, ToPort: 22, CidrIp: !Ref From}
"""
RULE = """\
name: no-ssh-from-everywhere
applies_to: AWS::EC2::SecurityGroup
expression: |
  !has(properties.SecurityGroupIngress) ||
  properties.SecurityGroupIngress.all(rule,
    !has(rule.CidrIp) || is_open(rule.CidrIp) || rule.FromPort != 22 || rule.CidrIp != "0.0.0.0/0")
message: SSH must not be open to the whole world.
"""


def test_a_rule_holds_what_runs_and_what_wants_to_run(live: Live) -> None:
    web, rule = live.folder / "web.yaml", live.folder / "rule.yaml"
    web.write_text(TEMPLATE)
    rule.write_text(RULE)
    live.tenuto("run", str(web), "-a", "web", f"--wait={PATIENCE_S}", check=True)

    refused = live.tenuto("validation", "add", str(rule))
    assert refused.code == 3
    assert f"{web}:7: Process web: Shell: SSH must not be open to the whole world." in refused.err
    assert live.tenuto("--json", "validation", "list").document == {"validations": []}

    live.tenuto("update", "web", str(web), "-p", "From=10.1.0.0/16", f"--wait={PATIENCE_S}", check=True)
    live.tenuto("validation", "add", str(rule), check=True)
    before = live.account()

    for words in (("run", "-a", "other"), ("apply", "-a", "web"), ("run", "--dry-run")):
        ended = live.tenuto("--json", words[0], str(web), *words[1:])
        assert ended.code == 3, ended
        (found,) = ended.document["error"]["diagnostics"]
        assert (found["rule"], found["subject"]) == ("no-ssh-from-everywhere", "Resources.Shell")
        assert (found["position"]["file"], found["position"]["line"]) == (str(web), 7)
    assert live.tenuto("update", "web", str(web)).code == 3
    assert live.account() == before

    live.kill_9()
    live.start()
    assert live.tenuto("update", "web", str(web)).code == 3
    document = live.status("web")
    assert document["state"] == "Running"
    live.tenuto("validation", "remove", "no-ssh-from-everywhere", check=True)
    live.tenuto("update", "web", str(web), f"--wait={PATIENCE_S}", check=True)
    (group,) = [
        found
        for found in live.aws("ec2").describe_security_groups()["SecurityGroups"]
        if found["GroupName"] != "default"
    ]
    assert group["IpPermissions"][0]["IpRanges"][0]["CidrIp"] == "0.0.0.0/0"
    live.tenuto("kill", "web", f"--wait={PATIENCE_S}", check=True)
