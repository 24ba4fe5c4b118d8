"""The life of one process in front of the strict cloud, and what must be true of it at every rest."""

from pathlib import Path

from tenuto.ports.clock import Clock
from tenuto.service.views.process_view import is_converged
from tenuto_testing.cloud import Buckets, Cloud, Lag, Pace
from tenuto_testing.strict_world import StrictWorld


def patient(clock: Clock) -> Cloud:
    """As AWS is on a good day: pending states, buckets, and new ids that are known a little late."""
    return Cloud(clock, pace=Pace(), lag=Lag(new_s=2.0), buckets=Buckets())


def build(world: StrictWorld, template: Path) -> dict[str, list[str]]:
    """Run the template; what stood in the account before."""
    before = world.standing()
    world.run(template, "web")
    settled(world)
    return before


def settled(world: StrictWorld) -> None:
    is_settled, process = world.settle(), world.system.queries.process("web").process
    assert is_settled, process.last_job
    assert is_converged(process), process.last_job


def is_one_of_each(world: StrictWorld) -> None:
    """Everything that stands and says whose it is belongs to an object that is held now, and to no other twice."""
    owners = world.owners()
    assert len(set(owners)) == len(owners), "something was made twice"
    held = {
        str(resource.current.object_id)
        for resource in world.system.queries.process("web").resources
        if resource.current
    }
    assert {owner for owner, _ in owners} <= held, "something was left behind"


def gone(world: StrictWorld, before: dict[str, list[str]]) -> None:
    world.system.commands.kill("web")
    assert world.settle()
    assert list(world.store.processes()) == []
    assert world.standing() == before
