"""The simulated driver: hosts, networks and machines that exist in a file, or in memory alone.

Theory of operation. A zone has two hosts from the first order on. A machine takes two seconds to boot, and follows from
the clock alone, so nothing runs in the background. An act of people behind Tenuto's back (`stop_machine`,
`break_thing`, `unplug`) changes the properties that the hosts show and not the orders; a host that is unplugged takes
no orders and shows nothing. The file is shared (`kit.shared_file`), so a person changes the zone while a Conductor
runs.
"""

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tenuto.errors import PermanentError, TenutoError, TransientError
from tenuto.kit.shared_file import SharedFile
from tenuto.model.ids import Instant, Json, JsonMap, ObjectId, TypeName
from tenuto.model.observation import Condition
from tenuto.ports.clock import Clock
from tenuto.providers.local.driver import NotSentError, Problem, Seen, Spec
from tenuto.providers.local.drivers.simulated_disks import Contents, files_on, snapshot
from tenuto.providers.local.drivers.simulated_hosts import SimulatedHosts, silence_of
from tenuto.providers.local.drivers.simulated_zones import FORMAT, Thing, Zone, zone_document, zone_of
from tenuto.providers.local.objects import OPERATION
from tenuto.providers.local.rules.deadlines import Deadlines
from tenuto.providers.local.rules.machines.operations import (
    Command,
    Ping,
    PutBlob,
    Reboot,
    Snapshot,
    commands_of,
    part_name,
    was_kept,
    was_pinged,
    was_written,
)
from tenuto.providers.local.rules.machines.placement import (
    Assigned,
    Host,
    Machine,
    Placed,
    PlacementRules,
    Placing,
    misfits,
    outgrown,
    place,
    resized,
)
from tenuto.providers.local.rules.machines.power import ON, Power, is_running, refused_power, was_powered
from tenuto.providers.local.rules.machines.simulated_guest import carried_out
from tenuto.providers.local.types import INSTANCE, INTERFACE

BOOT_S = 2.0
ECHO_MS = 0.5
"""The milliseconds of an answer on a simulated network."""
"""Seconds from the order for a machine to its running."""
RESULTS, ERROR = "Results", "Error"
"""The members of an operation that tell how it ended."""
KILLED = "off (ended by signal 9)"


