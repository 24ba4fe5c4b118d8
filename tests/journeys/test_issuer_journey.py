"""Sign-in at an issuer as a person goes through it: a real browser, a real Conductor, and an issuer of another site.

The issuer is on `localhost` and the Conductor on `127.0.0.1`, which are two sites to a browser: the way back comes from
elsewhere, as it does with a real issuer, and brings no strict cookie.
"""

import re
import time
from collections.abc import Callable, Iterator

import pytest
from chromium import shop_in_front
from live import Live
from playwright.sync_api import Browser, Page, expect

from tenuto_testing.issuer import Issuer, served_issuer

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]
POLICY = """\
TenutoPolicy: 1
Users: [ann@example.org]
Grants:
  - {{To: ann@example.org, Commands: [status, events, suspend], Accounts: '*'}}
Identities:
  - {{Issuer: {url}, Audience: tenuto, User: "{{email}}", Minutes: 60}}
"""
WEB = "Resources: {Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16}}}\n"


@pytest.fixture(scope="module")
def issuer() -> Iterator[Issuer]:
    with served_issuer(Issuer(now=time.time)) as found:
        found.url = found.url.replace("127.0.0.1", "localhost")
        yield found


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory, issuer: Issuer) -> Iterator[Live]:
    """A Conductor that knows the issuer, with a process `shop`."""
    folder = tmp_path_factory.mktemp("issuer")
    policy = folder / "policy.yaml"
    policy.write_text(POLICY.format(url=issuer.url))
    issuing = ("--oidc-issuer", f"{issuer.url}=tenuto")
    with shop_in_front(folder, WEB, *issuing, TENUTO_PROVIDERS="simulated", TENUTO_REGION="sim-1") as found:
        found.tenuto("policy", "set", str(policy), check=True)
        yield found


@pytest.fixture
def open_page(live: Live, issuer: Issuer, chromium: Browser) -> Iterator[Callable[[], Page]]:
    """Make browsers without a cookie, whose pages ask nobody but the Conductor and the issuer."""
    wrong: list[str] = []
    known = (f"http://{live.listen}/", f"{issuer.url}/")
    issuer.person = {"sub": "u-1", "email": "ann@example.org", "email_verified": True}

    def make() -> Page:
        context = chromium.new_context(base_url=f"http://{live.listen}")
        context.set_default_timeout(20_000)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(f"script: {error}"))
        page.on(
            "console", lambda told: wrong.append(f"policy: {told.text}") if "Content Security" in told.text else None
        )
        page.on("request", lambda asked: None if asked.url.startswith(known) else wrong.append(f"host: {asked.url}"))
        return page

    yield make
    for one in chromium.contexts:
        one.close()
    assert wrong == []


def enter(page: Page) -> None:
    page.get_by_role("link", name="Sign in with the account of your organisation").click()


def test_a_person_signs_in_at_the_issuer_reads_and_signs_out(open_page: Callable[[], Page], live: Live) -> None:
    page = open_page()
    page.goto("/processes/shop")
    expect(page).to_have_url(re.compile("/login"))
    enter(page)
    expect(page).to_have_url(f"http://{live.listen}/processes/shop")
    expect(page.locator("details.user > summary")).to_contain_text("ann@example.org")
    expect(page.locator("#live.is-live")).to_be_visible()
    expect(page.get_by_role("link", name="Kill")).to_have_count(0)
    cookies = {one["name"]: one for one in page.context.cookies()}
    assert [one["sameSite"] for one in cookies.values()] == ["Strict"]
    assert all(one["httpOnly"] for one in cookies.values())
    page.get_by_role("button", name="Suspend").first.click()
    expect(page.get_by_text("Suspended").first).to_be_visible()
    assert live.status("shop")["last_job"] is not None
    page.locator("details.user > summary").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page).to_have_url(re.compile("/login$"))
    assert page.context.cookies() == []
    page.goto("/processes/shop")
    expect(page).to_have_url(re.compile("/login"))
    enter(page)
    expect(page.locator("details.user > summary")).to_contain_text("ann@example.org")


@pytest.mark.parametrize(
    "person",
    [
        {"sub": "u-2", "email": "mallory@example.org", "email_verified": True},
        {"sub": "u-1", "email": "ann@example.org", "email_verified": False},
        {"sub": "u-3"},
    ],
    ids=["another account", "an address that is not verified", "no address"],
)
def test_a_wrong_account_is_told_so_and_the_right_one_comes_in_afterwards(
    open_page: Callable[[], Page], issuer: Issuer, person: dict[str, object]
) -> None:
    page = open_page()
    issuer.person = person
    page.goto("/processes")
    enter(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("Not permitted")
    assert page.context.cookies() == []
    expect(page.locator("body")).not_to_contain_text("shop")
    page.goto("/processes")
    expect(page).to_have_url(re.compile("/login"))
    issuer.person = {"sub": "u-1", "email": "ann@example.org", "email_verified": True}
    enter(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("Processes")


def test_a_token_that_is_revoked_ends_the_page(open_page: Callable[[], Page], live: Live) -> None:
    page = open_page()
    page.goto("/processes")
    enter(page)
    expect(page.locator("#live.is-live")).to_be_visible()
    names = live.tenuto("user", "token", "list", "ann@example.org", "-o", "name", check=True).out.split()
    assert names
    for name in names:
        live.tenuto("user", "token", "revoke", "ann@example.org", name, check=True)
    expect(page.locator("#live")).to_have_text("signed out")
    page.goto("/processes")
    expect(page).to_have_url(re.compile("/login"))
