"""The life of a process as its user sees it, against a simulated cloud on a virtual clock.

Numbers in names (B1, B2, …) are those of the testable behaviours of the process model's fact sheet.
"""

from dataclasses import replace

import pytest
from simulation import FID, Simulation, declare, web

from tenuto.model.composition import Composition
from tenuto.model.ids import PhysicalId
from tenuto.model.job import JobStatus
from tenuto.model.process import Command, ProcessState
from tenuto.providers.simulated.cloud import Behaviour
from tenuto.providers.simulated.faults import Fault, FaultKind


def running() -> Simulation:
    simulation = Simulation()
    simulation.begin(web())
    simulation.settle()
    return simulation


def physical(simulation: Simulation, name: str) -> PhysicalId:
    found = simulation.live()[name].physical_id
    assert found is not None
    return found


def writes(simulation: Simulation) -> list[tuple[str, ...]]:
    return [call.subjects for call in simulation.provider.calls if call.is_changing]


def next_job(simulation: Simulation) -> None:
    """Let the next routine job begin and its work be done."""
    simulation.clock.set(simulation.process().next_job_at)
    simulation.turn(29.0)


def test_b1_a_run_creates_every_declared_resource() -> None:
    simulation = running()
    assert set(simulation.live()) == {"Net", "Left", "Right", "Server", "Store"}
    assert simulation.process().last_job is not None


def test_b2_an_unchanged_world_gets_an_empty_plan_and_no_write_call() -> None:
    simulation = running()
    before = writes(simulation)
    next_job(simulation)
    next_job(simulation)
    assert writes(simulation) == before
    assert simulation.process().last_job.status is JobStatus.SUCCEEDED  # type: ignore[union-attr]


def test_b3_the_next_job_reverts_exactly_the_property_that_was_changed() -> None:
    simulation = running()
    simulation.cloud.tamper(physical(simulation, "Net"), "Label", "a stranger's")
    before = len(writes(simulation))
    next_job(simulation)
    assert writes(simulation)[before:] == [("Net",)]
    assert simulation.process().converged_at is not None


def test_b5_a_resource_deleted_by_hand_is_back_within_one_job() -> None:
    simulation = running()
    simulation.cloud.vanish(physical(simulation, "Right"))
    next_job(simulation)
    assert simulation.live()["Right"].state == "Started"
    assert simulation.live()["Right"].incarnation == 2


def test_b6_resources_that_no_composition_declares_are_never_touched() -> None:
    simulation = running()
    stranger = simulation.cloud.add(
        simulation.process().partition,
        "Simulated::Network",
        {"CidrBlock": "10.9.0.0/16"},  # type: ignore[arg-type]
    )
    next_job(simulation)
    simulation.command(ProcessState.KILLING, Command.KILL)
    assert simulation.settle().state is ProcessState.GONE
    assert [thing.physical_id for thing in simulation.cloud.things()] == [stranger]


def test_b7_a_suspended_process_is_neither_observed_nor_changed() -> None:
    simulation = running()
    simulation.command(ProcessState.SUSPENDED, Command.SUSPEND)
    simulation.cloud.tamper(physical(simulation, "Net"), "Label", "a stranger's")
    simulation.turn(1.0)
    before = len(simulation.provider.calls)
    simulation.turn(300.0)
    assert len(simulation.provider.calls) == before


def test_b8_resume_reverts_the_drift_of_the_time_between() -> None:
    simulation = running()
    simulation.command(ProcessState.SUSPENDED, Command.SUSPEND)
    simulation.cloud.tamper(physical(simulation, "Net"), "Label", "a stranger's")
    simulation.turn(60.0)
    simulation.command(ProcessState.RUNNING, Command.RESUME)
    simulation.settle()
    thing = next(thing for thing in simulation.cloud.things() if thing.physical_id == physical(simulation, "Net"))
    assert thing.properties["Label"] == "one"


def test_b9_a_kill_deletes_in_the_order_of_dependency_and_then_the_process_is_gone() -> None:
    simulation = running()
    simulation.command(ProcessState.KILLING, Command.KILL)
    assert simulation.settle().state is ProcessState.GONE
    assert simulation.cloud.things() == ()
    deletes = [call.subjects for call in simulation.provider.calls if call.operation == "delete"]
    order = [name for subjects in deletes for name in subjects]
    assert order.index("Server") < order.index("Left") < order.index("Net")


