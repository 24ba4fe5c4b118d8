"""The published pictures come from the tables."""

from pathlib import Path

from tenuto.lifecycles.catalogue import TABLES
from tenuto.lifecycles.diagrams import render_page

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "lifecycles.md"


def test_the_page_is_what_the_tables_draw() -> None:
    assert PAGE.read_text(encoding="utf-8") == render_page(TABLES.values()), (
        "run: python -m tenuto.lifecycles.diagrams > docs/reference/lifecycles.md"
    )


def test_every_type_is_on_the_page() -> None:
    page = render_page(TABLES.values())
    assert all(f"## {name}\n" in page for name in TABLES)
