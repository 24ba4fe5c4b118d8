"""Each page shows its view to those who may see it, escapes everything, and does what its buttons say."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from browser import Browser
from desk import Desk

from tenuto.web.pages.table import PAGES
from tenuto.web.rendering import Renderer, _stands

NEEDS_MORE = ("proposal", "host")
"""Pages of something that a world of its own has; others test them."""
ALL = [
    one.path.replace("{process}", "web").replace("{resource}", "Grp").replace("{phase}", "resource.create")
    .replace("{type}", "Simulated::Group")
    for one in PAGES
    if one.name not in NEEDS_MORE
]  # fmt: skip
NASTY = '"><script>alert(1)</script>\u202e\x9b<img src=x onerror=alert(2)>'
VALUES = """
Parameters: {Label: {Type: String}, Password: {Type: String, NoEcho: true}}
Resources:
  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16, Label: !Sub "${Label}${Password}"}}
Outputs: {Net: {Value: !Ref Net}}
"""
POLICY = """TenutoPolicy: 1
Users: [ann, bob]
Grants:
  - {To: ann, Commands: [status, plan, history], Accounts: ["*"], Aliases: [web]}
"""


class Tags(HTMLParser):
    """The names and attributes of all tags of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_every_page_answers_the_owner(desk: Desk, browser: Browser) -> None:
    desk.runs()
    for path in ALL:
        shown = browser.get(path)
        assert shown.status == 200, f"{path}: {shown.words}"
        assert "<main" in shown.text


def test_every_part_is_answered_alone_and_only_when_it_changed(desk: Desk, browser: Browser) -> None:
    desk.runs()
    for page, path in zip([one for one in PAGES if one.name not in NEEDS_MORE], ALL, strict=True):
        for part in page.parts:
            shown = browser.get(f"{path}?part={part}")
            assert shown.status == 200, f"{path} {part}: {shown.words}"
            assert "<html" not in shown.text
        assert browser.get(f"{path}?part=none").status == 404
    first = browser.get("/processes?part=rows")
    assert browser.get("/processes?part=rows", **{"If-None-Match": first.headers["etag"]}).status == 304


def test_a_long_name_is_broken_in_a_table_and_a_short_one_is_not(desk: Desk, browser: Browser) -> None:
    desk.runs()
    desk.runs(alias="a" * 63)
    tags = Tags(browser.get("/processes").text).found
    assert [one.get("class") for _, one in tags if one.get("data-label") == "Process"].count("long") == 1
    name = "N" * 116
    desk.runs(f"  {name}: {{Type: Simulated::Network, Properties: {{CidrBlock: 10.0.0.0/16}}}}", alias="named")
    shown = browser.get("/events?process=named").text
    cells = re.findall(r'data-label="Subject"([^>]*)>(N+)<', shown)
    assert cells
    assert set(cells) == {(' class="long"', name)}
    assert re.search(r"td\.long \{[^}]*overflow-wrap: anywhere", browser.get(f"{Renderer().static}/app.css").text)


def test_the_values_of_a_process_are_told_and_no_secret(desk: Desk, browser: Browser, tmp_path: Path) -> None:
    template = tmp_path / "values.yaml"
    template.write_text(VALUES)
    desk.does("run", str(template), "-a", "web", "-p", "Label=<b>", "-p", "Password=hunter2-hunter2")
    desk.settle()
    shown = browser.get("/processes/web/outputs")
    assert "Label <b> Password **** Outputs Net net-1" in " ".join(shown.words.split())
    assert "hunter2" not in shown.text


def test_a_filter_is_shown_although_nothing_matches_it(desk: Desk, browser: Browser) -> None:
    desk.runs()
    tags = Tags(browser.get("/processes/web?status=failed").text).found
    assert "failed" in [one.get("value") for _, one in tags if "selected" in one]


def test_no_page_has_a_script_or_a_style_in_it(desk: Desk, browser: Browser) -> None:
    desk.runs()
    for path in (*ALL, "/login", "/nothing"):
        for tag, attributes in Tags(browser.get(path).text).found:
            assert tag != "style", path
            assert tag != "script" or (attributes.get("src") or "").startswith("/static/"), path
            assert not [name for name in attributes if name.startswith("on") or name == "style"], (path, tag)
            for name in ("src", "href", "action"):
                assert (attributes.get(name) or "/").startswith(("/", "#")), (path, attributes)


