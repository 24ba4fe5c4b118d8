"""A whole Conductor while its system clock is set, and after a restart by another clock: enforcement is never late."""

import pytest
from web_world import ALIAS, WebWorld

from tenuto.conductor.leading.timekeeper import REST_S
from tenuto.model.command import ProcessState
from tenuto.model.ids import Instant
from tenuto.ports.store_reads import EventQuery
from tenuto.providers.simulated.behaviour import Behaviour
from tenuto.providers.simulated.faults import Fault, FaultKind
from tenuto_testing.clock import START
from tenuto_testing.world import PERIOD_S

HOUR_S = 3600.0
DAY_S = 24 * HOUR_S
WORK_S = 10.0
"""The seconds that a repair may take beyond a period here: a sweep of its beginning, and one to see that it holds."""
STEPS = [HOUR_S, -HOUR_S, 30 * DAY_S, -30 * DAY_S, 3650 * DAY_S, -3650 * DAY_S, 10.0, -10.0]


@pytest.fixture
def world() -> WebWorld:
    """A process that has converged, and a Conductor that has been at work for a while."""
    found = WebWorld()
    found.run()
    found.settled()
    found.advance(REST_S)
    return found


def drift_is_repaired_in_time(world: WebWorld) -> None:
    physical = world.physical("Net")
    world.cloud.tamper(physical, "Label", "a stranger's")
    world.advance(PERIOD_S + WORK_S)
    [net] = [thing for thing in world.cloud.things() if thing.physical_id == physical]
    assert net.properties["Label"] == "one", world.picture()


def standing(world: WebWorld) -> int:
    """How many things stand in the cloud."""
    return sum(thing.is_standing(world.clock.now()) for thing in world.cloud.things())


@pytest.mark.parametrize("ahead_s", STEPS)
def test_drift_is_repaired_within_a_period_of_any_step_and_of_the_step_back(world: WebWorld, ahead_s: float) -> None:
    for wall in (ahead_s, 0.0):
        world.set_wall(wall)
        drift_is_repaired_in_time(world)
        drift_is_repaired_in_time(world)
        assert world.own.ahead_s == wall, "the Conductor goes by the system clock again"


@pytest.mark.parametrize("ahead_s", STEPS)
def test_drift_is_repaired_within_a_period_of_a_start_by_another_clock(world: WebWorld, ahead_s: float) -> None:
    for wall in (ahead_s, 0.0):
        world.set_wall(wall)
        world.crash()
        assert world.own.ahead_s == wall
        drift_is_repaired_in_time(world)
        world.advance(5 * PERIOD_S)


@pytest.mark.parametrize("ahead_s", STEPS)
@pytest.mark.parametrize("after_s", [0.0, 1.0, 20.0, 70.0])
def test_a_build_goes_through_a_step_and_makes_everything_once(ahead_s: float, after_s: float) -> None:
    world = WebWorld(behaviour=Behaviour(visible_after_s=8.0))
    world.advance(REST_S)
    world.faults.add(Fault(kind=FaultKind.SLOW, operation="create", subject="Server", seconds=90.0))
    world.run()
    world.advance(after_s)
    world.set_wall(ahead_s)
    world.advance(200.0)
    process = world.settled()
    assert (process.state, process.converged_at is not None) == (ProcessState.RUNNING, True)
    assert [found.incarnation for found in world.live().values()] == [1] * 5
    assert standing(world) == 5


@pytest.mark.parametrize("ahead_s", [30 * DAY_S, -30 * DAY_S])
def test_what_was_just_made_and_cannot_be_seen_yet_is_not_made_twice(ahead_s: float) -> None:
    world = WebWorld(behaviour=Behaviour(visible_after_s=40.0))
    world.advance(REST_S)
    world.run()
    world.advance(1.0)
    world.set_wall(ahead_s)
    world.advance(2.0)
    assert world.own.ahead_s == ahead_s
    world.settled()
    assert standing(world) == 5


