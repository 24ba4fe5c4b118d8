"""Two writers of one property, and much that is gone at once: what is held, what is told, what goes on meanwhile."""

import pytest
from desk import BKT, GRP, HOME, NET, SUB, Desk

NAMES = ("one", "two", "three", "four")


def drifts(desk: Desk, resource: str, path: str, value: object, times: int = 1) -> None:
    """Somebody sets a property, and again each time that it was set back."""
    for _ in range(times):
        desk.world.cloud.tamper(desk.real(resource).physical_id, path, value)
        desk.settle()


def label_of(desk: Desk) -> object:
    return desk.real("Net").properties["Label"]


def test_the_sixth_time_that_somebody_sets_a_property_back_it_is_left_to_them_and_told(desk: Desk) -> None:
    desk.runs(NET, BKT)
    drifts(desk, "Net", "Label", "theirs", times=5)
    assert label_of(desk) == "main"
    drifts(desk, "Net", "Label", "theirs")
    assert label_of(desk) == "theirs"
    found = desk.status()
    assert (found["state"], found["unconverged"]["why"]) == ("Running", "held")
    for part in ('Net.Label was found as "theirs" 6 times since', 'set back to "main"', "'tenuto retry web Net'"):
        assert part in found["unconverged"]["message"]
        assert part in desk("explain", "web", "Net").out
    events = desk.document("events", "web", "--type", "resource.held")["events"]
    assert [event["subject"] for event in events] == ["Net"]


def test_what_nobody_fights_over_is_repaired_while_something_is_held(desk: Desk) -> None:
    desk.runs(NET, SUB, GRP)
    drifts(desk, "Net", "Label", "theirs", times=6)
    drifts(desk, "Grp", "Ingress", [])
    assert desk.real("Grp").properties["Ingress"] == [{"Protocol": "tcp", "Port": 443}]
    assert label_of(desk) == "theirs"


def test_a_hold_is_not_ended_by_a_third_value(desk: Desk) -> None:
    desk.runs(NET)
    drifts(desk, "Net", "Label", "theirs", times=6)
    drifts(desk, "Net", "Label", "something else")
    assert label_of(desk) == "something else"


def test_somebody_who_sets_another_value_each_time_is_found_out_too(desk: Desk) -> None:
    desk.runs(NET)
    for number in range(11):
        assert desk.status()["converged"]
        drifts(desk, "Net", "Label", f"size {number}")
    assert label_of(desk) == "size 10"
    assert "found otherwise 11 times" in desk.status()["unconverged"]["message"]


@pytest.mark.parametrize("command", [("retry", "web", "Net"), ("retry", "web")])
def test_retry_corrects_it_again_and_counts_from_one(desk: Desk, command: tuple[str, ...]) -> None:
    desk.runs(NET)
    drifts(desk, "Net", "Label", "theirs", times=6)
    desk.does(*command)
    desk.settle()
    assert (label_of(desk), desk.status()["converged"]) == ("main", True)
    drifts(desk, "Net", "Label", "theirs", times=4)
    assert label_of(desk) == "main"


def test_the_hold_ends_by_itself_when_the_stranger_sets_what_is_declared(desk: Desk) -> None:
    desk.runs(NET)
    drifts(desk, "Net", "Label", "theirs", times=6)
    drifts(desk, "Net", "Label", "main")
    desk.advance(60)
    assert desk.status()["converged"]
    drifts(desk, "Net", "Label", "theirs")
    assert label_of(desk) == "main"


def test_a_stranger_who_comes_every_two_hours_is_set_back_each_time(desk: Desk) -> None:
    desk.runs(NET)
    for _ in range(8):
        desk.advance(7200)
        drifts(desk, "Net", "Label", "theirs")
        assert label_of(desk) == "main"


def test_of_two_properties_that_are_fought_over_both_are_told(desk: Desk) -> None:
    desk.runs(NET, SUB, GRP)
    for _ in range(6):
        desk.world.cloud.tamper(desk.real("Net").physical_id, "Label", "theirs")
        drifts(desk, "Grp", "Ingress", [])
    message = desk.status()["unconverged"]["message"]
    assert "Net.Label was found as" in message
    assert "Grp.Ingress was found as []" in message


def test_a_fight_survives_the_death_of_the_conductor(desk: Desk) -> None:
    desk.runs(NET)
    drifts(desk, "Net", "Label", "theirs", times=5)
    desk.world.crash()
    desk.world.cloud.tamper(desk.real("Net").physical_id, "Label", "theirs")
    desk.settle()
    assert label_of(desk) == "theirs"


def empty_the_account(desk: Desk) -> None:
    desk.advance(300)
    for physical_id in desk.things():
        desk.world.cloud.vanish(physical_id)
    desk.advance(120)


def test_an_account_that_is_empty_is_not_built_anew_by_many_small_processes(desk: Desk) -> None:
    for name in NAMES:
        desk.runs(NET, SUB, alias=name)
    before = desk.changes()
    empty_the_account(desk)
    assert (desk.things(), desk.changes()) == ({}, before)
    found = desk.document("status")["processes"]
    assert {one["alias"]: (one["state"], one["unconverged"]["why"]) for one in found} == dict.fromkeys(
        NAMES, ("Suspended", "held")
    )
    for part in (
        "create again 2 of 2",
        f"8 of the 8 that all processes have of these types in {HOME}",
        "'tenuto account check default'",
        "'tenuto resume one'",
    ):
        assert part in desk.status("one")["last_message"]


def test_resume_builds_one_process_again_and_leaves_the_others_held(desk: Desk) -> None:
    for name in NAMES:
        desk.runs(NET, SUB, alias=name)
    empty_the_account(desk)
    desk.does("resume", "two")
    desk.settle()
    assert len(desk.things()) == 2
    states = {one["alias"]: one["state"] for one in desk.document("status")["processes"]}
    assert states == dict.fromkeys(NAMES, "Suspended") | {"two": "Running"}
    assert desk.status("two")["converged"]


def test_a_small_process_that_is_lost_among_others_that_stand_is_healed(desk: Desk) -> None:
    for name in NAMES:
        desk.runs(NET, SUB, alias=name)
    desk.advance(300)
    for resource in ("Net", "Sub"):
        desk.world.cloud.vanish(desk.real(resource, "three").physical_id)
    desk.settle()
    assert desk.status("three")["converged"]
    assert len(desk.things()) == 8