def test_what_others_say_is_shown_and_never_obeyed(desk: Desk, browser: Browser) -> None:

    lines = [
        "  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16, Label: " + json.dumps(NASTY) + "}}"
    ]
    desk.runs(*lines)
    for path in ("/processes/web/resources/Net", "/processes/web/plan", "/events", f"/find?q={'%3Cscript%3E'}"):
        shown = browser.get(path)
        assert shown.status == 200
        assert "<script>alert" not in shown.text
        assert "<img" not in shown.text
        assert "\u202e" not in shown.text
        assert "\x9b" not in shown.text
    shown = browser.get("/processes/web/resources/Net")
    assert "\\u202e\\x9b" in shown.text


def test_the_overview_says_what_needs_a_person(desk: Desk, browser: Browser) -> None:
    assert "No processes yet" in browser.get("/").words
    desk.runs()
    assert "Everything is as declared" in browser.get("/").words
    net, sub = (
        "  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16}}",
        ("  Sub: {Type: Simulated::Subnet, Properties: {NetworkId: !Ref Net, CidrBlock: 10.9.1.0/24}}"),
    )
    for name in ("one", "two"):
        desk.runs(net, sub, alias=name)
    words = browser.get("/").words
    assert "2 processes by InvalidCidrBlock : one , two" in words
    assert "tenuto resume --cause InvalidCidrBlock" in words
    assert browser.get("/processes?why=failed").words.count("failed since") == 0
    listed = browser.get("/processes?why=failed,suspended&sort=name").text
    assert re.findall(r'data-label="Process"><a href="/processes/(\w+)"', listed) == ["one", "two"]


def test_processes_come_a_page_at_a_time(desk: Desk, browser: Browser) -> None:
    for name in ("a", "b", "c"):
        desk.does(
            "run",
            desk.template("  N: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16}}", name=name),
            "-a",
            name,
        )
    shown = browser.get("/processes?sort=name&limit=2")
    following = re.search(r'rel="next" href="([^"]+)"', shown.text)
    assert following
    names = re.compile(r'data-label="Process"><a href="/processes/(\w+)"')
    assert names.findall(shown.text) == ["a", "b"]
    assert names.findall(browser.get(following[1].replace("&amp;", "&")).text) == ["c"]


def test_drift_is_seen_property_by_property(desk: Desk, browser: Browser) -> None:
    desk.drifts_unenforced()
    words = browser.get("/processes/web/resources/Grp").words
    assert "drift" in words
    assert "left alone while enforcement is off" in words
    assert "22" in words
    assert "drift" in browser.get("/processes").words


def test_suspend_and_resume_by_the_plan_that_was_shown(desk: Desk, browser: Browser) -> None:
    desk.runs()
    assert browser.press("/processes/web", "/processes/web/suspend").status == 303
    assert desk.status()["state"] == "Suspended"
    shown = browser.get("/processes/web/plan")
    done = browser.press("/processes/web/plan", "/processes/web/resume", digest=shown.field("digest"))
    assert done.headers["location"] == "/processes/web?done=resumed"
    assert desk.status()["state"] == "Running"
    jobs = [one["kind"] for one in desk.document("history", "web")["jobs"]]
    assert "dry-run" not in jobs, "reading a page is no dry run"


def test_a_plan_that_moved_between_look_and_click_is_not_executed(desk: Desk, browser: Browser) -> None:
    desk.runs()
    desk.does("suspend", "web")
    shown = browser.get("/processes/web/plan")
    desk.world.cloud.tamper(desk.real("Net").physical_id, "Label", "by-hand")
    desk.advance(10.0)
    refused = browser.post("/processes/web/resume", {"token": shown.field("token"), "digest": shown.field("digest")})
    assert refused.status == 409
    assert "planned now: modify Net" in refused.words
    assert 'data-stands-for="/processes/web/plan"' in refused.text
    assert '<a href="/processes/web/plan">Show the plan as it is now</a>' in refused.text
    assert desk.status()["state"] == "Suspended"
    again = browser.post("/processes/web/resume", {"token": refused.field("token"), "digest": refused.field("digest")})
    assert again.status == 303


