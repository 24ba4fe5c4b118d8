"""Every page by keyboard alone: Tab comes to everything and shows where it is, and what opens can be closed."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from live import Live
from playwright.sync_api import BrowserContext, Page, expect

from tenuto.service.access.own_secret import load_credentials

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]
Contexts = Callable[..., BrowserContext]
PAGES = (
    "/", "/processes", "/processes/shop", "/processes/shop/graph", "/processes/shop/resources/Web",
    "/processes/shop/plan", "/processes/shop/history", "/processes/shop/outputs", "/processes/shop/kill",
    "/proposals", "/events?limit=5", "/phases", "/phases/resource.create", "/rates", "/nodes", "/accounts", "/rules",
    "/access", "/notifications", "/types?q=Bucket", "/types/Simulated::Bucket", "/find?q=shop", "/me", "/nothing",
)  # fmt: skip
STOPS = """() => {
  const shown = (one) => one.checkVisibility({ visibilityProperty: true })
    && !one.closest('details:not([open]) > :not(summary)')
  const all = [...document.querySelectorAll(
    'a[href], button, input:not([type=hidden]), select, summary, [tabindex="0"]')]
  return all.filter((one) => shown(one) && !one.closest('dialog') && !one.closest('.graph') && one.tabIndex >= 0).length
}"""
WHERE = """() => {
  const one = document.activeElement
  if (!one || one === document.body) return null
  const box = one.getBoundingClientRect()
  const ring = getComputedStyle(one)
  const inner = one.querySelector('rect') ? getComputedStyle(one.querySelector('rect')) : null
  const middle = document.elementFromPoint(box.left + box.width / 2, box.top + Math.min(box.height / 2, 12))
  return {
    name: (one.getAttribute('aria-label') || one.innerText || one.name || one.tagName).trim().slice(0, 40),
    isGraph: !!one.closest('.graph'),
    isVisible: box.width > 0 && box.bottom > 0 && box.right > 0
      && box.top < innerHeight && box.left < innerWidth,
    isUncovered: !!middle && (one.contains(middle) || middle.contains(one)),
    hasRing: (ring.outlineStyle !== 'none' && parseFloat(ring.outlineWidth) >= 2)
      || (!!inner && inner.strokeWidth === '3px'),
  }
}"""


def walk(page: Page, most: int = 400) -> list[dict[str, Any]]:
    """Every stop of the Tab key, from the top of the page until it leaves it."""
    stops: list[dict[str, Any]] = []
    for _ in range(most):
        page.keyboard.press("Tab")
        where = page.evaluate(WHERE)
        if where is None or (stops and where["name"] == stops[0]["name"] == "Skip to content"):
            return stops
        stops.append(where)
    raise AssertionError(f"the focus never leaves the page: {stops[-5:]}")


@pytest.mark.parametrize("width", [1280, 390])
def test_the_focus_comes_to_everything_and_is_always_seen(live: Live, page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    for path in PAGES:
        page.goto(path)
        wanted = page.evaluate(STOPS)
        stops = walk(page)
        assert stops[0]["name"] == "Skip to content", path
        assert len([one for one in stops if not one["isGraph"]]) == wanted, (path, [one["name"] for one in stops])
        assert len([one for one in stops if one["isGraph"]]) <= 1, f"{path}: one stop for the whole graph"
        for one in stops:
            assert one["isVisible"], (path, one)
            assert one["hasRing"], (path, one)
            assert one["isUncovered"], (path, one)


def test_the_skip_link_leads_behind_the_menu(live: Live, page: Page) -> None:
    page.goto("/processes/shop")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.locator("main a").first).to_be_focused()


def test_menus_and_the_dialog_of_keys_open_and_close(live: Live, page: Page) -> None:
    page.goto("/processes/shop")
    expect(page.locator("#live.is-live")).to_be_visible()
    menu = page.locator(".acts summary")
    menu.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Lock", exact=True)).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Lock", exact=True)).to_be_hidden()
    expect(menu).to_be_focused()
    page.keyboard.press("Enter")
    page.locator("details.user > summary").focus()
    expect(page.get_by_role("button", name="Lock", exact=True)).to_be_hidden()
    menu.focus()
    page.keyboard.press("?")
    dialog = page.locator("dialog#keys")
    expect(dialog).to_be_visible()
    page.keyboard.press("/")
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(menu).to_be_focused()


def test_the_focus_stays_where_it_is_while_the_page_is_fetched_anew(live: Live, page: Page) -> None:
    """Also on a button of a form, whose token is another one each time, and in an open menu."""
    page.goto("/processes/shop")
    expect(page.locator("#live.is-live")).to_be_visible()
    try:
        page.get_by_role("link", name="Web", exact=True).focus()
        live.tenuto("suspend", "shop", check=True)
        expect(page.get_by_role("link", name="Review and resume")).to_be_visible()
        expect(page.get_by_role("link", name="Web", exact=True)).to_be_focused()
        check = page.get_by_role("button", name="Check now")
        check.focus()
        live.tenuto("resume", "shop", check=True)
        expect(page.get_by_role("button", name="Suspend")).to_be_visible()
        expect(check).to_be_focused()
        page.locator(".acts summary").focus()
        page.keyboard.press("Enter")
        page.get_by_label("Enforcement off for").focus()
        live.tenuto("suspend", "shop", check=True)
        expect(page.get_by_role("link", name="Review and resume")).to_be_visible()
        expect(page.get_by_label("Enforcement off for")).to_be_focused()
    finally:
        live.tenuto("resume", "shop", check=False)
        live.until(lambda: live.status("shop")["converged"], "it is resumed")


def test_a_graph_is_one_stop_and_arrows_follow_its_lines(live: Live, page: Page) -> None:
    page.goto("/processes/shop/graph")
    page.locator(".canvas").focus()
    page.keyboard.press("Tab")
    first = page.evaluate("document.activeElement.dataset.name")
    assert first in ("Net", "Logs")
    page.locator("#g-Net").focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator("#g-Web")).to_be_focused()
    page.keyboard.press("d")
    expect(page.locator("#g-Logs")).to_have_class(re.compile("dim"))
    page.keyboard.press("Escape")
    expect(page.locator("#g-Logs")).not_to_have_class(re.compile("dim"))
    page.keyboard.press("Shift+Tab")
    expect(page.locator(".canvas")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator("#g-Web")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/resources/Web$"))


def test_without_scripts_each_box_of_a_graph_is_a_stop(live: Live, open_context: Contexts) -> None:
    page = open_context(java_script_enabled=False).new_page()
    sign_in_by_form(live, page)
    page.goto("/processes/shop/graph")
    page.locator(".canvas").focus()
    names = set()
    for _ in range(3):
        page.keyboard.press("Tab")
        names.add(page.locator(":focus").get_attribute("data-name"))
    assert names == {"Net", "Web", "Logs"}


def sign_in_by_form(live: Live, page: Page) -> None:
    page.goto("/")
    page.get_by_label("Secret").fill(load_credentials(live.folder / "credentials").secret)
    page.get_by_role("button", name="Sign in").click()
