"""Behaviours 61 to 66: status and history."""

import pytest
from desk import BKT, NET, Desk

from tenuto.providers.simulated.faults import FaultKind


def test_behaviour_61_status_groups_by_state_and_hides_what_is_blank(desk: Desk) -> None:
    for alias, text in (("stays", BKT), ("waits", NET), ("goes", NET)):
        desk.does("run", desk.template(text, name=alias), "-a", alias)
        desk.settle()
    desk.does("suspend", "waits")
    desk.does("kill", "goes")
    lines = desk("status").out.splitlines()
    assert [line.split()[0] for line in lines[2:5]] == ["Running", "Suspended", "Killing"]
    assert lines[0].split()[0] == "State"
    assert "Flags" not in lines[0]
    assert "Flags" in desk("status", "--verbose").out.splitlines()[0]


@pytest.mark.parametrize("command", ["status", "plan", "explain", "history", "ops", "suspend", "kill", "release"])
def test_behaviour_62_an_unknown_process_is_told_as_such(desk: Desk, command: str) -> None:
    ended = desk("-y", command, "nobody")
    assert (ended.code, ended.out) == (4, "")
    assert "nobody" in ended.err


def test_behaviour_63_the_document_of_a_process_has_what_scripts_need(desk: Desk) -> None:
    desk.runs()
    status = desk.status()
    assert status.keys() >= {
        "fid",
        "alias",
        "state",
        "last_message",
        "next_command",
        "last_job",
        "resources",
        "outputs",
    }
    assert status["resources"]["Srv"]["attributes"]["PrivateAddress"] == "10.0.0.1"
    assert status["resources"]["Srv"]["id"] == desk.real("Srv").physical_id


def test_behaviour_64_updated_is_the_time_of_the_last_command_and_not_of_a_job(desk: Desk) -> None:
    desk.runs(NET)
    first = desk.status()["updated"]
    desk.advance(300)
    assert desk.status()["updated"] == first
    desk.does("suspend", "web")
    assert desk.status()["updated"] > first


def test_behaviour_65_history_has_jobs_commands_and_dry_runs_of_the_time_asked_for(desk: Desk) -> None:
    desk.runs(NET)
    desk.advance(100)
    middle = desk.status()["last_job"]["started"]
    desk.advance(100)
    desk.does("kill", "web", "--dry-run")
    desk.does("suspend", "web")
    desk.settle()
    whole = desk.document("history", "web")
    assert [one["command"] for one in whole["commands"]] == ["run", "suspend"]
    assert [(job["kind"], job["command"]) for job in whole["jobs"]] == [("command", "run"), ("dry-run", "kill")]
    early, late = (desk.document("history", "web", option, middle) for option in ("--end", "--start"))
    assert [one["command"] for one in early["commands"]] == ["run"]
    assert [one["command"] for one in late["commands"]] == ["suspend"]
    assert [job["command"] for job in late["jobs"]] == ["kill"]


def test_behaviour_66_the_words_of_the_provider_are_in_the_status(desk: Desk) -> None:
    desk.fault("create", "Net", FaultKind.DENIED)
    desk.does("run", desk.template(NET), "-a", "web")
    desk.settle()
    told = " ".join(desk("status", "web").out.split())
    assert "create was denied" in told
    assert "AccessDenied" in told
    assert "req-" in told