def test_the_page_of_notifications_tells_where_they_go_and_what_is_never_called(desk: Desk, browser: Browser) -> None:
    added = desk.does("notification", "add", "chat", "--webhook", "https://10.0.0.1/T0KEN", "--process", "web-*")
    shown = browser.get("/notifications").words
    assert "webhook · https://10.0.0.1 · job.finished, resource.held · only web-*" in shown
    assert "T0KEN" not in shown
    for told in (str(added), shown):
        assert "https://10.0.0.1 is not called" in told


def test_a_button_that_is_refused_leads_back_to_its_page(desk: Desk, browser: Browser) -> None:
    desk.runs()
    shown = browser.get("/processes/web")
    desk.does("suspend", "web")
    fields = {"token": shown.field("token", "/processes/web/suspend")}
    refused = browser.post("/processes/web/suspend", fields, Referer=f"{browser.url}/processes/web?sort=name")
    assert (refused.status, "It is suspended already." in refused.words) == (409, True)
    assert 'data-stands-for="/processes/web"' in refused.text
    assert '<a href="/processes/web">Back to where you were</a>' in refused.text
    elsewhere = browser.post("/processes/web/suspend", fields, Referer="https://evil.example/x")
    assert "Back to where you were" not in elsewhere.text


def test_a_kill_takes_the_name_the_secret_and_the_plan(desk: Desk, browser: Browser) -> None:
    desk.runs()
    desk.advance(3600.0)
    shown = browser.get("/processes/web/kill")
    assert "5 delete" in shown.words
    fields = {"token": shown.field("token"), "digest": shown.field("digest")}
    assert browser.post("/processes/web/kill", {**fields, "name": "wob"}).status == 422
    assert browser.post("/processes/web/kill", {**fields, "name": "web", "secret": "wrong"}).status == 403
    late = browser.post("/processes/web/kill", {**fields, "name": "web"})
    assert late.status == 422
    assert "More than ten minutes have passed since you gave your secret: type it. Nothing was done." in late.words
    assert "Your secret, once more" in late.words
    assert "not right" not in late.words
    moved = browser.post("/processes/web/kill", {**fields, "digest": "0" * 64, "name": "web", "secret": "secret"})
    assert moved.status in (403, 409)
    assert desk.status()["state"] == "Running"
    from front import SECRET

    done = browser.post("/processes/web/kill", {**fields, "name": "web", "secret": SECRET})
    assert done.status == 303
    desk.settle()
    assert "is gone" in browser.get("/processes/web").words


def test_a_kill_is_not_proved_by_a_token_that_was_made_for_less(desk: Desk, url: str) -> None:
    desk.runs()
    desk.does("policy", "set", desk.file("p.yaml", POLICY.replace("[status, plan, history]", "all")))
    ann = Browser(url)
    ann.sign_in(desk.user("ann").secret)
    given = desk.document("user", "token", "add", "ann", "t", "--expires", "1d", "--only", "plan")
    desk.advance(3600.0)
    shown = ann.get("/processes/web/kill")
    fields = {"token": shown.field("token"), "digest": shown.field("digest"), "name": "web"}
    refused = ann.post("/processes/web/kill", {**fields, "secret": given["secret"]})
    assert (refused.status, "a token which was made for less" in refused.words) == (403, True), refused.words
    assert "Nothing was done." in refused.words
    assert desk.status()["state"] == "Running"


def test_a_proposal_links_to_its_own_process_and_not_to_a_later_one_of_its_name(desk: Desk, browser: Browser) -> None:
    desk.runs()
    first = desk.status()["fid"]
    desk.does("kill", "web", "--propose")
    desk.does("kill", "web")
    desk.settle()
    desk.runs()
    for path in ("/proposals", "/proposals/1"):
        text = browser.get(path).text
        assert f'href="/processes/{first}"' in text, path
        assert 'href="/processes/web"' not in text, path


