"""The dashboard lets in whom it must, and refuses what comes from elsewhere."""

import json
import socket

import pytest
from browser import Browser, served_site
from desk import Desk
from front import SECRET

from tenuto.web.guard import Door, form_token, is_form_token


def test_no_page_is_shown_without_a_session(url: str) -> None:
    for path in ("/", "/processes", "/processes/shop", "/events", "/access", "/me"):
        shown = Browser(url).get(path)
        assert shown.status == 303
        assert shown.headers["location"].startswith("/login")
    assert Browser(url).get("/?part=board").status == 401
    assert Browser(url).get("/live").status == 401


def test_a_wrong_secret_makes_no_session(url: str) -> None:
    browser = Browser(url)
    shown = browser.sign_in("wrong")
    assert shown.status == 401
    assert "not right" in shown.words
    assert browser.cookies == {}


def test_the_cookie_is_for_this_site_alone(url: str) -> None:
    cookie = Browser(url).sign_in().headers["set-cookie"].lower()
    assert cookie.startswith(f"tenuto-{url.rpartition(':')[2]}=")
    assert "httponly" in cookie
    assert "samesite=strict" in cookie


def test_behind_tls_the_cookie_is_bound_to_the_host(desk: Desk) -> None:
    with served_site(desk.services, public_url="https://tenuto.example.org") as url:
        browser = Browser(url)
        shown = browser.post(
            "/login", {"secret": SECRET}, Host="tenuto.example.org", Origin="https://tenuto.example.org"
        )
        cookie = shown.headers["set-cookie"].lower()
    assert shown.status == 303
    assert cookie.startswith("__host-tenuto=")
    assert "secure" in cookie
    assert "path=/" in cookie
    assert shown.headers["strict-transport-security"]


def test_every_answer_has_the_headers_of_the_guard(browser: Browser) -> None:
    static = browser.get("/").text.partition('href="/static')[2].partition('"')[0]
    for path in ("/", "/nothing", "/login", f"/static{static}"):
        shown = browser.get(path)
        assert "default-src 'none'" in shown.headers["content-security-policy"]
        assert "unsafe" not in shown.headers["content-security-policy"]
        assert shown.headers["x-content-type-options"] == "nosniff"
        assert shown.headers["cross-origin-opener-policy"] == "same-origin"


@pytest.mark.parametrize("host", ["evil.example.org", "evil.example.org:80", "127.0.0.1:1", "user@127.0.0.1", ""])
def test_another_host_is_refused(browser: Browser, host: str) -> None:
    assert browser.get("/", Host=host).status in (400, 421)


@pytest.mark.parametrize("origin", ["http://evil.example.org", "null", "", "http://127.0.0.1"])
def test_a_form_of_another_site_changes_nothing(desk: Desk, browser: Browser, origin: str) -> None:
    desk.runs()
    token = browser.get("/processes/web").field("token")
    shown = browser.post("/processes/web/suspend", {"token": token}, Origin=origin)
    assert shown.status == 403
    shown = browser.post("/processes/web/suspend", {"token": token}, Sec_Fetch_Site="cross-site")
    assert shown.status == 403
    assert desk.status()["state"] == "Running"


def test_a_form_without_the_token_of_its_session_changes_nothing(desk: Desk, browser: Browser) -> None:
    desk.runs()
    other = Browser(browser.url)
    other.sign_in()
    for token in ("", "x", other.get("/processes/web").field("token")):
        assert browser.post("/processes/web/suspend", {"token": token}).status == 403
    assert desk.status()["state"] == "Running"


def test_a_stolen_cookie_is_worth_nothing_at_the_api(browser: Browser) -> None:
    shown = browser.get("/v1/processes")
    assert (shown.status, json.loads(shown.text)["code"]) == (401, "permission")


def test_a_secret_in_a_header_is_worth_nothing_at_a_page(browser: Browser) -> None:
    shown = Browser(browser.url).get("/", Authorization=f"Bearer {SECRET}")
    assert shown.status == 404
    assert "no-route" in shown.text


