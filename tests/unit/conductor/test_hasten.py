"""Sleeping phases are made due now; those that are due or done are not written again."""

from tenuto.core.phases.progress import hasten
from tenuto.kit.evolve import evolve
from tenuto.model.ids import PhaseName
from tenuto.model.phase_map import PhaseStatus
from tenuto.plugins import PhaseRun, phase
from tenuto_testing.phase_world import PhaseWorld

HOUR_S = 3600.0
AWAIT = PhaseName("Test.Await")


@phase("Test.Await", states="Allocation", types="Cloud.Node")
def wait(run: PhaseRun) -> None:
    for one in run.resources:
        run.sleep(one, HOUR_S)


def test_a_sleeping_phase_is_due_now() -> None:
    world = PhaseWorld(wait)
    world.add("a")
    world.turn()
    found = hasten(world.get("a"), world.clock.now())
    assert found.entries == (AWAIT,)
    assert found.object.phases[AWAIT].wake_at == world.clock.now()
    assert not hasten(found.object, world.clock.now()).is_change


def test_what_does_not_sleep_is_left_alone() -> None:
    world = PhaseWorld(wait)
    world.add("a")
    world.turn()
    found = world.get("a")
    done = evolve(found.phases[AWAIT], status=PhaseStatus.COMPLETED)
    assert not hasten(evolve(found, phases={AWAIT: done}), world.clock.now()).is_change
