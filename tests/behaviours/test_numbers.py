"""Every numbered behaviour has a test that names its number."""

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]


def test_every_behaviour_up_to_80_has_a_test_that_names_it() -> None:
    named = {
        int(number)
        for path in TESTS.rglob("test_*.py")
        for number in re.findall(r"def test_behaviour_(\d+)_", path.read_text())
    }
    assert sorted(set(range(1, 81)) - named) == []
