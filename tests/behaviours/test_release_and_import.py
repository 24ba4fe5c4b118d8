"""Behaviours 53 to 60: release and import."""

import pytest
from desk import HOME, NET, PAUSES_S, SUB, WEB, Desk

from tenuto.providers.simulated.faults import FaultKind
from tenuto.providers.simulated.types import NETWORK
from tenuto_testing.simulation.promises import shown


def imported(physical_id: str, cidr: str = "10.0.0.0/16", label: str = "main") -> str:
    """A network that exists already."""
    return (
        f"  Net: {{Type: Simulated::Network, Metadata: {{Tenuto: {{ResourceIdentifier: {physical_id}}}}}, "
        f"Properties: {{CidrBlock: {cidr}, Label: {label}}}}}"
    )


@pytest.mark.parametrize("is_suspended", [False, True])
def test_behaviour_53_a_released_process_is_gone_and_its_resources_stay(desk: Desk, is_suspended: bool) -> None:
    desk.runs()
    before = {name: dict(thing.properties) for name, thing in desk.things().items()}
    if is_suspended:
        desk.does("suspend", "web")
    desk.does("release", "web")
    desk.settle()
    calls = len(desk.world.calls)
    desk.advance(300)
    assert len(desk.world.calls) == calls
    assert desk.document("status")["processes"] == []
    assert {name: dict(thing.properties) for name, thing in desk.things().items()} == before
    assert [thing.owner for thing in desk.things().values()] == [None] * len(WEB)


@pytest.mark.parametrize("pause_s", PAUSES_S)
def test_behaviour_54_a_kill_must_be_suspended_before_it_can_be_released(desk: Desk, pause_s: float) -> None:
    desk.runs(NET)
    fid, net = desk.world.fid("web"), desk.real("Net")
    desk.fault("delete", "Net", FaultKind.UNAVAILABLE, times=2)
    desk.does("kill", "web")
    desk.advance(1)
    assert desk("-y", "release", "web").code == 5
    desk.does("suspend", "web")
    desk.advance(pause_s)
    promised = shown(desk.document("release", "web", "--dry-run")["operations"])
    assert [(one["op"], one["logical_id"]) for one in promised] == [("release", "Net")]
    desk.advance(pause_s)
    desk.does("release", "web")
    desk.settle()
    assert desk.planned("release", fid) == [promised]
    assert list(desk.things().values()) == [net]
    assert desk.document("status")["processes"] == []


def test_behaviour_55_a_released_process_does_not_come_back(desk: Desk) -> None:
    desk.runs(NET)
    fid = desk.status()["fid"]
    desk.does("release", "web")
    desk.settle()
    for name in ("web", fid):
        for command in ("status", "resume", "suspend", "kill"):
            assert desk("-y", command, name).code == 4


def test_behaviour_56_what_exists_is_adopted_as_it_is_and_held_from_then_on(desk: Desk) -> None:
    stranger = desk.world.cloud.add(HOME, NETWORK, {"CidrBlock": "10.0.0.0/16", "Label": "main"})
    desk.does("run", desk.template(imported(stranger)), "-a", "web", "--import")
    desk.settle()
    assert list(desk.things()) == [stranger]
    assert desk.status()["resources"]["Net"]["id"] == stranger
    desk.world.cloud.tamper(stranger, "Label", "drifted")
    desk.settle()
    assert desk.things()[stranger].properties["Label"] == "main"


@pytest.mark.parametrize("pause_s", PAUSES_S)
def test_the_way_on_after_a_creation_that_found_the_name_taken_is_to_adopt_the_thing(
    desk: Desk, pause_s: float
) -> None:
    desk.fault("create", "Net", FaultKind.DENIED, times=10_000)
    desk.runs(NET, SUB)
    assert desk.status()["state"] == "Suspended"
    desk.world.faults.clear()
    stranger = desk.world.cloud.add(HOME, NETWORK, {"CidrBlock": "10.0.0.0/16", "Label": "main"})
    desk.advance(pause_s)
    desk.does("update", "web", desk.template(imported(stranger), SUB))
    desk.advance(pause_s)
    planned = desk.document("resume", "web", "--dry-run")["operations"]
    assert [(one["op"], one["logical_id"]) for one in planned] == [("adopt", "Net"), ("create", "Sub")]
    desk.does("resume", "web")
    desk.settle()
    assert desk.status()["resources"]["Net"]["id"] == stranger
    assert desk.status()["converged"]
    assert len(desk.things()) == 2


def test_behaviour_57_what_is_to_be_adopted_and_is_not_there_is_named_and_nothing_is_made(desk: Desk) -> None:
    refused = desk("-y", "run", desk.template(imported("net-404"), SUB), "-a", "web", "--import")
    assert refused.code != 0
    assert "net-404" in refused.err
    desk.settle()
    assert (desk.things(), desk.document("status")["processes"]) == ({}, [])


def test_behaviour_58_what_another_process_holds_cannot_be_adopted(desk: Desk) -> None:
    desk.runs(NET)
    held = desk.real("Net").physical_id
    refused = desk("-y", "run", desk.template(imported(held), name="other"), "-a", "other", "--import")
    assert refused.code != 0
    assert "web" in refused.err
    assert held in refused.err
    assert desk("status", "other").code == 4


def test_behaviour_59_a_dry_run_of_an_import_lists_what_would_be_changed_or_replaced(desk: Desk) -> None:
    stranger = desk.world.cloud.add(HOME, NETWORK, {"CidrBlock": "10.0.0.0/16", "Label": "main"})
    for text, expected in (
        (imported(stranger), ["adopt"]),
        (imported(stranger, label="other"), ["adopt", "modify"]),
        (imported(stranger, cidr="10.7.0.0/16"), ["adopt", "replace"]),
    ):
        plan = desk.document("run", desk.template(text), "--import", "--dry-run")
        assert [one["op"] for one in plan["operations"]] == expected


def test_behaviour_60_what_is_only_referred_to_is_never_changed_or_deleted(desk: Desk) -> None:
    stranger = desk.world.cloud.add(HOME, NETWORK, {"CidrBlock": "10.0.0.0/16", "Label": "theirs"})
    before = dict(desk.things()[stranger].properties)
    desk.runs(SUB.replace("!Ref Net", stranger))
    assert desk.real("Sub").properties["NetworkId"] == stranger
    desk.does("kill", "web")
    desk.settle()
    assert {name: dict(thing.properties) for name, thing in desk.things().items()} == {stranger: before}
