"""Custom resources and wait conditions through a real Conductor, with a service that answers as a function would."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import urllib3
from accounts import OWN
from custom_service import CustomService
from live import REGION, Live

from tenuto.bootstrap.tools.emulator import Emulator

TEMPLATE = """
Parameters: {Size: {Type: Number, Default: 1}, Token: {Type: String}}
Resources:
  Thing:
    Type: Custom::Thing
    Properties: {ServiceToken: !Ref Token, Size: !Ref Size, Flag: true}
  Stored:
    Type: AWS::SSM::Parameter
    Properties: {Type: String, Value: !Sub '${Thing}/${Thing.Colour}'}
"""
WAITING = """
Resources:
  Handle: {Type: AWS::CloudFormation::WaitConditionHandle}
  Address: {Type: AWS::SSM::Parameter, Properties: {Name: address, Type: String, Value: !Ref Handle}}
  Signalled:
    Type: AWS::CloudFormation::WaitCondition
    DependsOn: Address
    Properties: {Handle: !Ref Handle, Timeout: '120'}
  Data: {Type: AWS::SSM::Parameter, Properties: {Type: String, Value: !GetAtt Signalled.Data}}
"""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with Emulator() as emulator:
        installation = Live(tmp_path_factory.mktemp("custom"), emulator.url)
        try:
            installation.start()
            yield installation
        finally:
            installation.stop()


def bucket(live: Live) -> None:
    account = live.aws("sts").get_caller_identity()["Account"]
    # In its home region S3 answers the creation of an own bucket like any other.
    live.aws("s3").create_bucket(Bucket=f"tenuto-answers-{account}-{REGION}")


def value(live: Live, name: str, resource: str) -> Any:
    ssm = live.aws("ssm")
    parameter = live.status(name)["resources"][resource]["id"]
    return ssm.get_parameter(Name=parameter)["Parameter"]["Value"]


def test_without_the_bucket_nothing_is_asked_and_it_is_told(live: Live, tmp_path: Path) -> None:
    file = tmp_path / "thing.yaml"
    file.write_text(TEMPLATE)
    token = f"arn:aws:sns:{REGION}:{OWN}:nowhere"
    live.tenuto("run", str(file), "-a", "early", "-p", f"Token={token}", check=True)
    live.until(lambda: "tenuto-answers-" in live.asked("status", "early").out, "the missing bucket is told")
    assert "aws s3 mb" in live.tenuto("status", "early").out
    live.tenuto("kill", "early", "--wait=60", check=True)


def test_a_custom_resource_is_made_changed_replaced_and_deleted(live: Live, tmp_path: Path) -> None:
    bucket(live)
    file = tmp_path / "thing.yaml"
    file.write_text(TEMPLATE)
    stored_at_end: list[str] = []

    def answer(request: dict[str, Any]) -> dict[str, Any] | None:
        size = int(request["ResourceProperties"]["Size"])
        made = f"thing-{size // 10}"
        if request["RequestType"] == "Delete" and not stored_at_end:
            stored_at_end.append(value(live, "own", "Stored"))
            return {}
        return {"PhysicalResourceId": made, "Data": {"Colour": f"red{size}"}}

    with CustomService(live, answer) as service:
        given = ("-p", f"Token={service.token}")
        live.tenuto("run", str(file), "-a", "own", *given, "--wait=90", check=True)
        (first,) = service.asked
        assert first["RequestType"] == "Create"
        assert first["ResourceProperties"] == {"ServiceToken": service.token, "Size": "1", "Flag": "true"}
        assert value(live, "own", "Stored") == "thing-0/red1"
        plan = live.tenuto("--json", "plan", "own", check=True).document
        assert plan["operations"] == []

        live.tenuto("update", "own", str(file), *given, "-p", "Size=2", "--wait=90", check=True)
        assert [one["RequestType"] for one in service.asked] == ["Create", "Update"]
        assert service.asked[1]["OldResourceProperties"]["Size"] == "1"
        live.until(lambda: value(live, "own", "Stored") == "thing-0/red2", "the new data reach the other resource")

        live.tenuto("update", "own", str(file), *given, "-p", "Size=20", "--wait=90", check=True)
        live.until(lambda: len(service.asked) == 4, "the replaced thing is deleted")
        assert stored_at_end == ["thing-2/red20"], "what refers to it follows first"
        kinds = [(one["RequestType"], one.get("PhysicalResourceId")) for one in service.asked[2:]]
        assert kinds == [("Update", "thing-0"), ("Delete", "thing-0")]
        assert service.asked[-1]["ResourceProperties"]["Size"] == "2"
        live.until(lambda: value(live, "own", "Stored") == "thing-2/red20", "the new id reaches the other resource")

        live.tenuto("kill", "own", "--wait=90", check=True)
        assert (service.asked[-1]["RequestType"], service.asked[-1]["PhysicalResourceId"]) == ("Delete", "thing-2")
        assert live.status("own") is None


def test_a_refusal_of_the_service_is_told_with_its_reason(live: Live, tmp_path: Path) -> None:
    file = tmp_path / "thing.yaml"
    file.write_text(TEMPLATE)

    def answer(request: dict[str, Any]) -> dict[str, Any] | None:
        if request["RequestType"] == "Create":
            return {"Status": "FAILED", "Reason": "the quota of things is used up", "PhysicalResourceId": "half"}
        return {"PhysicalResourceId": "half"}

    with CustomService(live, answer) as service:
        live.tenuto("run", str(file), "-a", "full", "-p", f"Token={service.token}", check=True)
        live.until(lambda: "quota of things" in live.asked("status", "full").out, "the reason is told")
        live.tenuto("kill", "full", "--wait=90", check=True)


def test_of_a_service_that_was_never_there_the_token_is_to_be_corrected(live: Live, tmp_path: Path) -> None:
    file = tmp_path / "thing.yaml"
    file.write_text(TEMPLATE)
    token = f"arn:aws:lambda:{REGION}:{OWN}:function:nowhere"
    live.tenuto("run", str(file), "-a", "lost", "-p", f"Token={token}", check=True)
    live.until(lambda: "correct the ServiceToken" in live.asked("status", "lost").out, "what to do is told")
    live.tenuto("kill", "lost", "--wait=60", check=True)


def test_a_wait_condition_waits_for_its_signal(live: Live, tmp_path: Path) -> None:
    bucket(live)
    file = tmp_path / "waiting.yaml"
    file.write_text(WAITING)
    live.tenuto("run", str(file), "-a", "waiting", check=True)
    live.until(lambda: "of 1 signals" in live.asked("status", "waiting").out, "it waits")
    address = value(live, "waiting", "Address")
    body = json.dumps({"Status": "SUCCESS", "UniqueId": "one", "Data": "done", "Reason": ""})
    assert urllib3.request("PUT", address, body=body, headers={"Content-Type": ""}).status == 200
    live.until_converged("waiting", 0.0)
    assert json.loads(value(live, "waiting", "Data")) == {"one": "done"}
    assert live.tenuto("--json", "plan", "waiting", check=True).document["operations"] == []
    live.tenuto("kill", "waiting", "--wait=90", check=True)


def test_a_wait_condition_without_a_handle_is_told_that_no_signal_reaches_it(live: Live, tmp_path: Path) -> None:
    file = tmp_path / "deaf.yaml"
    file.write_text(
        "Resources: {Started: {Type: AWS::CloudFormation::WaitCondition, "
        "CreationPolicy: {ResourceSignal: {Timeout: PT5M}}}}"
    )
    compiled = live.asked("run", str(file), "-a", "deaf")
    assert "cfn-signal ADDRESS" in compiled.err
    live.until(lambda: "no signal can reach it" in live.asked("status", "deaf").out, "what to do is told")
    live.tenuto("kill", "deaf", "--wait=60", check=True)


def test_a_kill_that_waits_for_an_answer_says_until_when(live: Live, tmp_path: Path) -> None:
    bucket(live)
    file = tmp_path / "silent.yaml"
    properties = "{ServiceToken: !Ref Token, ServiceTimeout: 10}"
    file.write_text(
        "Parameters: {Token: {Type: String}}\n"
        f"Resources: {{Thing: {{Type: 'Custom::Thing', Properties: {properties}}}}}\n"
    )
    with CustomService(live, lambda request: None if request["RequestType"] == "Create" else {}) as service:
        live.tenuto("run", str(file), "-a", "silent", "-p", f"Token={service.token}", check=True)
        live.until(lambda: "Tenuto waits until" in live.asked("status", "silent").out, "the wait is told")
        live.tenuto("kill", "silent", check=True)
        told = "there may be a thing to delete then. Tenuto waits until"
        live.until(lambda: told in live.asked("status", "silent").out, "the wait of the kill is told")
        live.until(lambda: live.status("silent") is None, "the end of what may have been made is asked for")
        assert [one["RequestType"] for one in service.asked] == ["Create", "Delete"]


TWINS = """
Parameters: {Token: {Type: String}}
Resources:
  One: {Type: 'Custom::Thing', Properties: {ServiceToken: !Ref Token, Name: one}}
  Two: {Type: 'Custom::Thing', Properties: {ServiceToken: !Ref Token, Name: two}}
"""


def test_things_of_one_id_in_one_process_and_in_another_are_each_deleted_for_themselves(
    live: Live, tmp_path: Path
) -> None:
    """A function that answers by the helper of AWS tells the name of its log stream, for all that it makes."""
    bucket(live)
    file = tmp_path / "twins.yaml"
    file.write_text(TWINS)
    with CustomService(live, lambda _: {"PhysicalResourceId": "log-stream"}) as service:
        for name in ("early", "late"):
            live.tenuto("run", str(file), "-a", name, "-p", f"Token={service.token}", "--wait=90", check=True)
        assert live.tenuto("doctor").code == 0
        for name in ("early", "late"):
            live.tenuto("kill", name, "--wait=90", check=True)
            ended = [one for one in service.asked if one["RequestType"] == "Delete"]
            of_it = [one["LogicalResourceId"] for one in ended if f"/{name}/" in one["StackId"]]
            assert sorted(of_it) == ["One", "Two"]