def test_enforcement_is_switched_off_for_a_time_and_a_reason_only(desk: Desk, browser: Browser) -> None:
    desk.runs()

    def status(**given: str) -> int:
        return browser.press("/processes/web", "/processes/web/enforcement", value="off", **given).status

    assert status(until="", reason="a test") == 400
    assert status(until="1h", reason=" ") == 400
    assert desk.status()["enforcement"]
    assert status(until="1h", reason="a test of the firewall") == 303
    assert ": a test of the firewall" in desk.document("history", "web")["commands"][-1]["detail"]
    assert "a test of the firewall" in browser.get("/processes/web/history").words
    found = desk.status()
    assert (found["enforcement"], bool(found["enforcement_until"])) == (False, True)
    clock = found["enforcement_until"][11:19]
    for path in ("/", "/processes"):
        words = browser.get(path).words
        assert f"enforcement is off until {clock}" in words
        assert found["enforcement_until"] not in words


def test_a_user_sees_and_may_do_what_the_policy_says(desk: Desk, url: str) -> None:
    desk.runs()
    desk.runs("  N: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16}}", alias="secret")
    desk.does("policy", "set", desk.file("p.yaml", POLICY))
    ann, bob = Browser(url), Browser(url)
    ann.sign_in(desk.user("ann").secret)
    bob.sign_in(desk.user("bob").secret)
    for path in ("/", "/processes", "/events", "/find?q=secret", "/phases/resource.create", "/rates"):
        assert "secret" not in ann.get(path).words.replace("secret made", "").replace("called secret", "").replace(
            "find secret", ""
        ), path
    assert ann.get("/processes/web").status == 200
    assert ann.get("/processes/secret").status == 403
    assert "Suspend" not in ann.get("/processes/web").words
    assert ann.press("/processes/web", "/processes/web/check").status == 303
    token = ann.get("/processes/web").field("token")
    assert ann.post("/processes/web/suspend", {"token": token}).status == 403
    assert ann.get("/processes/web/kill").status == 403
    menu = ann.get("/").text.partition('<nav aria-label="Main">')[2].partition("</nav>")[0]
    assert "/access" not in menu
    assert "/accounts" not in menu
    assert ann.get("/access").status == 403
    assert bob.get("/").status == 403
    assert bob.get("/me").status == 200


def test_the_graph_is_drawn_of_links(desk: Desk, browser: Browser) -> None:
    desk.runs()
    shown = browser.get("/processes/web/graph")
    for name in ("Net", "Sub", "Grp", "Srv", "Bkt"):
        assert f'href="/processes/web/resources/{name}"' in shown.text
    assert 'aria-label="Srv, Server, ready, needs Grp, Sub"' in shown.text
    assert "5 resources in 5 boxes" in shown.words
    around = browser.get("/processes/web/graph?focus=Bkt&hops=1")
    assert "1 box." in around.words


def test_the_history_tells_how_long_a_drift_lasted(desk: Desk, browser: Browser) -> None:
    desk.runs()
    desk.world.cloud.tamper(desk.real("Grp").physical_id, "Ingress", [])
    desk.advance(120.0)
    words = browser.get("/processes/web/history").words
    assert "Drift Grp" in words
    assert "healed in" in words


def test_a_missing_process_is_told_with_a_guess(desk: Desk, browser: Browser) -> None:
    desk.runs()
    shown = browser.get("/processes/wob")
    assert shown.status == 404
    assert "Did you mean web?" in shown.words


@pytest.mark.parametrize("query", ["sort=colour", "limit=x", "after=%00", "after=bm8", "part=../x", f"q={'a' * 600}"])
def test_a_wrong_question_is_told_and_no_fault(browser: Browser, query: str) -> None:
    assert browser.get(f"/processes?{query}").status in (400, 404)


def test_a_page_that_is_open_calls_no_provider(desk: Desk, browser: Browser) -> None:
    desk.runs()
    desk.does("suspend", "web")
    calls = len(desk.world.calls)
    for page, path in zip([one for one in PAGES if one.name not in NEEDS_MORE], ALL, strict=True):
        for part in page.parts:
            assert browser.get(f"{path}?part={part}").status == 200
    assert len(desk.world.calls) == calls


APPROVALS = """TenutoPolicy: 1
Users: [ann, bob]
Grants:
  - {To: [ann, bob], Commands: all, Accounts: ["*"]}
Approvals:
  - {Accounts: ["*"], Commands: [kill, resume], When: always, By: [ann, bob]}
"""


