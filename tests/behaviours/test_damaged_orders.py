"""Orders that were damaged on a host: the next job gives them again, and nothing is made a second time."""

from collections.abc import Mapping, Sequence

import pytest
from local_world import LocalWorld, shop

from tenuto.model.ids import ObjectId, TypeName
from tenuto.ports.clock import Clock
from tenuto.ports.provider import OpSink, Provider
from tenuto.providers.local.driver import Problem, Seen, Spec
from tenuto.providers.local.drivers.simulated import SimulatedDriver
from tenuto.providers.local.rules.deadlines import Deadlines


class DamagedHosts(SimulatedDriver):
    """Hosts that cannot read some of their orders until these are given again."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self.damaged: set[ObjectId] = set()

    def ensure(self, zone: str, specs: Sequence[Spec]) -> Mapping[ObjectId, Problem]:
        self.damaged -= {spec.object_id for spec in specs}
        return super().ensure(zone, specs)

    def observe(self, zone: str, type_name: TypeName) -> Sequence[Seen]:
        return [self._as_damaged(one) for one in super().observe(zone, type_name)]

    def _as_damaged(self, seen: Seen) -> Seen:
        if seen.object_id not in self.damaged:
            return seen
        return Seen(
            object_id=seen.object_id,
            account=seen.account,
            owner=seen.owner,
            properties={},
            attributes={},
            silence="the order for it is lost",
            is_order_lost=True,
        )


class DamagedWorld(LocalWorld):
    """A Conductor with such hosts."""

    def __init__(self) -> None:
        self.damaged: DamagedHosts | None = None
        super().__init__(Deadlines(missing_s=10))

    def _providers(self, ops: OpSink, clock: Clock) -> list[Provider]:
        self.damaged = self.damaged or DamagedHosts(self.clock)
        self.driver = self.damaged
        return super()._providers(ops, clock)


@pytest.mark.parametrize("names", [("Net",), ("Nic",), ("Web",), ("Net", "Nic", "Web")])
def test_a_damaged_order_is_told_and_given_again_and_nothing_is_made_anew(names: Sequence[str]) -> None:
    world = DamagedWorld()
    world.run(*shop())
    before = {one.logical_id: one.object_id for one in world.objects()}
    assert world.damaged is not None
    world.damaged.damaged |= {before[name] for name in names}
    world.advance(60)
    assert not world.damaged.damaged
    assert {one.logical_id: one.object_id for one in world.objects()} == before
    told = world.system.queries.events("shop", types=["drift.found"])
    assert sorted({event.subject for event in told}) == sorted(names)


def test_a_process_that_holds_nothing_leaves_a_damaged_order_as_it_is() -> None:
    world = DamagedWorld()
    world.run(*shop())
    assert world.damaged is not None
    damaged = {world.the("Web").object_id}
    world.system.commands.suspend("shop")
    world.damaged.damaged |= damaged
    world.advance(120)
    assert world.damaged.damaged == damaged
    world.system.commands.resume("shop")
    world.advance(60)
    assert not world.damaged.damaged
