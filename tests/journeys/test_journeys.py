"""The dashboard as a person uses it, in a real browser, in front of a real Conductor."""

import json
import re
from collections.abc import Callable

import pytest
from chromium import check_page, sign_in
from live import Live
from playwright.sync_api import BrowserContext, Page, Route, expect

from tenuto.service.access.own_secret import load_credentials

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]
PAGES = (
    "/",
    "/processes",
    "/processes/shop",
    "/processes/shop/graph",
    "/processes/shop/resources/Web",
    "/processes/shop/plan",
    "/processes/shop/history",
    "/processes/shop/kill",
    "/events",
    "/phases",
    "/access",
    f"/find?q={'x' * 300}",
)
Contexts = Callable[..., BrowserContext]


def group_of(live: Live) -> str:
    found = live.id("shop", "Web")
    assert found
    return found


def test_drift_is_seen_and_healed_while_a_person_watches(live: Live, page: Page, open_context: Contexts) -> None:
    """A port is opened by hand; nobody presses anything."""
    count = page.locator("#drift-count")
    before = int(count.inner_text())  # A test before this one may have had a drift healed, of the same Conductor.
    live.tenuto("property", "shop", "enforcement", "--set", "off", check=True)
    rows = page.context.new_page()
    rows.goto("/processes")
    expect(rows.get_by_role("row", name=re.compile("shop"))).to_contain_text("not enforced")
    opened = [{"Protocol": "tcp", "Port": 443}, {"Protocol": "tcp", "Port": 22}]
    live.tenuto("simulated", "set", group_of(live), "Ingress", json.dumps(opened), check=True)
    page.bring_to_front()
    expect(count).to_have_text(str(before + 1))
    rows.bring_to_front()
    expect(rows.get_by_role("row", name=re.compile("shop"))).to_contain_text("≠ drift")
    detail = page.context.new_page()
    detail.goto("/processes/shop/resources/Web")
    ingress = detail.get_by_role("row", name=re.compile("^Ingress"))
    expect(ingress).to_contain_text("drift")
    expect(ingress).to_contain_text('"Port": 22')
    live.tenuto("property", "shop", "enforcement", "--set", "on", check=True)
    expect(ingress).to_contain_text("same")
    detail.goto("/processes/shop/history")
    expect(detail.locator(".entry-drift").first).to_contain_text("healed in")


def test_sign_in_and_out_with_a_secret_by_keyboard_alone(live: Live, open_context: Contexts) -> None:
    page = open_context().new_page()
    page.goto("/processes/shop")
    page.keyboard.type("wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("not right")
    page.keyboard.type(load_credentials(live.folder / "credentials").secret)
    page.keyboard.press("Enter")
    expect(page.locator("#live.is-live")).to_be_visible()
    page.keyboard.press("g")
    page.keyboard.press("p")
    expect(page.get_by_role("heading", level=1)).to_have_text("Processes")
    expect(page.locator("#live.is-live")).to_be_visible()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/processes/shop$"))
    expect(page.locator("#live.is-live")).to_be_visible()
    page.keyboard.press(".")
    expect(page.get_by_role("button", name="Check now")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("The Conductor looks at it now.")).to_be_visible()
    expect(page.locator("#live.is-live")).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("web-logs")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Nothing found")).to_be_visible()
    menu = page.locator("details.user > summary")
    menu.focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Sign out").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Secret")).to_be_focused()


def test_suspend_then_a_plan_that_moved_is_refused_and_then_resumed(live: Live, page: Page) -> None:
    page.goto("/processes/shop")
    page.get_by_role("button", name="Suspend").click()
    expect(page.get_by_text("no new work begins")).to_be_visible()
    page.get_by_role("link", name="Review and resume").click()
    expect(page.get_by_text("nothing to do")).to_be_visible()
    live.tenuto("simulated", "set", live.id("shop", "Net") or "", "Label", "by-hand", check=True)
    page.get_by_role("button", name="Resume: execute exactly this").click()
    expect(page.get_by_role("alert")).to_contain_text("planned now: modify Net")
    assert live.status("shop")["state"] == "Suspended"
    assert page.url.endswith("/processes/shop/plan")
    page.goto("/events")
    page.go_back()
    expect(page.get_by_text("What resume would do")).to_be_visible()
    page.get_by_role("button", name="Resume: execute exactly this").click()
    expect(page.get_by_text("exactly the plan that was shown")).to_be_visible()
    live.until(lambda: live.status("shop")["converged"], "the plan is executed")


