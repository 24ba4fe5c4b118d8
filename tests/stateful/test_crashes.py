"""Killed before or after any durable write and started again, a Conductor ends where it would have ended anyway.

The store is wrapped so that the Conductor dies at one chosen commit: before it (nothing of it was written), or after
it (everything was, and nobody was told). Then a new Conductor takes over beside the same cloud. Whatever the moment,
the process must converge with every resource once: no duplicate, no orphan, no illegal transition.
"""

import pytest
from web_world import HOME, WebWorld, web

from tenuto.core.reports.audit import audit_objects
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.command import ProcessState
from tenuto.providers.simulated.behaviour import Behaviour
from tenuto.providers.simulated.faults import Fault, FaultKind
from tenuto.providers.simulated.types import TYPES
from tenuto_testing.mortality import Blow

MOST_COMMITS = 150
"""More than a build and a kill of the example need; a moment that never comes ends the series."""


def survive(world: WebWorld, moment: int, *, is_written: bool) -> bool:
    """Settle with a Conductor that dies at that commit from now, then with a new one. Whether it died at all."""
    world.fate.arm(Blow(operation="commit", is_after=is_written, count=moment))
    world.settled()
    world.fate.disarm()
    return bool(world.crashes)


def things(world: WebWorld) -> list[str]:
    """What is really in the cloud, by type."""
    return sorted(f"{name}" for name in TYPES for one in world.cloud.items(HOME, name).values() if not one.is_ending)


def check_is_sound(world: WebWorld) -> None:
    objects = world.store.objects(world.process().fid)
    assert audit_objects(world.process(), objects, CATALOGUE) == ()


@pytest.mark.parametrize("is_written", [False, True], ids=["before it is written", "after it is written"])
@pytest.mark.parametrize("honours_tokens", [True, False], ids=["tokens honoured", "tokens ignored"])
def test_a_build_killed_at_any_commit_ends_with_every_resource_once(is_written: bool, honours_tokens: bool) -> None:
    expected = sorted(f"{declaration.type}" for declaration in web().resources)
    for moment in range(1, MOST_COMMITS):
        world = WebWorld(behaviour=Behaviour(honours_tokens=honours_tokens))
        world.run()
        died = survive(world, moment, is_written=is_written)
        assert world.process().state is ProcessState.RUNNING, world.picture()
        assert things(world) == expected, f"killed at commit {moment}: {world.picture()}"
        assert {found.state for found in world.live().values()} == {"Started"}
        check_is_sound(world)
        if not died:
            break
    else:
        pytest.fail("the build never got by with fewer commits than the test tries")


@pytest.mark.parametrize("is_written", [False, True], ids=["before it is written", "after it is written"])
def test_a_kill_killed_at_any_commit_ends_with_nothing(is_written: bool) -> None:
    for moment in range(1, MOST_COMMITS):
        world = WebWorld()
        world.run()
        world.settled()
        world.kill()
        died = survive(world, moment, is_written=is_written)
        assert world.process().state is ProcessState.GONE, world.picture()
        assert things(world) == []
        check_is_sound(world)
        if not died:
            break
    else:
        pytest.fail("the kill never got by with fewer commits than the test tries")


def test_an_answer_that_never_came_is_looked_up_and_not_repeated() -> None:
    world = WebWorld(behaviour=Behaviour(honours_tokens=False))
    world.faults.add(Fault(operation="create", subject="Net", kind=FaultKind.LOST))
    world.run()
    world.settled()
    assert things(world) == sorted(f"{declaration.type}" for declaration in web().resources)


def test_a_conductor_really_dies_at_the_commit_that_is_chosen() -> None:
    world = WebWorld()
    world.run()
    assert survive(world, 3, is_written=False)
