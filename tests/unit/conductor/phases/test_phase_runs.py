"""Bulk runs, verdicts and sleep, through the engine (P0 1-15)."""

import pytest
from structlog.testing import capture_logs

from tenuto.model.ids import Partition
from tenuto.model.phase_map import PhaseStatus
from tenuto_testing.phase_world import PhaseWorld
from tenuto_testing.scripted_phase import ScriptedPhase, fail_with, say_nothing


def test_p0_01_an_object_that_no_phase_applies_to_is_started_at_once() -> None:
    world = PhaseWorld()
    world.add("n1")
    assert world.get("n1").state == "Started"


def test_p0_02_a_phase_is_called_with_an_object_that_was_seen_waiting_and_then_running() -> None:
    create = ScriptedPhase("Create")
    world = PhaseWorld(create.plugin)
    world.add("n1")
    assert world.entry("n1", "Create").status is PhaseStatus.WAITING
    runs = world.collect()
    assert world.entry("n1", "Create").status is PhaseStatus.RUNNING
    world.perform(runs.values())
    assert create.calls == [["n1"]]


def test_p0_03_completed_one_by_one_or_as_a_list_every_object_goes_to_the_next_state() -> None:
    one_by_one = ScriptedPhase("One", "Allocation")
    at_once = ScriptedPhase("List", "Configuration", lambda run, resource: run.complete(run.resources))
    stop = ScriptedPhase("Stop", "Installation", say_nothing)
    world = PhaseWorld(one_by_one.plugin, at_once.plugin, stop.plugin)
    world.add("n1", "n2")
    world.turn()
    for name in ("n1", "n2"):
        assert world.get(name).state == "Installation"
        assert world.entry(name, "One").status is PhaseStatus.COMPLETED
        assert world.entry(name, "List").status is PhaseStatus.COMPLETED


def test_p0_04_an_object_stays_in_its_state_until_every_phase_of_it_is_completed() -> None:
    quick, slow = ScriptedPhase("Quick"), ScriptedPhase("Slow", script=say_nothing)
    world = PhaseWorld(quick.plugin, slow.plugin)
    world.add("n1")
    world.turn()
    assert world.get("n1").state == "Allocation"
    slow.script = lambda run, resource: run.complete(resource)
    world.advance(15)
    assert world.get("n1").state == "Started"


def test_p0_05_a_failed_phase_keeps_its_message_and_its_object_in_the_state() -> None:
    create = ScriptedPhase("Create", script=fail_with("x"))
    world = PhaseWorld(create.plugin)
    world.add("n1")
    world.turn()
    entry = world.entry("n1", "Create")
    assert (entry.status, entry.message) == (PhaseStatus.FAILED, "x")
    assert world.get("n1").is_phase_failed
    assert world.get("n1").message == "Create: x"
    assert world.get("n1").state == "Allocation"


def test_p0_06_the_other_phases_go_on_beside_a_failed_one_and_the_object_still_stays() -> None:
    broken, slow = ScriptedPhase("Broken", script=fail_with("x")), ScriptedPhase("Slow", script=say_nothing)
    world = PhaseWorld(broken.plugin, slow.plugin)
    world.add("n1")
    world.turn()
    slow.script = lambda run, resource: run.complete(resource)
    world.advance(15)
    assert world.entry("n1", "Slow").status is PhaseStatus.COMPLETED
    assert world.get("n1").state == "Allocation"


def test_p0_07_what_a_phase_raises_fails_all_but_the_completed_and_keeps_earlier_messages() -> None:
    create = ScriptedPhase("Create", script=say_nothing)
    create.scripts = {"r1": lambda run, resource: run.complete(resource), "r3": fail_with("its own")}
    create.error = RuntimeError("boom")
    world = PhaseWorld(create.plugin)
    world.add("r1", "r2", "r3")
    world.turn()
    assert world.entry("r1", "Create").status is PhaseStatus.COMPLETED
    assert (world.entry("r2", "Create").status, world.entry("r2", "Create").message) == (PhaseStatus.FAILED, "boom")
    assert world.entry("r3", "Create").message == "its own"


def test_p0_08_without_a_verdict_an_object_sleeps_for_15_s_from_the_end_of_the_run() -> None:
    create = ScriptedPhase("Create", script=say_nothing)
    world = PhaseWorld(create.plugin)
    world.add("n1")
    runs = world.collect()
    world.clock.advance(7)
    world.perform(runs.values())
    entry = world.entry("n1", "Create")
    assert (entry.status, entry.wake_at) == (PhaseStatus.SLEEPING, world.clock.now() + 15)
    world.advance(14.9)
    assert len(create.calls) == 1
    world.advance(0.1)
    assert len(create.calls) == 2


def test_p0_09_the_delay_of_a_phase_or_of_one_sleep_counts_instead_of_15_s() -> None:
    by_phase = ScriptedPhase("Phase", script=say_nothing, delay=2)
    by_run = ScriptedPhase("Run", script=lambda run, resource: run.sleep(resource, 3), delay=99)
    world = PhaseWorld(by_phase.plugin, by_run.plugin)
    world.add("n1")
    world.advance(2.5)
    assert (len(by_phase.calls), len(by_run.calls)) == (2, 1)
    world.advance(0.5)
    assert (len(by_phase.calls), len(by_run.calls)) == (2, 2)


def test_p0_10_an_object_that_enters_does_not_wake_the_sleepers() -> None:
    create = ScriptedPhase("Create", script=say_nothing)
    world = PhaseWorld(create.plugin)
    world.add("r1")
    world.advance(5)
    world.add("r2")
    world.turn()
    assert create.calls == [["r1"], ["r2"]]


