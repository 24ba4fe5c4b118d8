"""The API over real HTTP on loopback."""

import http.client
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from front import SECRET, Front, Http, served, submission

from tenuto.api.openapi import openapi_document
from tenuto.api.reference import reference_page
from tenuto.api.requests.route import Open
from tenuto.api.routes.every import ROUTES
from tenuto.errors import BugError, NoWayError, PermanentError, ProviderError, StoreUnavailableError, TransientError
from tenuto.model.command import ProcessState

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "api.md"


@pytest.fixture(scope="module")
def hall() -> Iterator[tuple[Front, str]]:
    front = Front()
    with served(front) as url:
        yield front, url


@pytest.fixture
def front(hall: tuple[Front, str]) -> Iterator[Front]:
    yield hall[0]
    hall[0].conductor.failure = None


@pytest.fixture
def http_call(hall: tuple[Front, str]) -> Http:
    return Http(hall[1])


def body(**more: object) -> dict[str, object]:
    given = submission()
    return {"composition": given.document, "secrets": given.secrets, **more}


def test_nothing_answers_without_the_secret_but_the_health_probe(http_call: Http, front: Front) -> None:
    for route in ROUTES:
        if route.right is Open.TO_ALL:
            continue
        path = re.sub(r"{\w+}", "x", route.path)
        front.clock.sleep(1.0)
        for secret in (None, "wrong", SECRET + "x", ""):
            answer = Http(http_call.url, secret)(route.method, path)
            assert (answer.status, answer.document["code"]) == (401, "permission"), route
    for path in ("/v1/openapi.json", "/", "/v1/nothing"):
        assert Http(http_call.url, None)("GET", path).status == 401
    health = Http(http_call.url, None)("GET", "/healthz")
    assert (health.status, health.document["status"]) == (200, "ok")


def test_a_process_lives_through_the_api(http_call: Http) -> None:
    made = http_call("POST", "/v1/processes", body(alias="life"))
    assert (made.status, made.document["state"]) == (201, "Running")
    assert http_call("GET", "/v1/processes/life").document["resources"].keys() == {"Net", "Sub"}
    assert http_call("POST", "/v1/processes/life/suspend").document["state"] == "Suspended"
    assert http_call("POST", "/v1/processes/life/resume").document["next_command"] == "resume"
    assert http_call("POST", "/v1/processes/life/retry").document["cleared"] == {"Net": 1}
    assert http_call("POST", "/v1/processes/life/update", body()).document["next_command"] == "update"
    assert http_call("PUT", "/v1/processes/life", body()).status == 200
    assert http_call("PUT", "/v1/processes/life/properties/lock", {"value": "on"}).document["lock"] is True
    assert http_call("GET", "/v1/processes/life/properties/lock").document["lock"] is True
    assert http_call("PUT", "/v1/processes/life/properties/lock", {"value": "off"}).document["lock"] is False
    assert http_call("GET", "/v1/processes/life/plan").document["summary"]["create"] == 2
    assert http_call("GET", "/v1/processes/life/explain?resources=Net").document["resources"].keys() == {"Net"}
    assert http_call("POST", "/v1/processes/life/kill").document["state"] == "Killing"
    told = http_call("GET", "/v1/processes/life/history").document
    assert [one["command"] for one in told["commands"]][:3] == ["run", "suspend", "resume"]
    assert http_call("GET", "/v1/processes/life/ops").document["ops"] == []
    assert "life" in [one["alias"] for one in http_call("GET", "/v1/processes").document["processes"]]


def test_a_dry_run_answers_with_a_plan(http_call: Http) -> None:
    answer = http_call("POST", "/v1/processes", body(dry_run=True))
    assert (answer.status, answer.document["process"]["fid"]) == (200, None)
    assert [one["op"] for one in answer.document["operations"]] == ["create", "create"]


def test_phases_and_types_are_listed(http_call: Http) -> None:
    assert http_call("GET", "/v1/phases").document["phases"][0]["activity"] == "Running"
    names = [one["name"] for one in http_call("GET", "/v1/types").document["types"]]
    assert names == sorted(names)
    assert "Simulated::Network" in names


