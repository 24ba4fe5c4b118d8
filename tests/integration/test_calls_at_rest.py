"""The page about performance says what things at rest cost in calls.

In virtual time that is the same on every machine, so the page can be held against it.
"""

import re
from pathlib import Path

import pytest
from benchmarks.rest import TYPES, at_rest

PAGE = Path(__file__).parents[2] / "docs/reference/performance.md"
ROW = re.compile(r"^\| (AWS::[^|]+?) \| (\d+) \| \d+ \| [^|]+ \| \d+ \|", re.MULTILINE)
THINGS = 50


def told() -> dict[str, int]:
    """The calls of a period for fifty things, by type, as the page has them."""
    rows = ROW.findall(PAGE.read_text(encoding="utf-8"))
    return {name: int(calls) for names, calls in rows for name in re.findall(r"AWS::\w+::\w+", names)}


def test_the_page_has_a_row_for_each_type_that_is_measured() -> None:
    assert told().keys() == TYPES.keys()


@pytest.mark.parametrize("name", TYPES)
def test_things_at_rest_cost_as_many_calls_as_the_page_says(name: str) -> None:
    assert round(at_rest(THINGS, name, 300.0)["calls a period"]) == told()[name]