def test_nothing_is_changed_by_a_get(desk: Desk, browser: Browser) -> None:
    desk.runs()
    for name in ("suspend", "retry", "resume", "check", "enforcement", "lock"):
        assert browser.get(f"/processes/web/{name}").status in (404, 405)
    assert desk.status()["state"] == "Running"


def test_a_session_is_over_when_it_is_signed_out(browser: Browser) -> None:
    cookies = dict(browser.cookies)
    shown = browser.post("/logout", {"token": browser.get("/").field("token")})
    assert shown.status == 303
    assert Browser(browser.url, cookies).get("/").status == 303


def test_a_session_is_over_with_its_secret(desk: Desk, url: str) -> None:
    desk.does("policy", "set", desk.file("p.yaml", POLICY))
    ann = Browser(url)
    ann.sign_in(desk.user("ann").secret)
    assert ann.get("/").status == 200
    desk.does("user", "revoke", "ann")
    assert ann.get("/").status == 303


POLICY = (
    "TenutoPolicy: 1\nUsers: [ann]\nGrants: [{To: ann, Commands: [status, plan], Accounts: ['*'], Aliases: [web]}]\n"
)


def test_a_session_ends_when_it_is_idle_or_old(desk: Desk, browser: Browser) -> None:
    desk.advance(11.9 * 3600)
    assert browser.get("/").status == 200
    desk.advance(12.1 * 3600)
    assert browser.get("/").status == 303
    again = Browser(browser.url)
    again.sign_in()
    for _ in range(15):
        desk.advance(11 * 3600)
        again.get("/")
    desk.advance(5 * 3600)
    assert again.get("/").status == 303


def test_after_ten_wrong_secrets_an_address_must_wait(desk: Desk, url: str) -> None:
    for _ in range(10):
        assert Browser(url).sign_in("wrong").status == 401
    waiting = Browser(url).sign_in()
    assert (waiting.status, waiting.headers["Retry-After"]) == (429, "60")
    assert "from 127.0.0.1" in waiting.text
    desk.advance(61.0)
    assert Browser(url).sign_in().status == 303


def test_a_code_signs_in_once(desk: Desk, url: str) -> None:
    code = desk.document("web", "--no-browser")["url"].partition("#code=")[2]
    assert Browser(url).sign_in(f"code.{code}").status == 303
    assert Browser(url).sign_in(f"code.{code}").status == 401
    late = desk.document("web")["url"].partition("#code=")[2]
    desk.advance(61.0)
    assert Browser(url).sign_in(f"code.{late}").status == 401


def test_a_link_from_another_site_is_followed_by_way_of_our_own(browser: Browser) -> None:
    stranger = Browser(browser.url).get("/processes/web?q=a", Sec_Fetch_Site="cross-site")
    assert stranger.status == 200
    assert "url=/processes/web?q=a&amp;arrived=1" in stranger.text
    assert Browser(browser.url).get("/processes/web?arrived=1", Sec_Fetch_Site="cross-site").status == 303


@pytest.mark.parametrize(
    "following", ["//evil.example.org", "https://evil.example.org", "/\\evil.example.org", "/logout"]
)
def test_sign_in_leads_to_no_other_site(url: str, following: str) -> None:
    shown = Browser(url).post("/login", {"secret": SECRET, "next": following})
    assert shown.headers["location"] == "/"


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("localhost:8686", "http://localhost:8686"),
        ("127.0.0.1:8686", "http://127.0.0.1:8686"),
        ("[::1]:8686", "http://[::1]:8686"),
        ("10.1.2.3:8686", "http://10.1.2.3:8686"),
        ("tenuto.lan:8686", None),
        ("localhost", None),
        ("localhost:notaport", None),
    ],
)
def test_hosts_are_numbers_loopback_or_named(host: str, origin: str | None) -> None:
    assert Door(host="127.0.0.1", port=8686).origin_of(host) == origin