@pytest.mark.parametrize(
    ("method", "path", "content", "status", "code"),
    [
        ("GET", "/v1/nothing", None, 404, "no-route"),
        ("DELETE", "/v1/processes", None, 405, "method"),
        ("GET", "/v1/processes/nobody", None, 404, "not-found"),
        ("POST", "/v1/processes/nobody/kill", None, 404, "not-found"),
        ("POST", "/v1/processes", {}, 400, "user"),
        ("POST", "/v1/processes", b"{", 400, "json"),
        ("POST", "/v1/processes", b"[1]", 400, "json"),
        ("POST", "/v1/processes", b'{"composition": NaN}', 400, "json"),
        ("POST", "/v1/processes", b"[" * 16_000, 400, "json"),
        ("POST", "/v1/processes", b"[" * 200_000, 413, "too-large"),
        ("POST", "/v1/processes", b"\xff", 400, "json"),
        ("POST", "/v1/processes", {"composition": {"resources": 1}}, 422, "compile"),
        ("POST", "/v1/processes", {"composition": []}, 400, "user"),
        ("POST", "/v1/processes", {"composition": {"a": 1}, "colour": "red"}, 400, "user"),
        ("POST", "/v1/processes", {"composition": {"a": 1}, "secrets": {"P": 1}}, 400, "user"),
        ("POST", "/v1/processes", {"composition": {"a": 1}, "dry_run": "maybe"}, 400, "user"),
        ("POST", "/v1/processes/web/suspend", b" " * (8 * 1024 * 1024 + 1), 413, "too-large"),
        ("GET", "/v1/events?start=yesterday", None, 400, "user"),
        ("GET", "/v1/events?start=nan", None, 400, "user"),
        ("GET", "/v1/events?limit=-1", None, 400, "user"),
        ("GET", "/v1/events?limit=%C2%B2", None, 400, "user"),
        ("GET", "/v1/events?follow=perhaps", None, 400, "user"),
        ("GET", "/v1/events?limit=1&limit=2", None, 400, "user"),
        ("GET", "/v1/events?follow=false&follow=true", None, 400, "user"),
        ("GET", "/v1/processes?account=a&account=b", None, 400, "user"),
        ("GET", "/v1/events?process=nobody&follow=true", None, 404, "not-found"),
        ("GET", "/v1/processes?colour=red", None, 400, "user"),
        ("GET", "/v1/plans/none", None, 404, "not-found"),
        ("POST", "/v1/templates", {"resources": ["Simulated::Network n-1"], "region": "../.."}, 400, "user"),
        ("POST", "/v1/templates", {"resources": ["Simulated::Network n-1"], "region": "EU west"}, 400, "user"),
        ("POST", "/v1/accounts", {"name": "prod", "profile": "p", "region": "a.b"}, 400, "user"),
        ("POST", "/v1/accounts", {"name": "prod", "profile": "a\nb"}, 400, "user"),
    ],
)
def test_a_wrong_request_is_a_problem_document(
    http_call: Http, method: str, path: str, content: object, status: int, code: str
) -> None:
    answer = http_call(method, path, content)
    assert (answer.status, answer.document["code"]) == (status, code)
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.document.keys() >= {"type", "title", "status", "detail"}
    assert answer.document["status"] == status


def test_a_profile_that_is_named_and_not_there_is_an_error_of_the_request(http_call: Http, front: Front) -> None:
    front.conductor.failure = NoWayError("account prod: no such profile.", code="ProfileNotFound")
    answer = http_call("POST", "/v1/accounts", {"name": "prod", "profile": "../x"})
    assert (answer.status, answer.document["code"]) == (400, "user")
    assert http_call("POST", "/v1/accounts", {"name": "prod", "profile": "p", "unchecked": True}).status == 201
    assert http_call("PUT", "/v1/accounts/prod", {"profile": "q"}).status == 400
    # What was stored before, nobody has just named.
    assert http_call("POST", "/v1/accounts/prod/check").status == 502
    assert http_call("PUT", "/v1/accounts/prod", {"region": "eu-west-1"}).status == 502


def test_a_composition_for_what_can_be_no_region_is_an_error_of_the_request(http_call: Http) -> None:
    document = submission(region="../..").document
    answer = http_call("POST", "/v1/processes", {"composition": document, "secrets": {"Password": "hunter2"}})
    assert (answer.status, "is no region" in answer.document["detail"]) == (400, True)


def test_a_body_must_say_that_it_is_json(http_call: Http) -> None:
    answer = http_call("POST", "/v1/processes", b"{}", **{"Content-Type": "text/plain"})
    assert (answer.status, answer.document["code"]) == (415, "media-type")


def test_a_command_in_the_wrong_state_is_a_conflict(http_call: Http) -> None:
    http_call("POST", "/v1/processes", body(alias="busy"))
    answer = http_call("POST", "/v1/processes/busy/resume")
    assert (answer.status, answer.document["code"]) == (409, "not-allowed")
    assert "Allowed while Running: update, suspend" in answer.document["detail"]
    assert http_call("POST", "/v1/processes", body(alias="busy")).status == 409


