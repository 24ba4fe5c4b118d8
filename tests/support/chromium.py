"""The Chromium of the system, and how a person signs in to the dashboard with it."""

import os

from live import Live
from playwright.sync_api import Page

CHROMIUM = os.environ.get("TENUTO_CHROMIUM", "/usr/bin/chromium")
OPTIONS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def sign_in(live: Live, page: Page, *arguments: str) -> None:
    page.goto(live.tenuto("web", *arguments, check=True).out.strip())
    page.wait_for_selector("header.top")
