"""A report wakes the phase that waits for it, and no other."""

from tenuto.model.ids import ObjectId, PhaseName
from tenuto.model.phase_map import PhaseStatus
from tenuto.plugins import PhaseRun, phase
from tenuto_testing.phase_world import PhaseWorld

HOUR_S = 3600.0


@phase("Test.Await", states="Allocation", types="Cloud.Node")
def wait(run: PhaseRun) -> None:
    for one in run.resources:
        if run.data(one).get("asked"):
            run.complete(one)
        else:
            run.data(one)["asked"] = True
            run.sleep(one, HOUR_S)


def test_a_hastened_object_is_run_at_once() -> None:
    world = PhaseWorld(wait)
    for name in ("a", "b"):
        world.add(name)
    world.turn()
    named = world.get("a").object_id
    world.engine.hasten([named, ObjectId("nothing")], world.clock.now())
    world.turn()
    assert world.get("a").state == "Started"
    entry = world.get("b").phases[PhaseName("Test.Await")]
    assert entry.status is PhaseStatus.SLEEPING


def test_what_is_due_or_done_is_not_written_again() -> None:
    world = PhaseWorld(wait)
    world.add("a")
    world.turn()
    named = world.get("a").object_id
    world.engine.hasten([named], world.clock.now())
    generation = world.get("a").generation
    world.engine.hasten([named], world.clock.now())
    assert world.get("a").generation == generation
