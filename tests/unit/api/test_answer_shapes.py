"""The shapes of answers: whole, strict, and told from one place. That answers fit them is watched in every test."""

import json
from typing import Any

import pytest
from front import Front, Http, served
from honest import event_faults, faults_of, problem_faults
from openapi_spec_validator import validate

from tenuto.api.answers.words import maybe, record, schema_of, text
from tenuto.api.openapi import answer_schemas, openapi_document
from tenuto.api.routes.every import ROUTES
from tenuto.errors import BugError


def test_every_request_says_what_answers_it() -> None:
    assert [one.operation for one in ROUTES if (one.answer is None) != one.sends_file] == []


def test_every_document_is_strict_and_every_member_is_told_in_words() -> None:
    for name, schema in answer_schemas().items():
        assert schema["additionalProperties"] is False, name
        assert schema["description"].endswith("."), name
        for member, shape in schema["properties"].items():
            assert "$ref" in shape or shape["description"], (name, member)


def test_numbers_with_a_unit_in_their_name_tell_the_unit() -> None:
    units = {"_s": "second", "_mib": "MiB", "_gib": "GiB"}
    for name, schema in answer_schemas().items():
        for member, shape in schema["properties"].items():
            for ending, unit in units.items():
                if member.endswith(ending):
                    assert unit in shape["description"], (name, member)


def test_the_document_is_openapi() -> None:
    validate(json.loads(json.dumps(openapi_document())))


def test_two_shapes_cannot_share_a_name() -> None:
    found: dict[str, Any] = {}
    schema_of(record("One", "This.", {"name": text("a name")}), found)
    schema_of(record("One", "This.", {"name": text("a name")}), found)
    with pytest.raises(BugError, match="One"):
        schema_of(record("One", "That.", {"name": text("a name")}), found)


def test_a_text_of_some_words_may_be_null_where_it_says_so() -> None:
    assert maybe(text("a word", ("a", "b"))) == {
        "type": ["string", "null"],
        "description": "a word",
        "enum": ["a", "b", None],
    }


@pytest.fixture(scope="module")
def told() -> Any:
    """The list of no processes, as the API tells it."""
    with served(Front()) as url:
        return Http(url)("GET", "/v1/summary").document


def test_the_watch_sees_a_member_that_is_missing_one_too_many_and_one_of_a_wrong_kind(told: Any) -> None:
    path = "/v1/summary"
    assert faults_of("GET", path, 200, told) == []
    assert faults_of("GET", path, 200, {name: one for name, one in told.items() if name != "total"})
    assert faults_of("GET", path, 200, {**told, "more": 1})
    assert faults_of("GET", path, 200, {**told, "total": "1"})
    assert faults_of("GET", path, 200, {**told, "as_of": "yesterday"})
    assert faults_of("GET", path, 418, told)


def test_the_watch_sees_problems_and_events_that_do_not_fit() -> None:
    assert problem_faults({"code": "user"})
    assert event_faults({"number": 1})


def test_a_test_with_an_answer_that_does_not_fit_fails() -> None:
    front = Front()
    front.services.queries.nodes = lambda: {"nodes": "none"}  # type: ignore[method-assign]
    fault = r"GET /v1/nodes \(200\): \$.nodes: 'none' is not of type 'array'"
    with pytest.raises(AssertionError, match=fault), served(front) as url:
        Http(url)("GET", "/v1/nodes")
