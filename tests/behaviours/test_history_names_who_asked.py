"""History tells who asked for each command, job and dry run, in an order that does not depend on chance."""

import json

import pytest
from desk import NET, Desk

from tenuto.providers.simulated.faults import FaultKind

POLICY = "TenutoPolicy: 1\nUsers: [ann, bob]\nGrants: [{To: [ann, bob], Commands: all, Accounts: ['*']}]\n"
OTHER = "  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16, Label: other}}"


@pytest.fixture
def ann(desk: Desk) -> Desk:
    desk.does("policy", "set", desk.file("policy.yaml", POLICY))
    return desk.user("ann")


def rows(desk: Desk) -> list[tuple[str, str, str]]:
    """What, which command and who, in the order of the history."""
    document = desk.document("history", "web")
    found = [(one["place"], "command", one["command"], one["actor"]) for one in document["commands"]]
    found += [(one["place"], one["kind"], one["command"], one["actor"]) for one in document["jobs"]]
    return [(what, command, actor) for _, what, command, actor in sorted(found)]


def test_every_row_names_its_actor(desk: Desk, ann: Desk) -> None:
    bob = desk.user("bob")
    ann.runs(NET)
    bob.does("update", "web", desk.template(OTHER), "--dry-run")
    desk.advance(1.0)
    bob.does("update", "web", desk.template(OTHER))
    desk.settle()
    desk.world.cloud.tamper(desk.real("Net").physical_id, "Label", "theirs")
    desk.settle()
    ann.does("kill", "web", "--dry-run")
    assert rows(desk) == [
        ("command", "run", "ann"),
        ("command", "run", "ann"),
        ("dry-run", "update", "bob"),
        ("command", "update", "bob"),
        ("command", "update", "bob"),
        ("routine", "enforce", "conductor"),
        ("dry-run", "kill", "ann"),
    ]
    events = desk.document("events", "web", "--type", "job.finished")["events"]
    assert [event["actor"] for event in events] == ["ann", "bob", "conductor"]
    assert desk.status()["last_job"]["actor"] == "conductor"


def test_the_job_of_a_saved_plan_stands_after_its_command_and_names_who_gave_it(desk: Desk, ann: Desk) -> None:
    bob = desk.user("bob")
    ann.runs(NET)
    file = str(desk.folder / "plan.json")
    ann.does("update", "web", desk.template(OTHER), "--dry-run", "-o", file)
    assert json.loads((desk.folder / "plan.json").read_text())["made_by"] == "ann"
    desk.advance(7.0)
    bob.does("update", "web", "--plan", file)
    desk.settle()
    assert rows(desk)[2:] == [("dry-run", "update", "ann"), ("command", "update", "bob"), ("command", "update", "bob")]
    lines = desk("history", "web").out.splitlines()[2:]
    told = [word for line in lines for word in ("command  ", "job  ", "dry run  ") if f"  {word}" in line]
    assert [word.strip() for word in told] == ["command", "job", "dry run", "command", "job"]


def test_a_retry_names_who_gave_it_in_the_event_of_the_phase(desk: Desk, ann: Desk) -> None:
    desk.fault("create", "Net", FaultKind.DENIED)
    desk.does("run", desk.template(NET), "-a", "web")
    desk.settle()
    ann.does("retry", "web", "Net")
    [event] = desk.document("events", "web", "--type", "phase.retried")["events"]
    assert event["actor"] == "ann"


def moved(desk: Desk, after: int) -> set[tuple[str, str]]:
    """Who asked for the moves of resources since an event, and what moved them: `plan` or `phase`."""
    events = desk.document("events", "web", "--type", "object.state")["events"]
    return {(one["actor"], one["data"]["by"].split()[0]) for one in events if one["number"] > after}


def test_the_moves_of_a_resource_name_who_asked_and_what_moved_it(desk: Desk, ann: Desk) -> None:
    bob = desk.user("bob")
    ann.runs(NET)
    assert moved(desk, 0) == {("ann", "plan"), ("ann", "phase")}
    built = desk.world.store.last_event()
    bob.does("update", "web", desk.template(OTHER))
    desk.settle()
    assert moved(desk, built) == {("bob", "plan"), ("bob", "phase")}
    updated = desk.world.store.last_event()
    desk.world.cloud.tamper(desk.real("Net").physical_id, "Label", "theirs")
    desk.settle()
    assert moved(desk, updated) == {("conductor", "plan"), ("conductor", "phase")}
    repaired = desk.world.store.last_event()
    ann.does("kill", "web")
    desk.settle()
    fid = desk.world.fid("web")
    events = desk.document("events", fid, "--type", "object.state")["events"]
    assert {one["actor"] for one in events if one["number"] > repaired} == {"ann"}


def test_a_phase_that_failed_names_who_asked_for_its_job(desk: Desk, ann: Desk) -> None:
    desk.fault("create", "Net", FaultKind.DENIED)
    ann.does("run", desk.template(NET), "-a", "web")
    desk.settle()
    [event] = desk.document("events", "web", "--type", "phase.failed")["events"]
    assert (event["actor"], event["data"]["by"]) == ("ann", "phase resource.create")
