"""Delays that change while the Conductor runs hold from the next wait on (behaviour 79)."""

import pytest
from front import submission

from tenuto.bootstrap.log import LogLevels
from tenuto.bootstrap.services import make_services
from tenuto.errors import UserError
from tenuto.model.ids import Instant
from tenuto_testing.phase_world import PhaseWorld
from tenuto_testing.scripted_phase import ScriptedPhase, say_nothing
from tenuto_testing.world import PERIOD_S, World

NETWORK = "Resources: {Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16}}}"


def held(world: World) -> None:
    """One process that is built and at rest."""
    world.system.commands.run(submission(NETWORK, region="us-east-1"), alias="web")
    assert world.settle()


def last_job_ended(world: World) -> Instant:
    process = world.store.process("web")
    assert process is not None
    assert process.last_job is not None
    assert process.last_job.finished_at is not None
    return process.last_job.finished_at


def test_behaviour_79_a_shorter_period_holds_for_jobs_that_were_due_later() -> None:
    world = World()
    held(world)
    before = last_job_ended(world)
    world.system.tempo.period_s = 5.0
    world.system.conductor.hasten()
    world.advance(6.0)
    assert 4.9 <= last_job_ended(world) - before <= 6.1
    before = last_job_ended(world)
    world.advance(20.0)
    assert 14.0 <= last_job_ended(world) - before <= 20.0


def test_a_longer_period_holds_after_the_next_job() -> None:
    world = World()
    held(world)
    world.system.tempo.period_s = 10 * PERIOD_S
    world.system.conductor.hasten()
    world.advance(10 * PERIOD_S)
    before = last_job_ended(world)
    world.advance(before + 10 * PERIOD_S - 1.0 - world.clock.now())
    assert last_job_ended(world) == before


def test_behaviour_79_an_object_without_a_verdict_sleeps_as_long_as_is_usual_now() -> None:
    slow = ScriptedPhase("Slow", script=say_nothing)
    world = PhaseWorld(slow.plugin)
    world.tempo.phase_delay_s = 3.0
    world.add("n1")
    world.turn()
    entry = world.entry("n1", "Slow")
    assert entry.wake_at is not None
    assert entry.wake_at - world.clock.now() == 3.0


def test_behaviour_79_the_services_change_the_delays_of_the_conductor_itself() -> None:
    world = World()
    services = make_services(world.system, clock=world.clock, secret="s", levels=LogLevels("INFO"))
    assert {one.key.name: one.value for one in services.runtime.values("*.p*")} == {
        "jobs.period": f"{PERIOD_S:g}",
        "resources.patience": "600",
    }
    services.runtime.set("jobs.period", "7.5", actor="root")
    services.runtime.set("resources.patience", "0", actor="root")
    services.runtime.set("phases.delay", "1", actor="root")
    tempo = world.system.tempo
    assert (tempo.period_s, tempo.patience_s, tempo.phase_delay_s) == (7.5, 0.0, 1.0)
    services.runtime.unset("*", actor="root")
    assert (tempo.period_s, tempo.patience_s, tempo.phase_delay_s) == (PERIOD_S, 600.0, 15.0)


@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf", "soon", "1e9"])
def test_a_delay_of_no_sense_is_refused_and_changes_nothing(value: str) -> None:
    world = World()
    services = make_services(world.system, clock=world.clock, secret="s", levels=LogLevels("INFO"))
    with pytest.raises(UserError, match="expected seconds"):
        services.runtime.set("phases.delay", value, actor="root")
    assert world.system.tempo.phase_delay_s == 15.0
