"""The engine under real threads: one phase that hangs holds up nobody else (P0 14, 15, 40)."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event, Lock

from tenuto.plugins import PhaseRun
from tenuto.ports.phase import PhaseResource
from tenuto_testing.phase_world import PhaseWorld
from tenuto_testing.scripted_phase import ScriptedPhase

PATIENCE_S = 60.0
"""Only for the case that the test fails."""


def test_p0_40_other_phases_run_while_one_plugin_blocks() -> None:
    is_blocked, may_go_on = Event(), Event()

    def block(run: PhaseRun, resource: PhaseResource) -> None:
        is_blocked.set()
        assert may_go_on.wait(PATIENCE_S)
        run.complete(resource)

    blocking = ScriptedPhase("Blocking", script=block)
    first, second = ScriptedPhase("First", "Validation"), ScriptedPhase("Second")
    world = PhaseWorld(blocking.plugin, first.plugin, second.plugin)
    world.add("n1")
    world.perform(world.collect().values())
    with ThreadPoolExecutor(max_workers=2) as pool:
        futures = {phase: pool.submit(world.engine.perform, run) for phase, run in world.collect().items()}
        try:
            assert is_blocked.wait(PATIENCE_S)
            futures["Second"].result(PATIENCE_S)
            world.add("n2")
            while runs := world.collect():
                world.perform(runs.values())
            assert (first.calls, second.calls) == ([["n1"], ["n2"]], [["n1"], ["n2"]])
            assert blocking.calls == [["n1"]]
        finally:
            may_go_on.set()
        futures["Blocking"].result(PATIENCE_S)
    world.settle()
    assert world.get("n1").state == world.get("n2").state == "Started"


def test_p0_15_two_phases_of_one_state_overlap_in_time() -> None:
    x_began, y_began = Event(), Event()

    def meet(own: Event, other: Event) -> ScriptedPhase:
        def script(run: PhaseRun, resource: PhaseResource) -> None:
            own.set()
            assert other.wait(PATIENCE_S)
            run.complete(resource)

        return ScriptedPhase("X" if own is x_began else "Y", script=script)

    world = PhaseWorld(meet(x_began, y_began).plugin, meet(y_began, x_began).plugin)
    world.add("n1")
    with ThreadPoolExecutor(max_workers=2) as pool:
        for future in [pool.submit(world.engine.perform, run) for run in world.collect().values()]:
            future.result(PATIENCE_S)
    assert world.get("n1").state == "Started"


def test_p0_14_a_phase_never_runs_twice_at_once_however_many_threads_collect() -> None:
    lock = Lock()
    inside: list[str] = []
    overlaps: list[list[str]] = []

    def script(run: PhaseRun, resource: PhaseResource) -> None:
        with lock:
            inside.append(resource.object.logical_id)
        run.complete(resource)

    class Watched(ScriptedPhase):
        def handle(self, run: PhaseRun) -> None:
            with lock:
                if inside:
                    overlaps.append(list(inside))
            super().handle(run)
            with lock:
                inside.clear()

    watched = Watched("P", "Allocation", script)
    world = PhaseWorld(watched.plugin)

    def work(name: str) -> None:
        world.add(name)
        for run in world.engine.collect(world.clock.now()):
            world.engine.perform(run)

    world.add("n0")
    with ThreadPoolExecutor(max_workers=8) as pool:
        for future in [pool.submit(work, f"n{number}") for number in range(1, 60)]:
            future.result(PATIENCE_S)
    world.settle()
    assert overlaps == []
    assert sorted(name for call in watched.calls for name in call) == sorted(f"n{number}" for number in range(60))
