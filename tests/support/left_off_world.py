"""A world whose machines may be turned off by their guests, and are left off, as the driver `qemu` shows them."""

from collections.abc import Sequence
from dataclasses import replace

from local_world import LocalWorld

from tenuto.model.ids import ObjectId, TypeName
from tenuto.ports.clock import Clock
from tenuto.ports.provider import OpSink, Provider
from tenuto.providers.local.driver import Seen
from tenuto.providers.local.drivers.simulated import SimulatedDriver
from tenuto.providers.local.rules.machines.power import AGENT_STATE, OFF_BY_GUEST, ON_FAILURE, told_left_off


class TurnedOff(SimulatedDriver):
    """Simulated hosts. A machine in `left_off` shows the power of its order, so that it is no drift."""

    left_off: frozenset[ObjectId] = frozenset()

    def observe(self, zone: str, type_name: TypeName) -> Sequence[Seen]:
        return [
            replace(
                one,
                attributes={**one.attributes, AGENT_STATE: OFF_BY_GUEST},
                message=told_left_off(one.object_id, OFF_BY_GUEST, ON_FAILURE),
            )
            if one.object_id in self.left_off
            else one
            for one in super().observe(zone, type_name)
        ]


class LeftOffWorld(LocalWorld):
    """A Conductor with such hosts."""

    def _providers(self, ops: OpSink, clock: Clock) -> list[Provider]:
        self.driver = self.driver or TurnedOff(self.clock, lease_s=self.deadlines.lease_s, contents=self.contents)
        return super()._providers(ops, clock)

    def turn_off(self, name: str) -> None:
        """Let the guest of a machine turn it off, and the next sweep come."""
        assert isinstance(self.driver, TurnedOff)
        self.driver.left_off |= {self.the(name).object_id}
        self.advance(60)
