"""Processes in several accounts and regions of one real Conductor, on an emulated AWS that keeps accounts apart."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from accounts import OWN, PRODUCTION, Accounts
from emulation import emulated_aws

STAGING = "222222222222"
ROLE = f"arn:aws:iam::{STAGING}:role/tenuto"
TEMPLATE = """
Conditions:
  IsStaging: !Equals [!Ref AWS::AccountId, "222222222222"]
Resources:
  Net:
    Type: AWS::EC2::VPC
    Properties:
      CidrBlock: 10.9.0.0/16
      Tags: [{Key: stage, Value: !If [IsStaging, staging, other]}]
  Group:
    Type: AWS::EC2::SecurityGroup
    Properties: {GroupDescription: front, VpcId: !Ref Net}
Outputs:
  Place: {Value: !Sub "${AWS::AccountId}/${AWS::Region}"}
"""


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Accounts]:
    """One Conductor with the accounts `default`, `staging` (by a role) and `production` (by a profile)."""
    with emulated_aws() as emulator:
        installation = Accounts(tmp_path_factory.mktemp("accounts"), emulator.url)
        installation.write_profile(PRODUCTION)
        try:
            installation.start()
            installation.tenuto("account", "add", "staging", "--role-arn", ROLE, "--external-id", "x-42", check=True)
            home = ("--region", "eu-west-1")
            installation.tenuto("account", "add", "production", "--profile", "production", *home, check=True)
            installation.tenuto("account", "check", "default", check=True)
            yield installation
        finally:
            installation.stop()


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("templates") / "place.yaml"
    file.write_text(TEMPLATE)
    return str(file)


@contextmanager
def running(live: Accounts, template: str, alias: str, *options: str) -> Iterator[Any]:
    """A process that is built, and killed in the end: its document."""
    live.tenuto("run", template, "-a", alias, "--wait=180", *options, check=True)
    try:
        yield live.status(alias)
    finally:
        live.tenuto("kill", alias, "--wait=180", check=True)


def ops(live: Accounts, alias: str) -> list[Any]:
    found: list[Any] = live.tenuto("--json", "ops", alias, check=True).document["ops"]
    return found


def test_accounts_are_listed_with_what_they_were_found_to_be(live: Accounts) -> None:
    listed = live.tenuto("--json", "account", "list", check=True).document["accounts"]
    assert [(one["name"], one["account_id"], one["external_id"]) for one in listed] == [
        ("default", OWN, None),
        ("production", PRODUCTION, None),
        ("staging", STAGING, "****"),
    ]
    checked = live.tenuto("--json", "account", "check", "staging", check=True).document
    assert (checked["account_id"], checked["arn"]) == (STAGING, f"arn:aws:sts::{STAGING}:assumed-role/tenuto/tenuto")


def test_behaviour_74_a_process_stays_in_the_account_it_was_run_in(live: Accounts, template: str) -> None:
    stage_options = ("--account", "staging", "--region", "us-west-2")
    with (
        running(live, template, "own") as own,
        running(live, template, "stage", *stage_options) as stage,
        running(live, template, "prod", "--account", "production") as prod,
    ):
        places = [document["outputs"]["Place"] for document in (own, stage, prod)]
        assert places == [f"{OWN}/us-east-1", f"{STAGING}/us-west-2", f"{PRODUCTION}/eu-west-1"]
        assert own["resources"]["Net"]["id"] in live.networks(OWN, "us-east-1")
        assert live.networks(STAGING, "us-west-2") == [stage["resources"]["Net"]["id"]]
        assert prod["resources"]["Net"]["id"] in live.networks(PRODUCTION, "eu-west-1")
        ec2 = live.inside(STAGING, "ec2", "us-west-2")
        net = ec2.describe_vpcs(VpcIds=[stage["resources"]["Net"]["id"]])["Vpcs"][0]
        assert {"Key": "stage", "Value": "staging"} in net["Tags"]
        chosen = live.tenuto("--json", "status", "--account", "staging", check=True).document["processes"]
        assert [one["alias"] for one in chosen] == ["stage"]
        by_id = live.tenuto("--json", "status", "--account", PRODUCTION, check=True).document["processes"]
        assert ("prod", "production") in [(one["alias"], one["account"]) for one in by_id]
        # Nothing below names an account.
        live.tenuto("suspend", "stage", check=True)
        live.tenuto("resume", "stage", "--wait=180", check=True)
        live.tenuto("update", "stage", template, "--wait=180", check=True)
        live.tenuto("kill", "stage", "--wait=180", check=True)
        assert live.networks(STAGING, "us-west-2") == []
        assert own["resources"]["Net"]["id"] in live.networks(OWN, "us-east-1")
        live.tenuto("run", template, "-a", "stage", "--wait=180", *stage_options, check=True)


def test_drift_is_repaired_in_its_account_alone(live: Accounts, template: str) -> None:
    with (
        running(live, template, "held", "--account", "staging", "--region", "eu-central-1") as held,
        running(live, template, "left", "--account", "staging", "--region", "eu-west-2"),
        running(live, template, "other", "--account", "production", "--region", "eu-central-1"),
    ):
        before = {alias: ops(live, alias) for alias in ("left", "other")}
        group = held["resources"]["Group"]["id"]
        ec2 = live.inside(STAGING, "ec2", "eu-central-1")
        ec2.authorize_security_group_ingress(
            GroupId=group, IpProtocol="tcp", FromPort=22, ToPort=22, CidrIp="0.0.0.0/0"
        )
        live.until(
            lambda: not ec2.describe_security_groups(GroupIds=[group])["SecurityGroups"][0]["IpPermissions"],
            "the rule is revoked",
        )
        live.until(lambda: bool(live.status("held")["converged"]), "held converges")
        assert {alias: ops(live, alias) for alias in before} == before
        assert {(one["account"], one["region"]) for one in ops(live, "held")} == {("staging", "eu-central-1")}


def test_an_account_that_is_needed_cannot_be_removed(live: Accounts, template: str) -> None:
    live.tenuto("account", "add", "fleeting", "--role-arn", "arn:aws:iam::555555555555:role/tenuto", check=True)
    with running(live, template, "resident", "--account", "fleeting"):
        answer = live.tenuto("account", "remove", "fleeting")
        assert answer.code == 5
        assert "resident" in answer.err
    live.tenuto("account", "remove", "555555555555", check=True)
    assert live.tenuto("account", "show", "fleeting").code == 4


def test_an_unknown_account_is_refused_with_those_that_there_are(live: Accounts, template: str) -> None:
    for command in (("run", template, "--dry-run"), ("run", template), ("status",)):
        answer = live.tenuto(*command, "--account", "elsewhere")
        assert answer.code == 4
        assert "There are: default" in answer.err
        assert f"production ({PRODUCTION})" in answer.err


def test_what_cannot_be_entered_is_refused_with_what_to_do(live: Accounts) -> None:
    answer = live.tenuto("account", "add", "nowhere", "--profile", "missing")
    assert answer.code == 2
    assert "Add the profile missing to the AWS configuration of the Conductor's machine" in answer.err
    assert live.tenuto("account", "show", "nowhere").code == 4


def test_a_second_name_of_an_account_is_refused(live: Accounts) -> None:
    answer = live.tenuto("account", "add", "duplicate", "--role-arn", f"arn:aws:iam::{PRODUCTION}:role/tenuto")
    assert answer.code == 1
    assert f"leads to {PRODUCTION}, which is production already" in answer.err


def test_a_profile_that_leads_elsewhere_stops_everything_there_also_after_a_restart(
    live: Accounts, template: str
) -> None:
    elsewhere = "444444444444"
    config = live.folder / "aws-config"
    right = config.read_text()
    with running(live, template, "prod", "--account", "production", "--region", "eu-north-1") as prod:
        live.stop()
        live.write_profile(elsewhere)
        live.start()
        live.until(lambda: elsewhere in (live.status("prod")["last_message"] or ""), "the job says what is wrong")
        assert live.networks(elsewhere, "eu-north-1") == []
        assert live.networks(PRODUCTION, "eu-north-1") == [prod["resources"]["Net"]["id"]]
        assert live.tenuto("account", "check", "production").code == 1
        config.write_text(right)
        live.tenuto("account", "check", "production", check=True)
        live.until(lambda: bool(live.status("prod")["converged"]), "prod converges again")
        assert live.networks(PRODUCTION, "eu-north-1") == [prod["resources"]["Net"]["id"]]
