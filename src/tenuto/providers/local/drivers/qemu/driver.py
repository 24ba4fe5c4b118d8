"""One host with virtual machines, and on the same networks the machines of the driver `ns` that ask for it.

Theory of operation. Networks and cables are those of the driver `ns`; a machine is another program at the same place.
So this driver changes the orders and the observations of machines alone. Its observations come from three sources: the
executor tells of QEMU and the disks, the agent in the guest whether the guest answers, and the order has the desired
values.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from tenuto.kit.documents import from_document
from tenuto.kit.state_folder import StateFolder
from tenuto.model.ids import Json, JsonMap, ObjectId
from tenuto.model.observation import Condition
from tenuto.providers.local.driver import Problem, Seen, Send, Spec
from tenuto.providers.local.drivers.ns.driver import NAME as SHARED
from tenuto.providers.local.drivers.ns.driver import NamespaceHost
from tenuto.providers.local.drivers.qemu.guests import Guests
from tenuto.providers.local.drivers.qemu.host_means import HostMeans
from tenuto.providers.local.drivers.qemu.operations import Operations
from tenuto.providers.local.executor.link import ExecutorLink
from tenuto.providers.local.executor.requests import (
    DiskShown,
    EnsureVirtual,
    Question,
    RemoveVirtual,
    Request,
    ShowVirtual,
    VirtualShown,
)
from tenuto.providers.local.images.folder import BlobFolder
from tenuto.providers.local.objects import OPERATION
from tenuto.providers.local.rules.machines.operations import UnusableCommandError
from tenuto.providers.local.rules.machines.power import (
    AGENT_STATE,
    OFF,
    ON_FAILURE,
    PROPERTY,
    RESTART,
    is_left_off,
    told_left_off,
)
from tenuto.providers.local.rules.machines.virtual_spec import DiskSpec, VirtualSpec
from tenuto.providers.local.rules.networks.spec import UnusableValueError
from tenuto.providers.local.types import INSTANCE

NAME = "qemu"
ACCELERATOR = "tcg"
_ON = "on"


class VirtualHost(NamespaceHost):
    """Implements `providers.local.driver.HostDriver`."""

    name = NAME

    def __init__(
        self,
        executor: ExecutorLink,
        folder: StateFolder,
        *,
        host: str,
        address: str,
        mtu: int,
        blobs: BlobFolder | None = None,
        conductor: Sequence[str] = (),
    ) -> None:
        """`blobs` is the agent's folder of blobs."""
        super().__init__(executor, folder, host=host, address=address, mtu=mtu, conductor=conductor)
        self.guests = Guests(executor.open)
        self._means = HostMeans(executor, blobs, host=host)
        self._operations = Operations(folder, self.guests, self._means, self._switch, self._echo, self._power_by_id)

    def send_by(self, send: Send) -> None:
        self._means.sender = send

    def _order_for(self, spec: Spec) -> Request:
        if not _is_virtual(spec):
            return super()._order_for(spec)
        if spec.properties.get("Driver", NAME) != NAME:
            raise UnusableValueError(
                f"its machines are those of the drivers {NAME} and {SHARED}, and not {spec.properties['Driver']}"
            )
        return EnsureVirtual(machine=self._virtual(spec))

    def _removal_of(self, spec: Spec) -> Request:
        if not _is_virtual(spec):
            return super()._removal_of(spec)
        self.guests.forget(spec.object_id)
        return RemoveVirtual(object_id=spec.object_id)

    def _removals_by_id(self, object_id: ObjectId) -> Sequence[Request]:
        self.guests.forget(object_id)
        return (RemoveVirtual(object_id=object_id), *super()._removals_by_id(object_id))

    def ensure(self, specs: Sequence[Spec]) -> Mapping[ObjectId, Problem]:
        asked = [spec for spec in specs if spec.type == OPERATION]
        problems = dict(super().ensure([spec for spec in specs if spec.type != OPERATION]))
        for spec in asked:
            if problem := self._begin(spec):
                problems[spec.object_id] = problem
        for spec in specs:
            # The console is read from the first moment on.
            if spec.type == INSTANCE and spec.object_id not in problems and _is_virtual(spec):
                self._seen_machine(spec, self._shown(ShowVirtual(machine=self._virtual(spec))))
        return problems

    def _question(self, spec: Spec) -> Question | None:
        if spec.type != INSTANCE or not _is_virtual(spec):
            return super()._question(spec)
        return ShowVirtual(machine=self._virtual(spec))

    def _power_of(self, spec: Spec) -> str:
        if not _is_virtual(spec):
            return super()._power_of(spec)
        found = self._shown(ShowVirtual(machine=self._virtual(spec)))
        return str(found["power"]) if found else OFF

    def _power_by_id(self, object_id: ObjectId) -> str:
        """The real power of a machine; off for one that is not here."""
        spec = self._orders.get(object_id)
        return self._power_of(spec) if spec is not None else OFF

    def _reset(self, object_id: ObjectId) -> str:
        spec = self._orders.get(object_id)
        if spec is not None and not _is_virtual(spec):
            return super()._reset(object_id)
        return self._means.reset(object_id)

    def _begin(self, spec: Spec) -> Problem | None:
        """Begin an operation; the reason why it cannot be, if there is one."""
        instance = next((one for one in self.specs() if one.object_id == spec.properties["Instance"]), None)
        if instance is not None and not _is_virtual(instance):
            return super()._begin(spec)
        if instance is None:
            return Problem(message="its instance is not here", is_final=True)
        try:
            self._operations.ensure(spec)
        except UnusableCommandError as error:
            return Problem(message=str(error), is_final=True)
        return None

    def _seen_machine(self, spec: Spec, found: Any) -> Seen | None:
        if not _is_virtual(spec):
            return super()._seen_machine(spec, found)
        if found is None:
            return None
        machine = from_document(VirtualShown, found)
        properties: dict[str, Json] = {
            **spec.properties,
            PROPERTY: _compared(spec.properties, machine.power),
            "Vcpus": machine.vcpus,
            "MemoryMiB": machine.memory_mib,
            "Interfaces": [str(name) for name in machine.interfaces],
            "Disks": _disks(spec.properties, machine.disks),
        }
        damaged = [f"disk {number} {one.damage}" for number, one in enumerate(machine.disks) if one.damage]
        return self._with_guest(spec, self._seen(spec, properties, [*machine.problems, *damaged]), machine)

    def _with_guest(self, spec: Spec, seen: Seen, machine: VirtualShown) -> Seen:
        """A machine with the facts that are known of its guest."""
        state = machine.power
        if machine.power in (_ON, "paused"):
            guest = self.guests.of(spec.object_id, machine.pid)
            state = "ready" if guest.is_ready else "not ready"
        else:
            self.guests.forget(spec.object_id)
        booted = datetime.fromtimestamp(machine.booted_at, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        attributes = {
            **seen.attributes,
            "Addresses": [wire.address for wire in spec.wiring if wire.interface in machine.interfaces],
            "BootedAt": booted,
            "Accelerator": ACCELERATOR,
            AGENT_STATE: state,
        }
        seen, restart = replace(seen, attributes=attributes), _restart(spec.properties)
        if is_left_off(machine.power, restart):
            return replace(seen, message=told_left_off(spec.object_id, machine.power, restart))
        waits = spec.properties.get("ReadyWhen") == "agent" and machine.power == _ON
        if waits and state != "ready":
            return replace(seen, condition=Condition.PENDING, message="it boots: its guest agent does not answer yet")
        return seen

    def _virtual(self, spec: Spec) -> VirtualSpec:
        """The machine of an order. Raises UnusableValueError."""
        properties = spec.properties
        return VirtualSpec(
            machine=self._orders.machine(spec),
            disks=tuple(
                DiskSpec(base=str(one.get("Base", "")), size_gib=int(one.get("SizeGiB", 0)))
                for one in properties.get("Disks", ())
            ),
            ssh_key=str(properties.get("SshKey", "")),
            has_drive=properties.get("ConfigDrive") != "none",
            restart=_restart(properties),
        )


def _is_virtual(spec: Spec) -> bool:
    return spec.properties.get("Driver") != SHARED


def _compared(wanted: JsonMap, power: str) -> str:
    """The power as it is compared: an end that is not to be set right is shown as the ordered power."""
    return str(wanted[PROPERTY]) if is_left_off(power, _restart(wanted)) else power


def _restart(wanted: JsonMap) -> str:
    return str(wanted.get(RESTART, ON_FAILURE))


def _disks(wanted: JsonMap, shown: Sequence[DiskShown]) -> list[Json]:
    """The disks in the words of the order, with the sizes that they have."""
    found: list[Json] = []
    for number, disk in enumerate(wanted.get("Disks", ())):
        one = dict(disk)
        if number >= len(shown):
            continue
        if one.get("Base", "") not in (shown[number].name, shown[number].base):
            one["Base"] = shown[number].name
        if "SizeGiB" in one:
            one["SizeGiB"] = shown[number].size_gib
        found.append(one)
    return found
