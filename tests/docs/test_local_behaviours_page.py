"""The page of the behaviours of the local cloud has each number once, and names only tests that exist."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/reference/local-behaviours.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (\d+) \| (.+?) \| (.+) \|$", PAGE, re.MULTILINE)
NAMED = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", PAGE)


def test_each_of_the_eighty_behaviours_is_there_once_and_in_order() -> None:
    assert [int(number) for number, _, _ in ROWS] == list(range(1, 81))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_behaviour_has_a_test_or_says_why_it_has_none(row: tuple[str, str, str]) -> None:
    _, _, told = row
    assert re.match(r"(in part: )?`tests/\S+::test_\w+`|not yet|left out, because ", told), told
    assert ("in part" in told) == told.endswith(")"), "what a test leaves out stands in brackets"


@pytest.mark.parametrize(("file", "name"), NAMED, ids=lambda part: Path(part).stem)
def test_a_test_that_the_page_names_exists(file: str, name: str) -> None:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    assert name in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_a_test_that_bears_the_number_of_a_behaviour_is_on_the_page() -> None:
    """The tests of namespaces, of declared objects and of the nine tables bear numbers of this list."""
    without = []
    for file in ("test_namespaces.py", "test_declared_views.py", "test_nine_tables_contract.py"):
        text = (ROOT / "tests/behaviours" / file).read_text(encoding="utf-8")
        numbers = {int(found) for found in re.findall(r"def test_behaviour_(\d+)_", text)}
        without += sorted(number for number in numbers if "::test_" not in ROWS[number - 1][2])
    assert without == []