def test_a_fault_that_sleeps_is_tried_again_in_time_after_a_step_back_and_a_restart(world: WebWorld) -> None:
    world.set_wall(30 * DAY_S)
    world.crash()
    world.faults.add(Fault(kind=FaultKind.UNAVAILABLE, operation="modify", subject="Net", times=5))
    world.cloud.tamper(world.physical("Net"), "Label", "a stranger's")
    world.advance(PERIOD_S + 3.0)
    world.faults.clear()
    world.set_wall(0.0)
    world.crash()
    world.advance(PERIOD_S)
    [net] = [thing for thing in world.cloud.things() if thing.physical_id == world.physical("Net")]
    assert net.properties["Label"] == "one"


@pytest.mark.parametrize("ahead_s", [30 * DAY_S, -30 * DAY_S])
def test_those_who_set_a_property_back_are_found_out_across_a_step(world: WebWorld, ahead_s: float) -> None:
    for wall in (0.0, 0.0, 0.0, ahead_s, ahead_s):
        world.set_wall(wall)
        drift_is_repaired_in_time(world)
    world.cloud.tamper(world.physical("Net"), "Label", "a stranger's")
    world.advance(PERIOD_S + WORK_S)
    assert "set back to" in world.process().last_message
    assert "6 times" in world.process().last_message


def test_enforcement_that_is_off_until_a_moment_follows_the_wall_clock(world: WebWorld) -> None:
    world.system.commands.set_property(ALIAS, "enforcement", "off", until="2h")
    world.set_wall(-HOUR_S)
    world.advance(2 * HOUR_S)
    assert not world.process().is_enforced, "by the wall clock an hour is left"
    world.set_wall(0.0)
    world.advance(PERIOD_S)
    assert world.process().is_enforced
    drift_is_repaired_in_time(world)


def test_enforcement_stays_off_by_the_wall_clock_while_the_conductor_still_goes_by_its_own(world: WebWorld) -> None:
    world.crash()
    world.system.commands.set_property(ALIAS, "enforcement", "off", until="20s")
    world.set_wall(-HOUR_S)
    world.cloud.tamper(world.physical("Net"), "Label", "a stranger's")
    world.advance(REST_S - 1.0)
    assert world.own.ahead_s == 0.0
    [net] = [thing for thing in world.cloud.things() if thing.physical_id == world.physical("Net")]
    assert net.properties["Label"] == "a stranger's"
    world.set_wall(0.0)
    world.advance(PERIOD_S + WORK_S)
    assert net.properties["Label"] == "one"


def test_events_after_a_step_carry_the_time_of_the_system_clock(world: WebWorld) -> None:
    world.set_wall(-30 * DAY_S)
    world.advance(PERIOD_S)
    world.system.commands.suspend(ALIAS)
    newest = world.store.events(EventQuery(limit=1))[-1]
    assert newest.at == world.clock.wall()
    assert newest.at < START


def test_nodes_tell_of_the_last_step_until_the_next_start(world: WebWorld) -> None:
    def told() -> str:
        [node] = world.system.queries.nodes()["nodes"]
        return str((node["clock"] or {}).get("message", ""))

    assert told() == ""
    world.set_wall(-HOUR_S)
    world.work()
    assert "went back by 3600 s" in told()
    world.advance(5 * PERIOD_S)
    assert "went back by 3600 s" in told()
    world.crash()
    assert told() == ""


def test_history_stays_for_a_day_after_a_step_of_a_year_and_nodes_tell_of_it(world: WebWorld) -> None:
    def told() -> str:
        [node] = world.system.queries.nodes()["nodes"]
        return str((node["clock"] or {}).get("message", ""))

    first = world.store.events_after(0, 1)
    world.set_wall(365 * DAY_S)
    world.advance(2 * HOUR_S)
    assert world.store.events_after(0, 1) == first
    assert "went forward by 31536000 s" in told()
    assert "Retention therefore removes nothing for its age until" in told()
    world.crash()
    world.advance(2 * HOUR_S)
    assert world.store.events_after(0, 1) == first
    assert told().startswith("The system clock went forward, or no Conductor ran for more than a day.")


def test_a_command_after_a_step_back_is_carried_out_at_once(world: WebWorld) -> None:
    world.set_wall(-30 * DAY_S)
    world.kill()
    world.advance(WORK_S)
    assert world.store.processes() == ()


def test_a_start_by_a_clock_that_was_right_all_the_time_writes_nothing(world: WebWorld) -> None:
    before = world.process()
    world.crash()
    assert world.process() == before
    assert world.own.now() == Instant(world.clock.now())
