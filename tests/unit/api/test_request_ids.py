"""The id of each request: from the client where it is well-formed, else a new one; in every answer, also a refusal."""

import re

import pytest
from front import Front, Http, served

from tenuto.kit.current_request import HEADER

MADE = re.compile(r"[0-9a-f]{16}")


@pytest.mark.parametrize("given", ["7e57ab1e", "deploy-2026.11_25", "a" * 64])
def test_a_well_formed_id_is_taken(given: str) -> None:
    with served(Front()) as url:
        assert Http(url)("GET", "/v1/processes", **{HEADER: given}).headers[HEADER.lower()] == given


@pytest.mark.parametrize(
    "given", ["short", "a" * 65, "", "with space 12", "-leading-dash", "<script>1234", "trailing-"]
)
def test_any_other_is_replaced(given: str) -> None:
    with served(Front()) as url:
        assert MADE.fullmatch(Http(url)("GET", "/v1/processes", **{HEADER: given}).headers[HEADER.lower()])


def test_each_request_has_an_id_of_its_own_also_one_that_is_refused() -> None:
    with served(Front()) as url:
        answers = [
            Http(url)("GET", "/v1/processes"),
            Http(url)("GET", "/v1/processes"),
            Http(url)("GET", "/v1/nowhere"),
            Http(url, secret=None)("GET", "/v1/processes"),
            Http(url)("GET", "/v1/processes/nobody"),
        ]
    assert [one.status for one in answers] == [200, 200, 404, 401, 404]
    assert len({one.headers[HEADER.lower()] for one in answers}) == len(answers)
