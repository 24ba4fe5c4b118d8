"""A stop of a host whose agent is long at work: it holds whatever becomes of the Conductor meanwhile."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from local_world import LocalWorld, shop

from tenuto.ports.clock import Clock
from tenuto.ports.provider import OpSink, Provider
from tenuto.providers.local.drivers.simulated import SimulatedDriver
from tenuto.providers.local.rules.deadlines import Deadlines, Presence

ZONE = "us-east-1"


class BusyAgents(SimulatedDriver):
    """Hosts whose agents go on with their work when they are told to end. `told` is what the Conductor that leads has
    told them: as with real hosts, the next one does not know it."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self.told: set[str] = set()
        self.run = "first"

    def presences(self, zone: str) -> Sequence[Presence]:
        return [replace(one, run=self.run, is_leaving=one.name in self.told) for one in super().presences(zone)]

    def dismiss(self, zone: str, name: str, *, for_good: bool) -> None:
        self.told.add(name)


class BusyWorld(LocalWorld):
    """A Conductor with such hosts."""

    def __init__(self) -> None:
        self.agents: BusyAgents | None = None
        super().__init__(Deadlines(missing_s=10))

    def _providers(self, ops: OpSink, clock: Clock) -> list[Provider]:
        self.agents = self.agents or BusyAgents(self.clock)
        self.driver = self.agents
        return super()._providers(ops, clock)

    def followed(self) -> None:
        """Let another Conductor follow: it has told nobody anything."""
        assert self.agents is not None
        self.agents.told.clear()


@pytest.fixture
def world() -> BusyWorld:
    made = BusyWorld()
    made.run(*shop())
    made.advance(10)
    made.nodes.stop("h1", actor="ann")
    made.advance(10)
    assert made.states()["h1"] == "stopping"
    return made


@pytest.mark.parametrize("pause_s", [1, 20, 3600])
def test_a_stop_is_not_forgotten_by_the_next_conductor(world: BusyWorld, pause_s: float) -> None:
    assert world.agents is not None
    world.followed()
    world.advance(pause_s + 5)
    assert (world.states()["h1"], world.agents.told) == ("stopping", {"h1"})
    moves = [one["after"] for one in world.nodes.show("h1")["events"] if one["type"] == "object.state"]
    assert moves == ["created", "stopping"], "it was never back in between"


@pytest.mark.parametrize("pause_s", [1, 20, 3600])
def test_an_agent_that_is_started_again_is_back(world: BusyWorld, pause_s: float) -> None:
    assert world.agents is not None
    world.agents.run = "second"
    world.followed()
    world.advance(pause_s + 5)
    assert (world.states()["h1"], world.agents.told) == ("created", set())


def test_an_agent_of_before_that_tells_no_start_is_back_as_before(world: BusyWorld) -> None:
    assert world.agents is not None
    world.agents.run = ""
    world.followed()
    world.advance(20)
    assert world.states()["h1"] == "created"