def test_a_process_that_never_made_anything_can_be_killed_where_nobody_answers() -> None:
    simulation = Simulation()
    simulation.faults.add(Fault(operation="context", kind=FaultKind.FORBIDDEN, times=10_000))
    simulation.begin(web())
    simulation.turn(60.0)
    assert simulation.process().last_job.status is JobStatus.FAILED  # type: ignore[union-attr]
    simulation.command(ProcessState.KILLING, Command.KILL)
    assert simulation.settle().state is ProcessState.GONE


def test_b10_b11_b12_a_kill_is_paused_cancelled_and_done_again() -> None:
    simulation = running()
    simulation.command(ProcessState.KILLING, Command.KILL)
    simulation.turn(5.0)
    simulation.command(ProcessState.SUSPENDED, Command.SUSPEND)
    simulation.turn(1.0)
    paused = len(simulation.cloud.things())
    simulation.turn(120.0)
    assert 0 < len(simulation.cloud.things()) <= paused
    simulation.command(ProcessState.RUNNING, Command.RESUME)
    assert simulation.settle().state is ProcessState.RUNNING
    assert {found.state for found in simulation.live().values()} == {"Started"}
    assert len(simulation.cloud.things()) == 5
    simulation.command(ProcessState.KILLING, Command.KILL)
    assert simulation.settle().state is ProcessState.GONE
    assert simulation.cloud.things() == ()


@pytest.mark.parametrize("after", [0.0, 0.15, 0.3, 0.5, 1.0, 3.0, 10.0])
def test_a_kill_at_any_moment_of_the_build_leaves_nothing(after: float) -> None:
    simulation = Simulation()
    simulation.begin(web())
    simulation.system.conductor.start()
    simulation.turn(after)
    simulation.command(ProcessState.KILLING, Command.KILL)
    assert simulation.settle().state is ProcessState.GONE
    assert simulation.cloud.things() == ()


def test_b15_a_fault_that_needs_a_human_suspends_with_the_reason_and_resume_repairs() -> None:
    simulation = Simulation()
    simulation.faults.add(Fault(operation="create", subject="Left", kind=FaultKind.DENIED))
    simulation.begin(web())
    process = simulation.settle()
    assert process.state is ProcessState.SUSPENDED
    assert process.last_job is not None
    assert process.last_job.status is JobStatus.HALTED
    for part in ("Left", "Simulated::Subnet", "AccessDenied", "req-", "'tenuto resume"):
        assert part in process.last_message
    assert simulation.live()["Right"].state == "Started", "what could be finished was finished"
    assert "Server" not in simulation.live()
    simulation.command(ProcessState.RUNNING, Command.RESUME)
    assert simulation.settle().state is ProcessState.RUNNING
    assert simulation.live()["Server"].state == "Started"


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
    simulation = Simulation()
    simulation.faults.add(Fault(operation=operation, kind=kind, times=4))
    simulation.begin(web())
    assert simulation.settle().state is ProcessState.RUNNING
    simulation.cloud.tamper(physical(simulation, "Net"), "Label", "a stranger's")
    next_job(simulation)
    simulation.turn(120.0)
    assert simulation.process().converged_at is not None, simulation.picture()
    simulation.command(ProcessState.KILLING, Command.KILL)
    assert simulation.settle().state is ProcessState.GONE
    assert simulation.cloud.things() == ()


def test_an_undeletable_bucket_suspends_the_kill_and_a_second_kill_goes_on() -> None:
    simulation = running()
    simulation.cloud.fill(physical(simulation, "Store"), 3)
    simulation.command(ProcessState.KILLING, Command.KILL)
    process = simulation.settle()
    assert process.state is ProcessState.SUSPENDED
    assert "Store" in process.last_message
    simulation.cloud.fill(physical(simulation, "Store"), 0)
    simulation.system.conductor.retry(FID, ())
    simulation.command(ProcessState.KILLING, Command.KILL)
    assert simulation.settle().state is ProcessState.GONE


def test_drift_is_repaired_while_something_else_takes_its_time() -> None:
    simulation = running()
    simulation.faults.add(Fault(operation="create", subject="Slow", kind=FaultKind.SLOW, seconds=400.0))
    slow = declare("Slow", "Server", ("Right",), SubnetId={"Ref": "Right"}, Image="img", Size="small")
    simulation.update(Composition(name="web", digest="web-2", region="us-east-1", resources=(*web().resources, slow)))
    simulation.turn(20.0)
    simulation.cloud.tamper(physical(simulation, "Net"), "Label", "a stranger's")
    simulation.turn(45.0)
    net = physical(simulation, "Net")
    thing = next(thing for thing in simulation.cloud.things() if thing.physical_id == net)
    assert thing.properties["Label"] == "one"
    assert simulation.live()["Slow"].state != "Started"
    assert JobStatus.SUPERSEDED in [job.status for job in simulation.store.history(FID).jobs]


