"""The plan of a page has the lines of the command line: the same leaves, the same words, the same masks."""

import json
import re
from html import unescape

import pytest
from browser import Browser, Shown
from desk import Desk
from hypothesis import given, settings
from hypothesis import strategies as st

from tenuto.kit.visible import visible
from tenuto.model.ids import Json
from tenuto.service.views.plan_text import change_lines, plan_text
from tenuto.web.rendering import Renderer

UI = Renderer().macros
SECRET_WORD = "hunter-2-hunter"


def template(*, port: int, action: str, line: str, size: str) -> str:
    """Rules in a list, a document in a text, a text of lines, and a secret."""
    policy = {"Statement": [{"Sid": "Read", "Effect": "Allow", "Action": action, "Resource": "a" * 90}]}
    script = "\n".join(["#!/bin/sh", line, *(f"echo {number}" for number in range(30))])
    rules = [
        {"Protocol": "tcp", "Port": 443, "Cidr": "10.0.0.0/8", "Note": "from the house"},
        {"Protocol": "tcp", "Port": port, "Cidr": "192.168.0.0/16", "Note": "from the partner"},
    ]
    resources = {
        "Net": {
            "Type": "Simulated::Network",
            "Properties": {"CidrBlock": "10.0.0.0/16", "Label": json.dumps(policy)},
        },
        "Sub": {
            "Type": "Simulated::Subnet",
            "Properties": {"NetworkId": {"Ref": "Net"}, "CidrBlock": "10.0.1.0/24", "Label": script},
        },
        "Grp": {"Type": "Simulated::Group", "Properties": {"NetworkId": {"Ref": "Net"}, "Ingress": rules}},
        "Srv": {
            "Type": "Simulated::Server",
            "Properties": {
                "SubnetId": {"Ref": "Sub"},
                "Image": f"debian-{size}",
                "Password": {"Ref": "Word"},
            },
        },
    }
    return json.dumps({"Parameters": {"Word": {"Type": "String", "NoEcho": True}}, "Resources": resources})


def leaves(shown: Shown) -> list[str]:
    """The lines below the operations of a page, as a person reads them."""
    found = re.findall(r'<li class="leaf[^"]*">(.*?)</li>', shown.text, re.DOTALL)
    return [" ".join(unescape(re.sub(r"<[^>]+>", "", one)).split()) for one in found]


@pytest.fixture
def updated(desk: Desk) -> Desk:
    """A suspended process with an update that no job has applied."""
    first = desk.file("web.yaml", template(port=80, action="s3:GetObject", line="PORT=80", size="12"))
    desk.does("run", first, "-a", "web", "-p", f"Word={SECRET_WORD}")
    desk.settle()
    desk.does("suspend", "web")
    second = desk.file("next.yaml", template(port=8080, action="s3:PutObject", line="PORT=8080", size="13"))
    desk.does("update", "web", second, "-p", f"Word={SECRET_WORD}-new")
    return desk


def test_the_lines_of_a_page_are_those_of_the_command_line(updated: Desk, browser: Browser) -> None:
    told = leaves(browser.get("/processes/web/plan"))
    assert '~ Cidr "192.168.0.0/16", Note "from the partner", Protocol "tcp": Port: 80 → 8080' in told
    assert "- line 2: PORT=80" in told
    assert "+ line 2: PORT=8080" in told
    assert any(one.startswith('~ Sid "Read"') and one.endswith('"s3:GetObject" → "s3:PutObject"') for one in told)
    assert 'Image: "debian-12" → "debian-13" forces replacement' in told
    printed = plan_text(updated.document("plan", "web"))
    plain = [" ".join(one.replace("  # ", " ").split()) for one in printed.splitlines()]
    below = [one for one in plain if one in told]
    assert sorted(below) == sorted(told), "each line of the page is one of the command line"
    operations = [one for one in plain if re.match(r"[+~±-] (create|modify|replace|delete) ", one)]
    others = [one for one in plain if one not in told and one not in operations]
    assert [one for one in others if not re.match(r"(Calls|Plan|…|Note|!)", one)] == [], "and the page leaves none out"


def test_no_line_of_a_page_shows_a_secret(desk: Desk, browser: Browser) -> None:
    same = desk.file("web.yaml", template(port=80, action="s3:GetObject", line="PORT=80", size="12"))
    desk.does("run", same, "-a", "web", "-p", f"Word={SECRET_WORD}")
    desk.settle()
    desk.does("suspend", "web")
    desk.does("update", "web", same, "-p", f"Word={SECRET_WORD}-new")
    shown = browser.get("/processes/web/plan")
    assert SECRET_WORD not in shown.text
    assert "Password: **** → ****" in leaves(shown)


def test_whole_values_are_offered_where_lines_leave_something_out(updated: Desk, browser: Browser) -> None:
    shown = browser.get("/processes/web/plan")
    offered = re.findall(r"<summary>whole values of ([^<]+)</summary>", shown.text)
    assert sorted(offered) == ["Ingress", "Label", "Label"]
    assert "echo 29" in shown.text


def test_a_proposal_has_the_lines_of_its_plan(desk: Desk, browser: Browser) -> None:
    desk.runs()
    wider = desk.template(
        "  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16, Label: other}}", name="wide"
    )
    desk.does("update", "web", wider, "--propose", "-m", "smaller")
    told = leaves(browser.get("/proposals/1"))
    assert 'Label: "main" → "other"' in told


def test_what_is_left_alone_is_told_with_its_reason(desk: Desk, browser: Browser) -> None:
    desk.runs()
    desk.does("property", "web", "enforcement", "--set", "off")
    desk.world.cloud.tamper(desk.real("Net").physical_id, "Label", "by-hand")
    desk.advance(60.0)
    shown = browser.get("/processes/web/plan")
    assert "Left alone, because enforcement is off" in shown.words
    assert 'Label: "by-hand" → "main"' in leaves(shown)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=40) | st.just("long " * 30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["Key", "Port", "Note"]), inner),
    max_leaves=12,
)


@settings(deadline=None)
@given(VALUES, VALUES, st.sampled_from(["", "forces_replacement", "may_interrupt"]))
def test_a_page_sets_each_line_in_the_words_of_the_command_line(before: Json, after: Json, mark: str) -> None:
    change = {"path": "P", "before": before, "after": after, "forces_replacement": False} | (
        {mark: True} if mark else {}
    )
    page = UI.change(change).partition("<details")[0]
    told = [unescape(re.sub(r"<[^>]+>", "", one)) for one in re.findall(r"<li [^>]*>(.*?)</li>", page, re.DOTALL)]
    printed = [visible(one.text.replace("  # ", " ")) for one in change_lines(change)]
    assert told == printed
