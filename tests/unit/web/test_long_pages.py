"""Pages about hundreds of things: one cause for equal failures, rows a page at a time, links that need no script."""

import re
from html import unescape

from browser import Browser
from desk import Desk

from tenuto.service.common.event_page import event_page

MANY = 60
POLICY = """TenutoPolicy: 1
Users: [ann]
Grants:
  - {To: ann, Commands: [status, events], Accounts: ["*"], Aliases: [web]}
"""


def a_process_of_failures(desk: Desk, alias: str, count: int = MANY, extra: str = "") -> None:
    """A network, and subnets of it that all fail for one reason."""
    net = "  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16}}"
    subs = (
        f"  Sub{number}: {{Type: Simulated::Subnet,"
        f" Properties: {{NetworkId: !Ref Net, CidrBlock: 10.9.{number}.0/24}}}}"
        for number in range(count)
    )
    desk.does("run", desk.template(net, *subs, *filter(None, [extra]), name=alias), "-a", alias)
    desk.settle()


def link(text: str, rel: str) -> str:
    found = re.search(rf'rel="{rel}" href="([^"]+)"', text)
    assert found, rel
    return unescape(found[1])


def rows(text: str) -> list[str]:
    return re.findall(r'<tr id="([^"]+)"', text)


def test_equal_failures_of_a_phase_are_one_cause_and_its_objects_come_in_pages(desk: Desk, browser: Browser) -> None:
    a_process_of_failures(desk, "web")
    a_process_of_failures(desk, "db", 2)
    shown = browser.get("/phases/resource.create")
    assert f"{MANY + 2} objects by InvalidCidrBlock : web {MANY} , db 2" in shown.words
    assert rows(shown.text) == []
    opened = re.search(r'href="(/phases/resource.create\?cause=\w+)"', shown.text)
    assert opened
    first = browser.get(opened[1])
    assert f"{MANY + 2} objects of one cause" in first.words
    second = browser.get(link(first.text, "next"))
    assert len(rows(first.text)) == 50
    assert len(rows(second.text)) == MANY + 2 - 50
    assert len({*rows(first.text), *rows(second.text)}) == MANY + 2
    assert 'rel="next"' not in second.text
    assert link(second.text, "prev") == opened[1]
    assert browser.get("/phases/resource.create?status=Failed").words.count("Open all") == 1
    assert "None is of that status" in browser.get("/phases/resource.create?cause=none").words
    assert browser.get("/phases/resource.create?status=Odd").status == 400
    assert browser.get("/phases/resource.create?after=W1sx").status == 400


def test_a_few_failures_are_rows(desk: Desk, browser: Browser) -> None:
    a_process_of_failures(desk, "web", 5)
    shown = browser.get("/phases/resource.create")
    assert len(rows(shown.text)) == 5
    assert "Causes" not in shown.words


def test_the_command_line_tells_the_same_causes_and_pages(desk: Desk) -> None:
    a_process_of_failures(desk, "web", 8)
    told = desk.does("phases", "resource.create").out
    assert "Sub3" not in told
    [cause] = desk.document("phases", "resource.create")["causes"]
    assert (cause["count"], cause["code"], cause["processes"][0]["name"]) == (8, "InvalidCidrBlock", "web")
    assert len(desk.document("phases", "resource.create")["objects"]) == 8, "a program gets every object"
    listed = desk.does("phases", "resource.create", "--cause", cause["key"]).out
    assert all(f"Sub{number}" in listed for number in range(8))
    assert desk("phases", "--cause", "x").code == 2


