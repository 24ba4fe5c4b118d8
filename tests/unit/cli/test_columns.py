"""The columns that texts take on a terminal, and tables of letters that take two."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenuto.cli.terminal.columns import beginning, columns, end, padded
from tenuto.cli.terminal.tables import table

ACUTE = "e\N{COMBINING ACUTE ACCENT}"
TEXTS = st.text(alphabet=st.sampled_from(["a", "日", "🚀", "é", *ACUTE]))


@pytest.mark.parametrize(("text", "width"), [("web", 3), ("日本", 4), ("🚀", 2), (ACUTE, 1), ("ＡＢ", 4), ("", 0)])
def test_a_text_takes_the_columns_of_its_letters(text: str, width: int) -> None:
    assert columns(text) == width


@given(TEXTS, st.integers(min_value=0, max_value=12))
def test_what_is_cut_fits_and_no_more_would(text: str, width: int) -> None:
    first, last = beginning(text, width), end(text, width)
    assert (text.startswith(first), text.endswith(last)) == (True, True)
    assert columns(first) <= width
    assert columns(last) <= width
    if first != text:
        assert columns(text[: len(first) + 1]) > width
    assert columns(padded(first, 12)) == 12


def test_rows_of_wide_letters_stand_in_line() -> None:
    rows = [["日本語サーバー", "Running"], ["web", "Running"], ["🚀 rocket " * 4, "Running"]]
    for width in (None, 40):
        lines = table(["Process", "State"], rows, width=width, is_redrawn=True).splitlines()
        assert {columns(line[: line.index("Running")]) for line in lines if "Running" in line} == {
            columns(lines[0][: lines[0].index("State")])
        }
        assert width is None or all(columns(line) <= width for line in lines)
