"""The simulated driver: hosts, networks and machines that exist in a file, or in memory alone.

Theory of operation. A zone has two hosts from the first order on. A machine takes two seconds to boot, and follows from
the clock alone, so nothing runs in the background. What people do behind Tenuto's back (`stop_machine`, `break_thing`,
`unplug`) changes what the hosts show and not what was ordered; a host that is unplugged takes no orders and shows
nothing. The file is shared (`kit.shared_file`), so a person changes the zone while a Conductor runs.
"""

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tenuto import __version__
from tenuto.errors import PermanentError, TransientError
from tenuto.kit.shared_file import SharedFile
from tenuto.model.ids import Instant, Json, JsonMap, ObjectId, TypeName
from tenuto.model.observation import Condition
from tenuto.ports.clock import Clock
from tenuto.providers.local.driver import Problem, Seen, Spec
from tenuto.providers.local.drivers.simulated_zones import FORMAT, Thing, Zone, zone_document, zone_of
from tenuto.providers.local.leases import FENCED
from tenuto.providers.local.rules.deadlines import Deadlines, Presence
from tenuto.providers.local.rules.placement import Assigned, Host, Machine, Placed, PlacementRules, Placing, place
from tenuto.providers.local.rules.replacement import is_fenced
from tenuto.providers.local.types import INSTANCE, INTERFACE

BOOT_S = 2.0
"""Seconds from the order for a machine to its running."""
KILLED = "off (ended by signal 9)"


