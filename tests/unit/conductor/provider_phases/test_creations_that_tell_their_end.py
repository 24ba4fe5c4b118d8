"""A kill waits for as long as a creation takes whose type tells its end, however long that is."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from web_world import WebWorld, composed, declare

from tenuto.conductor.providing.providers import ProviderTypes
from tenuto.core.pacing.visibility import VISIBILITY_S
from tenuto.model.ids import Partition
from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Request
from tenuto.model.resource import ManagedObject, ResourceType
from tenuto.providers.simulated.provider import SimulatedProvider
from tenuto_testing.mortality import Blow, Crash


@pytest.fixture
def world() -> WebWorld:
    """A world that died after it sent a creation."""
    world = WebWorld()
    world.run(composed(declare("Net", "Network", CidrBlock="10.0.0.0/16")))
    world.fate.arm(Blow(operation="create", is_after=True))
    with pytest.raises(Crash):
        world.system.conductor.step()
    world.crash()
    return world


def hide(monkeypatch: pytest.MonkeyPatch, tells_its_end: bool) -> None:
    """Let no search find anything, of types that tell their end or do not."""
    facts = ProviderTypes.facts

    def telling(self: ProviderTypes, found: ManagedObject) -> ResourceType:
        return replace(facts(self, found), tells_its_end=tells_its_end)

    def nothing(
        self: SimulatedProvider, partition: Partition, requests: Sequence[Request]
    ) -> Sequence[ObservedItem | None]:
        return [None for _ in requests]

    monkeypatch.setattr(ProviderTypes, "facts", telling)
    monkeypatch.setattr(SimulatedProvider, "find", nothing)


def calls_of(world: WebWorld, operation: str) -> int:
    return sum(call.operation == operation for call in world.calls)


@pytest.mark.parametrize("tells_its_end", [True, False])
def test_a_kill_waits_for_the_end_of_a_creation_that_tells_it(
    monkeypatch: pytest.MonkeyPatch, world: WebWorld, tells_its_end: bool
) -> None:
    find = SimulatedProvider.find
    hide(monkeypatch, tells_its_end)
    world.system.commands.kill("web")
    world.advance(10 * VISIBILITY_S)
    waits = [phase.message for one in world.store.objects(world.process().fid) for phase in one.phases.values()]
    assert any("there may be a thing to delete then" in one for one in waits) is tells_its_end, waits
    monkeypatch.setattr(SimulatedProvider, "find", find)
    world.advance(VISIBILITY_S)
    assert bool(calls_of(world, "delete")) is tells_its_end, world.picture()


@pytest.mark.parametrize("tells_its_end", [True, False])
def test_an_update_does_not_repeat_a_creation_that_tells_its_end(
    monkeypatch: pytest.MonkeyPatch, world: WebWorld, tells_its_end: bool
) -> None:
    hide(monkeypatch, tells_its_end)
    world.update(composed(declare("Net", "Network", CidrBlock="10.0.0.0/16", Label="two")))
    world.advance(10 * VISIBILITY_S)
    assert (calls_of(world, "create") == 1) is tells_its_end, world.picture()
