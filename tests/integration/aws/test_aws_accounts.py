"""The way into accounts, on an endpoint that does what AWS does only on bad days."""

import os
import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from aws_sessions import open_session
from botocore.credentials import Credentials, RefreshableCredentials
from scripted_endpoint import ScriptedEndpoint, answer, identity, refusal

from tenuto.conductor.providing.accounts import StoredAccounts
from tenuto.errors import NoWayError, PermanentError
from tenuto.model.account import Account
from tenuto.model.ids import Fid, LogicalId, ObjectId, Partition, TypeName
from tenuto.model.outcome import Context, Done, Outcome, Pending, Refused, Request
from tenuto.ports.secrets import place_of_setting
from tenuto.ports.store_administration import RemoveAccount, SaveAccount
from tenuto.providers.aws.client.entrance.refusals import PAUSE_S
from tenuto.providers.aws.provider import AwsProvider
from tenuto.storage.file.secrets import KeyedSecrets, new_keys
from tenuto.storage.sqlite.memory import MemoryStore
from tenuto_testing.clock import VirtualClock
from tenuto_testing.ops import RecordedOps

OWN, PROD = "123456789012", "222222222222"
HERE = Partition(account="default", region="us-east-1")
THERE = Partition(account="prod", region="eu-west-1")
ARN = f"arn:aws:iam::{PROD}:role/tenuto"
BY_PROFILE = {"profile": "p"}
MADE = answer("CreateVpc", "<vpc><vpcId>vpc-1</vpcId></vpc>")


class World:
    """A provider with a store before a scripted endpoint, and the credentials of its default account."""

    def __init__(self, endpoint: ScriptedEndpoint, folder: Path) -> None:
        self.endpoint = endpoint
        endpoint.scripts["CreateVpc"] = [MADE]
        self.config = folder / "config"
        self.store = MemoryStore()
        self.secrets = KeyedSecrets(new_keys())
        self.ops = RecordedOps()
        self.late = timedelta()
        self.key = "own-1"
        self.clock = clock = VirtualClock()
        self.accounts = StoredAccounts(store=self.store, secrets=self.secrets, clock=clock)
        session = open_session()
        session.register_component("credential_provider", self)
        self.provider = AwsProvider(session=session, ops=self.ops, clock=clock, accounts=self.accounts)

    def load_credentials(self) -> Credentials | None:
        """What the session of the default account finds: keys that are good for an hour."""
        if not self.key:
            return None
        found = self.fetch()
        return RefreshableCredentials(
            found["access_key"],
            found["secret_key"],
            found["token"],
            datetime.now(UTC) + timedelta(hours=1),
            self.fetch,
            "test",
            time_fetcher=lambda: datetime.now(UTC) + self.late,
        )

    def fetch(self) -> dict[str, str]:
        expiry = datetime.now(UTC) + self.late + timedelta(hours=1)
        return {"access_key": self.key, "secret_key": "s", "token": "t", "expiry_time": expiry.isoformat()}

    def add(self, name: str = "prod", **fields: Any) -> None:
        account = Account(name=name, **fields)
        self.store.commit([SaveAccount(account=account, expected_generation=0)])

    def add_role(self, external_id: str = "") -> None:
        place = place_of_setting("prod", "external_id")
        secrets = {"external_id": self.secrets.seal(external_id, place)} if external_id else {}
        self.add(settings={"role_arn": ARN}, secrets=secrets, source="default", claimed_id=PROD)

    def profile(self, key: str) -> None:
        self.config.write_text(f"[profile p]\naws_access_key_id = {key}\naws_secret_access_key = s\n")

    def create(self, partition: Partition = HERE) -> Outcome:
        request = Request(
            object_id=ObjectId("object-1"),
            fid=Fid("process-1"),
            process_name="web",
            logical_id=LogicalId("Net"),
            type=TypeName("AWS::EC2::VPC"),
            token="object-1",
            properties={"CidrBlock": "10.0.0.0/16"},
        )
        return self.provider.create(partition, [request])[0]

    def kept_out(self, partition: Partition = HERE) -> Pending:
        """What a creation is told that finds no way into the account: nothing was done, and it may be done later."""
        outcome = self.create(partition)
        assert isinstance(outcome, Pending)
        assert outcome.is_undone
        return outcome

    def signed(self, action: str) -> list[str]:
        """The keys that signed the calls of an action."""
        return [key for name, key in self.endpoint.keys if name == action]

    def account_id(self, name: str) -> str | None:
        found = self.store.account(name)
        return found.account_id if found else None


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[World]:
    endpoint = ScriptedEndpoint()
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint.url)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    yield World(endpoint, tmp_path)
    endpoint.close()


