"""Corners of pages: approvals, old forms, old files, keys of pages, names, and numbers."""

import re

import pytest
from browser import Browser
from desk import BKT, GRP, NET, Desk

from tenuto.cli.terminal.times import short_time
from tenuto.model.ids import JsonMap
from tenuto.service.queries.insights import Insights
from tenuto.service.queries.resource_page import ResourceQuery
from tenuto.web.rendering import Renderer

APPROVALS = """TenutoPolicy: 1
Users: [ann, bob]
Grants:
  - {To: [ann, bob], Commands: all, Accounts: ["*"]}
Approvals:
  - {Accounts: ["*"], Commands: [kill, resume], When: destructive, By: [ann, bob]}
"""


def signed_in(desk: Desk, url: str, name: str) -> Browser:
    found = Browser(url)
    found.sign_in(desk.user(name).secret)
    return found


def test_a_kill_that_takes_an_approval_is_proposed_on_its_page(desk: Desk, url: str) -> None:
    desk.runs(NET)
    desk.does("policy", "set", desk.file("p.yaml", APPROVALS))
    ann, bob = signed_in(desk, url, "ann"), signed_in(desk, url, "bob")
    shown = ann.get("/processes/web/kill")
    assert "takes the approval of one of ann, bob" in shown.words
    assert "Type web to confirm" not in shown.words
    fields = {"token": shown.field("token"), "digest": shown.field("digest"), "command": "kill"}
    assert ann.post("/processes/web/propose", fields).status == 400, "no reason"
    assert ann.post("/processes/web/propose", {**fields, "command": "run", "comment": "x"}).status == 400
    moved = ann.post("/processes/web/propose", {**fields, "digest": "0" * 64, "comment": "x"})
    assert (moved.status, "The plan has moved" in moved.words) == (409, True)
    done = ann.post("/processes/web/propose", {**fields, "comment": "not needed"})
    assert (done.status, done.headers["location"]) == (303, "/proposals/1?done=proposed")
    assert "not needed" in ann.get("/proposals/1").words
    read = bob.get("/proposals/1")
    agreed = {"token": read.field("token"), "digest": read.field("digest"), "name": "web"}
    assert bob.post("/proposals/1/approve", agreed).status == 303
    assert desk.status()["state"] == "Killing"


def test_a_rule_about_what_destroys_leaves_a_harmless_resume_its_button(desk: Desk, url: str) -> None:
    desk.runs(NET, BKT)
    desk.does("suspend", "web")
    desk.does("policy", "set", desk.file("p.yaml", APPROVALS))
    ann = signed_in(desk, url, "ann")
    shown = ann.get("/processes/web/plan")
    assert "Resume: execute exactly this" in shown.words
    fields = {"token": shown.field("token", "/processes/web/resume"), "digest": shown.field("digest")}
    assert ann.post("/processes/web/resume", fields).status == 303
    desk.settle()
    desk.does("suspend", "web")
    desk.does("update", "web", desk.template(NET))
    words = ann.get("/processes/web/plan").words
    assert "Propose: have exactly this approved" in words
    assert "Resume: execute exactly this" not in words


def test_a_sign_out_with_an_old_form_keeps_the_session_and_its_cookie(browser: Browser) -> None:
    refused = browser.post("/logout", {"token": "old"})
    assert (refused.status, "The form is too old" in refused.words) == (403, True)
    assert browser.get("/").status == 200
    token = browser.get("/").field("token", "/logout")
    assert browser.post("/logout", {"token": token}).status == 303
    assert browser.get("/").status == 303


def test_a_file_is_there_under_its_own_version_alone(browser: Browser) -> None:
    own = Renderer().static
    assert browser.get(f"{own}/app.css").status == 200
    for path in ("/static/anything/app.css", f"{own}x/app.css", f"{own}/none.css"):
        shown = browser.get(path)
        assert shown.status == 404
        assert "immutable" not in shown.headers["cache-control"]


def test_a_page_of_resources_after_one_that_there_is_not_is_refused(desk: Desk, browser: Browser) -> None:
    desk.runs(NET, GRP)
    assert browser.get("/processes/web?after=zzz").status == 400
    assert "no resource 'zzz'" in desk("show", "web", "--after", "zzz").err
    assert browser.get("/processes/web?after=Net").status == 200


def test_a_resource_that_there_is_not_is_told_with_the_name_of_its_process(desk: Desk, browser: Browser) -> None:
    desk.runs(NET)
    assert "Process web has no resource None" in browser.get("/processes/web/resources/None").words


