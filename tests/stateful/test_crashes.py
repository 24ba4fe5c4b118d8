"""Killed before or after any durable write and started again, a Conductor ends where it would have ended anyway.

The store is wrapped so that the Conductor dies at one chosen commit: before it (nothing of it was written), or after
it (everything was, and nobody was told). Then a new Conductor takes over beside the same cloud. Whatever the moment,
the process must converge with every resource once: no duplicate, no orphan, no illegal transition.
"""

from collections.abc import Sequence

import pytest
from simulation import FID, HOME, Simulation, web

from tenuto.core.audit import audit_objects
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.process import Command, ProcessState
from tenuto.ports.store import Store
from tenuto.ports.store_changes import StoreChange
from tenuto.providers.simulated.cloud import Behaviour
from tenuto.providers.simulated.faults import Fault, FaultKind
from tenuto.providers.simulated.types import TYPES
from tenuto.storage.memory import MemoryStore

MOST_COMMITS = 150
"""More than a build and a kill of the example need; a moment that never comes ends the series."""


class KilledError(BaseException):
    """The end of a Conductor. Not an Exception: nothing in it may catch its own death."""


class MortalStore:
    """A store that lets its Conductor die at the commit of a number, before or after it is written."""

    def __init__(self, store: Store, moment: int, *, is_written: bool) -> None:
        self._store = store
        self._moment = moment
        self._is_written = is_written
        self.commits = 0

    def commit(self, changes: Sequence[StoreChange]) -> None:
        self.commits += 1
        if self.commits == self._moment:
            if self._is_written:
                self._store.commit(changes)
            raise KilledError
        self._store.commit(changes)

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)


def survive(simulation: Simulation, moment: int, *, is_written: bool) -> bool:
    """Settle with a Conductor that dies at that commit, then with a new one. Whether the moment came at all."""
    mortal = MortalStore(simulation.store, moment, is_written=is_written)
    simulation.reborn(mortal)  # type: ignore[arg-type]
    died = False
    try:
        simulation.settle()
    except KilledError:
        died = True
    simulation.clock.advance(1.0)
    simulation.reborn(simulation.store)
    simulation.settle()
    return died


def things(simulation: Simulation) -> list[str]:
    """What is really in the cloud, by type."""
    return sorted(
        f"{name}" for name in TYPES for one in simulation.cloud.items(HOME, name).values() if not one.is_ending
    )


def check_is_sound(simulation: Simulation) -> None:
    objects = simulation.store.objects(FID)
    assert audit_objects(simulation.process(), objects, CATALOGUE) == ()


@pytest.mark.parametrize("is_written", [False, True], ids=["before it is written", "after it is written"])
@pytest.mark.parametrize("honours_tokens", [True, False], ids=["tokens honoured", "tokens ignored"])
def test_a_build_killed_at_any_commit_ends_with_every_resource_once(is_written: bool, honours_tokens: bool) -> None:
    expected = sorted(f"{declaration.type}" for declaration in web().resources)
    for moment in range(1, MOST_COMMITS):
        simulation = Simulation(behaviour=Behaviour(honours_tokens=honours_tokens))
        simulation.begin(web())
        died = survive(simulation, moment, is_written=is_written)
        assert simulation.process().state is ProcessState.RUNNING, simulation.picture()
        assert things(simulation) == expected, f"killed at commit {moment}: {simulation.picture()}"
        assert {found.state for found in simulation.live().values()} == {"Started"}
        check_is_sound(simulation)
        if not died:
            break
    else:
        pytest.fail("the build never got by with fewer commits than the test tries")


@pytest.mark.parametrize("is_written", [False, True], ids=["before it is written", "after it is written"])
def test_a_kill_killed_at_any_commit_ends_with_nothing(is_written: bool) -> None:
    for moment in range(1, MOST_COMMITS):
        simulation = Simulation()
        simulation.begin(web())
        simulation.settle()
        simulation.command(ProcessState.KILLING, Command.KILL)
        died = survive(simulation, moment, is_written=is_written)
        assert simulation.process().state is ProcessState.GONE, simulation.picture()
        assert things(simulation) == []
        check_is_sound(simulation)
        if not died:
            break
    else:
        pytest.fail("the kill never got by with fewer commits than the test tries")


def test_an_answer_that_never_came_is_looked_up_and_not_repeated() -> None:
    simulation = Simulation(behaviour=Behaviour(honours_tokens=False))
    simulation.faults.add(Fault(operation="create", subject="Net", kind=FaultKind.LOST))
    simulation.begin(web())
    simulation.settle()
    assert things(simulation) == sorted(f"{declaration.type}" for declaration in web().resources)


def test_the_wrapped_store_really_dies() -> None:
    simulation = Simulation(store=MemoryStore())
    simulation.begin(web())
    simulation.reborn(MortalStore(simulation.store, 3, is_written=False))  # type: ignore[arg-type]
    with pytest.raises(KilledError):
        simulation.settle()