def assumed(key: str, minutes: float = 60.0) -> tuple[int, str]:
    end = (datetime.now(UTC) + timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")
    given = (
        f"<AccessKeyId>{key}</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>"
        f"<Expiration>{end}</Expiration>"
    )
    return 200, (
        f"<AssumeRoleResponse><AssumeRoleResult><Credentials>{given}</Credentials></AssumeRoleResult>"
        "</AssumeRoleResponse>"
    )


def identities(*account_ids: str) -> list[tuple[int, str]]:
    return [(200, identity(one)) for one in account_ids]


def test_the_account_is_known_before_anything_else_is_called(world: World) -> None:
    assert isinstance(world.create(), Done)
    assert [action for action, _ in world.endpoint.calls] == ["GetCallerIdentity", "CreateVpc"]
    assert world.account_id("default") == OWN
    assert isinstance(world.create(), Done)
    assert world.signed("GetCallerIdentity") == ["own-1"]


def test_many_who_come_at_once_enter_the_account_and_ask_where_they_are_once(world: World) -> None:
    together = threading.Barrier(12)

    def come(_: int) -> Context:
        together.wait()
        return world.provider.context(HERE)

    with ThreadPoolExecutor(max_workers=12) as crowd:
        contexts = list(crowd.map(come, range(12)))
    assert all(context is contexts[0] for context in contexts)
    assert world.signed("GetCallerIdentity") == ["own-1", "own-1"]
    assert world.signed("DescribeAvailabilityZones") == ["own-1"]


def test_refreshed_credentials_that_lead_elsewhere_sign_nothing(world: World) -> None:
    world.endpoint.scripts["GetCallerIdentity"] = identities(OWN, PROD)
    assert isinstance(world.create(), Done)
    world.key, world.late = "own-2", timedelta(hours=1)
    outcome = world.create()
    assert isinstance(outcome, Pending)
    assert (outcome.code, outcome.is_undone) == ("WrongAccount", True)
    assert f"is {OWN}, and its credentials now lead to {PROD}" in outcome.message
    assert world.signed("CreateVpc") == ["own-1"]
    assert world.ops.all[-1].code == "WrongAccount"


def test_refreshed_credentials_of_the_same_account_are_used(world: World) -> None:
    assert isinstance(world.create(), Done)
    world.key, world.late = "own-2", timedelta(hours=1)
    assert isinstance(world.create(), Done)
    assert world.signed("CreateVpc") == ["own-1", "own-2"]
    assert world.signed("GetCallerIdentity") == ["own-1", "own-2"]


def test_a_conductor_that_is_started_with_other_credentials_does_nothing(world: World) -> None:
    world.add(name="default", account_id=PROD)
    told = f"is {PROD}, and its credentials now lead to {OWN}"
    assert told in world.kept_out().message
    with pytest.raises(PermanentError, match=told):
        world.provider.context(HERE)
    assert world.endpoint.asked("CreateVpc") == []


def test_an_account_that_was_forgotten_is_confirmed_again(world: World) -> None:
    assert isinstance(world.create(), Done)
    world.store.commit([RemoveAccount(name="default", expected_generation=1)])
    world.add(name="x", account_id=OWN)
    assert "which is x already" in world.kept_out().message
    assert len(world.endpoint.asked("CreateVpc")) == 1


def test_a_role_is_assumed_from_its_source_once_for_all_regions(world: World) -> None:
    world.add_role("x-42")
    world.endpoint.scripts["GetCallerIdentity"] = identities(OWN, PROD)
    world.endpoint.scripts["AssumeRole"] = [assumed("role-1")]
    assert isinstance(world.create(THERE), Done)
    assert isinstance(world.create(Partition(account="prod", region="us-west-2")), Done)
    (asked,) = world.endpoint.asked("AssumeRole")
    assert (asked["RoleArn"], asked["RoleSessionName"], asked["ExternalId"]) == (ARN, "tenuto", "x-42")
    assert world.signed("AssumeRole") == ["own-1"]
    assert world.signed("CreateVpc") == ["role-1", "role-1"]
    assert (world.account_id("default"), world.account_id("prod")) == (OWN, PROD)


def test_a_role_is_assumed_again_before_its_credentials_end(world: World) -> None:
    world.add_role()
    world.endpoint.scripts["GetCallerIdentity"] = identities(OWN, PROD)
    world.endpoint.scripts["AssumeRole"] = [assumed("role-1", minutes=5), assumed("role-2")]
    assert isinstance(world.create(THERE), Done)
    assert world.signed("CreateVpc") == ["role-2"]
    assert isinstance(world.create(THERE), Done)
    assert len(world.endpoint.asked("AssumeRole")) == 2


def test_a_role_that_may_not_be_assumed_says_what_must_allow_it(world: World) -> None:
    world.add_role("x-42")
    world.endpoint.scripts["AssumeRole"] = [_refused("AccessDenied", "not authorized to perform: sts:AssumeRole")]
    denied = world.kept_out(THERE)
    assert "account prod: sts AssumeRole: not authorized" in denied.message
    assert f"trust policy of {ARN} must allow the credentials of the account default" in denied.message
    assert "with the external id" in denied.message
    assert "x-42" not in denied.message
    assert denied.code == "AccessDenied"
    assert world.endpoint.asked("CreateVpc") == []


def test_a_source_that_cannot_be_entered_is_named_as_what_it_is(world: World) -> None:
    world.key = ""
    world.add_role()
    missing = world.kept_out(THERE)
    assert re.search(r"account default: .*no AWS credentials.*AWS_PROFILE", missing.message)
    assert missing.code == "NoCredentials"


def test_an_unreachable_sts_is_worth_another_try(world: World) -> None:
    world.endpoint.scripts["GetCallerIdentity"] = [(0, "")]
    assert "account default" in world.kept_out().message
    assert world.endpoint.asked("CreateVpc") == []


def test_a_profile_that_is_not_there_says_where_to_put_it(world: World) -> None:
    world.add(settings=BY_PROFILE)
    missing = world.kept_out(THERE)
    assert "Add the profile p to the AWS configuration" in missing.message
    assert missing.code == "ProfileNotFound"
    with pytest.raises(NoWayError, match="Add the profile p"):
        world.provider.identify(Account(name="other", settings=BY_PROFILE))
    world.profile("prod-1")
    world.endpoint.scripts["GetCallerIdentity"] = identities(PROD)
    world.clock.sleep(PAUSE_S)
    assert isinstance(world.create(THERE), Done)


def test_what_was_refused_is_not_tried_again_at_once_unless_somebody_asks(world: World) -> None:
    world.add(settings=BY_PROFILE)
    world.profile("prod-1")
    world.endpoint.scripts["GetCallerIdentity"] = [_refused("InvalidClientTokenId", "The token is invalid.")]
    for _ in range(3):
        assert "The token is invalid" in world.kept_out(THERE).message
    assert len(world.endpoint.asked("GetCallerIdentity")) == 1
    world.endpoint.scripts["GetCallerIdentity"] = identities(PROD)
    stored = world.store.account("prod")
    assert stored is not None
    assert world.provider.identify(stored).account_id == PROD
    assert isinstance(world.create(THERE), Done)


def test_refreshed_credentials_that_lead_elsewhere_are_shown_once_for_a_bulk(world: World) -> None:
    world.endpoint.scripts["GetCallerIdentity"] = identities(OWN, PROD)
    assert isinstance(world.create(), Done)
    world.key, world.late = "own-2", timedelta(hours=1)
    assert [world.kept_out().code for _ in range(3)] == ["WrongAccount"] * 3
    assert world.signed("GetCallerIdentity") == ["own-1", "own-2"]


def test_a_renewed_profile_needs_no_restart(world: World) -> None:
    world.add(settings=BY_PROFILE)
    world.profile("prod-1")
    world.endpoint.scripts["GetCallerIdentity"] = identities(PROD)
    world.endpoint.scripts["CreateVpc"] = [refusal("RequestExpired", "Request has expired."), MADE]
    assert world.kept_out(THERE).code == "RequestExpired"
    world.profile("prod-2")
    assert isinstance(world.create(THERE), Done)
    assert world.signed("CreateVpc") == ["prod-1", "prod-2"]


def test_a_way_that_was_changed_counts_from_the_next_call_on(world: World) -> None:
    world.add(settings=BY_PROFILE)
    world.profile("prod-1")
    world.endpoint.scripts["GetCallerIdentity"] = identities(PROD, OWN, PROD)
    world.endpoint.scripts["AssumeRole"] = [assumed("role-1")]
    assert isinstance(world.create(THERE), Done)
    stored = world.store.account("prod")
    assert stored is not None
    changed = Account(name="prod", settings={"role_arn": ARN}, account_id=PROD)
    world.store.commit([SaveAccount(account=changed, expected_generation=stored.generation)])
    assert isinstance(world.create(THERE), Done)
    assert world.signed("CreateVpc") == ["prod-1", "role-1"]


def test_to_identify_an_account_needs_no_stored_one_and_stores_nothing(world: World) -> None:
    world.profile("prod-1")
    world.endpoint.scripts["GetCallerIdentity"] = identities(PROD)
    found = world.provider.identify(Account(name="new", settings=BY_PROFILE))
    assert (found.account_id, found.arn) == (PROD, f"arn:aws:iam::{PROD}:user/test")
    assert world.store.accounts() == ()


def test_an_account_that_is_not_known_any_more_is_not_entered(world: World) -> None:
    outcome = world.create(THERE)
    assert isinstance(outcome, Refused)
    assert "The account prod is not known any more" in outcome.message
    assert world.endpoint.calls == []


def test_an_account_of_another_provider_is_not_entered(world: World) -> None:
    world.add(settings={"host": "rack-1"}, provider="toy")
    outcome = world.create(THERE)
    assert isinstance(outcome, Refused)
    assert "The account prod is one of the provider toy" in outcome.message
    assert world.endpoint.calls == []


def test_an_answer_without_an_account_id_is_not_believed(world: World) -> None:
    world.endpoint.scripts["GetCallerIdentity"] = identities("someone")
    outcome = world.kept_out()
    assert (outcome.code, "no account id of AWS" in outcome.message) == ("NoId", True)


def _refused(code: str, message: str) -> tuple[int, str]:
    """A bad answer of STS."""
    return 403, f"<ErrorResponse><Error><Code>{code}</Code><Message>{message}</Message></Error></ErrorResponse>"
