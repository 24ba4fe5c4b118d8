"""Blocked phases and conditional ones, through the engine (P0 22-29, 42)."""

from tenuto.model.phase_map import PhaseStatus
from tenuto_testing.phase_world import PhaseWorld
from tenuto_testing.scripted_phase import ScriptedPhase, complete, fail_with, say_nothing


def test_p0_22_a_phase_whose_dependency_is_open_is_blocked_and_not_called() -> None:
    x, y = ScriptedPhase("X", script=say_nothing), ScriptedPhase("Y", dependencies="X")
    world = PhaseWorld(x.plugin, y.plugin)
    world.add("n1")
    assert world.entry("n1", "X").status is PhaseStatus.WAITING
    assert world.entry("n1", "Y").status is PhaseStatus.BLOCKED
    world.turn()
    assert y.calls == []


def test_p0_23_a_blocked_phase_waits_and_runs_once_its_dependency_is_completed() -> None:
    x, y = ScriptedPhase("X"), ScriptedPhase("Y", script=say_nothing, dependencies="X")
    world = PhaseWorld(x.plugin, y.plugin)
    world.add("n1")
    world.perform(world.collect().values())
    assert world.entry("n1", "Y").status is PhaseStatus.WAITING
    runs = world.collect()
    assert world.entry("n1", "Y").status is PhaseStatus.RUNNING
    world.perform(runs.values())
    assert y.calls == [["n1"]]


def test_p0_24_a_failed_dependency_blocks_until_it_was_retried_and_completed() -> None:
    x, y = ScriptedPhase("X", script=fail_with("no")), ScriptedPhase("Y", dependencies="X")
    world = PhaseWorld(x.plugin, y.plugin)
    world.add("n1")
    world.settle()
    assert world.entry("n1", "Y").status is PhaseStatus.BLOCKED
    x.script = complete
    world.retry("n1")
    world.settle()
    assert y.calls == [["n1"]]


def test_p0_25_a_phase_with_two_dependencies_waits_for_both() -> None:
    x1, x2 = ScriptedPhase("X1"), ScriptedPhase("X2", script=say_nothing)
    y = ScriptedPhase("Y", dependencies=["X1", "X2"])
    world = PhaseWorld(x1.plugin, x2.plugin, y.plugin)
    world.add("n1")
    world.turn()
    assert world.entry("n1", "Y").status is PhaseStatus.BLOCKED
    x2.script = complete
    world.settle()
    assert world.entry("n1", "Y").status is PhaseStatus.COMPLETED


def test_p0_26_dependencies_count_for_each_object_by_itself() -> None:
    x, y = ScriptedPhase("X"), ScriptedPhase("Y", script=say_nothing, dependencies="X")
    x.scripts = {"r2": say_nothing}
    world = PhaseWorld(x.plugin, y.plugin)
    world.add("r1", "r2")
    world.turn()
    assert y.calls == [["r1"]]
    assert world.entry("r2", "Y").status is PhaseStatus.BLOCKED


def test_p0_27_a_phase_whose_constraint_does_not_hold_has_no_entry_and_does_not_hold_up_the_state() -> None:
    attach = ScriptedPhase("Attach", applies=lambda node: node.is_defined("FixedPublicIp"))
    world = PhaseWorld(attach.plugin)
    world.add("plain")
    world.add("public", attributes={"FixedPublicIp": "192.0.2.1"})
    world.settle()
    assert attach.calls == [["public"]]
    assert "Attach" not in world.get("plain").phases
    assert world.get("plain").state == "Started"


def test_p0_28_handles_provider_and_for_provider_both_limit_a_phase_to_a_provider() -> None:
    one = ScriptedPhase("One", handles_provider="acme")
    two = ScriptedPhase("Two", for_provider="acme")
    world = PhaseWorld(one.plugin, two.plugin)
    world.add("ours", provider="acme")
    world.add("theirs", provider="other")
    world.settle()
    assert one.calls == two.calls == [["ours"]]


def test_p0_29_a_phase_of_several_states_runs_in_each_with_a_fresh_entry() -> None:
    def step(run, resource):  # type: ignore[no-untyped-def]
        seen.append((run.data(resource).get("mark"), resource.object.state))
        run.data(resource)["mark"] = "was here"
        run.complete(resource)

    seen: list[object] = []
    both = ScriptedPhase("Both", ["Allocation", "Configuration"], step)
    world = PhaseWorld(both.plugin)
    world.add("n1")
    world.settle()
    assert seen == [(None, "Allocation"), (None, "Configuration")]


def test_p0_42_a_dependency_that_does_not_apply_to_an_object_does_not_block_it() -> None:
    volume = ScriptedPhase("Volume", applies=lambda node: node.attributes.get("Disk"))
    instance = ScriptedPhase("Instance", dependencies="Volume")
    world = PhaseWorld(volume.plugin, instance.plugin)
    world.add("diskless")
    world.settle()
    assert instance.calls == [["diskless"]]
    assert world.get("diskless").state == "Started"
