"""Credentials that are swapped under a living Conductor: a real process, and the strict cloud over HTTP."""

import json
import shlex
import sys
from collections.abc import Iterator
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from live import Live

from tenuto.bootstrap.clock import SystemClock
from tenuto_testing.cloud import HOME_ACCOUNT, Cloud, CloudServer, InProcessSession

REGION = "us-east-1"
OTHER = "999999999999"
OWN_KEY, OTHER_KEY, THEIR_KEY = "own-key", "other-key", "their-key"
NETWORK = """
Resources:
  Net:
    Type: AWS::EC2::VPC
    Properties: {CidrBlock: 10.9.0.0/16}
  Jobs:
    Type: AWS::SQS::Queue
    Properties: {QueueName: jobs, VisibilityTimeout: 30}
"""
MORE = """
  Group:
    Type: AWS::EC2::SecurityGroup
    Properties: {GroupDescription: front, VpcId: !Ref Net}
"""


class Swapped(Live):
    """An installation whose credentials come from a program, which says what a file says."""

    @property
    def environment(self) -> dict[str, str]:
        found = {name: value for name, value in super().environment.items() if not name.endswith("_KEY_ID")}
        return found | {"AWS_CONFIG_FILE": str(self.folder / "aws-config")}

    def configure(self) -> None:
        program = shlex.join([sys.executable, "-c", f"print(open({str(self.given)!r}).read())"])
        (self.folder / "aws-config").write_text(f"[default]\ncredential_process = {program}\n")

    @property
    def given(self) -> Path:
        return self.folder / "given.json"

    def hand_out(self, key: str) -> None:
        """The program gives this key from now on, for so short a time that the SDK asks again and again."""
        end = datetime.now(UTC) + timedelta(minutes=9)
        found = {"Version": 1, "AccessKeyId": key, "SecretAccessKey": "s", "SessionToken": "t"}
        self.given.write_text(json.dumps({**found, "Expiration": end.isoformat()}))


@pytest.fixture
def cloud() -> Cloud:
    return Cloud(SystemClock(), accounts={OTHER_KEY: OTHER, THEIR_KEY: OTHER})


@pytest.fixture
def live(tmp_path: Path, cloud: Cloud) -> Iterator[Swapped]:
    with CloudServer(cloud) as server:
        installation = Swapped(tmp_path, server.url, TENUTO_IDENTITY_INTERVAL="2")
        installation.configure()
        installation.hand_out(OWN_KEY)
        try:
            installation.start()
            yield installation
        finally:
            installation.stop()


def everything(cloud: Cloud, account: str) -> dict[str, Any]:
    """All that stands in an account, with all that AWS knows of it."""
    places = [cloud.place(account, region) for region in (REGION, "global")]
    tables = [table for place in places for table in place.tables()]
    return {thing.id: deepcopy(dict(thing.data)) for table in tables for thing in list(table.things.values())}


def template(folder: Path, text: str) -> str:
    file = folder / "web.yaml"
    file.write_text(text)
    return str(file)


@pytest.mark.slow
@pytest.mark.parametrize("is_renewed", [True, False], ids=["other credentials", "same credentials"])
def test_nothing_is_written_elsewhere_both_accounts_are_told_and_it_heals(
    live: Swapped, cloud: Cloud, tmp_path: Path, is_renewed: bool
) -> None:
    def swap(account: str) -> None:
        if is_renewed:
            live.hand_out(OTHER_KEY if account == OTHER else OWN_KEY)
        else:
            cloud.accounts[OWN_KEY] = account

    live.tenuto("run", template(tmp_path, NETWORK), "-a", "web", "--wait=90", check=True)
    ids = {name: found["id"] for name, found in live.status("web")["resources"].items()}
    theirs = InProcessSession(cloud, access_key=THEIR_KEY).create_client("sqs", REGION)
    theirs.create_queue(QueueName="jobs", Attributes={"VisibilityTimeout": "120"})
    elsewhere = everything(cloud, OTHER)

    swap(OTHER)
    live.until(lambda: OTHER in (live.status("web")["last_message"] or ""), "the job tells the other account")
    message = live.status("web")["last_message"]
    assert f"The account default is {HOME_ACCOUNT}, and its credentials now lead to {OTHER}" in message
    assert "tenuto account check default" in message
    (listed,) = live.tenuto("--json", "account", "list", check=True).document["accounts"]
    assert OTHER in listed["problem"]
    checked = live.tenuto("account", "check", "default")
    assert (checked.code, OTHER in checked.err) == (1, True)

    # Drift at home, and an update, wait.
    home = InProcessSession(cloud, access_key="stranger").create_client("sqs", REGION)
    url = home.get_queue_url(QueueName="jobs")["QueueUrl"]
    home.set_queue_attributes(QueueUrl=url, Attributes={"VisibilityTimeout": "60"})
    live.tenuto("update", "web", template(tmp_path, NETWORK + MORE), check=True)
    asked = len(cloud.log)
    live.until(lambda: len(cloud.log) > asked, "AWS is asked again")
    assert everything(cloud, OTHER) == elsewhere
    assert live.status("web")["state"] == "Running"

    swap(HOME_ACCOUNT)
    live.until(lambda: bool(live.status("web")["converged"]), "web converges in its own account")
    after = {name: found["id"] for name, found in live.status("web")["resources"].items()}
    assert {name: after[name] for name in ids} == ids
    attributes = home.get_queue_attributes(QueueUrl=url, AttributeNames=["VisibilityTimeout"])["Attributes"]
    assert attributes == {"VisibilityTimeout": "30"}
    (healed,) = live.tenuto("--json", "account", "list", check=True).document["accounts"]
    assert (healed["problem"], healed["confirmed"] is not None) == (None, True)
    assert everything(cloud, OTHER) == elsewhere
