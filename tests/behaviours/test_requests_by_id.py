"""All that an API request caused is found by its id: by the command line, by the API, and on the dashboard's pages."""

import re
from typing import Any

import pytest
from desk import HOUR_S, MINUTE_S, NET, PAUSES_S, SUB, Desk
from front import Answer, Http

from tenuto.kit.current_request import HEADER
from tenuto.providers.simulated.faults import FaultKind

OTHER = "  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16, Label: other}}"
POLICY = """\
TenutoPolicy: 1
Users: [ann, bob]
Grants:
  - {To: [ann], Commands: all, Accounts: ['*']}
  - {To: [bob], Commands: [history, events, status], Accounts: ['*'], Aliases: ['db']}
"""


def asked(desk: Desk, method: str, path: str, body: object = None, *, name: str = "") -> tuple[str, Answer]:
    """The id of one request, and its answer."""
    answer = Http(desk.shell.url)(method, path, body, **({HEADER: name} if name else {}))
    return answer.headers[HEADER.lower()], answer


def caused(desk: Desk, request: str) -> Any:
    """What the request caused, by the command line; the API says the same."""
    told = desk.document("history", "--request", request)
    assert Http(desk.shell.url)("GET", f"/v1/requests/{request}").document == told
    of_events = Http(desk.shell.url)("GET", f"/v1/events?request={request}").document["events"]
    assert of_events == told["events"]
    assert {one["request"] for kind in ("commands", "jobs", "events") for one in told[kind]} <= {request}
    return told


def last_request(desk: Desk, kind: str = "commands") -> str:
    """The request that the history of the process names last."""
    return str(desk.document("history", "web")[kind][-1]["request"])


@pytest.mark.parametrize("pause_s", [one for one in PAUSES_S if one <= HOUR_S])
def test_behaviour_77_all_that_each_command_caused_is_found_by_its_request(desk: Desk, pause_s: float) -> None:
    """Between the commands lie seconds or hours, and what the Conductor does of its own in between is of no request."""
    ids = {}
    desk.does("run", desk.template(NET, SUB), "-a", "web")
    ids["run"] = last_request(desk)
    desk.settle()
    desk.advance(pause_s)
    desk.does("update", "web", desk.template(OTHER, SUB))
    ids["update"] = last_request(desk)
    desk.settle()
    desk.advance(pause_s)
    desk.world.cloud.tamper(desk.real("Net").physical_id, "Label", "theirs")
    desk.settle()
    ids["kill"], killed = asked(desk, "POST", "/v1/processes/web/kill", {})
    assert killed.status == 200, killed
    fid = str(killed.document["fid"])
    desk.settle()
    desk.advance(HOUR_S)
    assert len(set(ids.values())) == 3
    for command, request in ids.items():
        told = caused(desk, request)
        assert [one["command"] for one in told["commands"]] == [command]
        assert {(one["kind"], one["command"]) for one in told["jobs"]} == {("command", command)}
        assert {one["fid"] for one in told["events"]} == {fid}
        assert {"command.given", "job.finished", "object.state"} <= {one["type"] for one in told["events"]}
    assert caused(desk, ids["run"])["events"][0]["after"] == "Running"
    assert {one["subject"] for one in caused(desk, ids["run"])["events"] if one["type"] == "object.state"} == {
        "Net",
        "Sub",
    }
    assert caused(desk, ids["kill"])["events"][-1]["type"] == "job.finished"
    assert "Gone" in [one["after"] for one in caused(desk, ids["kill"])["events"]]
    every = desk.document("events", fid)["events"]
    assert {one["actor"] for one in every if one["request"] is None} == {"conductor"}
    of_drift = [one for one in every if one["data"].get("by", "").startswith("plan") or one["type"] == "drift.found"]
    assert [one["request"] for one in of_drift if one["type"] == "drift.found"] == [None]


