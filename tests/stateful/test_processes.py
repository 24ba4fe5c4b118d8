"""The life of a process as its user sees it, against a simulated cloud on a virtual clock.

Numbers in names (B1, B2, …) are those of the testable behaviours of the process model's fact sheet.
"""

from dataclasses import replace

import pytest
from web_world import WebWorld, composed, declare, web

from tenuto.core.pacing.visibility import VISIBILITY_S
from tenuto.model.command import ProcessState
from tenuto.model.composition import Composition
from tenuto.model.job import JobStatus
from tenuto.providers.simulated.behaviour import Behaviour
from tenuto.providers.simulated.faults import Fault, FaultKind


def running() -> WebWorld:
    world = WebWorld()
    world.run()
    world.settled()
    return world


def test_b1_a_run_creates_every_declared_resource() -> None:
    world = running()
    assert set(world.live()) == {"Net", "Left", "Right", "Server", "Store"}
    assert world.process().last_job is not None


def test_b2_an_unchanged_world_gets_an_empty_plan_and_no_write_call() -> None:
    world = running()
    before = world.writes()
    world.next_job()
    world.next_job()
    assert world.writes() == before
    assert world.process().last_job.status is JobStatus.SUCCEEDED  # type: ignore[union-attr]


def test_b3_the_next_job_reverts_exactly_the_property_that_was_changed() -> None:
    world = running()
    world.cloud.tamper(world.physical("Net"), "Label", "a stranger's")
    before = len(world.writes())
    world.next_job()
    assert world.writes()[before:] == [("Net",)]
    assert world.process().converged_at is not None


def test_b5_a_resource_deleted_by_hand_is_back_within_one_job() -> None:
    world = running()
    world.advance(VISIBILITY_S)  # what is new may only be invisible
    world.cloud.vanish(world.physical("Right"))
    world.next_job()
    assert world.live()["Right"].state == "Started"
    assert world.live()["Right"].incarnation == 2


def test_b6_resources_that_no_composition_declares_are_never_touched() -> None:
    world = running()
    stranger = world.cloud.add(
        world.process().partition,
        "Simulated::Network",
        {"CidrBlock": "10.9.0.0/16"},  # type: ignore[arg-type]
    )
    world.next_job()
    world.kill()
    assert world.settled().state is ProcessState.GONE
    assert [thing.physical_id for thing in world.cloud.things()] == [stranger]


def test_b7_a_suspended_process_is_neither_observed_nor_changed() -> None:
    world = running()
    world.suspend()
    world.cloud.tamper(world.physical("Net"), "Label", "a stranger's")
    world.advance(1.0)
    before = len(world.calls)
    world.advance(300.0)
    assert len(world.calls) == before


def test_b8_resume_reverts_the_drift_of_the_time_between() -> None:
    world = running()
    world.suspend()
    world.cloud.tamper(world.physical("Net"), "Label", "a stranger's")
    world.advance(60.0)
    world.resume()
    world.settled()
    thing = next(thing for thing in world.cloud.things() if thing.physical_id == world.physical("Net"))
    assert thing.properties["Label"] == "one"


def test_b9_a_kill_deletes_in_the_order_of_dependency_and_then_the_process_is_gone() -> None:
    world = running()
    world.kill()
    assert world.settled().state is ProcessState.GONE
    assert world.cloud.things() == ()
    deletes = [call.subjects for call in world.calls if call.operation == "delete"]
    order = [name for subjects in deletes for name in subjects]
    assert order.index("Server") < order.index("Left") < order.index("Net")


def test_a_process_that_never_made_anything_can_be_killed_where_nobody_answers() -> None:
    world = WebWorld()
    world.faults.add(Fault(operation="context", kind=FaultKind.FORBIDDEN, times=10_000))
    world.run()
    world.advance(60.0)
    assert world.process().last_job.status is JobStatus.FAILED  # type: ignore[union-attr]
    world.kill()
    assert world.settled().state is ProcessState.GONE


def test_b10_b11_b12_a_kill_is_paused_cancelled_and_done_again() -> None:
    world = running()
    world.kill()
    world.advance(5.0)
    world.suspend()
    world.advance(1.0)
    paused = len(world.cloud.things())
    world.advance(120.0)
    assert 0 < len(world.cloud.things()) <= paused
    world.resume()
    assert world.settled().state is ProcessState.RUNNING
    assert {found.state for found in world.live().values()} == {"Started"}
    assert len(world.cloud.things()) == 5
    world.kill()
    assert world.settled().state is ProcessState.GONE
    assert world.cloud.things() == ()


@pytest.mark.parametrize("after", [0.0, 0.15, 0.3, 0.5, 1.0, 3.0, 10.0])
def test_a_kill_at_any_moment_of_the_build_leaves_nothing(after: float) -> None:
    world = WebWorld()
    world.run()
    world.advance(after)
    world.kill()
    assert world.settled().state is ProcessState.GONE
    assert world.cloud.things() == ()


