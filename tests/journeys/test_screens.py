"""Screens of every width, with large letters and open menus: nothing stands outside, nothing scrolls sideways."""

from collections.abc import Callable

import pytest
from chromium import sign_in
from live import Live
from playwright.sync_api import BrowserContext, Page

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
Contexts = Callable[..., BrowserContext]
SCREENS = [(width, percent) for width in (320, 360, 768, 1024, 1400) for percent in (100, 200)]
OVER = "document.documentElement.scrollWidth - innerWidth"


@pytest.fixture
def large(live: Live, open_context: Contexts) -> Page:
    """A page whose letters a test may enlarge."""
    page = open_context(bypass_csp=True).new_page()
    sign_in(live, page)
    return page


def shown_at(page: Page, width: int, percent: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate("percent => document.documentElement.style.setProperty('font-size', `${percent}%`)", percent)


def test_every_open_menu_stands_on_the_screen(large: Page) -> None:
    large.goto("/processes/shop")
    wrong = []
    for width, percent in SCREENS:
        shown_at(large, width, percent)
        for menu in large.locator("details.drop").all():
            menu.locator("summary").click()
            box = menu.locator("ul").bounding_box()
            name = menu.locator("summary").inner_text()
            assert box
            if box["x"] < 0 or box["x"] + box["width"] > width or large.evaluate(OVER) > 0:
                wrong.append((width, percent, name, box["x"], box["x"] + box["width"]))
            large.keyboard.press("Escape")
    assert wrong == []


def test_no_page_scrolls_sideways_with_large_letters(live: Live, large: Page) -> None:
    live.tenuto("kill", "shop", "--propose", "-m", "not needed", check=True)
    live.tenuto("suspend", "shop", check=True)
    wrong = []
    try:
        for path in ("/", "/processes", "/processes/shop", "/processes/shop/plan", "/proposals/1", "/events"):
            large.goto(path)
            for width, percent in SCREENS:
                shown_at(large, width, percent)
                if (over := large.evaluate(OVER)) > 0:
                    wrong.append((path, width, percent, over))
    finally:
        live.tenuto("resume", "shop", "--wait=60", check=True)
        live.tenuto("reject", "1", check=True)
    assert wrong == []
