import re

from diagnostics_page import PAGE, render_page

from tenuto.compositions.diagnostics.codes import CODES

EXAMPLE = re.compile(r"```text\n.*?```\n", re.DOTALL)
"""Examples name properties of the published schemas, which grow from release to release: they are not compared."""


def test_the_page_is_what_the_table_says() -> None:
    page = EXAMPLE.sub("", PAGE.read_text(encoding="utf-8"))
    assert page == EXAMPLE.sub("", render_page()), "run: python tests/support/diagnostics_page.py"


def test_every_code_has_one_section_and_no_other_has() -> None:
    sections = re.findall(r"^## (T\d{3}) ", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert sections == [code.code for code in CODES]


def test_no_code_is_given_twice() -> None:
    codes = [code.code for code in CODES]
    assert codes == sorted(set(codes))


def test_every_code_says_what_to_do_unless_its_detail_always_says_what_is_allowed() -> None:
    said = ["T104", "T302", "T506", "T507", "T508", "T509", "T510", "T513", "T514", "T521", "T527"]
    assert [code.code for code in CODES if not code.hint] == said