class SimulatedDriver(SimulatedHosts):
    """Implements `providers.local.driver.HostedDriver`."""

    def __init__(
        self,
        clock: Clock,
        path: Path | None = None,
        *,
        lease_s: float = Deadlines().lease_s,
        contents: Contents | None = None,
    ) -> None:
        """`path` is the file of the zones; None for zones that end with the program. `lease_s` is how long machines run
        on a host that hears nothing. `contents` are the blobs of the hosts; None for hosts without."""
        self._contents = contents
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

    def misfits(self, zone: str, machines: Sequence[Machine], rules: PlacementRules) -> Mapping[ObjectId, str]:
        with self.turn():
            return misfits(machines, self.hosts(zone), self._zone(zone).placed, rules)

    def resize(self, zone: str, machines: Sequence[Machine], rules: PlacementRules) -> Mapping[ObjectId, str]:
        with self.turn():
            here = self._zone(zone)
            found = outgrown(machines, self.hosts(zone), here.placed, rules)
            for machine in machines:
                if machine.object_id in here.placed and machine.object_id not in found:
                    here.placed[machine.object_id] = replace(here.placed[machine.object_id], machine=machine)
            return found

    def unassign(self, zone: str, object_ids: Sequence[ObjectId]) -> None:
        with self.turn():
            for object_id in object_ids:
                self._zone(zone).placed.pop(object_id, None)

    def ensure(self, zone: str, specs: Sequence[Spec]) -> Mapping[ObjectId, Problem]:
        with self.turn():
            here = self._zone(zone)
            problems: dict[ObjectId, Problem] = {}
            for spec in specs:
                if why := silence_of(here, spec.host):
                    problems[spec.object_id] = Problem(message=why, is_silent=True)
                elif spec.type == INSTANCE and spec.host in here.full and spec.object_id not in here.things:
                    why = f"on {spec.host} no space is left on the disk"
                    problems[spec.object_id] = Problem(message=why, is_full=True)
                else:
                    self._bring_about(here, spec)
            return problems

    def remove(self, zone: str, object_ids: Sequence[ObjectId]) -> Mapping[ObjectId, Problem]:
        with self.turn():
            here = self._zone(zone)
            there = {one: here.things[one].spec.host for one in object_ids if one in here.things}
            silent = {one: why for one, host in there.items() if (why := silence_of(here, host))}
            for object_id in object_ids:
                if object_id not in silent:
                    here.things.pop(object_id, None)
                    here.placed.pop(object_id, None)
            return _problems(silent)

    def observe(self, zone: str, type_name: TypeName) -> Sequence[Seen]:
        with self.turn():
            here = self._zone(zone)
            return [self._seen(here, thing) for thing in here.things.values() if thing.spec.type == type_name]

    def shown(self, zone: str) -> Mapping[str, Sequence[Seen]]:
        with self.turn():
            here = self._zone(zone)
            return {
                name: [self._seen(here, thing) for thing in here.things.values() if thing.spec.host == name]
                for name in sorted(here.hosts)
                if not silence_of(here, name)
            }

    # The acts of people behind Tenuto's back. Each raises KeyError for an id of no thing there.

    def stop_machine(self, object_id: ObjectId) -> None:
        """End the process of a machine."""
        self.tamper(object_id, "PowerState", KILLED)

    def tamper(self, object_id: ObjectId, name: str, value: Json) -> None:
        """Let a thing have another value of a property than its order."""
        with self.turn():
            self._thing(object_id).properties[name] = value

    def break_thing(self, object_id: ObjectId, what: str) -> None:
        """Let a thing differ on its host from its order."""
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

    def everything(self) -> Mapping[str, tuple[Sequence[Host], Sequence[tuple[Spec, Seen]]]]:
        """The hosts of each zone, with the order and the observation of each thing there."""
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
        if spec.type == OPERATION:
            if before is None and not spec.properties.get("IsStaged"):
                here.things[spec.object_id] = self._carried_out(here, spec)
            return
        keeps_running = before is not None and not _restarts(before, spec)
        running_at = before.running_at if before and keeps_running else Instant(self._clock.now() + BOOT_S)
        files = before.files if before else files_on(self._contents, spec.properties.get("Disks", ()))
        if (placed := here.placed.get(spec.object_id)) is not None:
            here.placed[spec.object_id] = replace(placed, machine=resized(placed.machine, spec.properties))
        here.things[spec.object_id] = Thing(
            spec=spec, properties=dict(spec.properties), running_at=running_at, files=files
        )

    def _carried_out(self, here: Zone, spec: Spec) -> Thing:
        """An operation that the simulated guest has carried out at once."""
        machine = here.things.get(ObjectId(str(spec.properties["Instance"])))
        results: list[Json] = []
        error = ""
        if machine is None:
            error = "its machine is not there"
        else:
            for number, command in enumerate(commands_of(spec.properties["Commands"])):
                if isinstance(command, Ping):
                    results.append(was_pinged(command, self._echoes(here, machine, command)))
                    continue
                if isinstance(command, Power):
                    if error := self._powered(machine, command):
                        break
                    results.append(was_powered(command.word, str(machine.spec.properties["PowerState"])))
                    continue
                power, by_host = str(machine.properties.get("PowerState")), isinstance(command, Reboot | Snapshot)
                if not (is_running(power) if by_host else power == ON):
                    error = "its machine does not run"
                    break
                found = self._by_host(spec, number, command, machine)
                if found is None:
                    found, machine.files = carried_out(command, str(machine.properties["Name"]), machine.files)
                if isinstance(found, str):
                    error = f"the guest refused: {found}"
                    break
                results.append(found)
        return Thing(spec=spec, properties={RESULTS: results, ERROR: error}, running_at=self._clock.now())

    def _echoes(self, here: Zone, network: Thing, command: Ping) -> list[float | None]:
        """The answers of a simulated network: of its router, and of each machine on it that runs."""
        vni, known = network.spec.attributes.get("Vni"), {network.spec.attributes.get("Router")}
        for one in here.things.values():
            if one.spec.type == INSTANCE and one.properties.get("PowerState") == ON:
                is_up = self._clock.now() >= one.running_at
                plugged = one.properties.get("Interfaces", ())
                wires = [wire for wire in one.spec.wiring if wire.vni == vni and wire.interface in plugged]
                known |= {wire.address for wire in wires if is_up}
        return [ECHO_MS if command.address in known else None] * command.count

    def _powered(self, machine: Thing, command: Power) -> str:
        """Follow a power command; the reason why it is refused, or an empty text."""
        before = str(machine.properties["PowerState"])
        if why := refused_power(command.word, before):
            return why
        if not is_running(before) and command.target == ON:
            machine.running_at = Instant(self._clock.now() + BOOT_S)
        machine.properties["PowerState"] = command.target
        return ""

    def _by_host(self, spec: Spec, number: int, command: Command, machine: Thing) -> JsonMap | str | None:
        """The result of a command about contents, or why there is none; None for a command that the guest does."""
        contents = self._contents
        if not isinstance(command, PutBlob | Snapshot):
            return None
        if contents is None:
            return "there are no blobs on this host"
        try:
            if isinstance(command, PutBlob):
                machine.files = {**machine.files, command.path: contents.path(command.blob).read_bytes()}
                return was_written(len(machine.files[command.path]))
            disks = machine.properties.get("Disks", ())
            names = [part_name(spec.object_id, number, disk) for disk in command.disks]
            return was_kept(
                [
                    snapshot(contents, name, disk, disks[disk], machine.files, is_thin=command.is_thin)
                    for disk, name in zip(command.disks, names, strict=True)
                ]
            )
        except (NotSentError, OSError, TenutoError) as error:
            return str(error)

    def _thing(self, object_id: ObjectId) -> Thing:
        return next(zone.things[object_id] for zone in self._zones.values() if object_id in zone.things)

    def _seen(self, here: Zone, thing: Thing) -> Seen:
        spec = thing.spec
        is_booting = spec.type == INSTANCE and self._clock.now() < thing.running_at
        attributes = dict(spec.attributes)
        error = str(thing.properties.get(ERROR, "")) if spec.type == OPERATION else ""
        if spec.type == OPERATION:
            attributes[RESULTS] = thing.properties[RESULTS]
        if spec.type == INSTANCE:
            attributes |= {"Addresses": _addresses(here, thing.properties), "BootedAt": _moment(thing.running_at)}
        return Seen(
            object_id=spec.object_id,
            account=spec.account,
            owner=spec.owner,
            properties=dict(thing.properties),
            attributes=attributes,
            condition=Condition.BROKEN if error else Condition.PENDING if is_booting else Condition.READY,
            message=error or ("booting" if is_booting else ""),
            silence=silence_of(here, spec.host),
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


def _problems(silent: Mapping[ObjectId, str]) -> Mapping[ObjectId, Problem]:
    return {object_id: Problem(message=why, is_silent=True) for object_id, why in silent.items()}


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
