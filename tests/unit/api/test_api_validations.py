"""Rules over HTTP: added, shown, asked and removed, and how a violation looks."""

from collections.abc import Iterator

import pytest
from front import Front, Http, served, submission

WIDE = "Resources: {Net: {Type: Simulated::Network, Properties: {CidrBlock: 0.0.0.0/0}}}"
RULE = {
    "name": "narrow",
    "applies_to": "Simulated::Network",
    "expression": 'properties.CidrBlock != "0.0.0.0/0"',
    "message": "A network is not the world.",
}


@pytest.fixture
def http() -> Iterator[Http]:
    with served(Front()) as url:
        yield Http(url)


def test_a_rule_lives_through_the_api(http: Http) -> None:
    made = http("POST", "/v1/validations", {"rule": RULE})
    assert made.status == 201
    assert made.document == {**RULE, "description": "", "hint": "", "severity": "error"} | {
        "added": made.document["added"],
        "added_by": "root",
    }
    assert http("GET", "/v1/validations").document == {"validations": [made.document]}
    assert http("GET", "/v1/validations/narrow").document == made.document
    assert http("DELETE", "/v1/validations/narrow").document == made.document
    assert http("GET", "/v1/validations/narrow").status == 404
    assert http("DELETE", "/v1/validations/narrow").document["code"] == "not-found"


def test_a_violation_is_a_problem_with_rule_resource_file_and_line(http: Http) -> None:
    http("POST", "/v1/validations", {"rule": RULE})
    document = submission(WIDE).document
    refused = http("POST", "/v1/processes", {"composition": document})
    assert (refused.status, refused.document["code"]) == (422, "validation")
    (found,) = refused.document["diagnostics"]
    assert (found["rule"], found["subject"], found["code"]) == ("narrow", "Resources.Net", "T523")
    assert (found["position"]["file"], found["position"]["line"]) == ("web.yaml", 1)
    asked = http("POST", "/v1/validations/check", {"composition": document})
    assert (asked.status, asked.document["diagnostics"]) == (200, refused.document["diagnostics"])
    assert http("GET", "/v1/processes").document == {"processes": [], "proposals": 0, "approved_proposals": 0}


def test_a_rule_that_is_violated_is_a_problem_that_names_the_process(http: Http) -> None:
    http("POST", "/v1/processes", {"composition": submission(WIDE).document, "alias": "web"})
    refused = http("POST", "/v1/validations", {"rule": RULE})
    assert (refused.status, refused.document["code"]) == (422, "validation")
    assert refused.document["diagnostics"][0]["subject"] == "web: Resources.Net"
    assert http("GET", "/v1/validations").document == {"validations": []}


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 422, "compile"),
        ({"rule": {**RULE, "expression": "foo"}}, 422, "compile"),
        ({"rule": "narrow"}, 400, "user"),
        ({"rule": RULE, "force": True}, 400, "user"),
    ],
)
def test_what_is_no_rule_is_refused(http: Http, body: object, status: int, code: str) -> None:
    refused = http("POST", "/v1/validations", body)
    assert (refused.status, refused.document["code"]) == (status, code)
    assert http("POST", "/v1/validations/check", {}).status == 400