def test_a_mass_of_replacements_that_nobody_asked_for_is_held_until_resume() -> None:
    simulation = running()
    for name in ("Left", "Right"):
        simulation.cloud.tamper(physical(simulation, name), "CidrBlock", "10.0.99.0/24")
    simulation.clock.set(simulation.process().next_job_at)
    simulation.turn(5.0)
    process = simulation.process()
    assert process.state is ProcessState.SUSPENDED
    assert "approves" in process.last_message


def test_an_update_replaces_what_cannot_be_changed_and_rewires_what_was_built_on_it() -> None:
    simulation = running()
    old = {name: physical(simulation, name) for name in simulation.live()}
    resources = tuple(
        replace(one, properties={**one.properties, "CidrBlock": "10.0.7.0/24"}) if one.logical_id == "Left" else one
        for one in web().resources
    )
    simulation.update(Composition(name="web", digest="web-2", region="us-east-1", resources=resources))
    simulation.settle()
    new = {name: physical(simulation, name) for name in simulation.live()}
    assert new["Left"] != old["Left"]
    assert new["Server"] != old["Server"], "its subnet can only be set at creation"
    assert (new["Net"], new["Right"], new["Store"]) == (old["Net"], old["Right"], old["Store"])
    assert len(simulation.cloud.things()) == 5


def test_a_look_that_fails_is_a_failed_job_and_the_process_runs_on() -> None:
    simulation = running()
    simulation.faults.add(Fault(operation="sweep", kind=FaultKind.FORBIDDEN, times=1))
    simulation.clock.set(simulation.process().next_job_at)
    simulation.turn(5.0)
    process = simulation.process()
    assert process.state is ProcessState.RUNNING
    assert process.last_job is not None
    assert process.last_job.status is JobStatus.FAILED
    assert "cannot look at" in process.last_message
    simulation.turn(60.0)
    assert simulation.process().last_job.status is JobStatus.SUCCEEDED  # type: ignore[union-attr]


def test_resume_while_things_are_still_on_their_way_only_waits_for_them() -> None:
    simulation = Simulation()
    simulation.begin(web())
    simulation.system.conductor.start()
    simulation.turn(5.0)
    assert simulation.live()["Server"].state == "Initialization"
    simulation.command(ProcessState.SUSPENDED, Command.SUSPEND)
    simulation.turn(1.0)
    before = writes(simulation)
    simulation.command(ProcessState.RUNNING, Command.RESUME)
    assert simulation.settle().state is ProcessState.RUNNING
    assert writes(simulation) == before
    assert {found.state for found in simulation.live().values()} == {"Started"}


def test_a_slow_replacement_is_one_job_and_not_superseded_by_its_own_second_half() -> None:
    simulation = running()
    simulation.faults.add(Fault(operation="create", subject="Left", kind=FaultKind.SLOW, seconds=100.0))
    resources = tuple(
        replace(one, properties={**one.properties, "CidrBlock": "10.0.7.0/24"}) if one.logical_id == "Left" else one
        for one in web().resources
    )
    simulation.update(Composition(name="web", digest="web-2", region="us-east-1", resources=resources))
    simulation.settle()
    jobs = [(job.command, job.status) for job in simulation.store.history(FID).jobs]
    assert jobs == [("run", JobStatus.SUCCEEDED), ("update", JobStatus.SUCCEEDED)]


def test_a_kill_in_the_middle_of_a_replacement_ends_with_nothing_left() -> None:
    """Two incarnations of one address leave in one plan, and the store lists only the last that ended."""
    simulation = running()
    simulation.faults.add(Fault(operation="create", subject="Left", kind=FaultKind.DENIED))
    resources = tuple(
        replace(one, properties={**one.properties, "CidrBlock": "10.0.7.0/24"}) if one.logical_id == "Left" else one
        for one in web().resources
    )
    simulation.update(Composition(name="web", digest="web-2", region="us-east-1", resources=resources))
    simulation.settle()
    assert simulation.process().state is ProcessState.SUSPENDED
    simulation.command(ProcessState.KILLING, Command.KILL)
    assert simulation.settle().state is ProcessState.GONE
    assert simulation.cloud.things() == ()


