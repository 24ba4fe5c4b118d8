"""The command below a page shows what the page shows, and a shell takes each word of it as it is."""

import re
import shlex
from html import unescape

import pytest
from browser import Browser
from desk import NET, Desk

from tenuto.service.queries.board import BoardRow, Cause
from tenuto.service.queries.board_view import _cause
from tenuto.web.command_line import command_line

LINE = re.compile(r"Command line</span> <code>tenuto ([^<]+)</code>")
FAILS = "  Sub: {Type: Simulated::Subnet, Properties: {NetworkId: !Ref Net, CidrBlock: 10.9.1.0/24}}"


def commands(page: str) -> list[str]:
    return [unescape(one) for one in LINE.findall(page)]


def test_the_list_of_processes_and_its_command_have_the_same_rows(desk: Desk, browser: Browser) -> None:
    """Without a filter the summary left out what is as declared."""
    for alias in ("a", "b"):
        desk.runs(NET, alias=alias)
    desk.runs(NET, FAILS, alias="c")
    for path in ("/processes", "/processes?account=default", "/processes?why=failed,as-declared"):
        page = browser.get(path).text
        [typed] = commands(page)
        rows = {one["fid"] for one in desk.document(*shlex.split(typed))["processes"]}
        assert rows == set(re.findall(r'id="p-([^"]+)"', page)), typed
        assert len(rows) == 3
        told = desk.does(*shlex.split(typed)).out
        assert all(re.search(rf"\b{alias}\b", told) for alias in "abc"), typed


@pytest.mark.parametrize(
    ("path", "typed"),
    [
        ("/", ["status --summary"]),
        ("/processes/web/history", ["history web --timeline"]),
        ("/processes/web/graph", ["graph web --svg"]),
        ("/processes/web/graph?focus=Net&hops=1", ["graph web --svg --focus Net --hops 1"]),
        ("/types?q=net", ["types net"]),
        ("/accounts", ["account list"]),
    ],
)
def test_a_page_names_its_command_with_its_filters(desk: Desk, browser: Browser, path: str, typed: list[str]) -> None:
    desk.runs(NET)
    assert commands(browser.get(path).text) == typed
    desk.does(*shlex.split(typed[0]))


def test_a_stored_plan_names_the_command_that_shows_it(desk: Desk, browser: Browser) -> None:
    desk.runs(NET)
    [plan] = [one["plan_id"] for one in desk.document("history", "web")["jobs"] if one["plan_id"]]
    [typed] = commands(browser.get(f"/processes/web/plan?plan={plan}").text)
    assert typed == f"history --plan {plan}"
    assert "Net" in desk.does(*shlex.split(typed)).out


def test_a_gone_process_names_a_command_that_tells_of_it(desk: Desk, browser: Browser) -> None:
    desk.runs(NET)
    desk.does("kill", "web")
    desk.settle()
    [typed] = commands(browser.get("/processes/web").text)
    assert "Kill" in desk.does(*shlex.split(typed)).out.title()


def test_an_open_proposal_names_how_to_read_it_and_how_to_decide(desk: Desk, browser: Browser) -> None:
    desk.runs(NET)
    desk.does("kill", "web", "--propose", "-m", "old")
    assert commands(browser.get("/proposals/1").text)[0] == "proposals 1"
    assert len(commands(browser.get("/proposals/1").text)) == 2


def test_a_word_of_a_url_or_of_a_provider_is_quoted_in_a_command(desk: Desk, browser: Browser) -> None:
    page = browser.get("/phases/resource.create?cause=$(touch%20/tmp/pwn)").text
    assert commands(page) == ["phases resource.create --cause '$(touch /tmp/pwn)'"]
    assert command_line("show", "a b", "", None, sort="", dry_run=True) == "tenuto show 'a b' --dry-run"
    desk.runs(NET)
    desk.runs(NET, alias="other")
    rows: tuple[BoardRow, ...] = desk.services.board.rows()
    cause = Cause(why="failed", text="no", code="Not$(id)", rows=rows)
    assert _cause(cause)["command"] == "tenuto resume --cause 'Not$(id)'"
