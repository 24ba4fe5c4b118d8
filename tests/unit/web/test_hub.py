"""The stream of marks: bounded, filtered, and over with its session."""

import http.client
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from browser import Browser
from desk import Desk

from tenuto.web.hub import MOST_IN_SESSION


@contextmanager
def stream(browser: Browser) -> Iterator[http.client.HTTPResponse]:
    connection = http.client.HTTPConnection(browser.url.removeprefix("http://"), timeout=30)
    cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    connection.request("GET", "/live", headers={"Cookie": cookie, "Sec-Fetch-Site": "same-origin"})
    try:
        yield connection.getresponse()
    finally:
        connection.close()


def words(response: http.client.HTTPResponse, wanted: str) -> str:
    """Read up to a line that begins with what is wanted, and give the line after it."""
    for line in iter(response.readline, b""):
        if line.decode().startswith(wanted):
            return response.readline().decode()
    raise AssertionError(f"the stream ended without {wanted}")


def test_a_commit_is_told_by_its_process_and_not_by_its_content(desk: Desk, browser: Browser) -> None:
    with stream(browser) as response:
        words(response, "event: hello")
        desk.does("run", desk.template(), "-a", "web")
        told = words(response, "event: marks")
    fid = desk.status()["fid"]
    assert fid in told
    assert "Net" not in told
    assert "web" not in told


def test_a_user_hears_of_what_they_may_see(desk: Desk, url: str) -> None:
    policy = (
        "TenutoPolicy: 1\nUsers: [ann]\nGrants: [{To: ann, Commands: [status], Accounts: ['*'], Aliases: [mine]}]\n"
    )
    desk.does("policy", "set", desk.file("p.yaml", policy))
    ann = Browser(url)
    ann.sign_in(desk.user("ann").secret)
    with stream(ann) as response:
        words(response, "event: hello")
        desk.does("run", desk.template(name="a"), "-a", "other")
        desk.does("run", desk.template(name="b"), "-a", "mine")
        told = ""
        while desk.status("mine")["fid"] not in told:
            told += words(response, "event: marks")
    assert desk.status("other")["fid"] not in told


def test_a_session_has_so_many_streams_and_no_more(browser: Browser) -> None:
    with ExitStack() as held:
        for _ in range(MOST_IN_SESSION):
            response = held.enter_context(stream(browser))
            assert response.status == 200
            words(response, "event: hello")
        with stream(browser) as refused:
            assert (refused.status, refused.headers["Retry-After"]) == (429, "30")


def test_a_stream_ends_with_its_session(desk: Desk, browser: Browser) -> None:
    with stream(browser) as response:
        words(response, "event: hello")
        [session] = desk.document("user", "sessions")["sessions"]
        desk.does("user", "end-session", session["id"])
        words(response, "event: over")


def test_an_open_page_keeps_no_session_alive(desk: Desk, browser: Browser) -> None:
    """It asks for its parts all the time, but a person is not there: after twelve hours the stream is over."""
    desk.runs()
    with stream(browser) as response:
        words(response, "event: hello")
        desk.advance(11.0 * 3600)
        assert browser.get("/processes?part=rows").status == 200
        desk.advance(1.1 * 3600)
        words(response, "event: over")
    assert browser.get("/processes?part=rows").status == 401
    assert browser.get("/live").status == 401


def test_another_site_gets_no_stream(browser: Browser) -> None:
    assert browser.get("/live", Sec_Fetch_Site="cross-site").status == 401
