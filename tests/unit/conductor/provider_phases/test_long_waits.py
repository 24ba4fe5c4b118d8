"""A wait that takes days costs a run of its phase per half minute, not one per few seconds."""

from web_world import WebWorld

from tenuto.core.pacing.visibility import AWAIT


def runs_in(world: WebWorld, seconds: float) -> int:
    """The runs of the phase that waits for the server, in the time to come."""
    before = world.live()["Server"].phases[AWAIT].runs
    world.advance(seconds)
    return world.live()["Server"].phases[AWAIT].runs - before


def test_a_thing_that_cannot_be_seen_for_hours_is_looked_for_less_often() -> None:
    world = WebWorld()
    world.run()
    world.advance(3)
    world.cloud.lead("default", "999999999999")
    early = runs_in(world, 300)
    world.advance(900)
    assert 0 < runs_in(world, 300) < early / 3
