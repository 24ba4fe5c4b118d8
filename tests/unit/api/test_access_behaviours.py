"""Who may do what, over real HTTP: behaviours 67 to 70 of the process model, and what an attacker would try."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import urllib3
from front import Answer, Front, Http, served, submission
from terminal import Shell

from tenuto.api.requests.route import Open
from tenuto.api.routes.every import ROUTES
from tenuto.model.access import OF_CONDUCTOR, QUESTIONS, Right
from tenuto.model.event import EventType
from tenuto.model.ids import Fid
from tenuto.model.process import Process
from tenuto.ports.store_reads import EventQuery

POLICY = """
TenutoPolicy: 1
Users: [ann, bob, eve]
Grants:
  - To: ann
    Commands: all
    Accounts: [a]
  - To: bob
    Commands: [questions, run, property, kill, update]
    Accounts: ["*"]
    Aliases: ["shop-*"]
"""


@dataclass
class House:
    """A Conductor with processes in two accounts, and its users."""

    front: Front
    url: str

    @property
    def root(self) -> Http:
        return Http(self.url)

    def user(self, name: str) -> Http:
        answer = self.root("POST", f"/v1/users/{name}/secret")
        assert answer.status == 201, answer
        return Http(self.url, answer.document["secret"])

    def run(self, alias: str, account: str) -> Process:
        return self.front.commands.run(submission(name=alias), alias=alias, account=account)

    def everything(self) -> tuple[object, ...]:
        store = self.front.store
        return (
            store.processes(live=False),
            [store.history(one.fid) for one in store.processes(live=False)],
            (store.policy(), store.user_secrets(), store.runtime_settings()),
            list(self.front.conductor.woken),
        )


@pytest.fixture
def house() -> Iterator[House]:
    front = Front()
    for name in ("a", "b", "prod"):
        front.commands.accounts.add(name, {"profile": name}, checks=False)
    with served(front) as url:
        yield House(front, url)


@pytest.fixture
def governed(house: House) -> House:
    assert house.root("PUT", "/v1/policy", {"text": POLICY, "file": "p.yaml"}).status == 200
    return house


def body(**more: object) -> dict[str, object]:
    given = submission()
    return {"composition": given.document, "secrets": given.secrets, **more}


def denied(answer: Answer) -> str:
    assert (answer.status, answer.document["code"]) == (403, "permission"), answer
    return str(answer.document["detail"])


def test_behaviour_67_without_a_policy_only_root_may_act(house: House) -> None:
    assert house.root("POST", "/v1/processes", body(alias="web")).status == 201
    assert house.root("GET", "/v1/me").document == {"name": "root", "root": True, "grants": []}
    assert house.root("POST", "/v1/users/ann/secret").status == 404
    house.root("PUT", "/v1/policy", {"text": POLICY})
    ann = house.user("ann")
    assert ann("GET", "/v1/processes").status == 200
    assert house.root("DELETE", "/v1/policy").document["revoked"] == ["ann"]
    assert ann("GET", "/v1/processes").status == 401
    assert house.root("GET", "/v1/policy").document == {"policy": None}
    assert house.root("GET", "/v1/processes").status == 200


def test_behaviour_67_what_is_not_granted_is_denied_and_changes_nothing(governed: House) -> None:
    process = governed.run("shop-web", "a")
    eve = governed.user("eve")
    given = body(value="v", text=POLICY, resources=["T x"], region="r", plan=_plan_file(governed, process))
    thing = governed.front.objects.create("artifact", "base").item.object_id
    before = governed.everything()
    for route in ROUTES:
        path = (
            route.path.replace("{object}", thing)
            .replace("{process}", process.fid)
            .replace("{user}", "ann")
            .replace("{key}", "alias")
            .replace("{account}", "a")
            .replace("{namespace}", "a")
        )
        answer = eve(route.method, path, None if route.method == "GET" else given)
        if route.operation == "sign_in":
            # Its token is no user's, be it good or bad (test_sign_in_at_an_issuer).
            assert answer.status == 400
        elif route.right in (Open.TO_USERS, Open.TO_ALL):
            # What is not there may be told to be not there, and a request that does not take these fields refuses them.
            assert answer.status in (200, 400, 404), route
        elif route.operation in ("stored_plan", "proposal", "approve", "reject"):
            assert answer.status == 404
        else:
            denied(answer)
        assert governed.everything() == before, route


def _plan_file(house: House, process: Process) -> object:
    answer = house.root("POST", f"/v1/processes/{process.fid}/kill", {"dry_run": True, "plan_file": True})
    return answer.document["plan_file"]


def test_behaviour_67_a_denial_names_user_command_account_and_what_would_grant_it(governed: House) -> None:
    governed.run("web", "prod")
    told = denied(governed.user("ann")("POST", "/v1/processes/web/kill"))
    for word in ("ann", "'kill'", "account prod", "process web", "Commands: kill", "Accounts: prod", "whoami"):
        assert word in told


def test_behaviour_67_a_denied_command_is_in_history_and_events_as_denied(governed: House) -> None:
    process = governed.run("web", "prod")
    denied(governed.user("ann")("POST", "/v1/processes/web/kill"))
    history = governed.root("GET", "/v1/processes/web/history").document
    assert [(one["command"], one["status"], one["actor"]) for one in history["commands"]] == [
        ("run", "given", "root"),
        ("kill", "denied", "ann"),
    ]
    [event] = governed.root("GET", "/v1/events?types=command.denied").document["events"]
    assert (event["fid"], event["actor"], event["data"]["command"]) == (process.fid, "ann", "kill")
    governed.user("bob")("POST", "/v1/processes", body(account="prod", alias="web2"))
    event = governed.root("GET", "/v1/events?types=command.denied").document["events"][-1]
    assert (event["fid"], event["subject"], event["data"]["account"]) == (None, "web2", "prod")


def test_what_a_denied_command_names_is_kept_in_short(governed: House) -> None:
    eve = governed.user("eve")
    told = denied(eve("POST", "/v1/processes", body(account="a" * 100_000, alias="b" * 100_000)))
    [event] = governed.root("GET", "/v1/events?types=command.denied").document["events"]
    assert len(told) < 1000
    assert len(json.dumps(event)) < 2000


def test_a_command_keeps_the_name_of_its_giver(governed: House) -> None:
    made = governed.user("ann")("POST", "/v1/processes", body(alias="web", account="a"))
    assert made.status == 201
    events = governed.front.store.events(EventQuery(fid=Fid(made.document["fid"])))
    assert {one.actor for one in events} == {"ann"}
    [command] = governed.root("GET", "/v1/processes/web/history").document["commands"]
    assert command["actor"] == "ann"


def test_behaviour_68_rights_in_one_account_allow_nothing_in_another(governed: House) -> None:
    mine, other = governed.run("mine", "a"), governed.run("other", "b")
    ann = governed.user("ann")
    denied(ann("POST", "/v1/processes", body(account="b")))
    denied(ann("POST", "/v1/processes", body(account="b", dry_run=True)))
    denied(ann("POST", "/v1/processes", body()))  # The account `default` is another one, too.
    denied(ann("PUT", "/v1/processes/new", body(account="b")))
    denied(ann("PUT", "/v1/processes/other", body(account="a")))
    denied(ann("POST", "/v1/templates", {"resources": ["Simulated::Network x"], "region": "r", "account": "b"}))
    for name in ("other", other.fid):
        for verb in ("kill", "suspend", "resume", "release", "retry"):
            denied(ann("POST", f"/v1/processes/{name}/{verb}"))
        denied(ann("POST", f"/v1/processes/{name}/kill", {"dry_run": True}))
        denied(ann("POST", f"/v1/processes/{name}/update", body()))
        denied(ann("POST", f"/v1/processes/{name}/execute", {"plan": _plan_file(governed, other)}))
        denied(ann("PUT", f"/v1/processes/{name}/properties/lock", {"value": "on"}))
        for question in ("", "/plan", "/explain", "/history", "/ops", "/properties/lock"):
            denied(ann("GET", f"/v1/processes/{name}{question}"))
        denied(ann("GET", f"/v1/events?process={name}"))
    denied(ann("GET", "/v1/processes?account=b"))
    assert [one["alias"] for one in ann("GET", "/v1/processes").document["processes"]] == ["mine"]
    assert {one["fid"] for one in ann("GET", "/v1/events").document["events"]} == {mine.fid}
    stored = governed.front.store.process(other.fid)
    assert stored is not None
    assert stored.generation == other.generation
    assert ann("POST", "/v1/processes/mine/kill").document["state"] == "Killing"


def test_behaviour_68_an_account_is_shown_to_who_may_do_something_there(governed: House) -> None:
    ann = governed.user("ann")
    assert ann("GET", "/v1/accounts/a").document["profile"] == "a"
    denied(ann("GET", "/v1/accounts/b"))
    denied(ann("GET", "/v1/accounts"))
    denied(ann("POST", "/v1/accounts/a/check"))
    denied(ann("DELETE", "/v1/accounts/a"))


def test_behaviour_68_a_grant_is_about_the_name_of_an_account_and_not_its_id(house: House) -> None:
    house.front.conductor.identities["prod"] = "222222222222"
    house.front.commands.accounts.check("prod")
    policy = 'TenutoPolicy: 1\nUsers: [ann]\nGrants: [{To: ann, Commands: all, Accounts: ["2*"]}]\n'
    assert house.root("PUT", "/v1/policy", {"text": policy}).status == 200
    ann = house.user("ann")
    assert "account prod" in denied(ann("POST", "/v1/processes", body(account="222222222222")))
    assert "account prod" in denied(ann("PUT", "/v1/processes/web", body(account="222222222222")))
    denied(ann("GET", "/v1/processes?account=222222222222"))
    denied(ann("GET", "/v1/accounts/222222222222"))


def test_behaviour_68_a_plan_of_another_account_is_not_shown(governed: House) -> None:
    other = governed.run("other", "b")
    governed.root("POST", "/v1/processes/other/kill", {"dry_run": True})
    [job] = governed.front.store.history(other.fid).jobs
    denied(governed.user("ann")("GET", f"/v1/plans/{job.plan_id}"))
    assert governed.root("GET", f"/v1/plans/{job.plan_id}").status == 200


def test_behaviour_68_patterns_of_aliases_bound_a_grant_within_its_accounts(governed: House) -> None:
    governed.run("shop-web", "b")
    governed.run("db", "b")
    bob = governed.user("bob")
    assert [one["alias"] for one in bob("GET", "/v1/processes").document["processes"]] == ["shop-web"]
    denied(bob("POST", "/v1/processes/db/kill"))
    denied(bob("POST", "/v1/processes", body(account="b")))
    denied(bob("PUT", "/v1/processes/shop-web/properties/alias", {"value": "db2"}))
    assert bob("PUT", "/v1/processes/shop-web/properties/alias", {"value": "shop-2"}).status == 200
    assert bob("PUT", "/v1/processes/shop-3", body(account="b")).status == 200
    assert bob("PUT", "/v1/processes/shop-3", body()).status == 200


def test_a_dry_run_needs_the_right_to_plan_and_no_other(house: House) -> None:
    text = "TenutoPolicy: 1\nUsers: [ann]\nGrants: [{To: ann, Commands: plan, Accounts: a}]"
    house.root("PUT", "/v1/policy", {"text": text})
    house.run("web", "a")
    ann = house.user("ann")
    assert ann("POST", "/v1/processes/web/kill", {"dry_run": True}).status == 200
    assert ann("PUT", "/v1/processes/web", body(dry_run=True)).status == 200
    assert ann("POST", "/v1/processes", body(dry_run=True, account="a")).status == 200
    denied(ann("POST", "/v1/processes/web/kill"))
    # Only what has a dry run is one: elsewhere the word is no way around the right.
    denied(ann("POST", "/v1/processes/web/suspend", {"dry_run": True}))


def test_behaviour_69_a_user_acts_from_the_first_secret_to_the_next_or_its_end(governed: House) -> None:
    def enabled() -> dict[str, bool]:
        return {one["name"]: one["enabled"] for one in governed.root("GET", "/v1/users").document["users"]}

    assert enabled() == {"ann": False, "bob": False, "eve": False}
    first = governed.user("ann")
    assert enabled() == {"ann": True, "bob": False, "eve": False}
    assert first("GET", "/v1/me").document["name"] == "ann"
    second = governed.user("ann")
    assert first("GET", "/v1/me").status == 401
    assert second("GET", "/v1/me").status == 200
    assert governed.root("DELETE", "/v1/users/ann/secret").document == {"user": "ann", "revoked": True}
    assert governed.root("DELETE", "/v1/users/ann/secret").document == {"user": "ann", "revoked": False}
    assert second("GET", "/v1/me").status == 401
    assert not enabled()["ann"]


def test_behaviour_69_a_name_that_left_the_policy_comes_back_without_its_secret(governed: House) -> None:
    ann = governed.user("ann")
    answer = governed.root("PUT", "/v1/policy", {"text": "TenutoPolicy: 1\nUsers: [bob]"})
    assert answer.document["revoked"] == ["ann"]
    assert ann("GET", "/v1/me").status == 401
    governed.root("PUT", "/v1/policy", {"text": POLICY})
    assert ann("GET", "/v1/me").status == 401


def test_behaviour_69_nothing_that_was_told_of_a_secret_is_stored(governed: House) -> None:
    secret = governed.user("ann").secret or ""
    _, key, rest = secret.split(".")
    [kept] = governed.front.store.user_secrets()
    assert rest not in repr(kept)
    assert kept.digest.startswith("scrypt$")
    for wrong in (f"tenuto.{key}.x", f"tenuto..{rest}", f"tenuto.{key}.{rest}x", "tenuto." * 99, "tenuto.ü.ü", key):
        given = wrong.encode("utf-8").decode("latin-1")
        assert Http(governed.url, given)("GET", "/v1/me").status == 401
    told = governed.root("GET", "/v1/events").document
    assert secret not in json.dumps(told)
    assert key not in json.dumps(governed.root("GET", "/v1/users").document)


def test_a_stream_of_events_ends_when_the_secret_of_its_reader_is_revoked(governed: House) -> None:
    governed.run("mine", "a")
    secret = governed.user("ann").secret
    with urllib3.PoolManager(retries=False, timeout=60) as pool:
        stream = pool.request(
            "GET",
            f"{governed.url}/v1/events?follow=true",
            headers={"Authorization": f"Bearer {secret}"},
            preload_content=False,
        )
        lines = iter(stream)
        assert b"process.state" in b"".join(next(lines) for _ in range(3))
        governed.root("DELETE", "/v1/users/ann/secret")
        rest = b"".join(lines)
        stream.close()
    assert b"not valid any more" in rest


def test_the_owner_has_no_secret_that_could_be_revoked(governed: House) -> None:
    for method in ("POST", "DELETE"):
        answer = governed.root(method, "/v1/users/root/secret")
        assert (answer.status, "credentials file" in answer.document["detail"]) == (400, True)


def test_a_policy_with_mistakes_is_refused_and_the_one_before_stays(governed: House) -> None:
    answer = governed.root("PUT", "/v1/policy", {"text": "TenutoPolicy: 1\nUsers: [a b, c/d]"})
    assert (answer.status, answer.document["code"]) == (422, "compile")
    assert [one["position"]["line"] for one in answer.document["diagnostics"]] == [2, 2]
    assert governed.root("GET", "/v1/policy").document["policy"]["text"] == POLICY


def test_every_change_of_access_is_an_event_with_its_actor(governed: House) -> None:
    governed.user("ann")
    governed.root("DELETE", "/v1/users/ann/secret")
    governed.root("DELETE", "/v1/policy")
    events = governed.root("GET", f"/v1/events?types={EventType.ACCESS_CHANGED.value}").document["events"]
    assert [(one["subject"], one["actor"]) for one in events] == [
        ("policy", "root"),
        ("user ann", "root"),
        ("user ann", "root"),
        ("policy", "root"),
    ]


def test_what_belongs_to_no_process_is_seen_by_those_who_may_set_the_policy(house: House) -> None:
    text = """