def test_without_javascript_everything_works_by_links_and_forms(live: Live, open_context: Contexts) -> None:
    page = open_context(java_script_enabled=False).new_page()
    page.goto("/")
    page.get_by_label("Secret").fill(load_credentials(live.folder / "credentials").secret)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="Processes").click()
    page.get_by_label("Name", exact=True).fill("sho")
    page.get_by_role("button", name="Filter").click()
    page.get_by_role("link", name="shop").click()
    page.get_by_role("button", name="Check now").click()
    expect(page.get_by_text("The Conductor looks at it now.")).to_be_visible()
    page.get_by_role("link", name="Graph").click()
    page.get_by_role("link", name=re.compile("^Web, ")).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Web")
    expect(page.get_by_text("Load again for news")).to_be_attached()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pages_are_accessible_and_fit_a_narrow_screen(live: Live, open_context: Contexts, theme: str) -> None:
    context = open_context(color_scheme=theme, bypass_csp=True, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    sign_in(live, page)
    for path in PAGES:
        check_page(page, path)


def test_events_stand_still_while_they_are_paused_and_are_saved_as_json(live: Live, page: Page) -> None:
    page.goto("/events")
    expect(page.locator("#live.is-live")).to_be_visible()
    page.get_by_role("button", name="Pause").click()
    page.wait_for_timeout(1500)  # What was fetched before arrives.
    newest = page.locator("tr[data-row]").first.get_attribute("id")
    live.tenuto("suspend", "shop", check=True)
    page.wait_for_timeout(2000)
    assert page.locator("tr[data-row]").first.get_attribute("id") == newest
    page.get_by_role("button", name="Go on").click()
    expect(page.locator("tr[data-row]").first).not_to_have_attribute("id", newest or "")
    with page.expect_download() as saved:
        page.get_by_role("link", name="Save as JSON").click()
    events = json.loads(saved.value.path().read_text())["events"]
    assert any(one["data"].get("command") == "suspend" for one in events)
    live.tenuto("resume", "shop", check=True)


def test_seven_tabs_have_one_stream_and_all_hear(live: Live, page: Page) -> None:
    tabs = [page, *(page.context.new_page() for _ in range(6))]
    streams: list[str] = []
    page.context.on("request", lambda asked: streams.append(asked.url) if asked.url.endswith("/live") else None)
    for tab in tabs:
        tab.goto("/processes/shop")
    for tab in tabs:
        expect(tab.locator("#live.is-live")).to_be_visible()
    assert len(streams) <= 2, "the leader has it; the first page may have led before it was loaded again"
    live.tenuto("suspend", "shop", check=True)
    for tab in tabs:
        tab.bring_to_front()
        expect(tab.get_by_role("link", name="Review and resume")).to_be_visible()
    live.tenuto("resume", "shop", check=True)


def test_a_session_that_ends_elsewhere_asks_no_more(live: Live, page: Page) -> None:
    page.goto("/")
    expect(page.locator("#live.is-live")).to_be_visible()
    for one in live.tenuto("--json", "user", "sessions", check=True).document["sessions"]:
        live.tenuto("user", "end-session", one["id"], check=True)
    expect(page.locator("#live")).to_have_text("signed out")
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url))
    page.wait_for_timeout(1500)
    assert asked == []


def test_a_page_recovers_when_the_conductor_restarts(live: Live, page: Page) -> None:
    page.goto("/processes/shop")
    expect(page.locator("#live.is-live")).to_be_visible()
    live.stop()
    live.start()
    live.tenuto("suspend", "shop", check=True)
    expect(page.get_by_role("link", name="Review and resume")).to_be_visible(timeout=30_000)
    live.tenuto("resume", "shop", check=True)


def test_a_kill_is_confirmed_by_the_name(live: Live, page: Page) -> None:
    live.tenuto("run", str(live.folder / "web.yaml"), "-a", "gone", check=False)
    live.until(lambda: live.status("gone") is not None, "it runs")
    page.goto("/processes/gone/kill")
    page.get_by_label("Type gone to confirm").fill("wrong")
    page.get_by_role("button", name="Kill gone").click()
    expect(page.get_by_role("alert").first).to_be_visible()
    live.until(lambda: live.status("gone")["last_job"] is not None, "it has done something")
    page.goto("/processes/gone/kill")
    page.get_by_label("Type gone to confirm").fill("gone")
    page.get_by_role("button", name="Kill gone").click()
    live.until(lambda: (live.status("gone") or {"state": "Killing"})["state"] == "Killing", "it is killed or gone")
    expect(page).not_to_have_url(re.compile("/kill$"))


def test_a_page_that_asks_too_much_rests_and_then_shows_what_it_missed(live: Live, page: Page) -> None:
    refused: list[str] = []

    def wait_first(route: Route) -> None:
        if refused:
            route.continue_()
        else:
            refused.append(route.request.url)
            route.fulfill(status=429, headers={"Retry-After": "3"}, body="Wait 3 s, then try again.")

    page.goto("/processes/shop")
    expect(page.locator("#live.is-live")).to_be_visible()
    page.route(re.compile(r"[?&]part="), wait_first)
    live.tenuto("suspend", "shop", check=True)
    try:
        expect(page.locator("#live")).to_have_text("many requests · a short rest")
        expect(page.locator("#live.is-live")).to_be_visible()
        expect(page.get_by_text("Suspended").first).to_be_visible()
        assert len(refused) == 1
    finally:
        live.tenuto("resume", "shop", "--wait=60", check=True)
