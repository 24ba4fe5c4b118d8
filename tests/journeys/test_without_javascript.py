"""Every button of the dashboard in a real browser that runs no script: what it does is a plain form."""

import re
from collections.abc import Callable

import pytest
from live import Live
from playwright.sync_api import BrowserContext, Page, expect

from tenuto.service.access.own_secret import load_credentials

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]
Contexts = Callable[..., BrowserContext]
POLICY = """\
TenutoPolicy: 1
Users: [ann]
Grants:
  - {To: ann, Commands: all, Accounts: ["*"]}
Approvals:
  - {Accounts: ["*"], Commands: [update], When: always, By: [ann], Count: 1}
"""
BROKEN = """\
Resources:
  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16}}
  Sub: {Type: Simulated::Subnet, Properties: {NetworkId: !Ref Net, CidrBlock: 10.9.1.0/24}}
"""


def enter(open_context: Contexts, secret: str) -> Page:
    """A page of a browser without scripts, which has signed in by the form."""
    page = open_context(java_script_enabled=False).new_page()
    page.goto("/")
    page.get_by_label("Secret").fill(secret)
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("header.top")).to_be_visible()
    return page


@pytest.fixture
def page(live: Live, open_context: Contexts) -> Page:
    return enter(open_context, load_credentials(live.folder / "credentials").secret)


def more(page: Page) -> None:
    """Open the menu of actions, which a browser does by itself."""
    page.locator(".acts summary").click()


def told(page: Page, words: str) -> None:
    expect(page.locator("p.note")).to_contain_text(words)


def test_each_button_of_a_process(live: Live, page: Page) -> None:
    page.goto("/processes/shop")
    page.get_by_role("button", name="Check now").click()
    told(page, "looks at it now")
    more(page)
    page.get_by_label("Enforcement off for").select_option("15 minutes")
    page.get_by_label("Why").fill("a test of the firewall")
    page.get_by_role("button", name="Switch off").click()
    told(page, "Enforcement is off")
    expect(page.locator(".where").first).to_contain_text("enforcement is off until")
    more(page)
    page.get_by_role("button", name="Enforcement on").click()
    told(page, "Enforcement is on")
    more(page)
    page.get_by_role("button", name="Lock", exact=True).click()
    told(page, "Locked")
    expect(page.get_by_role("button", name="Suspend")).to_have_count(0)
    more(page)
    page.get_by_role("button", name="Unlock").click()
    told(page, "Unlocked")
    page.get_by_role("button", name="Suspend").click()
    told(page, "Suspended")
    page.get_by_role("link", name="Review and resume").click()
    page.get_by_role("button", name="Resume: execute exactly this").click()
    told(page, "exactly the plan that was shown")
    live.until(lambda: live.status("shop")["converged"], "the plan is executed")


def test_a_suspended_failure_is_resumed_and_a_process_is_killed_by_its_name(live: Live, page: Page) -> None:
    (live.folder / "broken.yaml").write_text(BROKEN)
    live.tenuto("run", str(live.folder / "broken.yaml"), "-a", "broken", check=True)
    live.until(lambda: live.status("broken")["state"] == "Suspended", "it has failed")
    page.goto("/processes/broken/resources/Sub")
    expect(page.get_by_role("button", name="Retry")).to_have_count(0)  # Nothing is tried while it is suspended.
    page.goto("/processes/broken/plan")
    page.get_by_role("button", name="Resume: execute exactly this").click()
    told(page, "exactly the plan that was shown")
    live.until(lambda: live.status("broken")["state"] == "Suspended", "it has failed again")
    page.goto("/processes/broken/kill")
    page.get_by_label("Type broken to confirm").fill("shop")
    page.get_by_role("button", name="Kill broken").click()
    expect(page.get_by_role("alert")).to_contain_text("Nothing was done")
    page.get_by_label("Type broken to confirm").fill("broken")
    page.get_by_role("button", name="Kill broken").click()
    told(page, "The deletion begins")
    live.until(lambda: live.tenuto("status", "broken").code == 4, "it is gone")


