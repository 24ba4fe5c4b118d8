"""The summary at the end of a wait, of what a caller may read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from tenuto.cli.processes.achieved import achieved, achieved_text
from tenuto.cli.terminal.exits import ApiProblem, UnreachableError
from tenuto.model.ids import JsonMap

TAKEN = {"fid": "f", "updated": "2026-01-31T12:00:00.000Z"}
JOBS = [{"data": {"achieved": {"create": 2}}}, {"data": {"achieved": {"create": 1, "modify": 1}}}, {"data": {}}]
OPS = [{"code": None}, {"code": "Throttling"}]


@dataclass
class Reads:
    """A client that may read some lists, by the last word of their path."""

    lists: Mapping[str, list[Any]]
    problem: Exception
    calls_since: str = TAKEN["updated"]

    def get(self, *path: str, **query: Any) -> JsonMap:
        assert query["start"] == (self.calls_since if path[-1] == "ops" else TAKEN["updated"])
        if path[-1] not in self.lists:
            raise self.problem
        return {path[-1]: self.lists[path[-1]]}


@pytest.mark.parametrize(
    ("lists", "text"),
    [
        ({"events": JOBS, "ops": OPS}, "In 41 s: 3 created, 1 modified; 2 calls, 1 throttled."),
        ({"events": [], "ops": OPS[:1]}, "In 41 s: no resource changed; 1 call."),
        ({"events": JOBS}, "In 41 s: 3 created, 1 modified."),
        ({"ops": OPS[:1]}, "In 41 s: 1 call."),
        ({}, "In 41 s."),
    ],
)
@pytest.mark.parametrize("problem", [ApiProblem({"title": "denied"}), UnreachableError("it is away")])
def test_what_a_caller_cannot_read_is_left_out(lists: dict[str, list[Any]], text: str, problem: Exception) -> None:
    assert achieved_text(achieved(Reads(lists, problem), TAKEN, 41.2)) == text


def test_a_job_that_the_command_overtook_counts_neither_by_its_changes_nor_by_its_calls() -> None:
    jobs = [
        {"data": {"started": "2026-01-31T11:59:20.000Z", "achieved": {"create": 6, "delete": 1}}},
        {"data": {"started": "2026-01-31T12:00:02.000Z", "achieved": {"create": 1}}},
        {"data": {"started": "2026-01-31T12:00:09.000Z"}},
    ]
    reads = Reads({"events": jobs, "ops": OPS}, UnreachableError("it is away"), calls_since="2026-01-31T12:00:02.000Z")
    assert achieved_text(achieved(reads, TAKEN, 5.0)) == "In 5 s: 1 created; 2 calls, 1 throttled."
    overtaken = Reads({"events": jobs[:1], "ops": []}, UnreachableError("it is away"))
    assert achieved_text(achieved(overtaken, TAKEN, 5.0)) == "In 5 s: no resource changed; 0 calls."
