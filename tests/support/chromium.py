"""The Chromium of the system, how a person signs in to the dashboard with it, and what every page there must be."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from live import Live
from playwright.sync_api import Page

CHROMIUM = os.environ.get("TENUTO_CHROMIUM", "/usr/bin/chromium")
OPTIONS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@contextmanager
def shop_in_front(folder: Path, template: str, *options: str, **settings: str) -> Iterator[Live]:
    """A Conductor with a process `shop`, which stands. Without a Chromium to look at it, the test is skipped."""
    if not Path(CHROMIUM).exists():
        pytest.skip(f"there is no Chromium at {CHROMIUM}: apt-get install chromium, or set TENUTO_CHROMIUM")
    live = Live(folder, "http://127.0.0.1:9", TENUTO_PERIOD="3", **settings)
    file = folder / "web.yaml"
    file.write_text(template)
    try:
        live.start(*options)
        live.tenuto("run", str(file), "-a", "shop", "--wait=60", check=True)
        yield live
    finally:
        live.stop()


def sign_in(live: Live, page: Page, *arguments: str) -> None:
    page.goto(live.tenuto("web", *arguments, check=True).out.strip())
    page.wait_for_selector("header.top")


def check_page(page: Page, path: str) -> None:
    """Open a page; it is accessible, and fits every screen."""
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(path)
    found = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]})
    assert found.violations_count == 0, f"{path}: {found.generate_report()}"
    for width in (320, 360, 1600):
        page.set_viewport_size({"width": width, "height": 900})
        over = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert over <= 0, f"{path} is {over} px too wide for {width}"
