"""The driver of each zone: real hosts that are enrolled, or simulated ones.

Theory of operation. A zone has one kind of hosts, from its first thing or its first enrolled host on. A zone with an
enrolled host is a real one for every Conductor, also for one that was started without the door for hosts: its hosts are
silent then, and nothing on them is made a second time somewhere else. A zone with neither has the kind that the
Conductor was started for: real with the door, simulated without it.
"""

from collections.abc import Callable, Mapping, Sequence

from tenuto.model.ids import ObjectId, TypeName
from tenuto.providers.local.driver import HostedDriver, Problem, Seen, Spec
from tenuto.providers.local.rules.deadlines import Presence
from tenuto.providers.local.rules.machines.placement import Host, Machine, PlacementRules, Placing


class Zones:
    """Implements `providers.local.driver.HostedDriver`. `is_real` decides anew at each call."""

    def __init__(self, *, simulated: HostedDriver, real: HostedDriver, is_real: Callable[[str], bool]) -> None:
        self._simulated = simulated
        self._real = real
        self._is_real = is_real

    def name_in(self, zone: str) -> str:
        return self._of(zone).name_in(zone)

    def hosts(self, zone: str) -> Sequence[Host]:
        return self._of(zone).hosts(zone)

    def assign(self, zone: str, machines: Sequence[Machine], rules: PlacementRules) -> Placing:
        return self._of(zone).assign(zone, machines, rules)

    def misfits(self, zone: str, machines: Sequence[Machine], rules: PlacementRules) -> Mapping[ObjectId, str]:
        return self._of(zone).misfits(zone, machines, rules)

    def resize(self, zone: str, machines: Sequence[Machine], rules: PlacementRules) -> Mapping[ObjectId, str]:
        return self._of(zone).resize(zone, machines, rules)

    def unassign(self, zone: str, object_ids: Sequence[ObjectId]) -> None:
        self._of(zone).unassign(zone, object_ids)

    def ensure(self, zone: str, specs: Sequence[Spec]) -> Mapping[ObjectId, Problem]:
        return self._of(zone).ensure(zone, specs)

    def remove(self, zone: str, object_ids: Sequence[ObjectId]) -> Mapping[ObjectId, Problem]:
        return self._of(zone).remove(zone, object_ids)

    def observe(self, zone: str, type_name: TypeName) -> Sequence[Seen]:
        return self._of(zone).observe(zone, type_name)

    def shown(self, zone: str) -> Mapping[str, Sequence[Seen]]:
        return self._of(zone).shown(zone)

    # The face of one who watches the hosts.

    def zones(self) -> Sequence[str]:
        return sorted({*self._real.zones(), *(zone for zone in self._simulated.zones() if not self._is_real(zone))})

    def presences(self, zone: str) -> Sequence[Presence]:
        return self._of(zone).presences(zone)

    def listen_anew(self) -> None:
        self._real.listen_anew()
        self._simulated.listen_anew()

    def whereabouts(self, zone: str) -> Mapping[ObjectId, Sequence[str]]:
        return self._of(zone).whereabouts(zone)

    def leave_behind(self, zone: str, name: str, object_ids: Sequence[ObjectId]) -> None:
        self._of(zone).leave_behind(zone, name, object_ids)

    def unwanted(self, zone: str, name: str) -> Sequence[ObjectId]:
        return self._of(zone).unwanted(zone, name)

    def clear(self, zone: str, name: str, object_ids: Sequence[ObjectId]) -> None:
        self._of(zone).clear(zone, name, object_ids)

    def isolate(self, zone: str, name: str, object_ids: Sequence[ObjectId]) -> None:
        self._of(zone).isolate(zone, name, object_ids)

    def strip(self, zone: str, name: str, object_ids: Sequence[ObjectId]) -> Mapping[ObjectId, Problem]:
        return self._of(zone).strip(zone, name, object_ids)

    def dismiss(self, zone: str, name: str, *, for_good: bool) -> None:
        self._of(zone).dismiss(zone, name, for_good=for_good)

    def _of(self, zone: str) -> HostedDriver:
        return self._real if self._is_real(zone) else self._simulated
