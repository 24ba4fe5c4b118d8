"""Each route of the dashboard, with the requests that none of its pages sends: a table of what is refused."""

import socket
from urllib.parse import urlsplit

import pytest
from browser import Browser, served_site
from desk import Desk
from front import SECRET

from tenuto.bootstrap.serving.front import LARGEST_HEAD_BYTES
from tenuto.web.acts import ACTS
from tenuto.web.pages.table import PAGES

NAMES = {
    "process": "web",
    "resource": "Grp",
    "phase": "resource.create",
    "type": "Simulated::Group",
    "number": "1",
    "host": "h1",
}
OF_PAGES = [one.path.format(**NAMES, name="chat") for one in PAGES]
OTHERS = ["/login", "/login/issuer", "/login/back", "/events.json", "/live", "/static/x/app.css", "/nothing"]
OF_ACTS = [one.path.format(**NAMES, name="chat") for one in ACTS] + ["/login", "/logout", "/theme"]
HOSTS = ["evil.example.org", "evil.example.org:{port}", "localhost.:{port}", "127.0.0.1:1", "127.0.0.1:{port}@evil"]
ORIGINS = ["http://evil.example.org", "null", "", "https://127.0.0.1:{port}", "http://127.0.0.1:1"]


def port_of(browser: Browser) -> str:
    return str(urlsplit(browser.url).port)


def test_another_host_gets_nothing_from_any_route(desk: Desk, browser: Browser) -> None:
    desk.runs()
    for path in (*OF_PAGES, *OTHERS, "/processes/", "//evil"):
        for host in HOSTS:
            shown = browser.get(path, Host=host.format(port=port_of(browser)))
            assert shown.status == 421, (path, host)
            assert "location" not in shown.headers, (path, host)
            assert "web" not in shown.words.split(), (path, host)
    for path in OF_ACTS:
        token = browser.get("/processes/web").field("token")
        shown = browser.post(path, {"token": token}, Host="evil.example.org", Origin="http://evil.example.org")
        assert shown.status == 421, path
    assert desk.status()["state"] == "Running"


@pytest.mark.parametrize("origin", ORIGINS)
def test_a_form_of_another_origin_is_refused_by_every_button(desk: Desk, browser: Browser, origin: str) -> None:
    desk.runs()
    token = browser.get("/processes/web").field("token")
    for path in OF_ACTS:
        shown = browser.post(path, {"token": token, "secret": SECRET}, Origin=origin.format(port=port_of(browser)))
        assert shown.status == 403, path
        assert "set-cookie" not in shown.headers, path
    for site in ("cross-site", "same-site", "none"):
        for path in OF_ACTS:
            assert browser.post(path, {"token": token}, Sec_Fetch_Site=site).status == 403, (path, site)
    assert desk.status()["state"] == "Running"
    assert browser.get("/processes/web").status == 200, "the session goes on"


def test_a_button_without_a_session_does_nothing(desk: Desk, url: str) -> None:
    desk.runs()
    stranger = Browser(url)
    for path in OF_ACTS[:-3]:
        shown = stranger.post(path, {"token": "x" * 88})
        assert (shown.status, shown.headers["location"]) == (303, "/login?over=1"), path
    assert desk.status()["state"] == "Running"
    assert "Your session has ended, and nothing was done" in stranger.get("/login?over=1").text
    assert "has ended" not in stranger.get("/login").text


def test_a_form_of_a_session_that_is_over_leads_back_to_its_page(desk: Desk, url: str) -> None:
    desk.runs()
    for page, there in (
        (f"{url}/processes/web?after=x", "/login?next=%2Fprocesses%2Fweb&over=1"),
        (f"{url}/processes/web/suspend", "/login?over=1"),  # no page: it takes forms alone
        ("https://evil.example.org/processes/web", "/login?over=1"),
        (f"{url}.evil.example.org/processes", "/login?over=1"),
        (f"{url}//evil.example.org", "/login?over=1"),
    ):
        shown = Browser(url).post("/processes/web/suspend", {}, Referer=page)
        assert (shown.status, shown.headers["location"]) == (303, there), page


