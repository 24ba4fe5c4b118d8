"""A graph that is larger than its place shows what was asked for, with and without scripts."""

from collections.abc import Callable

import pytest
from live import Live
from playwright.sync_api import BrowserContext, Page

from tenuto.service.access.own_secret import load_credentials

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]
Contexts = Callable[..., BrowserContext]


def runs(live: Live) -> None:
    lines = ["Resources:", "  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.4.0.0/16}}"]
    for n in range(20):
        lines += [
            f"  Sub{n:02}: {{Type: Simulated::Subnet, Properties: {{NetworkId: !Ref Net, CidrBlock: 10.4.{n}.0/24}}}}",
            f"  Web{n:02}: {{Type: Simulated::Server, Properties: {{SubnetId: !Ref Sub{n:02}, Image: debian-12}}}}",
        ]
    live.apply("many", "\n".join((*lines, "")))


def is_in_view(page: Page, name: str) -> bool:
    found: bool = page.evaluate(
        """name => {
          const box = document.getElementById(`g-${name}`).getBoundingClientRect();
          const place = document.querySelector(".canvas").getBoundingClientRect();
          return box.left >= place.left - 1 && box.right <= place.right + 1
            && box.top >= place.top - 1 && box.bottom <= place.bottom + 1;
        }""",
        name,
    )
    return found


def test_a_graph_begins_where_its_focus_or_its_root_is(live: Live, page: Page, open_context: Contexts) -> None:
    runs(live)
    for width in (360, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto("/processes/many/graph")
        assert is_in_view(page, "Net"), width
        page.goto("/processes/many/graph?focus=Web19&hops=3")
        assert is_in_view(page, "Web19"), width
    plain = open_context(java_script_enabled=False, viewport={"width": 1440, "height": 900}).new_page()
    plain.goto("/")
    plain.get_by_label("Secret").fill(load_credentials(live.folder / "credentials").secret)
    plain.get_by_role("button", name="Sign in").click()
    for path, name in (("", "Net"), ("?focus=Net&hops=1", "Net"), ("?focus=Web19&hops=1", "Web19")):
        plain.goto(f"/processes/many/graph{path}")
        canvas, box = plain.locator(".canvas").bounding_box(), plain.locator(f"#g-{name}").bounding_box()
        assert canvas
        assert box
        assert canvas["x"] <= box["x"] <= box["x"] + box["width"] <= canvas["x"] + canvas["width"], path
