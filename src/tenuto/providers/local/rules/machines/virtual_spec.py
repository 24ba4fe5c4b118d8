"""A virtual machine as a host is to hold it, as data whose every value was checked, and its drive of configuration.

Theory of operation. A virtual machine has the parts of every machine (`MachineSpec`: its limits, its cables, its name);
its disks come in addition. The drive is in the form that cloud images know by the label `config-2`, and has one more
file with the addresses of its links, for guests that get none by DHCP.
"""

import json
from dataclasses import dataclass

from tenuto.kit.iso9660 import image
from tenuto.kit.state_folder import is_name
from tenuto.model.image import is_digest
from tenuto.providers.local.rules.machines.power import ON_FAILURE, RESTARTS
from tenuto.providers.local.rules.machines.spec import MachineSpec
from tenuto.providers.local.rules.networks.spec import UnusableValueError

LABEL = "config-2"
MOST_DISKS = 16
LARGEST_GIB = 4096
_LARGEST_KEY = 16 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskSpec:
    """One disk: an overlay on a base image of the host, or empty without one. `size_gib` 0 is the size of the base."""

    base: str = ""
    size_gib: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class VirtualSpec:
    """One virtual machine. It starts from its first disk. `restart` says which of its ends are set right."""

    machine: MachineSpec
    disks: tuple[DiskSpec, ...]
    ssh_key: str = ""
    has_drive: bool = True
    restart: str = ON_FAILURE

    def __post_init__(self) -> None:
        """Raises UnusableValueError."""
        if not 0 < len(self.disks) <= MOST_DISKS:
            raise UnusableValueError(f"a virtual machine has 1 to {MOST_DISKS} disks: Disks")
        if not self.disks[0].base:
            raise UnusableValueError("a virtual machine starts from its first disk: Disks[0] needs a Base")
        for disk in self.disks:
            if disk.base and not is_base(disk.base):
                raise UnusableValueError(f"{disk.base[:80]!r} is no name of a base image")
            if not 0 <= disk.size_gib <= LARGEST_GIB or not (disk.base or disk.size_gib):
                raise UnusableValueError(f"the size of a disk is 1 to {LARGEST_GIB} GiB")
        if self.restart not in RESTARTS:
            raise UnusableValueError(f"{self.restart[:80]!r} is none of {', '.join(RESTARTS)}")
        if len(self.ssh_key) > _LARGEST_KEY:
            raise UnusableValueError(f"the SSH key has more than {_LARGEST_KEY} characters")


def is_base(text: str) -> bool:
    """Whether a text can be the digest or the name of a base image: a word with dots, so never a path."""
    return is_digest(text) or (is_name(text.replace(".", "-")) and not text.startswith("."))


def drive_of(spec: VirtualSpec) -> bytes:
    """The drive with the configuration of a machine."""
    machine = spec.machine
    facts: dict[str, object] = {
        "uuid": machine.object_id,
        "instance-id": machine.object_id,
        "hostname": machine.name,
        "name": machine.name,
    }
    if spec.ssh_key:
        facts["public_keys"] = {"tenuto": spec.ssh_key}
    files = {
        "openstack/latest/meta_data.json": json.dumps(facts).encode(),
        "openstack/latest/network_data.json": json.dumps(_network_of(machine)).encode(),
        "tenuto/links": "".join(
            f"{one.mac} {one.address}/{one.prefix} {one.router} {one.mtu}\n" for one in machine.cables
        ).encode(),
    }
    if machine.user_data:
        files["openstack/latest/user_data"] = machine.user_data.encode()
    return image(LABEL, files)


def _network_of(machine: MachineSpec) -> dict[str, object]:
    """The links and addresses in the form of OpenStack."""
    links = [
        {"id": f"link{number}", "type": "phy", "ethernet_mac_address": one.mac, "mtu": one.mtu}
        for number, one in enumerate(machine.cables)
    ]
    networks = [
        {
            "id": f"network{number}",
            "type": "ipv4",
            "link": f"link{number}",
            "ip_address": f"{one.address}/{one.prefix}",
            "routes": [{"network": "0.0.0.0", "netmask": "0.0.0.0", "gateway": one.router}] if number == 0 else [],
        }
        for number, one in enumerate(machine.cables)
    ]
    return {"links": links, "networks": networks, "services": []}
