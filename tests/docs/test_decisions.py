"""What comments call DECISIONS can be read in this repository."""

import re
from pathlib import Path

HOME = Path(__file__).parents[2]
PAGE = (HOME / "docs" / "decisions" / "0000-house.md").read_text(encoding="utf-8")
INDEX = (HOME / "docs" / "decisions" / "README.md").read_text(encoding="utf-8")


def test_every_decision_that_a_comment_names_is_on_the_page_and_no_other() -> None:
    named = {
        int(number)
        for path in [*HOME.glob("src/**/*.py"), *HOME.glob("testing/src/**/*.py"), *HOME.glob("docs/decisions/*.md")]
        for numbers in re.findall(r"DECISIONS (\d+(?:(?: and | to )\d+)*)", path.read_text(encoding="utf-8"))
        for number in re.findall(r"\d+", numbers)
    }
    assert {int(number) for number in re.findall(r"^\*\*(\d+)\.", PAGE, re.MULTILINE)} == named


def test_every_page_of_decisions_is_in_the_list() -> None:
    pages = {path.name for path in (HOME / "docs" / "decisions").glob("0*.md")}
    assert set(re.findall(r"\]\((0\d+-[a-z-]+\.md)\)", INDEX)) == pages