def test_a_delete_that_is_done_and_never_gets_a_good_answer_ends_by_looking() -> None:
    simulation = running()
    simulation.command(ProcessState.KILLING, Command.KILL)
    simulation.faults.add(Fault(operation="delete", subject="Store", kind=FaultKind.LOST))
    simulation.faults.add(Fault(operation="delete", subject="Store", kind=FaultKind.UNAVAILABLE, times=1000))
    assert simulation.settle().state is ProcessState.GONE


def zoned(zone: str) -> Composition:
    """A server in a subnet, and a group that the server guards and that could be changed in place."""
    resources = (
        declare("Net", "Network", CidrBlock="10.0.0.0/16"),
        declare("Left", "Subnet", ("Net",), NetworkId={"Ref": "Net"}, CidrBlock="10.0.1.0/24", Zone=zone),
        declare("Server", "Server", ("Left",), SubnetId={"Ref": "Left"}, Image="img"),
        declare("Doors", "Group", ("Net", "Server"), NetworkId={"Ref": "Net"}, GuardId={"Ref": "Server"}),
    )
    return Composition(name="web", digest=f"zoned-{zone}", region="us-east-1", resources=resources)


def test_what_holds_on_to_something_that_must_go_first_is_made_anew_with_it() -> None:
    """The group refers to a server that must be deleted before there is another: no order of changes would do."""
    simulation = Simulation()
    simulation.begin(zoned("us-east-1a"))
    simulation.settle()
    old = physical(simulation, "Doors")
    simulation.update(zoned("us-east-1b"))
    assert simulation.settle().state is ProcessState.RUNNING
    assert physical(simulation, "Doors") != old
    assert len(simulation.cloud.things()) == 4


def test_resume_replaces_what_broke_while_it_was_made() -> None:
    simulation = Simulation()
    simulation.faults.add(Fault(operation="create", subject="Right", kind=FaultKind.SLOW, seconds=60.0))
    simulation.begin(web())
    simulation.system.conductor.start()
    simulation.turn(5.0)
    broken = physical(simulation, "Right")
    simulation.cloud.break_down(broken, "it broke")
    assert simulation.settle().state is ProcessState.SUSPENDED
    simulation.command(ProcessState.RUNNING, Command.RESUME)
    assert simulation.settle().state is ProcessState.RUNNING
    assert physical(simulation, "Right") != broken


def test_resume_replaces_what_was_changed_for_good_while_it_was_made() -> None:
    simulation = Simulation()
    simulation.faults.add(Fault(operation="create", subject="Net", kind=FaultKind.SLOW, seconds=60.0))
    simulation.begin(web())
    simulation.system.conductor.start()
    simulation.turn(5.0)
    simulation.cloud.tamper(physical(simulation, "Net"), "CidrBlock", "10.9.0.0/16")
    process = simulation.settle()
    assert process.state is ProcessState.SUSPENDED
    assert "cannot be changed in place" in process.last_message
    simulation.command(ProcessState.RUNNING, Command.RESUME)
    assert simulation.settle().state is ProcessState.RUNNING
    assert len(simulation.cloud.things()) == 5


def test_what_vanishes_while_it_is_made_is_made_again_by_the_next_job() -> None:
    simulation = Simulation()
    simulation.faults.add(Fault(operation="create", subject="Net", kind=FaultKind.SLOW, seconds=300.0))
    simulation.begin(web())
    simulation.system.conductor.start()
    simulation.turn(5.0)
    simulation.cloud.vanish(physical(simulation, "Net"))
    assert simulation.settle().state is ProcessState.RUNNING
    assert simulation.live()["Net"].incarnation == 2
    assert len(simulation.cloud.things()) == 5


def test_what_was_just_made_and_cannot_be_seen_yet_is_not_taken_for_deleted() -> None:
    simulation = Simulation(behaviour=Behaviour(visible_after_s=12.0))
    simulation.faults.add(Fault(operation="delete", subject="Store", kind=FaultKind.THROTTLED, times=3))
    simulation.begin(web())
    simulation.system.conductor.start()
    simulation.turn(1.0)
    simulation.command(ProcessState.KILLING, Command.KILL)
    assert simulation.settle().state is ProcessState.GONE
    assert simulation.cloud.things() == ()
