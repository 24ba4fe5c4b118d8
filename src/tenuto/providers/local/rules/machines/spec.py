"""A machine as a host is to hold it, as data whose every value was checked.

Theory of operation. A machine has a network namespace of its own, and a cable for each of its interfaces: one end is in
the machine, the other is a port in the namespace of the network. A cable bears everything that the host must know of
its network, so a host can lay it without asking for anything.
"""

from dataclasses import dataclass
from hashlib import sha256

from tenuto.kit.state_folder import is_name
from tenuto.model.ids import ObjectId
from tenuto.providers.local.rules.networks.spec import (
    HOST_NAME,
    LARGEST_VNI,
    MAC,
    UnusableValueError,
    check_address,
    port_name,
)

POWERS = ("on", "off", "paused")
_LARGEST_TEXT = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Cable:
    """One interface of a machine. `prefix` is the length of its network's, and `router` the address to which the
    machine sends packets for other networks."""

    interface: ObjectId
    vni: int
    mac: str
    address: str
    prefix: int
    router: str
    mtu: int

    @property
    def port(self) -> str:
        """The end of the cable in the network."""
        return port_name(self.interface)


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineSpec:
    """One machine. `user_data` is a script that it runs when it starts; empty for none. One that `ends_with_lease` may
    be made elsewhere when its host is lost."""

    object_id: ObjectId
    name: str
    vcpus: int
    memory_mib: int
    power: str = "on"
    cables: tuple[Cable, ...] = ()
    user_data: str = ""
    ends_with_lease: bool = False

    def __post_init__(self) -> None:
        """Raises UnusableValueError."""
        for object_id in (self.object_id, *(cable.interface for cable in self.cables)):
            check_id(object_id)
        if not HOST_NAME.fullmatch(self.name):
            raise UnusableValueError(f"{self.name!r} is no host name")
        if self.power not in POWERS:
            raise UnusableValueError(f"{self.power!r} is none of {', '.join(POWERS)}")
        if self.vcpus < 1 or self.memory_mib < 1:
            raise UnusableValueError("a machine has at least one processor and 1 MiB")
        if len(self.user_data) > _LARGEST_TEXT:
            raise UnusableValueError(f"the user data has more than {_LARGEST_TEXT} characters")
        for cable in self.cables:
            _check(cable)


def check_id(object_id: ObjectId) -> None:
    """Check an id: ids become names of folders. Raises UnusableValueError."""
    if not is_name(object_id):
        raise UnusableValueError(f"{object_id!r} is no id")


def machine_netns(object_id: ObjectId) -> str:
    """The name of a machine's namespace on its host: a hash, as ids are long."""
    return f"tm-{sha256(object_id.encode()).hexdigest()[:12]}"


def _check(cable: Cable) -> None:
    if not MAC.fullmatch(cable.mac):
        raise UnusableValueError(f"{cable.mac!r} is no MAC address such as 02:00:00:00:00:01")
    for address in (cable.address, cable.router):
        check_address(address)
    if not (0 < cable.vni <= LARGEST_VNI and 0 < cable.prefix <= 32 and cable.mtu > 0):
        raise UnusableValueError(f"the cable of {cable.interface} has a number that no network has")