def test_the_token_of_a_form_is_another_text_each_time() -> None:
    token = bytes(range(32))
    first, second = form_token(token), form_token(token)
    assert first != second
    assert is_form_token(first, token)
    assert is_form_token(second, token)
    assert not is_form_token(first, bytes(32))
    assert not is_form_token("%%%", token)


def test_a_page_that_is_only_open_keeps_no_session_alive(desk: Desk, browser: Browser) -> None:
    for _ in range(13):
        desk.advance(3600.0)
        browser.get("/?part=board")
    assert browser.get("/").status == 303


@pytest.mark.parametrize("name", ["X-Forwarded-Host", "X-Host", "X-Original-Host", "Forwarded"])
def test_a_header_of_a_proxy_names_no_other_host(browser: Browser, name: str) -> None:
    """The host that counts is the one that the connection was asked for, and no page repeats what a header says."""
    value = "host=evil.example.org" if name == "Forwarded" else "evil.example.org"
    shown = browser.get("/", **{name: value})
    assert shown.status == 200
    assert "evil.example.org" not in shown.text
    assert browser.get("/", **{name: "127.0.0.1", "Host": "evil.example.org"}).status == 421


def test_two_hosts_are_none(browser: Browser) -> None:
    host, port = browser.url.removeprefix("http://").split(":")
    for second in ("evil.example.org", f"{host}:{port}"):
        with socket.create_connection((host, int(port)), timeout=10) as line:
            line.sendall(f"GET /login HTTP/1.1\r\nHost: {host}:{port}\r\nHost: {second}\r\n\r\n".encode())
            answer = line.recv(100)
        assert answer.split(b" ")[1] in (b"400", b"421"), answer


@pytest.mark.parametrize("suffix", [".evil.example.org", "@evil.example.org", "0", "/", " "])
def test_an_origin_that_begins_like_ours_is_another_one(desk: Desk, browser: Browser, suffix: str) -> None:
    desk.runs()
    token = browser.get("/processes/web").field("token")
    shown = browser.post("/processes/web/suspend", {"token": token}, Origin=f"{browser.url}{suffix}")
    # A header ends before its blanks, so the last one is our own origin.
    assert shown.status == (303 if suffix == " " else 403)
    assert desk.status()["state"] == ("Suspended" if suffix == " " else "Running")


@pytest.mark.parametrize(
    "path", ["/v1/processes", "/v1/processes/", "/v1//processes", "/v1/../v1/processes", "/V1/processes"]
)
def test_a_stolen_cookie_opens_no_way_around_the_api(desk: Desk, browser: Browser, path: str) -> None:
    desk.runs()
    for shown in (browser.get(path), browser.post(f"{path}/web/suspend", {"token": "x"})):
        assert shown.status in (401, 403, 404, 405), shown.status
        assert '"alias"' not in shown.text
    assert desk.status()["state"] == "Running"


def test_a_plan_is_good_for_its_own_process_and_command_and_once(desk: Desk, browser: Browser) -> None:
    """The digest of one page is worth nothing at the button of another, and a click that is repeated does nothing."""
    desk.runs()
    desk.runs("  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16}}", alias="other")
    desk.does("suspend", "web")
    desk.does("suspend", "other")
    resume, kill = browser.get("/processes/other/plan"), browser.get("/processes/web/kill")
    token = resume.field("token")
    for foreign in (resume.field("digest"), kill.field("digest")):
        assert browser.post("/processes/web/resume", {"token": token, "digest": foreign}).status == 409
    own = browser.get("/processes/web/plan").field("digest")
    for fields in ({}, {"digest": ""}):
        assert browser.post("/processes/web/resume", {"token": token, **fields}).status in (400, 409, 422)
    assert desk.status()["state"] == "Suspended"
    assert browser.post("/processes/web/resume", {"token": token, "digest": own}).status == 303
    assert browser.post("/processes/web/resume", {"token": token, "digest": own}).status == 409
    assert desk.status("other")["state"] == "Suspended"
