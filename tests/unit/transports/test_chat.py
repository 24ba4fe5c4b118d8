"""Messages of chats: what they tell, and what in them has no power."""

import json
from typing import Any

import pytest

from tenuto.model.ids import JsonMap
from tenuto.model.notification import SinkForm
from tenuto.transports.chat import headline, message_of

JOB: JsonMap = {
    "type": "job.finished",
    "process": {"fid": "f", "alias": "shop", "account": "prod", "region": "eu-west-1"},
    "subject": "update",
    "before": None,
    "after": "HALTED",
    "actor": "ann",
    "reason": "AWS refused it",
    "job": {
        "command": "update",
        "status": "HALTED",
        "message": "AWS refused it",
        "counts": {"modify": 1, "replace": 1, "unchanged": 4},
        "operations": [{"op": "replace", "logical_id": f"Disk{number}"} for number in range(12)],
        "operations_left_out": 3,
    },
}
EVIL = "<!channel> [x](http://bad) *bold* @team <img>\nby root"


def texts(message: Any) -> list[str]:
    """Every text of a message, at any depth."""
    match message:
        case dict():
            return [one for name, value in message.items() if name != "$schema" for one in texts(value)]
        case list():
            return [one for value in message for one in texts(value)]
        case str():
            return [message]
        case _:
            return []


def test_the_headline_says_what_became_of_which_process() -> None:
    assert headline(JOB) == "⏸ shop: update HALTED, 1 modify, 1 replace"
    event = {"type": "resource.held", "process": JOB["process"], "subject": "Web", "before": None, "after": None}
    assert headline(event) == "• shop: resource.held Web"


@pytest.mark.parametrize("form", [SinkForm.SLACK, SinkForm.TEAMS])
def test_a_message_names_the_cause_the_resources_and_the_user(form: SinkForm) -> None:
    text = " ".join(texts(message_of(form, JOB)))
    for words in ("AWS refused it", "replace Disk0", "and 5 more", "by ann", "prod"):
        assert words in text.replace("\\", "")
    assert "Disk10" not in text


@pytest.mark.parametrize("form", [SinkForm.SLACK, SinkForm.TEAMS])
def test_what_comes_from_elsewhere_is_no_link_and_no_mention(form: SinkForm) -> None:
    process = {"fid": "f", "alias": EVIL, "account": EVIL, "region": "r"}
    message = message_of(form, {**JOB, "process": process, "job": {**JOB["job"], "message": EVIL}})
    text = " ".join(texts(message))
    assert "<!channel>" not in text
    assert "<img>" not in text
    assert "\nby root" not in text
    if form is SinkForm.TEAMS:
        assert "[x](" not in text


def test_no_message_has_a_button_that_acts() -> None:
    for form in (SinkForm.SLACK, SinkForm.TEAMS):
        text = json.dumps(message_of(form, JOB))
        assert "button" not in text
        assert "Action." not in text


def test_the_shapes_are_those_that_the_chats_take() -> None:
    slack = message_of(SinkForm.SLACK, JOB)
    assert {one["type"] for one in slack["blocks"]} == {"section", "context"}
    [attachment] = message_of(SinkForm.TEAMS, JOB)["attachments"]
    assert attachment["contentType"] == "application/vnd.microsoft.card.adaptive"
    assert attachment["content"]["type"] == "AdaptiveCard"
    assert message_of(SinkForm.JSON, JOB) is JOB


def event(kind: str, **more: object) -> JsonMap:
    return {"type": kind, "process": JOB["process"], "subject": "shop", "before": None, "after": None, **more}


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (event("command.given", data={"command": "kill"}), "• shop: kill given"),
        (event("command.refused", data={"command": "update"}), "• shop: update refused"),
        (event("command.denied", data={"command": "kill", "account": "prod"}), "• shop: kill denied"),
        (
            event("command.denied", process=None, subject="web2", data={"command": "run", "account": "prod"}),
            "• Conductor: run denied web2",
        ),
        (
            event("proposal.state", after="Open", data={"proposal": 41, "command": "update"}),
            "• shop: proposal 41 (update) Open",
        ),
        (event("approval.overridden", data={"command": "kill"}), "• shop: the approval of kill was overridden"),
        (
            event("approval.overridden", data={"command": "kill", "proposal": 41}),
            "• shop: the approval of proposal 41 (kill) was overridden",
        ),
        (
            event("process.state", before="Running", after="Killing", data={}),
            "• shop: process.state: Running → Killing",
        ),
    ],
)
def test_the_headline_names_the_command_and_the_proposal(document: JsonMap, words: str) -> None:
    assert headline(document) == words


def test_a_message_about_the_conductor_is_its_reason_once() -> None:
    added = event("conductor", process=None, subject="s", reason="notification s added", actor="ann")
    assert texts(message_of(SinkForm.TEAMS, added)).count("• Conductor: notification s added") == 1
    assert "by ann" in texts(message_of(SinkForm.SLACK, added))
    assert headline(event("conductor", process=None, subject="s")) == "• Conductor: conductor"


@pytest.mark.parametrize("form", [SinkForm.SLACK, SinkForm.TEAMS])
def test_a_drift_names_the_properties_and_no_values(form: SinkForm) -> None:
    drift = event("drift.found", subject="Web", data={"kind": "changed", "paths": ["Label", "Cidr"], "corrected": True})
    assert "changed: Label, Cidr" in " ".join(texts(message_of(form, drift)))


PROPOSED = event(
    "proposal.state",
    after="Open",
    data={"proposal": 41, "command": "update"},
    url="https://tenuto.example.org/proposals/41",
)


def test_a_message_links_to_the_page_of_what_it_is_about() -> None:
    assert "<https://tenuto.example.org/proposals/41|Proposal 41>" in texts(message_of(SinkForm.SLACK, PROPOSED))[-1]
    assert "[Proposal 41](https://tenuto.example.org/proposals/41)" in texts(message_of(SinkForm.TEAMS, PROPOSED))
    for form in (SinkForm.SLACK, SinkForm.TEAMS):
        text = json.dumps(message_of(form, {**PROPOSED, "url": None}))
        assert "example.org" not in text


def test_neither_the_words_nor_the_address_of_a_link_end_it() -> None:
    process = {"fid": "f", "alias": "x>|](http://bad)<!channel>", "account": "a", "region": "r"}
    url = "https://tenuto.example.org/processes/f>)|<!channel>"
    given = event("command.given", process=process, data={"command": "kill"}, url=url)
    slack = texts(message_of(SinkForm.SLACK, given))[-1].splitlines()[-1]
    assert slack.count("<") == slack.count(">") == 1
    [teams] = [one for one in texts(message_of(SinkForm.TEAMS, given)) if one.startswith("[")]
    assert teams.count("](") == 1
    assert teams.endswith("](https://tenuto.example.org/processes/f%3E%29%7C%3C%21channel%3E)")