def test_a_button_passes_by_no_approval(desk: Desk, url: str) -> None:
    desk.runs()
    desk.does("suspend", "web")
    desk.does("policy", "set", desk.file("p.yaml", APPROVALS))
    ann = Browser(url)
    ann.sign_in(desk.user("ann").secret)
    shown = ann.get("/processes/web/plan")
    refused = ann.post("/processes/web/resume", {"token": shown.field("token"), "digest": shown.field("digest")})
    assert refused.status == 409
    assert "takes the approval" in refused.words
    shown = ann.get("/processes/web/kill")
    fields = {"token": shown.field("token"), "digest": shown.field("digest"), "name": "web"}
    assert ann.post("/processes/web/kill", fields).status == 409
    assert desk.status()["state"] == "Suspended"


def test_a_proposal_is_approved_by_another_user_with_the_plan_that_was_read(desk: Desk, url: str) -> None:
    desk.runs()
    desk.does("policy", "set", desk.file("p.yaml", APPROVALS))
    ann, bob = desk.user("ann"), desk.user("bob")
    ann.does("kill", "web", "--propose", "-m", "not needed")
    mine, other = Browser(url), Browser(url)
    mine.sign_in(ann.secret)
    other.sign_in(bob.secret)
    assert "1: kill" in other.get("/proposals").words
    assert "Waiting for approval" in other.get("/").words
    assert "1 more approval needed Review" in other.get("/").words
    assert "not yours: you proposed it yourself" in mine.get("/").words
    shown = other.get("/proposals/1")
    fields = {"token": shown.field("token"), "digest": shown.field("digest"), "comment": "fine"}
    unnamed = other.post("/proposals/1/approve", fields)
    assert unnamed.status == 422
    assert "Type web to approve what deletes or replaces. Nothing was done. Comment" in unnamed.words
    assert 'data-stands-for="/proposals/1"' in unnamed.text
    assert unnamed.field("comment") == "fine"
    own = mine.get("/proposals/1")
    assert "You cannot approve it: you proposed it yourself" in own.words
    assert "/proposals/1/approve" not in own.text
    assert re.search(r"Its plan \d delete Deletes and replaces", own.words), own.words[400:]
    alone = {"token": own.field("token"), "digest": shown.field("digest"), "name": "web"}
    assert mine.post("/proposals/1/approve", alone).status == 403
    assert mine.post("/proposals/1/approve", {**alone, "name": "wob"}).status == 403, "the right comes first"
    assert other.post("/proposals/1/approve", {**fields, "digest": "0", "name": "web"}).status == 409
    assert desk.status()["state"] == "Running"
    assert other.post("/proposals/1/approve", {**fields, "name": "web"}).status == 303
    assert "Executed" in other.get("/proposals/1").words
    desk.settle()
    assert "is gone" in browser_words(other)


def test_who_may_only_look_at_a_proposal_gets_no_button_that_is_refused(desk: Desk, url: str) -> None:
    desk.runs()
    reading = '  - {To: [dan], Commands: questions, Accounts: ["*"]}\nApprovals:'
    desk.does(
        "policy",
        "set",
        desk.file("p.yaml", APPROVALS.replace("bob]\n", "bob, dan]\n", 1).replace("Approvals:", reading)),
    )
    desk.user("ann").does("kill", "web", "--propose", "-m", "not needed")
    dan, bob = Browser(url), Browser(url)
    dan.sign_in(desk.user("dan").secret)
    bob.sign_in(desk.user("bob").secret)
    shown = dan.get("/proposals/1")
    assert "You cannot approve it: the policy lets ann, bob approve it" in shown.words
    assert "<button>Reject" not in shown.text
    assert "tenuto reject" not in shown.words
    assert "<button>Reject" in bob.get("/proposals/1").text