def test_behaviour_77_what_an_object_does_for_a_request_carries_it_until_it_is_done(desk: Desk) -> None:
    first, made = asked(desk, "POST", "/v1/objects", {"type": "Simulated::Namespace", "name": "red"})
    assert made.status in (201, 202), made
    object_id = str(made.document["id"])
    desk.advance(MINUTE_S)
    desk.advance(HOUR_S)
    second, _ = asked(desk, "DELETE", f"/v1/objects/{object_id}")
    desk.advance(MINUTE_S)
    birth, death = caused(desk, first)["events"], caused(desk, second)["events"]
    assert [one["data"].get("command") for one in birth if one["type"] == "command.given"] == ["object create"]
    assert (birth[-1]["type"], birth[-1]["after"]) == ("object.state", "created")
    assert (death[-1]["type"], death[-1]["after"]) == ("object.state", "deleted")
    assert {one["object_id"] for one in (*birth, *death)} == {object_id}


def test_behaviour_77_a_refused_and_a_denied_request_are_found_and_named_in_the_error(desk: Desk) -> None:
    desk.does("policy", "set", desk.file("policy.yaml", POLICY))
    bob = desk.user("bob")
    desk.runs(NET)
    desk.does("property", "web", "lock", "--set", "on")
    refused = desk("-y", "suspend", "web")
    named = re.search(r"\(request ([0-9a-f]{16})\)\n$", refused.err)
    assert named, refused
    [event] = caused(desk, named[1])["events"]
    assert (event["type"], event["data"]["command"]) == ("command.refused", "suspend")
    denied = bob("--json", "-y", "suspend", "web")
    assert denied.code == 6
    request = denied.document["error"]["request"]
    [event] = caused(desk, request)["events"]
    assert (event["type"], event["actor"]) == ("command.denied", "bob")


def test_a_user_finds_only_what_they_may_see(desk: Desk) -> None:
    desk.does("policy", "set", desk.file("policy.yaml", POLICY))
    ann, bob = desk.user("ann"), desk.user("bob")
    ann.runs(NET)
    request = last_request(ann)
    assert ann.document("history", "--request", request)["commands"]
    hidden = bob("history", "--request", request)
    assert (hidden.code, f"Nothing is known of the request {request}" in hidden.err) == (4, True)
    assert bob.document("find", request)["findings"] == []


def test_the_failure_of_a_phase_and_its_retry_are_of_the_requests_that_asked(desk: Desk) -> None:
    desk.fault("create", "Net", FaultKind.DENIED)
    desk.does("run", desk.template(NET), "-a", "web")
    desk.settle()
    run = last_request(desk)
    assert "phase.failed" in [one["type"] for one in caused(desk, run)["events"]]
    retry, _ = asked(desk, "POST", "/v1/processes/web/retry", {})
    assert [one["type"] for one in caused(desk, retry)["events"]].count("phase.retried") == 1
    dry, answer = asked(desk, "POST", "/v1/processes/web/kill", {"dry_run": True})
    assert answer.status == 200
    assert [one["kind"] for one in caused(desk, dry)["jobs"]] == ["dry-run"]


def test_the_client_may_name_its_request_and_find_leads_to_it(desk: Desk) -> None:
    desk.runs(NET)
    given, _ = asked(desk, "POST", "/v1/processes/web/suspend", {}, name="deploy-2026-11-25.7")
    assert given == "deploy-2026-11-25.7"
    [found] = desk.document("find", given)["findings"]
    assert (found["kind"], found["process"], found["name"]) == ("request", "web", given)
    shown = desk.does("history", "--request", given).out
    assert "command.given" in shown
    assert "suspend" in shown


@pytest.mark.parametrize("options", [("web",), ("--timeline",), ("--start", "1h"), ("--plan", "plan-1")])
def test_a_request_is_asked_for_by_itself(desk: Desk, options: tuple[str, ...]) -> None:
    assert desk("history", "--request", "7e57ab1e", *options).code == 2


def test_history_needs_a_process_or_a_request(desk: Desk) -> None:
    assert desk("history").code == 2
    nothing = desk("history", "--request", "7e57ab1e")
    assert nothing.code == 4
    assert "it changed nothing, or you may not see what it changed" in nothing.err
