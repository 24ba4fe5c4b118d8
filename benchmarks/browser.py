"""A real browser that looks at the dashboard, and measures in itself when it painted and when its page changed."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

_CHROMIUM = os.environ.get("TENUTO_CHROMIUM", "/usr/bin/chromium")


@contextmanager
def painted(port: int, session: str) -> Iterator[Callable[[], dict[str, list[float]]]]:
    """A real browser at the events; gives what it measured in itself. `session` is the cookie of a user."""
    if not Path(_CHROMIUM).exists():
        yield lambda: {"paint": [], "late": []}
        return
    from playwright.sync_api import sync_playwright

    name, _, value = session.partition("=")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=_CHROMIUM, args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        )
        context = browser.new_context(base_url=f"http://127.0.0.1:{port}")
        context.add_cookies([{"name": name, "value": value, "url": f"http://127.0.0.1:{port}"}])
        page = context.new_page()
        paints = []
        for _ in range(5):
            page.goto("/processes")
            page.wait_for_timeout(150)
            paint = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
            paints.append((page.evaluate(paint) or 0.0) / 1000)
        page.goto("/events")
        page.wait_for_selector("#live.is-live")
        page.evaluate(_OBSERVE)
        yield lambda: {"paint": paints[1:], "late": json.loads(page.evaluate("JSON.stringify(window.late)"))}
        browser.close()


_OBSERVE = """() => {
  window.late = [];
  const seen = new Set([...document.querySelectorAll('tr[data-row]')].map((one) => one.id));
  new MutationObserver(() => {
    const now = Date.now() / 1000;
    for (const row of document.querySelectorAll('tr[data-row]')) {
      if (seen.has(row.id)) continue;
      seen.add(row.id);
      const at = Number(row.lastElementChild.textContent);
      if (at) window.late.push(now - at);
    }
  }).observe(document.querySelector('[data-part]'), { childList: true, subtree: true });
}"""