def test_an_approved_proposal_that_waits_for_a_job_is_executed_on_its_page(desk: Desk, url: str) -> None:
    desk.runs()
    desk.does("policy", "set", desk.file("p.yaml", APPROVALS))
    desk.user("ann").does("kill", "web", "--propose", "-m", "not needed")
    plan = desk.folder / "same.json"
    desk.does("update", "web", str(desk.folder / "web.yaml"), "--dry-run", "-o", str(plan))
    desk.services.commands.execute("web", json.loads(plan.read_text()))  # its job has nothing to change
    bob = Browser(url)
    bob.sign_in(desk.user("bob").secret)

    def decide() -> str:
        shown = bob.get("/proposals/1")
        fields = {"token": shown.field("token"), "digest": shown.field("digest"), "name": "web"}
        answer = bob.post("/proposals/1/approve", fields)
        assert answer.status == 303, answer.words
        return " ".join(bob.get(answer.headers["location"]).words.split())

    words = decide()
    assert "Its plan waits, because a job is at work" in words
    assert "Approved, and not executed yet: a job of web was at work" in words
    assert "0 more approvals" not in words
    assert "Approved, and not executed yet: a job of web was at work" in " ".join(bob.get("/").words.split())
    assert "to be executed" in bob.get("/proposals").words
    desk.settle()
    assert "Exactly the plan that was shown is executed" in decide()


def test_an_event_names_the_process_that_it_is_about(desk: Desk, browser: Browser) -> None:
    desk.runs()
    desk.runs(alias="other")
    desk.does("kill", "other")
    desk.settle()
    rows = [row for row in browser.get("/events?limit=500").text.split("<tr ") if "object.state" in row]
    about = {
        re.search(r'data-label="Process"><a href="/processes/([^"]+)">([^<]+)<', row) for row in rows if "→" in row
    }
    assert {found[2] for found in about if found} == {"web", "other"}
    shown = desk.does("events").out
    assert set(re.findall(r"object\.state +(\w+)", shown)) >= {"web", "other"}


def test_a_reason_that_goes_on_keeps_the_letters_of_its_names() -> None:
    assert _stands({"why": "waiting", "message": "for InternetGateway igw-0A"}) == "Waiting for InternetGateway igw-0A"


def browser_words(browser: Browser) -> str:
    return browser.get("/processes/web").words


def test_an_output_is_told_with_what_the_composition_says_of_it(desk: Desk, browser: Browser) -> None:
    file = desk.file(
        "told.yaml",
        "Resources: {N: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16}}}\n"
        "Outputs:\n  Net: {Value: !Ref N, Description: The network of <the> shop}\n",
    )
    desk.does("run", file, "-a", "told")
    desk.settle()
    page = browser.get("/processes/told/outputs")
    assert "The network of &lt;the&gt; shop" in page.text
    told = desk.does("status", "told").out
    assert re.search(r"Net +net-\d+ +The network of <the> shop", told)
    assert desk.document("status", "told")["output_descriptions"] == {"Net": "The network of <the> shop"}


COMMAND = re.compile(r"Command line</span> <code>tenuto ([^<]+)</code>")


def test_the_command_of_a_list_shows_the_same_rows(desk: Desk, browser: Browser) -> None:
    desk.runs()
    desk.runs("  N: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16}}", alias="other")
    desk.does("suspend", "other")
    desk.advance(60.0)
    for path, command in (
        (
            "/processes?why=suspended&state=Suspended&sort=name",
            "status --why suspended --state Suspended --sort name",
        ),
        ("/processes?q=we&account=default", "status --account default --name we"),
    ):
        page = browser.get(path).text
        told = COMMAND.findall(page)
        assert told == [command]
        rows = {one["fid"] for one in desk.document(*told[0].split())["processes"]}
        assert rows == set(re.findall(r'id="p-([^"]+)"', page)) != set()
    page = browser.get("/processes/web?q=S&type=Simulated::Server").text
    assert COMMAND.findall(page) == ["show web --type Simulated::Server --name S"]
    shown = desk.document(*COMMAND.findall(page)[0].split())["resources"]
    assert [one["logical_id"] for one in shown] == ["Srv"]
    assert COMMAND.findall(browser.get("/find?q=a+name").text) == ["find &#39;a name&#39;"]
    assert "1 of 2 processes." in desk.does("status", "--why", "as-declared").out
    assert "web" in desk.does("status", "--why", "as-declared").out
    assert desk("status", "web", "--why", "failed").code == 2
    for words in (("status", "--why", "fialed"), ("show", "web", "--status", "fialed")):
        assert "Did you mean failed?" in desk(*words).err
    assert "There is no state Runing" in desk("status", "--state", "Runing").err