def test_a_cookie_is_worth_nothing_at_any_path_of_the_api(desk: Desk, browser: Browser) -> None:
    desk.runs()
    for path in (
        "/v1/processes", "/v1/processes/web", "/%761/processes", "/v1%2Fprocesses", "/v1", "/v1/", "/metrics",
        "/v1/events?follow=true", "/v1/sessions", "/v1/nothing",
    ):  # fmt: skip
        assert browser.get(path).status == 401, path
    for path in ("/V1/processes", "//v1/processes", "/processes/%2e%2e/v1/processes"):
        assert browser.get(path).status == 404, path
    assert browser.post("/v1/processes/web/suspend", {}).status == 401
    assert desk.status()["state"] == "Running"


def test_every_page_answers_head_and_no_other_method(desk: Desk, browser: Browser) -> None:
    desk.runs()
    for path in (*OF_PAGES, *OTHERS):
        got, head = browser.get(path) if path != "/live" else None, browser._send("HEAD", path, None, {})
        assert head.text == "", path
        assert head.status == (got.status if got else 200), path
        assert "default-src 'none'" in head.headers["content-security-policy"], path
        for method in ("OPTIONS", "TRACE", "PUT", "DELETE", "PATCH", "FOO"):
            shown = browser._send(method, path, None, {})
            if path == "/nothing":
                assert shown.status == 404
                continue
            assert shown.status == 405, (method, path)
            allowed = shown.headers["allow"].split(", ")
            assert {"GET", "HEAD"} <= set(allowed), (method, path)
            assert ("POST" in allowed) == (path in OF_ACTS), (method, path)
    assert browser.get("/processes/web/suspend").headers["allow"] == "POST"


def test_who_opens_the_address_of_a_button_is_led_to_the_page_above_it(desk: Desk, browser: Browser) -> None:
    desk.runs()
    for path, page in (("/processes/web/suspend", "/processes/web"), ("/theme", "/"), ("/logout", "/")):
        shown = browser.get(path)
        assert (shown.status, "A button, not a page" in shown.text) == (405, True), path
        assert f'href="{page}"' in shown.text, path
    assert desk.status()["state"] == "Running"


def test_a_head_of_the_stream_holds_none(desk: Desk, browser: Browser) -> None:
    for _ in range(12):
        shown = browser._send("HEAD", "/live", None, {})
        assert (shown.status, shown.text) == (200, "")
        assert shown.headers["content-type"].startswith("text/event-stream")


def test_a_slash_too_many_leads_to_the_page_of_this_site_and_nowhere_else(desk: Desk, browser: Browser) -> None:
    desk.runs()
    for path, there in (
        ("/processes/", "/processes"),
        ("/processes/web//", "/processes/web"),
        ("/processes/?why=failed&q=a%2Fb", "/processes?why=failed&q=a%2Fb"),
        ("/types/Simulated%3A%3AGroup/", "/types/Simulated%3A%3AGroup"),
        ("/login/", "/login"),
    ):
        shown = browser.get(path)
        assert (shown.status, shown.headers["location"]) == (308, there)
        assert shown.headers["content-security-policy"]
    for path in ("//", "///", "//evil.example.org/", "/\\evil.example.org/", "/nothing/", "/processes/web/suspend/"):
        shown = browser.get(path)
        assert shown.status == 404, path
        assert "location" not in shown.headers, path
    assert browser.post("/processes/web/suspend/", {}).status == 404
    assert desk.status()["state"] == "Running"


@pytest.mark.parametrize("path", ["/processes//web", "/Processes", "/processes;a=1", "/processes/%2e%2e/access"])
def test_a_path_that_only_resembles_one_is_none(browser: Browser, path: str) -> None:
    assert browser.get(path).status == 404


def test_an_encoded_slash_is_a_slash(desk: Desk, browser: Browser) -> None:
    desk.runs()
    assert "web" in browser.get("/processes%2Fweb").words


def test_what_comes_back_after_sign_in_is_a_path_of_this_site(url: str) -> None:
    for following in (
        "//evil",
        "https://evil",
        "/\\evil",
        "/a\r\nSet-Cookie: x=y",
        "javascript:alert(1)",
        "/logout",
        " /x",
    ):
        browser = Browser(url)
        shown = browser.post("/login", {"secret": SECRET, "next": following})
        assert (shown.status, shown.headers["location"]) == (303, "/"), following