def test_others_objects_are_in_no_cause_count_or_page(desk: Desk, url: str) -> None:
    a_process_of_failures(desk, "db", 30)
    a_process_of_failures(desk, "web", 7)
    desk.does("policy", "set", desk.file("p.yaml", POLICY))
    ann = Browser(url)
    ann.sign_in(desk.user("ann").secret)
    shown = ann.get("/phases/resource.create")
    assert "7 objects by InvalidCidrBlock : web 7" in shown.words
    assert "db" not in shown.words
    [row] = [one for one in ann.get("/phases").text.split("<tr ") if 'id="f-resource.create"' in one]
    assert ">7</strong> failed" in row
    document = desk.user("ann").document("phases", "resource.create")
    assert (document["matching"], document["counts"], len(document["objects"])) == (7, {"Failed": 7}, 7)
    assert document["next"] is None
    [counts] = [
        one["counts"] for one in desk.user("ann").document("phases")["phases"] if one["name"] == "resource.create"
    ]
    assert counts["Failed"] == 7, "of what ann may see"
    [all_counts] = [one["counts"] for one in desk.document("phases")["phases"] if one["name"] == "resource.create"]
    assert all_counts["Failed"] == 37


def test_events_go_back_page_by_page_to_the_first(desk: Desk, browser: Browser) -> None:
    a_process_of_failures(desk, "web", 30)
    every = [one["number"] for one in desk.document("events", "--limit", "10000")["events"]]
    found: list[list[int]] = []
    shown = browser.get("/events")
    assert 'data-part="rows" data-live="*"' in shown.text
    assert not re.search('rel="(first|prev)"', shown.text)
    while True:
        found.append([int(one.removeprefix("e-")) for one in rows(shown.text)])
        assert len(rows(shown.text)) <= 50
        if 'rel="next"' not in shown.text:
            break
        shown = browser.get(link(shown.text, "next"))
        assert 'data-part="rows" data-live=""' in shown.text, "what is over does not change"
    assert [one for page in found for one in page] == every[::-1]
    assert len(found) > 2
    assert link(shown.text, "first") == "/events"
    for page in reversed(found[:-1]):
        shown = browser.get(link(shown.text, "prev"))
        assert [int(one.removeprefix("e-")) for one in rows(shown.text)] == page, "back leads to the page that was read"
    assert not re.search('rel="(first|prev)"', shown.text)
    narrow = browser.get("/events?process=web&type=object.state&limit=10")
    older = link(narrow.text, "next")
    assert "process=web" in older
    assert "limit=10" in older


def test_the_command_of_events_says_how_to_see_older_ones(desk: Desk) -> None:
    desk.runs()
    document = desk.document("events", "--limit", "3")
    told = desk.does("events", "--limit", "3").out
    assert f"--before {document['older']}" in told
    before = desk.document("events", "--limit", "3", "--before", str(document["older"]))
    assert [one["number"] for one in before["events"]] == [document["older"] - 3 + place for place in range(3)]
    assert desk.document("events", "--before", "3")["older"] is None
    assert desk("events", "--follow", "--limit", "3").code == 2


def test_a_user_pages_through_own_events_between_those_of_others(desk: Desk) -> None:
    desk.runs()
    for alias in ("b", "c"):
        desk.runs(alias=alias)
    desk.does("policy", "set", desk.file("p.yaml", POLICY))
    ann = desk.user("ann")
    every = [one["number"] for one in ann.document("events")["events"]]
    found: list[int] = []
    before: list[str] = []
    while True:
        page = ann.document("events", "--limit", "7", *before)
        found = [one["number"] for one in page["events"]] + found
        if page["older"] is None:
            break
        before = ["--before", str(page["older"])]
    assert found == every


def test_a_page_of_events_that_nobody_may_see_ends_after_a_bounded_read() -> None:
    asked: list[int] = []

    def read(before: int | None, limit: int) -> list[object]:
        asked.append(limit)
        end = before or 10**6
        return [_Numbered(number) for number in range(end - limit, end)]

    page = event_page(read, lambda _: False, before=None, limit=10)  # type: ignore[arg-type]
    assert page.events == ()
    assert page.older == 10**6 - sum(asked)
    assert sum(asked) <= 10_000


class _Numbered:
    def __init__(self, number: int) -> None:
        self.number = number
