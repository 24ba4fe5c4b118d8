"""Each file in `mistakes` holds what it is named after, and says on the line itself which code belongs there."""

import re
from pathlib import Path

import pytest
from mistakes import FILES, diagnostics_of, expected

SAYS_WHAT_IS_ALLOWED = re.compile(
    r"\b(must|needs?|may|it has|at most|at least|is no|takes|not both|is written|does not match)\b"
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_mistake_is_reported_once_with_its_code_at_its_place(path: Path) -> None:
    found = [
        (one.code, one.position.line if one.position else 0, one.position.column if one.position else 0)
        for one in diagnostics_of(path)
    ]
    assert found == expected(path)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_diagnostic_says_what_is_wrong_and_what_to_do(path: Path) -> None:
    """What is allowed stands in the detail of some; a hint that only says so again would be noise."""
    for diagnostic in diagnostics_of(path):
        assert diagnostic.detail.endswith(".")
        assert diagnostic.hint or SAYS_WHAT_IS_ALLOWED.search(diagnostic.detail), diagnostic
        assert "above" not in diagnostic.hint or "stands above" in diagnostic.hint
        assert diagnostic.summary


def test_the_folder_holds_at_least_forty_five_distinct_mistakes() -> None:
    assert len(FILES) >= 45
    assert len({code for path in FILES for code, _, _ in expected(path)}) >= 45


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("join_of_a_text", "The second part of Fn::Join must be a list, and is text."),
        ("unknown_mapping_without_section", "There is no mapping Net: the template has no Mappings."),
        ("region_as_zone", "AvailabilityZone is 'eu-west-1', which names a region and no zone."),
    ],
)
def test_a_value_of_another_kind_is_named(name: str, told: str) -> None:
    [found] = [one for path in FILES if path.stem == name for one in diagnostics_of(path)]
    assert told in found.detail
