"""A browser without scripts: it keeps cookies, sends what browsers send, and fills in forms. And the whole front."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import unescape
from urllib.parse import urlencode

import urllib3
from front import SECRET
from loopback import serving

from tenuto.bootstrap.serving.front import create_front
from tenuto.service.services import Services
from tenuto.web.guard import Door


@dataclass(frozen=True)
class Shown:
    """A page as it arrived."""

    status: int
    text: str
    headers: urllib3.HTTPHeaderDict

    @property
    def words(self) -> str:
        """What a person reads, in one line."""
        return " ".join(unescape(re.sub(r"<[^>]+>", " ", self.text)).split())

    def field(self, name: str, action: str = "") -> str:
        """The value of the first field of that name, in the form with that action when one is named."""
        text = self.text
        if action:
            text = text[text.index(f'action="{action}"') :]
        found = re.search(rf'name="{name}" value="([^"]*)"', text)
        assert found, f"no field {name}: {self.words}"
        return unescape(found[1])


@dataclass
class Browser:
    """One browser with its cookies."""

    url: str
    cookies: dict[str, str] = field(default_factory=dict)

    def get(self, path: str, **headers: str) -> Shown:
        return self._send("GET", path, None, {"Sec-Fetch-Site": "same-origin"} | headers)

    def post(self, path: str, fields: dict[str, str], **headers: str) -> Shown:
        """Send a form as a page of the site does; what is given stands in place of its headers."""
        usual = {
            "Content-Type": "application/x-www-form-urlencoded",
            "Origin": self.url,
            "Sec-Fetch-Site": "same-origin",
        }
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        chosen = {name: value for name, value in (usual | given).items() if value}
        return self._send("POST", path, urlencode(fields), chosen)

    def sign_in(self, secret: str = SECRET) -> Shown:
        return self.post("/login", {"secret": secret})

    def press(self, page: str, action: str, **fields: str) -> Shown:
        """Press the button of a form on a page."""
        shown = self.get(page)
        return self.post(action, {"token": shown.field("token", action), **fields})

    def _send(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> Shown:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        with urllib3.PoolManager(retries=False) as pool:
            response = pool.request(method, f"{self.url}{path}", body=body, headers=sent, redirect=False)
        for cookie in response.headers.getlist("set-cookie"):
            name, _, value = cookie.partition(";")[0].partition("=")
            if "max-age=0" in cookie.lower() or value in ("", '""'):
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = value
        return Shown(response.status, response.data.decode(), response.headers)


@contextmanager
def served_site(services: Services, **door: object) -> Iterator[str]:
    """The API and the dashboard on a free port of loopback; gives their URL."""
    with serving(
        lambda port, is_stopping: create_front(services, Door(host="127.0.0.1", port=port, **door), is_stopping)  # type: ignore[arg-type]
    ) as url:
        yield url