class SimulatedDriver:
    """Implements `providers.local.driver.HostedDriver`."""

    name = "simulated"

    def __init__(self, clock: Clock, path: Path | None = None, *, lease_s: float = Deadlines().lease_s) -> None:
        """`path` is the file of the zones; None for zones that end with the program. `lease_s` is how long machines run
        on a host that hears nothing."""
        self._clock = clock
        self._lease_s = lease_s
        self._listens_since = clock.now()
        self._zones: dict[str, Zone] = {}
        self._path = path
        self._lock = threading.RLock()
        self._file = (
            SharedFile(path, restore=self._restore, document=self._document, unusable=self._unusable) if path else None
        )

    @contextmanager
    def turn(self) -> Iterator[None]:
        with self._lock:
            if self._file is None:
                yield
                return
            with self._file.session():
                yield

    def name_in(self, zone: str) -> str:
        return self.name

    def is_used(self, zone: str) -> bool:
        """Whether there is anything in a zone."""
        with self.turn():
            here = self._zones.get(zone)
            return here is not None and bool(here.things or here.placed)

    def add_host(self, zone: str, host: Host) -> None:
        """Let a zone have a host, or have it with other means."""
        with self.turn():
            self._zone(zone).hosts[host.name] = host

    def hosts(self, zone: str) -> Sequence[Host]:
        with self.turn():
            return sorted(self._zone(zone).hosts.values(), key=lambda host: host.name)

    def assign(self, zone: str, machines: Sequence[Machine], rules: PlacementRules) -> Placing:
        with self.turn():
            here = self._zone(zone)
            known = {one.object_id: here.placed[one.object_id] for one in machines if one.object_id in here.placed}
            fresh = [one for one in machines if one.object_id not in known]
            found = dict(place(fresh, self.hosts(zone), tuple(here.placed.values()), rules))
            for machine in fresh:
                answer = found[machine.object_id]
                if isinstance(answer, Assigned):
                    here.placed[machine.object_id] = Placed(host=answer.host, machine=machine)
            return found | {object_id: Assigned(host=one.host) for object_id, one in known.items()}

    def ensure(self, zone: str, specs: Sequence[Spec]) -> Mapping[ObjectId, Problem]:
        with self.turn():
            here = self._zone(zone)
            silent = {spec.object_id: why for spec in specs if (why := _silence(here, spec.host))}
            for spec in specs:
                if spec.object_id not in silent:
                    self._bring_about(here, spec)
            return _problems(silent)

    def remove(self, zone: str, object_ids: Sequence[ObjectId]) -> Mapping[ObjectId, Problem]:
        with self.turn():
            here = self._zone(zone)
            there = {one: here.things[one].spec.host for one in object_ids if one in here.things}
            silent = {one: why for one, host in there.items() if (why := _silence(here, host))}
            for object_id in object_ids:
                if object_id not in silent:
                    here.things.pop(object_id, None)
                    here.placed.pop(object_id, None)
            return _problems(silent)

    def observe(self, zone: str, type_name: TypeName) -> Sequence[Seen]:
        with self.turn():
            here = self._zone(zone)
            return [self._seen(here, thing) for thing in here.things.values() if thing.spec.type == type_name]

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
                    has_left=host.name in here.left,
                    driver=self.name,
                    cores=host.cores,
                    memory_mib=host.memory_mib,
                    version=__version__,
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
                if object_id in here.behind and not _silence(here, name):
                    del here.behind[object_id]

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
                here.things = {key: one for key, one in here.things.items() if one.spec.host != name}
                here.placed = {key: one for key, one in here.placed.items() if one.host != name}

    # The acts of people behind Tenuto's back. Each raises KeyError for what is not there.

    def stop_machine(self, object_id: ObjectId) -> None:
        """End the process of a machine."""
        with self.turn():
            self._thing(object_id).properties["PowerState"] = KILLED

    def break_thing(self, object_id: ObjectId, what: str) -> None:
        """Let a thing differ on its host from what was ordered."""
        with self.turn():
            thing = self._thing(object_id)
            thing.properties["Deviations"] = {thing.spec.host: [what]}

    def destroy(self, object_id: ObjectId) -> None:
        """Remove a thing from its host, with everything in it."""
        with self.turn():
            for zone in self._zones.values():
                if zone.things.pop(object_id, None) is not None:
                    return
            raise KeyError(object_id)

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

    def running(self, zone: str) -> Mapping[ObjectId, str]:
        """The machines that run at this moment, wherever they are, also those that nobody expects; with their hosts."""
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

    def everything(self) -> Mapping[str, tuple[Sequence[Host], Sequence[tuple[Spec, Seen]]]]:
        """The hosts of each zone, and what was ordered and is seen there."""
        with self.turn():
            return {
                name: (
                    self.hosts(name),
                    [(thing.spec, self._seen(zone, thing)) for thing in zone.things.values()],
                )
                for name, zone in self._zones.items()
            }

    def _bring_about(self, here: Zone, spec: Spec) -> None:
        before = here.things.get(spec.object_id)
        keeps_running = before is not None and not _restarts(before, spec)
        running_at = before.running_at if before and keeps_running else Instant(self._clock.now() + BOOT_S)
        here.things[spec.object_id] = Thing(spec=spec, properties=dict(spec.properties), running_at=running_at)

    def _zone(self, name: str) -> Zone:
        return self._zones.setdefault(name, Zone())

    def _thing(self, object_id: ObjectId) -> Thing:
        return next(zone.things[object_id] for zone in self._zones.values() if object_id in zone.things)

    def _seen(self, here: Zone, thing: Thing) -> Seen:
        spec = thing.spec
        is_booting = spec.type == INSTANCE and self._clock.now() < thing.running_at
        attributes = dict(spec.attributes)
        if spec.type == INSTANCE:
            attributes |= {"Addresses": _addresses(here, thing.properties), "BootedAt": _moment(thing.running_at)}
        return Seen(
            object_id=spec.object_id,
            account=spec.account,
            owner=spec.owner,
            properties=dict(thing.properties),
            attributes=attributes,
            condition=Condition.PENDING if is_booting else Condition.READY,
            message="booting" if is_booting else "",
            silence=_silence(here, spec.host),
        )

    def _unusable(self, error: OSError) -> TransientError:
        return TransientError(
            f"The simulated hosts cannot use their file {self._path}: {error.strerror}. Correct that; it is tried "
            "again.",
            code="ServiceUnavailable",
        )

    def _document(self) -> str:
        return json.dumps({"format": FORMAT, "zones": {name: zone_document(one) for name, one in self._zones.items()}})

    def _restore(self, text: str) -> None:
        try:
            document: Mapping[str, Any] = json.loads(text) if text else {"format": FORMAT, "zones": {}}
            if document["format"] != FORMAT:
                raise ValueError(f"format {document['format']}")
            self._zones = {name: zone_of(one) for name, one in document["zones"].items()}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise PermanentError(
                f"The file {self._path} of the simulated hosts is damaged, or of another version ({error!r}). Restore "
                "it, or remove it: the hosts are empty then, and each process makes its things anew.",
                code="DamagedFile",
            ) from error


def _silence(here: Zone, host: str) -> str:
    known = here.hosts.get(host)
    return "" if known is not None and known.is_up else f"the host {host} does not answer"


def _problems(silent: Mapping[ObjectId, str]) -> Mapping[ObjectId, Problem]:
    return {object_id: Problem(message=why) for object_id, why in silent.items()}


def _restarts(before: Thing, spec: Spec) -> bool:
    """Whether the machine boots anew to become as it is to be."""
    if spec.type != INSTANCE or spec.properties.get("PowerState") != "on":
        return False
    return any(
        before.properties.get(name) != spec.properties.get(name) for name in ("PowerState", "Vcpus", "MemoryMiB")
    )


def _addresses(here: Zone, properties: JsonMap) -> list[Json]:
    plugged = [here.things.get(ObjectId(one)) for one in properties.get("Interfaces", ())]
    return [one.spec.attributes["Address"] for one in plugged if one is not None and one.spec.type == INTERFACE]


def _moment(instant: Instant) -> str:
    return datetime.fromtimestamp(instant, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