def test_p0_11_what_becomes_due_during_a_run_is_in_the_next_one_together() -> None:
    create = ScriptedPhase("Create", script=say_nothing)
    world = PhaseWorld(create.plugin)
    world.add("r1")
    world.turn()
    world.add("r0")
    runs = world.collect()
    world.clock.advance(20)
    world.add("r2")
    assert world.collect() == {}
    world.perform(runs.values())
    world.turn()
    assert [sorted(call) for call in create.calls] == [["r1"], ["r0"], ["r1", "r2"]]


def test_p0_12_what_enters_during_a_run_is_not_in_it_and_runs_right_after_it() -> None:
    create = ScriptedPhase("Create")
    world = PhaseWorld(create.plugin)
    world.add("r1")
    runs = world.collect()
    world.add("r2")
    world.perform(runs.values())
    assert create.calls == [["r1"]]
    world.turn()
    assert create.calls == [["r1"], ["r2"]]
    assert world.seconds == 0


def test_p0_13_five_hundred_objects_of_one_operation_are_one_call_of_each_phase() -> None:
    create, configure = ScriptedPhase("Create"), ScriptedPhase("Configure", "Configuration")
    world = PhaseWorld(create.plugin, configure.plugin)
    world.add(*(f"n{number:03}" for number in range(500)))
    world.turn()
    assert [len(call) for call in create.calls] == [500]
    assert [len(call) for call in configure.calls] == [500]


def test_a_run_takes_no_more_than_the_batch_of_its_phase_oldest_first() -> None:
    create = ScriptedPhase("Create", batch=2)
    world = PhaseWorld(create.plugin)
    world.add("c")
    world.clock.advance(1)
    world.add("a", "b")
    world.turn()
    assert create.calls == [["c", "a"], ["b"]]


def test_p0_14_a_phase_that_is_in_flight_is_not_started_again() -> None:
    world = PhaseWorld(ScriptedPhase("Create").plugin)
    world.add("r1")
    assert set(world.collect()) == {"Create"}
    world.add("r2")
    assert set(world.collect()) == set()


def test_a_phase_is_single_flight_per_partition_so_one_region_cannot_hold_up_another() -> None:
    world = PhaseWorld(ScriptedPhase("Create").plugin)
    world.add("r1", partition=Partition(account="a", region="east"))
    world.add("r2", partition=Partition(account="a", region="west"))
    runs = world.engine.collect(world.clock.now())
    assert [run.partition.region for run in runs] == ["east", "west"]


def test_p0_15_two_phases_of_one_state_are_in_flight_together() -> None:
    world = PhaseWorld(ScriptedPhase("X").plugin, ScriptedPhase("Y").plugin)
    world.add("n1")
    runs = world.collect()
    assert set(runs) == {"X", "Y"}
    world.perform([runs["Y"], runs["X"]])
    assert world.get("n1").state == "Started"


def test_the_last_verdict_of_a_run_counts() -> None:
    def both(run, resource):  # type: ignore[no-untyped-def]
        run.complete(resource)
        run.fail(resource, "no, wait")

    world = PhaseWorld(ScriptedPhase("Create", script=both).plugin)
    world.add("n1")
    world.turn()
    assert world.entry("n1", "Create").message == "no, wait"


def test_a_verdict_on_an_object_of_another_run_is_ignored() -> None:
    strangers = []

    def steal(run, resource):  # type: ignore[no-untyped-def]
        strangers.extend(run.resources)
        run.complete(strangers)

    world = PhaseWorld(ScriptedPhase("Create", script=steal).plugin)
    world.add("n1")
    world.turn()
    world.add("n2")
    world.turn()
    assert world.get("n2").state == "Started"


@pytest.mark.parametrize("text", ["Creating", ""])
def test_progress_text_is_kept_while_an_object_sleeps_and_goes_when_the_phase_completes(text: str) -> None:
    def talk(run, resource):  # type: ignore[no-untyped-def]
        if text:
            run.message(resource, text)

    create = ScriptedPhase("Create", script=talk)
    world = PhaseWorld(create.plugin)
    world.add("n1")
    world.turn()
    assert world.entry("n1", "Create").message == text
    create.script = lambda run, resource: run.complete(resource)
    world.settle()
    assert world.entry("n1", "Create").message == ""


def test_a_plugin_that_tries_to_end_the_conductor_only_fails_its_objects() -> None:
    def leave(run, resource):  # type: ignore[no-untyped-def]
        raise SystemExit(3)

    world = PhaseWorld(ScriptedPhase("Create", script=leave).plugin)
    world.add("n1")
    world.turn()
    assert "tried to end the Conductor" in world.entry("n1", "Create").message


def test_a_plugin_whose_error_cannot_be_shown_only_fails_its_objects() -> None:
    class Mute(Exception):  # noqa: N818 - the fault is that it has no words
        def __str__(self) -> str:
            raise ValueError("no words")

        __repr__ = __str__

    def leave(run, resource):  # type: ignore[no-untyped-def]
        raise Mute

    world = PhaseWorld(ScriptedPhase("Create", script=leave).plugin)
    world.add("n1", "n2")
    world.turn()
    assert [world.entry(name, "Create").message for name in ("n1", "n2")] == ["Mute", "Mute"]
    assert world.engine.in_flight == 0


def test_a_run_that_holds_its_thread_too_long_is_named_once() -> None:
    world = PhaseWorld(ScriptedPhase("Create").plugin)
    world.add("n1")
    with capture_logs() as logs:
        world.collect()
        world.clock.advance(29)
        world.collect()
        assert logs == []
        world.clock.advance(1)
        world.collect()
        world.collect()
    assert [(log["event"], log["phase"], log["seconds"]) for log in logs] == [("phase.slow", "Create", 30)]
