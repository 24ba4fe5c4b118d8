"""A page that stays open: it says when it hears nothing, and what is gone does not stay as it was."""

import re
from collections.abc import Callable

import pytest
from live import Live
from playwright.sync_api import BrowserContext, Page, expect

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]
Contexts = Callable[..., BrowserContext]


def runs(live: Live, alias: str) -> None:
    file = live.folder / f"{alias}.yaml"
    file.write_text("Resources: {Own: {Type: Simulated::Network, Properties: {CidrBlock: 10.7.0.0/16}}}\n")
    live.tenuto("run", str(file), "-a", alias, "--wait=60", check=True)


def test_a_process_that_ends_elsewhere_is_told_gone_on_every_open_page(live: Live, page: Page) -> None:
    runs(live, "brief")
    detail, graph = page.context.new_page(), page.context.new_page()
    for tab, path in ((page, ""), (detail, "/resources/Own"), (graph, "/graph")):
        tab.goto(f"/processes/brief{path}")
        expect(tab.locator("#live.is-live")).to_be_visible()
    live.tenuto("kill", "brief", "--wait=60", check=True)
    page.bring_to_front()
    expect(page.get_by_role("heading", name="This process is gone")).to_be_visible()
    expect(page.get_by_role("link", name="Graph")).to_have_count(0)
    for tab in (detail, graph):
        tab.bring_to_front()
        expect(tab.get_by_role("heading", level=1)).to_contain_text("404")


def test_a_kill_by_button_ends_on_a_page_that_says_gone_and_nothing_else(live: Live, page: Page) -> None:
    runs(live, "pressed")
    page.goto("/processes/pressed/kill")
    page.get_by_label("Type pressed to confirm").fill("pressed")
    page.get_by_role("button", name="Kill pressed").click()
    expect(page.get_by_role("heading", name="This process is gone")).to_be_visible()
    expect(page.get_by_text("The deletion begins")).to_have_count(0)
    expect(page).to_have_url(re.compile("/processes/pressed$"))


def test_a_page_says_at_once_that_its_conductor_is_away_and_when_it_was_heard_last(live: Live, page: Page) -> None:
    page.goto("/processes/shop")
    expect(page.locator("#live.is-live")).to_be_visible()
    live.stop()
    try:
        told = page.locator("#live.is-quiet")
        expect(told).to_have_text(re.compile(r"^not connected · last heard \d\d:\d\d:\d\d$"), timeout=8_000)
        page.wait_for_timeout(2_500)
        expect(told).to_have_text(re.compile("^not connected"))
    finally:
        live.start()
    expect(page.locator("#live.is-live")).to_be_visible()


def test_the_page_of_a_kill_tells_that_its_process_was_suspended_and_locked_elsewhere(live: Live, page: Page) -> None:
    page.goto("/processes/shop/kill")
    hint = page.get_by_text("The process has changed since this was shown")
    expect(page.locator("#live.is-live")).to_be_visible()
    page.wait_for_timeout(8_000)
    expect(hint).to_be_hidden()
    live.tenuto("suspend", "shop", check=True)
    try:
        expect(hint).to_be_visible()
        expect(page.locator(".head")).to_contain_text("Suspended")
        live.tenuto("property", "shop", "lock", "--set", "on", check=True)
        expect(page.locator(".head")).to_contain_text("locked")
    finally:
        live.tenuto("property", "shop", "lock", "--set", "off", check=True)
        live.tenuto("resume", "shop", "--wait=60", check=True)


def test_an_account_that_is_added_elsewhere_appears(live: Live, page: Page) -> None:
    page.goto("/accounts")
    expect(page.locator("#live.is-live")).to_be_visible()
    live.tenuto("account", "add", "other", "--provider", "simulated", check=True)
    expect(page.get_by_role("row", name="other")).to_be_visible()


def test_a_page_that_fetches_nothing_again_does_not_say_that_it_is_live(page: Page) -> None:
    page.goto("/types")
    expect(page.locator("#live")).to_have_text("connected · load again for news")


def test_a_note_goes_when_it_is_undone_elsewhere(live: Live, page: Page) -> None:
    page.goto("/processes/shop")
    page.locator("summary", has_text="More").last.click()
    page.get_by_role("button", name="Lock").click()
    note = page.get_by_text("Locked: no command is taken until it is unlocked.")
    expect(note).to_be_visible()
    expect(page.locator("#live.is-live")).to_be_visible()
    page.wait_for_timeout(4_000)
    expect(note).to_be_visible()
    live.tenuto("property", "shop", "lock", "--set", "off", check=True)
    expect(note).to_have_count(0)
