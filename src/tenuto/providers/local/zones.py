"""The driver of each zone: real hosts that are enrolled, or simulated ones.

Theory of operation. A zone has one kind of hosts, from its first thing or its first enrolled host on. A zone with an
enrolled host is a real one for every Conductor, also for one that was started without the door for hosts: its hosts are
silent then, and nothing on them is made a second time somewhere else. A zone with neither is what the Conductor was
started for: real with the door, simulated without it.
"""

from collections.abc import Callable, Mapping, Sequence

from tenuto.model.ids import ObjectId, TypeName
from tenuto.providers.local.driver import Driver, Problem, Seen, Spec
from tenuto.providers.local.rules.placement import Host, Machine, PlacementRules, Placing


class Zones:
    """Implements `providers.local.driver.Driver`. `is_real` decides anew at each call."""

    def __init__(self, *, simulated: Driver, real: Driver, is_real: Callable[[str], bool]) -> None:
        self._simulated = simulated
        self._real = real
        self._is_real = is_real

    def name_in(self, zone: str) -> str:
        return self._of(zone).name_in(zone)

    def hosts(self, zone: str) -> Sequence[Host]:
        return self._of(zone).hosts(zone)

    def assign(self, zone: str, machines: Sequence[Machine], rules: PlacementRules) -> Placing:
        return self._of(zone).assign(zone, machines, rules)

    def ensure(self, zone: str, specs: Sequence[Spec]) -> Mapping[ObjectId, Problem]:
        return self._of(zone).ensure(zone, specs)

    def remove(self, zone: str, object_ids: Sequence[ObjectId]) -> Mapping[ObjectId, Problem]:
        return self._of(zone).remove(zone, object_ids)

    def observe(self, zone: str, type_name: TypeName) -> Sequence[Seen]:
        return self._of(zone).observe(zone, type_name)

    def _of(self, zone: str) -> Driver:
        return self._real if self._is_real(zone) else self._simulated