def test_a_proposal_is_decided_and_not_by_its_proposer(live: Live, page: Page, open_context: Contexts) -> None:
    policy = live.folder / "policy.yaml"
    policy.write_text(POLICY)
    changed = live.folder / "changed.yaml"
    changed.write_text((live.folder / "web.yaml").read_text().replace("Label: main", "Label: other"))
    live.tenuto("policy", "set", str(policy), check=True)
    try:
        secret = live.tenuto("--json", "user", "generate-secret", "ann", check=True).document["secret"]
        for _ in range(2):
            live.tenuto("update", "shop", str(changed), "--propose", "-m", "another label", check=True)
        page.goto("/proposals/2")
        expect(page.locator("main")).to_contain_text("You cannot approve it")
        page.get_by_label("Why not").fill("once is enough")
        page.get_by_role("button", name="Withdraw").click()
        told(page, "over")
        ann = enter(open_context, secret)
        ann.get_by_role("link", name="Proposals").click()
        ann.locator("td a", has_text="1").first.click()
        ann.get_by_label("Comment").fill("good")
        ann.get_by_role("button", name="Approve").click()
        told(ann, "the plan that was shown is executed")
        live.until(lambda: "other" in live.tenuto("show", "shop", "Net").out, "the plan is executed")
    finally:
        live.tenuto("policy", "remove", check=True)


def test_notifications_themes_and_sessions(live: Live, page: Page, open_context: Contexts) -> None:
    live.tenuto("notification", "add", "chat", "--webhook", "http://127.0.0.1:9/hook", check=True)
    page.goto("/notifications")
    page.get_by_role("button", name="Send a test event").click()
    expect(page.locator("main")).to_contain_text("did not arrive")
    live.tenuto("notification", "remove", "chat", check=True)
    page.goto("/processes")
    page.locator("details.user > summary").click()
    page.get_by_role("button", name="dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page).to_have_url(re.compile("/processes$"))
    other = enter(open_context, load_credentials(live.folder / "credentials").secret)
    page.locator("details.user > summary").click()
    page.get_by_role("link", name="Sessions and rights").click()
    page.get_by_role("row").filter(has_not_text="this one").get_by_role("button", name="End").last.click()
    told(page, "The session is over")
    other.goto("/processes")
    still = page.locator("tr[data-row]").count()
    for _ in range(still - 1):
        page.get_by_role("row").filter(has_not_text="this one").get_by_role("button", name="End").last.click()
    other.goto("/processes")
    expect(other).to_have_url(re.compile("/login"))
    page.locator("details.user > summary").click()
    page.get_by_role("button", name="Sign out").click()
    page.goto("/processes")
    expect(page).to_have_url(re.compile("/login"))


def test_pages_are_turned_and_filtered_by_links_and_forms(live: Live, page: Page) -> None:
    page.goto("/events?limit=3")
    page.get_by_role("link", name="Older").click()
    expect(page.locator("tr[data-row]")).to_have_count(3)
    page.get_by_role("link", name="Newer").click()
    page.locator("main input[name=process]").fill("shop")
    page.get_by_role("button", name="Filter").click()
    expect(page).to_have_url(re.compile("process=shop"))
    page.locator("nav").get_by_text("More", exact=True).click()
    page.get_by_role("link", name="Types").click()
    page.locator("main input[name=q]").fill("Bucket")
    page.locator("main form button").first.click()
    expect(page.locator("main")).to_contain_text("Simulated::Bucket")
    page.get_by_label("Find a process, a resource or an id").fill("web-logs")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Find")


def test_a_code_of_the_command_line_can_be_typed(live: Live, open_context: Contexts) -> None:
    url = live.tenuto("web", check=True).out.strip()
    page = open_context(java_script_enabled=False).new_page()
    page.goto(url)
    assert "<code>code.</code>" in page.locator("noscript").inner_html()
    page.get_by_label("Secret").fill("code." + url.partition("#code=")[2])
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("header.top")).to_be_visible()


def test_a_plan_of_many_is_short_and_opens_by_keyboard(live: Live, page: Page) -> None:
    one = (
        "  G{n}: {{Type: Simulated::Group,"
        " Properties: {{NetworkId: !Ref Net, Ingress: [{{Protocol: tcp, Port: {n}}}]}}}}"
    )
    many = [one.format(n=number) for number in range(100, 220)]
    net = "  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16}}"
    (live.folder / "many.yaml").write_text("\n".join(("Resources:", net, *many, "")))
    live.tenuto("run", str(live.folder / "many.yaml"), "-a", "many", "--wait=120", check=True)
    page.set_viewport_size({"width": 360, "height": 800})
    page.goto("/processes/many/kill")
    assert page.evaluate("document.documentElement.scrollHeight") < 2000
    fold = page.locator("summary", has_text="DELETE 120")
    expect(page.get_by_role("link", name="G100", exact=True)).to_be_hidden()
    fold.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="G100", exact=True)).to_be_visible()
    page.get_by_label("Type many to confirm").fill("many")
    page.get_by_role("button", name="Kill many").click()
    told(page, "The deletion begins")