TenutoPolicy: 1
Users: [ann, bob]
Grants:
  - {To: [ann, bob], Commands: events, Accounts: "*"}
  - {To: bob, Commands: policy}
"""
    house.root("PUT", "/v1/policy", {"text": text})
    ann, bob = house.user("ann"), house.user("bob")
    assert ann("GET", "/v1/events").document["events"] == []
    kinds = [event["type"] for event in bob("GET", "/v1/events?types=access.changed").document["events"]]
    assert kinds == ["access.changed"] * 3


def test_every_right_is_needed_somewhere_or_kept_for_what_is_to_come() -> None:
    needed = {route.right for route in ROUTES}
    coming = {Right.ACCOUNT, Right.INSTANCE, Right.VALIDATION, Right.NOTIFICATION, Right.METRICS}
    assert set(Right) - needed <= coming
    assert set(QUESTIONS) <= set(Right) - set(OF_CONDUCTOR)


def test_behaviour_70_a_policy_that_is_run_is_refused_as_a_policy(
    house: House, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(POLICY)
    ended = Shell(house.url, tmp_path, capsys)("-y", "--json", "run", str(file))
    assert ended.code == 3
    [told] = ended.document["error"]["diagnostics"]
    assert (told["code"], told["summary"]) == ("T110", "The file is a policy, not a composition")
    assert "tenuto policy set" in ended.err
    assert house.front.store.processes() == ()


def test_equal_denials_of_a_minute_are_one_event_and_the_next_one_tells_their_number(governed: House) -> None:
    governed.run("web", "prod")
    ann = governed.user("ann")
    for _ in range(30):
        denied(ann("POST", "/v1/processes/web/kill"))
    denied(ann("POST", "/v1/processes/web/release"))
    first, other = governed.root("GET", "/v1/events?types=command.denied").document["events"]
    assert (first["data"], other["data"]["command"]) == ({"command": "kill", "account": "prod"}, "release")
    governed.front.clock.sleep(61.0)
    denied(ann("POST", "/v1/processes/web/kill"))
    event = governed.root("GET", "/v1/events?types=command.denied").document["events"][-1]
    assert (event["data"]["more"], event["data"]["since"]) == (29, first["at"])
    assert event["reason"].endswith(f"And 29 more since {first['at'][11:19]} UTC.")
