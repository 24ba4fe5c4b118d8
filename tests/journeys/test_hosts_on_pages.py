"""Hosts of the local cloud in a browser: one falls silent, and the overview says so by itself."""

import re
from collections.abc import Callable, Iterator

import pytest
from chromium import check_page, shop_in_front, sign_in
from live import Live
from playwright.sync_api import BrowserContext, expect

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]
Contexts = Callable[..., BrowserContext]
SHOP = """\
Resources:
  Net: {Type: Tenuto::Compute::Network, Properties: {CidrBlock: 10.1.0.0/24}}
  Nic: {Type: Tenuto::Compute::NetworkInterface, Properties: {Network: !Ref Net}}
  Web: {Type: Tenuto::Compute::Instance, Properties: {Vcpus: 1, MemoryMiB: 512, Interfaces: [!Ref Nic]}}
"""


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A Conductor with simulated hosts, of which one has a machine."""
    folder = tmp_path_factory.mktemp("hosts")
    with shop_in_front(folder, SHOP, TENUTO_PROVIDERS="local", TENUTO_NODE_DEADLINE="2") as found:
        yield found


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_host_that_falls_silent_comes_to_the_overview_and_goes_again(
    live: Live, open_context: Contexts, theme: str
) -> None:
    context = open_context(color_scheme=theme, bypass_csp=True, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    sign_in(live, page)
    heading = page.get_by_role("heading", name="Hosts to look at")
    expect(heading).to_have_count(0)
    [host] = {
        one["host"] for one in live.tenuto("local", "list", "--json").document["things"] if one["resource"] == "Web"
    }
    live.tenuto("local", "unplug", host, check=True)
    expect(heading).to_be_visible()
    for path in ("/", "/nodes", f"/hosts/{host}"):
        check_page(page, path)
    page.goto(f"/find?q={host}")
    page.get_by_role("link", name=host, exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(host)
    page.goto("/")
    page.get_by_role("link", name=f"Open {host}").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(host)
    expect(page.get_by_text(re.compile("silent|lost")).first).to_be_visible()
    expect(page.get_by_role("link", name="Web")).to_be_visible()
    live.tenuto("local", "plug", host, check=True)
    expect(page.get_by_text("ready").first).to_be_visible()
    page.goto("/")
    expect(heading).to_have_count(0)