def test_an_oversized_head_is_refused_however_it_comes(desk: Desk, browser: Browser) -> None:
    most = LARGEST_HEAD_BYTES
    for path, headers in (
        ("/processes?q=" + "a" * most, {}),
        ("/" + "a" * most, {}),
        ("/processes", {"X-Large": "a" * most}),
        ("/processes", {f"X-{number}": "a" * 100 for number in range(most // 100)}),
        ("/v1/processes?q=" + "a" * most, {}),
    ):
        shown = browser.get(path, **headers)
        assert shown.status in (400, 431), path[:20]
        assert len(shown.text) < 200
    assert browser.get("/processes", X_Large="a" * 8000).status == 200
    for name in ("q", "why", "state", "account", "after", "sort"):
        shown = browser.get(f"/processes?{name}=" + "a" * 501)
        assert shown.status == 400, name


@pytest.mark.parametrize("path", ["/login", "/v1/processes"])
def test_a_request_with_two_ends_is_refused_and_nothing_behind_it_is_read(browser: Browser, path: str) -> None:
    host, port = urlsplit(browser.url).hostname or "", int(port_of(browser))
    lengths = "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n"
    behind = f"GET /healthz HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n"
    with socket.create_connection((host, port), timeout=30) as raw, raw.makefile("rb") as answers:
        raw.sendall(f"POST {path} HTTP/1.1\r\nHost: {host}:{port}\r\n{lengths}\r\n0\r\n\r\n{behind}".encode())
        told = answers.read()
    assert told.startswith(b"HTTP/1.1 400 ")
    assert told.count(b"HTTP/1.1 ") == 1


def test_two_hosts_in_one_request_are_refused(browser: Browser) -> None:
    host, port = urlsplit(browser.url).hostname or "", int(port_of(browser))
    cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    with socket.create_connection((host, port)) as raw:
        raw.sendall(f"GET / HTTP/1.1\r\nHost: {host}:{port}\r\nHost: evil\r\nCookie: {cookie}\r\n\r\n".encode())
        assert raw.recv(100).split()[1] == b"400"


def test_an_api_client_is_sent_to_no_other_host(desk: Desk, url: str) -> None:
    shown = Browser(url).get("/v1/processes/", Authorization=f"Bearer {SECRET}", Host="evil.example.org")
    assert shown.status == 404
    assert "location" not in shown.headers


def test_an_address_behind_a_proxy_is_the_only_name_that_is_added(desk: Desk) -> None:
    with served_site(desk.services, public_url="https://tenuto.example.org") as url:
        browser = Browser(url)
        for host, status in (("tenuto.example.org", 200), ("other.example.org", 421), ("tenuto.example.org:444", 421)):
            assert browser.get("/login", Host=host).status == status
        shown = browser.post("/login", {"secret": SECRET}, Host="tenuto.example.org", Origin=url)
        assert shown.status == 403, "a page of the inner address is another origin"


def test_an_absolute_target_is_the_page_and_its_host_is_judged(browser: Browser) -> None:
    """RFC 9112, 3.2.2: a server accepts the absolute form, and its host counts instead of the header's."""
    host, port = urlsplit(browser.url).hostname or "", port_of(browser)
    cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())

    def answered(target: str, header: str = "") -> tuple[str, str]:
        with socket.create_connection((host, int(port))) as raw:
            lines = [f"GET {target} HTTP/1.1", f"Host: {header or f'{host}:{port}'}", f"Cookie: {cookie}"]
            raw.sendall("\r\n".join([*lines, "Connection: close", "", ""]).encode())
            text = b"".join(iter(lambda: raw.recv(65536), b"")).decode()
        return text.split()[1], text

    own = f"http://{host}:{port}"
    for target in ("/processes", f"{own}/processes", f"HTTP://{host}:{port}/processes?q=a%2Fb"):
        status, text = answered(target)
        assert (status, "<h1>Processes</h1>" in text) == ("200", True), target
    assert answered(own)[0] == "200", "no path is the root"
    assert answered(f"{own}/v1/processes")[0] == "401", "the API takes no cookie"
    assert answered(f"{own}/processes", header="evil.example.org")[0] == "200"
    for target in ("http://evil.example.org/processes", f"http://{host}:{port}@evil.example.org/", "http:///processes"):
        assert answered(target)[0] == "421", target
    assert answered("ftp://evil.example.org/processes")[0] == "404"