def test_the_command_of_a_page_of_events_shows_the_same_events(desk: Desk, browser: Browser) -> None:
    desk.runs()
    desk.runs(alias="other")
    page = browser.get("/events?process=web&type=command.given&actor=root&period=24h").text
    found = re.search(r"<code>tenuto (events [^<]+)</code>", page)
    assert found
    assert found[1] == "events web --type command.given --actor root --start 24h"
    events = desk.document(*found[1].removesuffix(" --start 24h").split())["events"]
    assert events
    assert {one["number"] for one in events} == {int(one) for one in re.findall(r'id="e-(\d+)"', page)}
    assert desk.document("events", "web", "--type", "command.given", "--actor", "conductor")["events"] == []
    other = browser.get("/events?request=5f0c2a9b61d4e837").text
    assert "<code>tenuto history --request 5f0c2a9b61d4e837</code>" in other


def test_events_are_saved_as_json_by_the_filters_of_the_page(desk: Desk, url: str) -> None:
    desk.runs()
    desk.runs("  N: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16}}", alias="hidden")
    desk.does("policy", "set", desk.file("p.yaml", POLICY.replace("history]", "history, events]")))
    owner, ann, bob = Browser(url), Browser(url), Browser(url)
    owner.sign_in()
    shown = owner.get("/events?type=job.finished&process=web")
    link = re.search(r'href="(/events\.json[^"]*)"', shown.text)
    assert link
    saved = owner.get(link[1].replace("&amp;", "&"))
    assert "attachment" in saved.headers["content-disposition"]
    events = json.loads(saved.text)["events"]
    assert {one["type"] for one in events} == {"job.finished"}
    assert events == sorted(events, key=lambda one: one["number"])
    everything = {one["fid"] for one in json.loads(owner.get("/events.json").text)["events"]}
    ann.sign_in(desk.user("ann").secret)
    bob.sign_in(desk.user("bob").secret)
    hers = {one["fid"] for one in json.loads(ann.get("/events.json").text)["events"]}
    assert hers < everything
    assert desk.status("hidden")["fid"] not in hers
    assert bob.get("/events.json").status == 403
    assert Browser(url).get("/events.json").headers["location"].startswith("/login")


def test_the_owner_says_on_the_page_why_a_rule_is_overridden(desk: Desk, browser: Browser) -> None:
    policy = (
        "TenutoPolicy: 1\nUsers: [ann, ben]\nGrants: [{To: [ann, ben], Commands: all, Accounts: '*'}]\n"
        "Approvals: [{Accounts: '*', Commands: [kill], By: [ann]}]\n"
    )
    desk.runs()
    assert "Why it is done without" not in browser.get("/processes/web/kill").words
    desk.does("policy", "set", desk.file("policy.yaml", policy))
    shown = browser.get("/processes/web/kill")
    assert "Why it is done without the approval" in shown.words
    fields = {"token": shown.field("token"), "digest": shown.field("digest"), "name": "web"}
    refused = browser.post("/processes/web/kill", fields)
    assert (refused.status, desk.status()["state"]) == (409, "Running")
    assert browser.post("/processes/web/kill", {**fields, "reason": "all are ill"}).status == 303
    assert "all are ill" in browser.get("/processes/web/history").words
    assert "Override: kill" in browser.get("/processes/web/history").words


def test_what_is_at_work_is_listed_below_however_many_wait_for_a_person(desk: Desk, browser: Browser) -> None:
    """Fourteen that failed for one cause took all rows, and the one that had drifted was on no line."""
    desk.runs()
    desk.does("property", "web", "enforcement", "--set", "off")
    desk.world.cloud.tamper(desk.real("Net").physical_id, "Label", "by-hand")
    bad = (
        "  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16}}",
        "  Sub: {Type: Simulated::Subnet, Properties: {NetworkId: !Ref Net, CidrBlock: 10.9.1.0/24}}",
    )
    for number in range(14):
        desk.does("run", desk.template(*bad, name="bad"), "-a", f"bad-{number}")
    desk.settle()
    shown = browser.get("/")
    assert "14 processes by InvalidCidrBlock" in shown.words
    assert re.findall(r'data-label="Process"><a href="/processes/([^"]+)"', shown.text) == ["web"]