def test_b15_a_fault_that_needs_a_human_suspends_with_the_reason_and_resume_repairs() -> None:
    world = WebWorld()
    world.faults.add(Fault(operation="create", subject="Left", kind=FaultKind.DENIED))
    world.run()
    process = world.settled()
    assert process.state is ProcessState.SUSPENDED
    assert process.last_job is not None
    assert process.last_job.status is JobStatus.HALTED
    for part in ("Left", "Simulated::Subnet", "AccessDenied", "req-", "'tenuto resume"):
        assert part in process.last_message
    assert world.live()["Right"].state == "Started", "what could be finished was finished"
    assert "Server" not in world.live()
    world.resume()
    assert world.settled().state is ProcessState.RUNNING
    assert world.live()["Server"].state == "Started"


@pytest.mark.parametrize(
    ("operation", "kind"),
    [
        (operation, kind)
        for operation in ("create", "modify", "delete")
        for kind in (FaultKind.THROTTLED, FaultKind.UNAVAILABLE, FaultKind.LOST, FaultKind.DOWN)
    ]
    + [("sweep", FaultKind.DOWN), ("find", FaultKind.DOWN)],
)
def test_b16_a_fault_that_passes_never_suspends(operation: str, kind: FaultKind) -> None:
    world = WebWorld()
    world.faults.add(Fault(operation=operation, kind=kind, times=4))
    world.run()
    assert world.settled().state is ProcessState.RUNNING
    world.cloud.tamper(world.physical("Net"), "Label", "a stranger's")
    world.next_job()
    world.advance(120.0)
    assert world.process().converged_at is not None, world.picture()
    world.kill()
    assert world.settled().state is ProcessState.GONE
    assert world.cloud.things() == ()


def test_an_undeletable_bucket_suspends_the_kill_and_a_second_kill_goes_on() -> None:
    world = running()
    world.cloud.fill(world.physical("Store"), 3)
    world.kill()
    process = world.settled()
    assert process.state is ProcessState.SUSPENDED
    assert "Store" in process.last_message
    world.cloud.fill(world.physical("Store"), 0)
    world.kill()
    assert world.settled().state is ProcessState.GONE


def test_drift_is_repaired_while_something_else_takes_its_time() -> None:
    world = running()
    world.faults.add(Fault(operation="create", subject="Slow", kind=FaultKind.SLOW, seconds=400.0))
    slow = declare("Slow", "Server", ("Right",), SubnetId={"Ref": "Right"}, Image="img", Size="small")
    world.update(composed(*web().resources, slow))
    world.advance(20.0)
    world.cloud.tamper(world.physical("Net"), "Label", "a stranger's")
    world.advance(45.0)
    net = world.physical("Net")
    thing = next(thing for thing in world.cloud.things() if thing.physical_id == net)
    assert thing.properties["Label"] == "one"
    assert world.live()["Slow"].state != "Started"
    assert JobStatus.SUPERSEDED in [job.status for job in world.store.history(world.process().fid).jobs]


def test_a_mass_of_replacements_that_nobody_asked_for_is_held_until_resume() -> None:
    world = running()
    for name in ("Left", "Right"):
        world.cloud.tamper(world.physical(name), "CidrBlock", "10.0.99.0/24")
    world.next_job()
    process = world.process()
    assert process.state is ProcessState.SUSPENDED
    assert "approves" in process.last_message


def test_an_update_replaces_what_cannot_be_changed_and_rewires_what_was_built_on_it() -> None:
    world = running()
    old = {name: world.physical(name) for name in world.live()}
    resources = tuple(
        replace(one, properties={**one.properties, "CidrBlock": "10.0.7.0/24"}) if one.logical_id == "Left" else one
        for one in web().resources
    )
    world.update(composed(*resources))
    world.settled()
    new = {name: world.physical(name) for name in world.live()}
    assert new["Left"] != old["Left"]
    assert new["Server"] != old["Server"], "its subnet can only be set at creation"
    assert (new["Net"], new["Right"], new["Store"]) == (old["Net"], old["Right"], old["Store"])
    assert len(world.cloud.things()) == 5


def test_a_sweep_that_fails_is_a_failed_job_and_the_process_runs_on() -> None:
    world = running()
    world.faults.add(Fault(operation="sweep", kind=FaultKind.FORBIDDEN, times=1))
    world.next_job()
    process = world.process()
    assert process.state is ProcessState.RUNNING
    assert process.last_job is not None
    assert process.last_job.status is JobStatus.FAILED
    assert "cannot observe" in process.last_message
    world.advance(60.0)
    assert world.process().last_job.status is JobStatus.SUCCEEDED  # type: ignore[union-attr]


def test_resume_while_things_are_still_on_their_way_only_waits_for_them() -> None:
    world = WebWorld()
    world.run()
    world.advance(5.0)
    assert world.live()["Server"].state == "Initialization"
    world.suspend()
    world.advance(1.0)
    before = world.writes()
    world.resume()
    assert world.settled().state is ProcessState.RUNNING
    assert world.writes() == before
    assert {found.state for found in world.live().values()} == {"Started"}


