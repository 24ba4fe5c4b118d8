"""A real Conductor with the simulated provider, and Chromium in front of it.

Where there is no Chromium the journeys are skipped, with the reason. A page that asks another host for anything, breaks
its own policy of content, or throws in a script fails the journey.
"""

from collections.abc import Callable, Iterator

import pytest
from chromium import CHROMIUM, OPTIONS, shop_in_front, sign_in
from live import Live
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

expect.set_options(timeout=20_000)  # A machine with other work on it takes its time; what is right comes at once.
WEB = """\
Resources:
  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16, Label: main}}
  Web: {Type: Simulated::Group, Properties: {NetworkId: !Ref Net, Ingress: [{Protocol: tcp, Port: 443}]}}
  Logs: {Type: Simulated::Bucket, Properties: {Name: web-logs}}
"""


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A Conductor with a process `shop`, which stands."""
    folder = tmp_path_factory.mktemp("journeys")
    with shop_in_front(folder, WEB, TENUTO_PROVIDERS="simulated", TENUTO_REGION="sim-1") as found:
        yield found


@pytest.fixture(scope="module")
def chromium(live: Live) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(OPTIONS))
        yield browser
        browser.close()


@pytest.fixture
def open_context(live: Live, chromium: Browser) -> Iterator[Callable[..., BrowserContext]]:
    """Make contexts of the browser, each with cookies of its own, of which nothing bad may be heard."""
    wrong: list[str] = []
    made: list[BrowserContext] = []
    own = f"http://{live.listen}"

    def listen(page: Page) -> None:
        page.on("pageerror", lambda error: wrong.append(f"script: {error}"))
        page.on(
            "console", lambda told: wrong.append(f"policy: {told.text}") if "Content Security" in told.text else None
        )
        page.on("request", lambda asked: wrong.append(f"host: {asked.url}") if not asked.url.startswith(own) else None)

    def make(**options: object) -> BrowserContext:
        context = chromium.new_context(base_url=own, **options)  # type: ignore[arg-type]
        context.set_default_timeout(20_000)
        context.on("page", listen)
        made.append(context)
        return context

    yield make
    for one in made:
        one.close()
    assert wrong == []


@pytest.fixture
def page(live: Live, open_context: Callable[..., BrowserContext]) -> Page:
    """A page that has signed in by the URL of `tenuto web`."""
    found = open_context().new_page()
    sign_in(live, found)
    return found
