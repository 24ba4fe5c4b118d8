"""docs/guide/dashboard.png, taken of a real Conductor by a real browser.

Run `python tests/support/dashboard_picture.py` to take it again.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from chromium import CHROMIUM, OPTIONS
from live import Live
from playwright.sync_api import sync_playwright

from tenuto.bootstrap.demo.site import BROKEN, SHOP

PICTURE = Path(__file__).parents[2] / "docs" / "guide" / "dashboard.png"


def take(folder: Path) -> None:
    live = Live(folder, "http://127.0.0.1:9", TENUTO_PROVIDERS="simulated", TENUTO_REGION="sim-1", TENUTO_PERIOD="3")
    for name, text in (("shop", SHOP), ("broken", BROKEN)):
        (folder / f"{name}.yaml").write_text(text)
    try:
        live.start()
        for name in ("shop", "orders", "search", "billing"):
            live.tenuto("run", str(folder / "shop.yaml"), "-a", name, check=True)
        for name in ("vpn-eu", "vpn-us"):
            live.tenuto("run", str(folder / "broken.yaml"), "-a", name, check=True)
        live.until(lambda: live.status("billing")["converged"], "all is built")
        live.tenuto("property", "search", "enforcement", "--set", "off", check=True)
        group = live.id("search", "Web") or ""
        opened = '[{"Protocol": "tcp", "Port": 443}, {"Protocol": "tcp", "Port": 22}]'
        live.tenuto("simulated", "set", group, "Ingress", opened, check=True)
        summary = live.tenuto
        live.until(lambda: summary("--json", "status", "--summary").document["drift"]["found"] == 1, "drift is found")
        url = live.tenuto("web", check=True).out.strip()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(OPTIONS))
            page = browser.new_page(viewport={"width": 1280, "height": 640}, color_scheme="light")
            page.goto(url)
            page.wait_for_selector("#live.is-live")
            page.screenshot(path=str(PICTURE))
            browser.close()
    finally:
        live.stop()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        take(Path(made))