def test_compile_problems_carry_their_diagnostics(http_call: Http) -> None:
    given = submission("Resources: {A: {Type: AWS::SQS::Queue}}")
    answer = http_call("POST", "/v1/processes", {"composition": given.document})
    assert answer.status == 422
    [diagnostic] = answer.document["diagnostics"]
    assert (diagnostic["subject"], diagnostic["position"]["line"]) == ("A", 1)


@pytest.mark.parametrize(
    ("failure", "status", "code"),
    [
        (TransientError("throttled", code="Throttling", request_id="r-1"), 503, "provider-unavailable"),
        (PermanentError("no access", code="AccessDenied", request_id="r-2"), 502, "provider-refused"),
    ],
)
def test_a_failing_provider_is_told_with_its_request(
    http_call: Http, front: Front, failure: ProviderError, status: int, code: str
) -> None:
    front.conductor.failure = failure
    answer = http_call("POST", "/v1/processes", body(dry_run=True))
    assert (answer.status, answer.document["code"]) == (status, code)
    assert answer.document["request_id"] == failure.request_id


def test_a_store_that_cannot_be_written_and_a_fault_of_ours_are_told_apart() -> None:
    class Broken(Front):
        def __init__(self, error: Exception) -> None:
            super().__init__()
            self.conductor.failure = error  # type: ignore[assignment]

    for error, status, code in (
        (StoreUnavailableError("The disk is full. Make room and try again."), 503, "store-unavailable"),
        (BugError("a secret detail of ours"), 500, "bug"),
        (ZeroDivisionError("a secret detail of ours"), 500, "bug"),
    ):
        with served(Broken(error)) as url:
            answer = Http(url)("POST", "/v1/processes", body(dry_run=True))
        assert (answer.status, answer.document["code"]) == (status, code)
        assert "secret detail" not in str(answer.document)
        assert code != "bug" or re.fullmatch(r"[0-9a-f]{12}", answer.document["incident"])


def test_events_can_be_read_from_a_number_on(http_call: Http) -> None:
    http_call("POST", "/v1/processes", body(alias="eventful"))
    first = http_call("GET", "/v1/events?process=eventful").document["events"]
    assert {one["type"] for one in first} == {"process.state", "command.given"}
    http_call("POST", "/v1/processes/eventful/suspend")
    later = http_call("GET", f"/v1/events?process=eventful&after={first[-1]['number']}").document["events"]
    assert [one["after"] for one in later if one["type"] == "process.state"] == ["Suspended"]
    chosen = http_call("GET", "/v1/events?process=eventful&types=command.given").document["events"]
    twice = http_call("GET", "/v1/events?process=eventful&types=job.finished&types=command.given").document["events"]
    assert twice == chosen
    assert [one["data"]["command"] for one in chosen] == ["run", "suspend"]


def test_followed_events_come_as_server_sent_events_and_go_on(http_call: Http) -> None:
    http_call("POST", "/v1/processes", body(alias="followed"))
    host = http_call.url.removeprefix("http://")
    connection = http.client.HTTPConnection(host)
    connection.request("GET", "/v1/events?process=followed&follow=true", headers={"Authorization": f"Bearer {SECRET}"})
    response = connection.getresponse()
    assert response.headers["content-type"].startswith("text/event-stream")

    def next_event() -> dict[str, str]:
        found: dict[str, str] = {}
        while line := response.readline().decode().strip():
            name, _, value = line.partition(": ")
            found[name] = value
        return found

    told = [next_event(), next_event()]
    assert {one["event"] for one in told} == {"process.state", "command.given"}
    http_call("POST", "/v1/processes/followed/kill")
    new = next_event()
    assert int(new["id"]) > int(told[-1]["id"])
    assert json.loads(new["data"])["fid"]
    connection.close()


def test_killed_processes_keep_their_history_readable(http_call: Http, front: Front) -> None:
    made = http_call("POST", "/v1/processes", body(alias="short"))
    fid = made.document["fid"]
    assert front.store.process(fid) is not None
    assert http_call("GET", f"/v1/processes/{fid}/history").document["state"] == ProcessState.RUNNING


def test_the_openapi_document_lists_every_route(http_call: Http) -> None:
    document = http_call("GET", "/v1/openapi.json").document
    assert document == json.loads(json.dumps(openapi_document()))
    listed = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
    assert listed == {(route.method, route.path) for route in ROUTES} | {("GET", "/healthz"), ("GET", "/metrics")}


def test_the_reference_page_is_that_of_the_routes() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference_page(), (
        "python -m tenuto.api.reference > docs/reference/api.md"
    )
