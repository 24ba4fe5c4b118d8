"""User data with a NoEcho parameter: drift of it is repaired, and it is told nowhere."""

import base64
from pathlib import Path

import pytest
from live import Live

TEMPLATE = """
Parameters: {Password: {Type: String, NoEcho: true}}
Resources:
  Host:
    Type: AWS::EC2::Instance
    Properties:
      ImageId: ami-12c6146b
      InstanceType: t3.micro
      UserData: {"Fn::Base64": {"Fn::Sub": "#!/bin/sh\\nlogin ${Password}\\n"}}
"""
SECRET = "open-sesame-5512"


def user_data(live: Live, instance_id: str) -> str:
    answer = live.aws("ec2").describe_instance_attribute(InstanceId=instance_id, Attribute="userData")
    return base64.b64decode(answer["UserData"].get("Value", "")).decode()


@pytest.mark.slow
def test_user_data_that_somebody_changed_comes_back_without_being_told(live: Live, tmp_path: Path) -> None:
    template = tmp_path / "host.yaml"
    template.write_text(TEMPLATE)
    live.tenuto("run", str(template), "-a", "host", "--parameter", f"Password={SECRET}", "--wait=60", check=True)
    instance_id = live.status("host")["resources"]["Host"]["id"]
    wanted = f"#!/bin/sh\nlogin {SECRET}\n"
    assert user_data(live, instance_id) == wanted
    live.aws("ec2").modify_instance_attribute(
        InstanceId=instance_id, UserData={"Value": base64.b64encode(b"#!/bin/sh\nstolen\n")}
    )
    live.until(lambda: user_data(live, instance_id) == wanted, "the user data is back")
    live.until(lambda: live.status("host")["converged"], "it is held")
    assert live.status("host")["resources"]["Host"]["id"] == instance_id
    told = [live.tenuto(*words, "host", check=True).out for words in (("--json", "status"), ("history",), ("events",))]
    told.append(live.tenuto("--json", "plan", "host", check=True).out)
    assert not [text for text in told if SECRET in text or base64.b64encode(SECRET.encode()).decode() in text]
