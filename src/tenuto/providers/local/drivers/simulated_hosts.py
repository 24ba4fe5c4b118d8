"""The hosts of simulated zones, as the watch over them sees them, and as people plug and unplug them.

Theory of operation. A host that is unplugged is cut off from the Conductor, and its machines run on: also a machine
that was made elsewhere meanwhile, until the host is back and is told to remove it. The machines that may be made
elsewhere end with the lease of the host; that follows from the clock alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from tenuto import __version__
from tenuto.model.ids import Instant, Json, ObjectId
from tenuto.ports.clock import Clock
from tenuto.providers.local.driver import Problem, Spec
from tenuto.providers.local.drivers.simulated_zones import Thing, Zone
from tenuto.providers.local.leases import FENCED
from tenuto.providers.local.rules.deadlines import Presence
from tenuto.providers.local.rules.machines.abilities import ABILITIES
from tenuto.providers.local.rules.machines.placement import Host
from tenuto.providers.local.rules.machines.replacement import is_fenced
from tenuto.providers.local.types import INSTANCE, INTERFACE, NETWORK


class SimulatedHosts:
    """Implements `providers.local.driver.HostsOfZones`, on the zones of the class that is made of it."""

    name = "simulated"
    _clock: Clock
    _lease_s: float
    _listens_since: Instant
    _zones: dict[str, Zone]

    @contextmanager
    def turn(self) -> Iterator[None]:
        raise NotImplementedError
        yield

    def hosts(self, zone: str) -> Sequence[Host]:
        with self.turn():
            return sorted(self._zone(zone).hosts.values(), key=lambda host: host.name)

    # The face of one who watches the hosts.

    def zones(self) -> Sequence[str]:
        with self.turn():
            return sorted(self._zones)

    def presences(self, zone: str) -> Sequence[Presence]:
        with self.turn():
            here, now = self._zone(zone), self._clock.now()
            return [
                Presence(
                    name=host.name,
                    silent_s=0.0 if host.is_up else now - max(here.cut.get(host.name, now), self._listens_since),
                    is_heard=host.is_up,
                    heard_s=0.0 if host.is_up else now - here.cut.get(host.name, now),
                    has_left=host.name in here.left,
                    driver=self.name,
                    cores=host.cores,
                    memory_mib=host.memory_mib,
                    disk_gib=host.disk_gib,
                    version=__version__,
                    abilities=ABILITIES,
                )
                for host in self.hosts(zone)
            ]

    def listen_anew(self) -> None:
        self._listens_since = self._clock.now()

    def whereabouts(self, zone: str) -> Mapping[ObjectId, Sequence[str]]:
        with self.turn():
            here = self._zone(zone)
            placed = {key: (one.host,) for key, one in here.placed.items()}
            return placed | {key: (one.spec.host,) for key, one in here.things.items()}

    def leave_behind(self, zone: str, name: str, object_ids: Sequence[ObjectId]) -> None:
        with self.turn():
            here = self._zone(zone)
            for object_id in object_ids:
                here.placed.pop(object_id, None)
                if (thing := here.things.pop(object_id, None)) is not None:
                    here.behind[object_id] = thing

    def unwanted(self, zone: str, name: str) -> Sequence[ObjectId]:
        with self.turn():
            return sorted(key for key, thing in self._zone(zone).behind.items() if thing.spec.host == name)

    def clear(self, zone: str, name: str, object_ids: Sequence[ObjectId]) -> None:
        with self.turn():
            here = self._zone(zone)
            for object_id in object_ids:
                if object_id in here.behind and not silence_of(here, name):
                    del here.behind[object_id]

    def isolate(self, zone: str, name: str, object_ids: Sequence[ObjectId]) -> None:
        with self.turn():
            here = self._zone(zone)
            if silence_of(here, name):
                return
            for object_id in object_ids:
                thing = here.things.get(object_id) or here.behind.get(object_id)
                if thing is not None and thing.spec.type == INSTANCE and thing.spec.host == name:
                    thing.properties["Interfaces"] = []

    def strip(self, zone: str, name: str, object_ids: Sequence[ObjectId]) -> Mapping[ObjectId, Problem]:
        """Take nothing away: the networks and interfaces that a lost host serves for others count as silent."""
        return {}

    def dismiss(self, zone: str, name: str, *, for_good: bool) -> None:
        with self.turn():
            here = self._zone(zone)
            here.left.add(name)
            if name in here.hosts:
                here.hosts[name] = replace(here.hosts[name], is_up=False)
                here.cut.setdefault(name, self._clock.now())
            if for_good:
                here.hosts.pop(name, None)
                here.left.discard(name)
                here.behind = {key: one for key, one in here.behind.items() if one.spec.host != name}
                here.things = {
                    key: one
                    for key, one in here.things.items()
                    if one.spec.host != name or one.spec.type in (NETWORK, INTERFACE)
                }
                here.placed = {key: one for key, one in here.placed.items() if one.host != name}

    def set_host(self, zone: str, name: str, *, is_up: bool) -> None:
        """Unplug a host, or plug it in again. Its machines run on, but for those that end with its lease."""
        with self.turn():
            here = self._zone(zone)
            here.hosts[name] = replace(here.hosts[name], is_up=is_up)
            here.left.discard(name)
            if not is_up:
                here.cut.setdefault(name, self._clock.now())
                return
            for thing in (*here.things.values(), *here.behind.values()):
                if thing.spec.host == name and self._is_fenced(here, thing):
                    thing.properties["PowerState"] = FENCED
            here.cut.pop(name, None)

    def strand(self, zone: str, name: str, object_id: ObjectId) -> None:
        """Let a machine be on a host that no Conductor has ordered there, such as one of a lost database."""
        with self.turn():
            spec = Spec(
                type=INSTANCE, object_id=object_id, account="", owner=None, host=name, properties={"Name": "stray"}
            )
            properties: dict[str, Json] = {"Name": "stray", "PowerState": "on"}
            self._zone(zone).behind[object_id] = Thing(spec=spec, properties=properties, running_at=self._clock.now())

    def fill(self, zone: str, name: str, *, is_full: bool = True) -> None:
        """Let others fill the disk of a host, or make room there: a full host holds its machines, and takes no new
        one."""
        with self.turn():
            full = self._zone(zone).full
            full.add(name) if is_full else full.discard(name)

    def running(self, zone: str) -> Mapping[ObjectId, str]:
        """The machines that run at this moment on any host, with their hosts; also those that the Conductor does not
        expect."""
        with self.turn():
            here = self._zone(zone)
            return {
                key: thing.spec.host
                for key, thing in (here.things | here.behind).items()
                if thing.spec.type == INSTANCE
                and thing.properties.get("PowerState") == "on"
                and not self._is_fenced(here, thing)
            }

    def end_leased(self, zone: str) -> None:
        """End the machines that may be made elsewhere."""
        with self.turn():
            for thing in self._zone(zone).things.values():
                is_leased = thing.spec.type == INSTANCE and is_fenced(str(thing.properties.get("Replace")))
                if is_leased and thing.properties.get("PowerState") == "on":
                    thing.properties["PowerState"] = FENCED

    def _is_fenced(self, here: Zone, thing: Thing) -> bool:
        """Whether the lease of its host is over, and the host has ended the machine for that."""
        cut_at = here.cut.get(thing.spec.host)
        if cut_at is None or thing.spec.type != INSTANCE or thing.spec.host in here.left:
            return False
        return is_fenced(str(thing.properties.get("Replace"))) and self._clock.now() > cut_at + self._lease_s

    def _zone(self, name: str) -> Zone:
        return self._zones.setdefault(name, Zone())


def silence_of(here: Zone, host: str) -> str:
    """The reason why a host cannot be asked; empty when it can."""
    known = here.hosts.get(host)
    return "" if known is not None and known.is_up else f"the host {host} does not answer"
