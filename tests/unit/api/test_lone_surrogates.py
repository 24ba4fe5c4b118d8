"""Halves of surrogate pairs in requests and answers: no text of UTF-8 holds one, and none is a fault of Tenuto."""

import asyncio
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from front import Answer, Front, Http, served
from starlette.requests import Request
from starlette.types import Message

from tenuto.api.requests.json_answer import JsonAnswer
from tenuto.api.requests.problems import problem_response
from tenuto.api.requests.route import ApiRoute
from tenuto.api.routes.every import ROUTES
from tenuto.api.transport.bodies import read_report
from tenuto.errors import UserError
from tenuto.model.ids import JsonMap

HALF = "\ud800"
WITH_BODY = [route for route in ROUTES if route.body]
KINDS = {"string": "a", "object": {}, "array": [], "boolean": False, "integer": 1, "number": 1}


@dataclass(frozen=True)
class Unhurried:
    """Requests with a second before each, so that none is one too many."""

    front: Front
    plain: Http

    def __call__(self, method: str, path: str, body: object = None) -> Answer:
        self.front.clock.sleep(1.0)
        return self.plain(method, path, body)


@pytest.fixture(scope="module")
def http_call() -> Iterator[Unhurried]:
    front = Front()
    front.commands.accounts.add("c", {"profile": "c"}, checks=False)
    with served(front) as url:
        yield Unhurried(front, Http(url))


def _bodies(route: ApiRoute) -> Iterator[tuple[str, JsonMap]]:
    """Bodies of a request with a half in one member each, and the place of it."""
    usual: dict[str, Any] = {one.name: KINDS[one.kind] for one in route.body if one.is_required}
    for one in route.body:
        yield one.name, {**usual, one.name: HALF}
        yield f"{one.name}[1].a", {**usual, one.name: ["a", {"a": HALF}]}
        yield f"{one.name}.\\ud800", {**usual, one.name: {HALF: "a"}}
    yield "\\ud800", {**usual, HALF: "a"}


@pytest.mark.parametrize("route", WITH_BODY, ids=lambda route: route.operation)
def test_a_half_in_a_body_is_refused_and_its_place_is_told(http_call: Unhurried, route: ApiRoute) -> None:
    path = re.sub(r"{\w+}", "c", route.path)
    for place, body in _bodies(route):
        answer = http_call(route.method, path, body)
        assert (answer.status, answer.document["code"]) == (400, "user"), (place, answer)
        assert answer.headers["content-type"] == "application/problem+json"
        assert f"'{place}' in the body holds half of a surrogate pair" in answer.document["detail"]


def test_the_requests_with_a_body_are_many() -> None:
    assert len(WITH_BODY) > 30


@pytest.mark.parametrize("half", ["%ED%A0%80", "%FF", "%ED%B3%BF"])
def test_bytes_that_are_no_text_in_a_path_or_a_query_are_no_fault_of_tenuto(http_call: Unhurried, half: str) -> None:
    """The server reads them as replacement characters, so no handler sees a half."""
    for route in ROUTES:
        path = re.sub(r"{\w+}", half, route.path)
        for query in (f"{half}={half}", *(f"{one.name}={half}" for one in route.query)):
            answer = http_call(route.method, f"{path}?{query}")
            assert answer.status in (200, 400, 404, 415, 422), (route.operation, answer)


@pytest.mark.parametrize(("body", "subject"), [(HALF, "The body"), ({"": HALF}, "The body"), ([HALF], "'[0]' in")])
def test_a_half_at_the_root_of_a_body_is_refused(http_call: Unhurried, body: object, subject: str) -> None:
    answer = http_call("POST", "/v1/accounts", json.dumps(body).encode())
    assert (answer.status, answer.document["code"]) == (400, "user")
    assert answer.document["detail"].startswith(subject)


def test_bytes_of_a_half_are_not_utf_8(http_call: Unhurried) -> None:
    answer = http_call("POST", "/v1/accounts", b'{"name": "\xed\xa0\x80"}')
    assert (answer.status, answer.document["code"]) == (400, "json")
    assert "its byte 10 is not part of any UTF-8 character" in answer.document["detail"]


def test_a_whole_pair_and_a_backslash_before_an_escape_are_texts(http_call: Unhurried) -> None:
    for name in (b"\\ud83d\\ude00", b"\\\\ud800"):
        answer = http_call("POST", "/v1/accounts", b'{"name": "%s", "profile": "p"}' % name)
        assert "surrogate" not in answer.document["detail"]


def test_an_answer_that_holds_a_half_can_be_sent() -> None:
    assert json.loads(bytes(JsonAnswer({"a": [HALF, "\u00e9"]}).body)) == {"a": ["\ufffd", "\u00e9"]}
    assert bytes(JsonAnswer({"a": "\u00e9"}).body) == '{"a":"\u00e9"}'.encode()
    told = json.loads(bytes(problem_response(UserError(f"There is no {HALF}.")).body))
    assert told["detail"] == "There is no \ufffd."


def test_a_report_of_a_host_that_holds_a_half_is_taken_with_the_replacement_character() -> None:
    async def receive() -> Message:
        return {"type": "http.request", "body": json.dumps({"file": HALF}).encode(), "more_body": False}

    headers = [(b"content-type", b"application/json")]
    request = Request({"type": "http", "method": "POST", "headers": headers}, receive)
    assert asyncio.run(read_report(request, 100)) == {"file": "\ufffd"}
