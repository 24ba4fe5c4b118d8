"""A kill during the creation of a custom resource: whatever was made, or may have been, gets its Delete."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from accounts import OWN
from custom_service import CustomService
from live import REGION, Live

from tenuto.bootstrap.tools.emulator import Emulator

TEMPLATE = """
Parameters: {Token: {Type: String}, Timeout: {Type: Number, Default: 600}}
Resources:
  Thing: {Type: Custom::Thing, Properties: {ServiceToken: !Ref Token, ServiceTimeout: !Ref Timeout}}
"""
SECRET = "Zq9+no+echo"
ECHOING = """
Parameters: {Token: {Type: String}}
Resources:
  Thing: {Type: Custom::Thing, Properties: {ServiceToken: !Ref Token}}
  Stored: {Type: AWS::SSM::Parameter, Properties: {Type: String, Value: !GetAtt Thing.Key}}
"""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with Emulator() as emulator:
        installation = Live(tmp_path_factory.mktemp("killed"), emulator.url)
        try:
            installation.start()
            # In its home region S3 answers the creation of an own bucket like any other.
            installation.aws("s3").create_bucket(Bucket=f"tenuto-answers-{OWN}-{REGION}")
            yield installation
        finally:
            installation.stop()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "thing.yaml"
    path.write_text(TEMPLATE)
    return path


def deleted(service: CustomService) -> list[str]:
    return [one["PhysicalResourceId"] for one in service.asked if one["RequestType"] == "Delete"]


def test_a_creation_that_was_not_answered_in_its_time_is_deleted_by_a_placeholder(live: Live, file: Path) -> None:
    with CustomService(live, lambda request: {} if request["RequestType"] == "Delete" else None) as service:
        live.tenuto("run", str(file), "-a", "late", "-p", f"Token={service.token}", "-p", "Timeout=3", check=True)
        live.until(lambda: "has not answered the Create" in live.asked("status", "late").out, "the time is over")
        live.tenuto("kill", "late", "--wait=90", check=True)
        (placeholder,) = deleted(service)
    assert placeholder.startswith("late-Thing-")


def test_a_creation_that_is_answered_after_the_kill_is_deleted_though_another_process_has_its_id(
    live: Live, file: Path
) -> None:
    may_answer = threading.Event()
    may_answer.set()

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        may_answer.wait(60)
        return {"PhysicalResourceId": "shared"}

    with CustomService(live, answer) as service:
        given = ("-p", f"Token={service.token}")
        live.tenuto("run", str(file), "-a", "first", *given, "--wait=60", check=True)
        may_answer.clear()
        live.tenuto("run", str(file), "-a", "second", *given, check=True)
        live.until(lambda: len(service.asked) == 2, "the service is asked")
        live.tenuto("kill", "second", check=True)
        live.until(lambda: "got no answer" in live.asked("status", "second").out, "the kill waits for the answer")
        assert deleted(service) == []
        may_answer.set()
        live.until(lambda: live.status("second") is None, "the second process is gone")
        assert deleted(service) == ["shared"]
        live.tenuto("kill", "first", "--wait=60", check=True)


def test_data_with_no_echo_reach_other_resources_and_no_file(live: Live, file: Path) -> None:
    file.write_text(ECHOING)
    answer = {"PhysicalResourceId": "thing", "NoEcho": True, "Data": {"Key": SECRET}}
    with CustomService(live, lambda request: answer) as service:
        live.tenuto("run", str(file), "-a", "quiet", "-p", f"Token={service.token}", "--wait=60", check=True)
        parameter = live.status("quiet")["resources"]["Stored"]["id"]
        assert live.aws("ssm").get_parameter(Name=parameter)["Parameter"]["Value"] == SECRET
        told = (live.asked("status", "quiet").out, live.asked("--json", "status", "quiet").out)
        assert SECRET not in "".join(told)
        assert not [one for one in live.folder.glob("tenuto.db*") if SECRET.encode() in one.read_bytes()]
        live.tenuto("kill", "quiet", "--wait=60", check=True)


def test_an_attribute_that_the_answer_lacks_is_told_and_can_be_corrected(live: Live, file: Path) -> None:
    file.write_text(ECHOING)
    data = {"Other": "1"}
    with CustomService(live, lambda request: {"PhysicalResourceId": "thing", "Data": data}) as service:
        given = ("-p", f"Token={service.token}")
        failed = live.tenuto("run", str(file), "-a", "lacking", *given, "--wait=60")
        assert failed.code != 0
        assert "The answer of Thing has no attribute Key" in live.asked("status", "lacking").out
        data["Key"] = "told"
        live.tenuto("resume", "lacking", check=True)
        live.until(lambda: (found := live.status("lacking")) and found["converged"], "it is as declared")
        parameter = live.status("lacking")["resources"]["Stored"]["id"]
        assert live.aws("ssm").get_parameter(Name=parameter)["Parameter"]["Value"] == "told"
        live.tenuto("kill", "lacking", "--wait=60", check=True)
