"""A new target while phases are at work, through the engine (P0 30-34, 38)."""

from tenuto.model.ids import PhysicalId
from tenuto.model.phase_map import PhaseActivity, PhaseStatus
from tenuto.plugins import PhaseRun
from tenuto.ports.phase import PhaseResource
from tenuto.ports.store_reads import EventQuery
from tenuto_testing.phase_world import PhaseWorld
from tenuto_testing.scripted_phase import ScriptedPhase, complete, fail_with, say_nothing


def test_p0_30_a_sleeping_object_heads_for_its_new_target_at_once_and_is_never_called_again() -> None:
    create, delete = ScriptedPhase("Create", script=say_nothing), ScriptedPhase("Delete", "Deallocation")
    world = PhaseWorld(create.plugin, delete.plugin)
    world.add("n1")
    world.turn()
    world.head_for("Terminated", "n1")
    assert world.entry("n1", "Create").status is PhaseStatus.CANCELED
    assert world.get("n1").state == "Deallocation"
    world.settle()
    assert (len(create.calls), len(delete.calls)) == (1, 1)
    assert world.get("n1").state == "Terminated"


def test_p0_31_a_run_is_not_interrupted_and_its_verdict_does_not_count_but_what_it_made_is_kept() -> None:
    def create_it(run: PhaseRun, resource: PhaseResource) -> None:
        resource.physical_id = PhysicalId("i-1")
        run.complete(resource)

    create, delete = ScriptedPhase("Create", script=create_it), ScriptedPhase("Delete", "Deallocation", say_nothing)
    configure = ScriptedPhase("Configure", "Configuration")
    world = PhaseWorld(create.plugin, delete.plugin, configure.plugin)
    world.add("n1")
    runs = world.collect()
    world.head_for("Terminated", "n1")
    assert world.entry("n1", "Create").status is PhaseStatus.CANCELING
    assert world.get("n1").state == "Allocation"
    world.perform(runs.values())
    assert world.entry("n1", "Create").status is PhaseStatus.CANCELED
    assert world.get("n1").state == "Deallocation"
    assert world.get("n1").physical_id == "i-1"
    assert configure.calls == []


def test_a_plugin_can_see_that_an_object_got_another_target() -> None:
    seen: list[bool] = []
    create = ScriptedPhase("Create", script=lambda run, resource: seen.append(run.is_canceled(resource)))
    world = PhaseWorld(create.plugin)
    world.add("r1", "r2")
    runs = world.collect()
    world.head_for("Terminated", "r1")
    world.perform(runs.values())
    assert seen == [True, False]


def test_p0_32_the_others_of_the_run_are_not_affected_by_one_that_leaves() -> None:
    world = PhaseWorld(ScriptedPhase("Create").plugin)
    world.add("r1", "r2")
    runs = world.collect()
    world.head_for("Terminated", "r1")
    assert world.record("Create").activity is PhaseActivity.RUNNING
    world.perform(runs.values())
    assert world.get("r1").state == "Terminated"
    assert world.get("r2").state == "Started"


def test_p0_33_a_failed_object_can_be_terminated() -> None:
    create, delete = ScriptedPhase("Create", script=fail_with("no")), ScriptedPhase("Delete", "Deallocation")
    world = PhaseWorld(create.plugin, delete.plugin)
    world.add("n1")
    world.turn()
    world.head_for("Terminated", "n1")
    assert not world.get("n1").is_phase_failed
    world.settle()
    assert delete.calls == [["n1"]]
    assert world.get("n1").state == "Terminated"


def test_p0_34_the_same_target_again_cancels_nothing_and_writes_no_event() -> None:
    world = PhaseWorld(ScriptedPhase("Create").plugin)
    world.add("n1")
    runs = world.collect()
    events = world.store.events(EventQuery())
    world.head_for("Started", "n1")
    assert world.entry("n1", "Create").status is PhaseStatus.RUNNING
    assert world.store.events(EventQuery()) == events
    world.perform(runs.values())
    assert world.get("n1").state == "Started"


def test_a_target_that_turns_back_during_a_run_has_the_phase_called_again() -> None:
    create = ScriptedPhase("Create")
    world = PhaseWorld(create.plugin)
    world.add("n1")
    runs = world.collect()
    world.head_for("Terminated", "n1")
    world.head_for("Started", "n1")
    world.perform(runs.values())
    world.settle()
    assert create.calls == [["n1"], ["n1"]]
    assert world.get("n1").state == "Started"


def test_p0_38_the_activity_of_a_phase_follows_its_objects() -> None:
    create = ScriptedPhase("Create", script=say_nothing)
    world = PhaseWorld(create.plugin, ScriptedPhase("Delete", "Deallocation", complete).plugin)

    def activity() -> PhaseActivity:
        return world.record("Create").activity

    world.add("other")
    world.head_for("Terminated", "other")
    assert activity() is PhaseActivity.INACTIVE
    world.add("n1")
    assert activity() is PhaseActivity.RUNNING
    runs = world.collect()
    assert activity() is PhaseActivity.RUNNING
    world.perform(runs.values())
    assert activity() is PhaseActivity.SLEEPING
    world.head_for("Terminated", "n1")
    assert activity() is PhaseActivity.INACTIVE
    assert world.record("Create").counts == {"Canceled": 2}


def test_a_phase_is_canceling_when_every_object_in_flight_is() -> None:
    world = PhaseWorld(ScriptedPhase("Create").plugin)
    world.add("n1", "n2")
    runs = world.collect()
    world.head_for("Terminated", "n1")
    assert world.record("Create").activity is PhaseActivity.RUNNING
    world.head_for("Terminated", "n2")
    assert world.record("Create").activity is PhaseActivity.CANCELING
    world.perform(runs.values())
    assert world.record("Create").activity is PhaseActivity.INACTIVE


def test_failed_and_blocked_objects_leave_a_phase_inactive_and_are_counted() -> None:
    x, y = ScriptedPhase("X", script=fail_with("no")), ScriptedPhase("Y", dependencies="X")
    world = PhaseWorld(x.plugin, y.plugin)
    world.add("n1", "n2")
    world.turn()
    assert (world.record("X").activity, world.record("X").counts) == (PhaseActivity.INACTIVE, {"Failed": 2})
    assert (world.record("Y").activity, world.record("Y").counts) == (PhaseActivity.INACTIVE, {"Blocked": 2})