def test_the_tiles_count_what_their_lists_show_and_the_command_line_says_the_same(desk: Desk, browser: Browser) -> None:
    desk.drifts_unenforced()
    desk.runs(NET, alias="calm")
    desk.does("property", "calm", "enforcement", "--set", "off")
    shown = browser.get("/")
    assert "Working, or drifted 1 ≠ 1 drift 1 left alone: enforcement is off" in shown.words
    assert "· 1 not enforced" in shown.words
    assert "At work, or left alone" in shown.words
    assert 'href="/processes?why=drift%2Cthrottled%2Cwaiting"' in shown.text
    for whys, name in (("drift,throttled,waiting", "web"), ("not-enforced", "calm")):
        words = browser.get(f"/processes?why={whys}").words
        assert "1 of 2 processes" in words
        assert name in words
    assert desk.status()["unconverged"]["why"] == "drift"
    assert "(drift)" in desk.does("status", "web").out
    assert {one["why"] for one in desk.document("status", "--summary")["processes"]} == {"drift", "not-enforced"}


def test_a_summary_tells_the_end_of_a_pause_of_enforcement_as_people_read_times(desk: Desk) -> None:
    desk.runs(NET, alias="calm")
    desk.does("property", "calm", "enforcement", "--set", "off", "--until", "2h")
    told = " ".join(desk.does("status", "--summary").out.split())
    [end] = [one["enforcement_until"] for one in desk.document("status", "--summary")["processes"]]
    assert f"enforcement is off until {short_time(end)}" in told
    assert end not in told


def test_a_code_is_told_once_and_large_numbers_are_read_alike() -> None:
    macros = Renderer().macros
    said = {"message": "Bad value (ValidationException)", "code": "ValidationException", "request_id": "r-1"}
    assert str(macros.said(said)) == "Bad value (ValidationException) (request r-1)"
    assert str(macros.said({**said, "message": "Bad"})) == "Bad (ValidationException, request r-1)"
    assert str(macros.said({"message": "", "code": "", "request_id": ""})) == "–"
    operations = [
        {
            "op": "delete", "destructive": True, "logical_id": f"R{n:04}", "type": "T::T", "id": "", "reason": "",
            "source": None, "changes": [],
        }
        for n in range(1190)
    ]  # fmt: skip
    told = re.sub(r"<[^>]+>", "", str(macros.acts_on(operations, "web", "tenuto plan web")))
    assert "1,190" in told
    assert "and 1,187 more" in told


def test_an_open_page_of_a_proposal_that_is_withdrawn_loses_its_buttons(desk: Desk, url: str) -> None:
    desk.runs(NET)
    desk.does("policy", "set", desk.file("p.yaml", APPROVALS))
    ann, bob = desk.user("ann"), signed_in(desk, url, "bob")
    ann.does("kill", "web", "--propose", "-m", "not needed")
    live = re.findall(r'data-part="(\w+)" data-live="([^"]+)"', bob.get("/proposals/1").text)
    assert live == [(part, desk.status()["fid"]) for part in ("head", "decision")]
    assert "Approve" in bob.get("/proposals/1?part=decision").words
    ann.does("reject", "1")
    assert "Withdrawn" in bob.get("/proposals/1?part=head").words
    assert bob.get("/proposals/1?part=decision").words == ""


def test_one_code_that_stopped_different_things_is_told_by_an_example(desk: Desk, browser: Browser) -> None:
    bad = "  {name}: {{Type: Simulated::Subnet, Properties: {{NetworkId: !Ref Net, CidrBlock: 10.9.1.0/24}}}}"
    for alias, name in (("one", "Left"), ("two", "Right")):
        desk.runs(NET, bad.format(name=name), alias=alias)
    words = browser.get("/").words
    assert "2 processes by InvalidCidrBlock : one , two For example one: Left: " in words
    assert "For example one: Left: " in desk.does("status", "--summary").out
    desk.does("kill", "two")
    desk.settle()
    assert "For example" not in browser.get("/").words


def test_a_process_that_ends_while_its_page_is_read_is_told_gone(
    desk: Desk, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.runs(NET)
    read = Insights.resources

    def ended(insights: Insights, reference: str, query: ResourceQuery) -> JsonMap:
        desk.does("kill", "web", "-y")
        desk.settle()
        return read(insights, reference, query)

    monkeypatch.setattr(Insights, "resources", ended)
    shown = browser.get("/processes/web")
    assert (shown.status, "This process is gone" in shown.words) == (200, True)