def test_a_slow_replacement_is_one_job_and_not_superseded_by_its_own_second_half() -> None:
    world = running()
    world.faults.add(Fault(operation="create", subject="Left", kind=FaultKind.SLOW, seconds=100.0))
    resources = tuple(
        replace(one, properties={**one.properties, "CidrBlock": "10.0.7.0/24"}) if one.logical_id == "Left" else one
        for one in web().resources
    )
    world.update(composed(*resources))
    world.settled()
    jobs = [(job.command, job.status) for job in world.store.history(world.process().fid).jobs]
    assert jobs == [("run", JobStatus.SUCCEEDED), ("update", JobStatus.SUCCEEDED)]


def test_a_kill_in_the_middle_of_a_replacement_ends_with_nothing_left() -> None:
    """Two incarnations of one address leave in one plan, and the store lists only the last that ended."""
    world = running()
    world.faults.add(Fault(operation="create", subject="Left", kind=FaultKind.DENIED))
    resources = tuple(
        replace(one, properties={**one.properties, "CidrBlock": "10.0.7.0/24"}) if one.logical_id == "Left" else one
        for one in web().resources
    )
    world.update(composed(*resources))
    world.settled()
    assert world.process().state is ProcessState.SUSPENDED
    world.kill()
    assert world.settled().state is ProcessState.GONE
    assert world.cloud.things() == ()


def test_a_delete_that_is_done_and_never_gets_a_good_answer_ends_by_looking() -> None:
    world = running()
    world.kill()
    world.faults.add(Fault(operation="delete", subject="Store", kind=FaultKind.LOST))
    world.faults.add(Fault(operation="delete", subject="Store", kind=FaultKind.UNAVAILABLE, times=1000))
    assert world.settled().state is ProcessState.GONE


def zoned(zone: str) -> Composition:
    """A server in a subnet, and a group that the server guards and that could be changed in place."""
    resources = (
        declare("Net", "Network", CidrBlock="10.0.0.0/16"),
        declare("Left", "Subnet", ("Net",), NetworkId={"Ref": "Net"}, CidrBlock="10.0.1.0/24", Zone=zone),
        declare("Server", "Server", ("Left",), SubnetId={"Ref": "Left"}, Image="img"),
        declare("Doors", "Group", ("Net", "Server"), NetworkId={"Ref": "Net"}, GuardId={"Ref": "Server"}),
    )
    return composed(*resources)


def test_what_holds_on_to_something_that_must_go_first_is_made_anew_with_it() -> None:
    """The group refers to a server that must be deleted before there is another: no order of changes would do."""
    world = WebWorld()
    world.run(zoned("us-east-1a"))
    world.settled()
    old = world.physical("Doors")
    world.update(zoned("us-east-1b"))
    assert world.settled().state is ProcessState.RUNNING
    assert world.physical("Doors") != old
    assert len(world.cloud.things()) == 4


def test_resume_replaces_what_broke_while_it_was_made() -> None:
    world = WebWorld()
    world.faults.add(Fault(operation="create", subject="Right", kind=FaultKind.SLOW, seconds=60.0))
    world.run()
    world.advance(5.0)
    broken = world.physical("Right")
    world.cloud.break_down(broken, "it broke")
    assert world.settled().state is ProcessState.SUSPENDED
    world.resume()
    assert world.settled().state is ProcessState.RUNNING
    assert world.physical("Right") != broken


def test_resume_replaces_what_was_changed_for_good_while_it_was_made() -> None:
    world = WebWorld()
    world.faults.add(Fault(operation="create", subject="Net", kind=FaultKind.SLOW, seconds=60.0))
    world.run()
    world.advance(5.0)
    world.cloud.tamper(world.physical("Net"), "CidrBlock", "10.9.0.0/16")
    process = world.settled()
    assert process.state is ProcessState.SUSPENDED
    assert "cannot be changed in place" in process.last_message
    world.resume()
    assert world.settled().state is ProcessState.RUNNING
    assert len(world.cloud.things()) == 5


def test_what_vanishes_while_it_is_made_is_made_again_by_the_next_job() -> None:
    world = WebWorld()
    world.faults.add(Fault(operation="create", subject="Net", kind=FaultKind.SLOW, seconds=300.0))
    world.run()
    world.advance(5.0)
    world.cloud.vanish(world.physical("Net"))
    assert world.settled().state is ProcessState.RUNNING
    assert world.live()["Net"].incarnation == 2
    assert len(world.cloud.things()) == 5


def test_what_was_just_made_and_cannot_be_seen_yet_is_not_taken_for_deleted() -> None:
    world = WebWorld(behaviour=Behaviour(visible_after_s=12.0))
    world.faults.add(Fault(operation="delete", subject="Store", kind=FaultKind.THROTTLED, times=3))
    world.run()
    world.advance(1.0)
    world.kill()
    assert world.settled().state is ProcessState.GONE
    assert world.cloud.things() == ()
