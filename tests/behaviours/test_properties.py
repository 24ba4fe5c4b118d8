"""Behaviours 47 to 52: enforcement, lock and alias."""

import pytest
from desk import NET, Desk


def test_behaviour_47_without_enforcement_drift_stays_until_it_is_on_again(desk: Desk) -> None:
    desk.runs(NET)
    desk.does("property", "web", "enforcement", "--set", "off")
    desk.world.cloud.tamper(desk.real("Net").physical_id, "Label", "drifted")
    desk.advance(120)
    status = desk.status()
    assert (desk.real("Net").properties["Label"], status["state"]) == ("drifted", "Running")
    assert status["resources"]["Net"]["drift"] == ["Label"]
    desk.does("property", "web", "enforcement", "--set", "on")
    desk.settle()
    assert desk.real("Net").properties["Label"] == "main"


def test_behaviour_48_a_new_process_is_enforced_and_not_locked(desk: Desk) -> None:
    desk.runs(NET)
    assert (desk.status()["enforcement"], desk.status()["lock"]) == (True, False)


@pytest.mark.parametrize("command", ["update", "suspend", "kill", "release", "retry"])
def test_behaviour_49_a_locked_process_takes_only_the_command_that_unlocks_it(desk: Desk, command: str) -> None:
    desk.runs(NET)
    desk.does("property", "web", "lock", "--set", "on")
    more = (desk.template(NET),) if command == "update" else ()
    refused = desk("-y", command, "web", *more)
    assert refused.code == 5
    assert "lock" in refused.err
    desk.world.cloud.tamper(desk.real("Net").physical_id, "Label", "drifted")
    desk.settle()
    assert desk.real("Net").properties["Label"] == "main"
    desk.does("property", "web", "lock", "--set", "off")
    assert desk("-y", command, "web", *more).code == 0


def test_the_history_keeps_why_a_property_was_set(desk: Desk) -> None:
    desk.runs(NET)
    for key, value in (("lock", "on"), ("lock", "off"), ("enforcement", "off")):
        desk.does("property", "web", key, "--set", value, "--reason", f"a test of {key}")
    told = [one["detail"] for one in desk.document("history", "web")["commands"][-3:]]
    assert told == ["lock on: a test of lock", "lock off: a test of lock", "enforcement off: a test of enforcement"]
    assert "a test of enforcement" in desk.does("history", "web").out
    assert desk("property", "web", "lock", "--reason", "x").code == 2
    assert desk("property", "web", "lock", "--set", "on", "--reason", " ").code == 2


def test_behaviour_50_a_new_alias_is_only_another_name(desk: Desk) -> None:
    desk.runs(NET)
    fid, changes = desk.status()["fid"], desk.changes()
    desk.does("property", fid, "alias", "--set", "new")
    desk.advance(120)
    assert desk.status("new")["fid"] == fid
    assert desk("status", "web").code == 4
    assert desk.changes() == changes


def test_behaviour_51_a_property_without_a_value_is_printed(desk: Desk) -> None:
    desk.runs(NET)
    assert desk("property", "web", "enforcement").out == "on\n"
    assert desk("--json", "property", "web", "enforcement").document == {
        "fid": desk.status()["fid"],
        "enforcement": True,
        "enforcement_until": None,
    }


def test_behaviour_52_flags_are_shown_when_they_are_not_the_usual_ones(desk: Desk) -> None:
    desk.runs(NET)
    enforcement, lock = "not enforced", "locked"
    shows: dict[tuple[str, str], set[str]] = {
        ("on", "off"): set(),
        ("off", "off"): {enforcement},
        ("off", "on"): {enforcement, lock},
        ("on", "on"): {lock},
    }
    for (enforced, locked), flags in shows.items():
        desk.does("property", "web", "lock", "--set", "off")
        desk.does("property", "web", "enforcement", "--set", enforced)
        desk.does("property", "web", "lock", "--set", locked)
        told = desk("status").out
        assert ("Flags" in told) is bool(flags)
        assert {flag for flag in (enforcement, lock) if flag in told} == flags
