"""The requests that the executor takes: no other question or order reaches the privileged side of a host.

Theory of operation. A request is the document of one of these classes (`kit.documents`). The types refuse values that
no network and no machine can have, so nothing that arrives is ever part of a path, a command line or a rule before it
was parsed. The agent sends values and never texts that are applied: rules of the packet filter and options of servers
are rendered on this side.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network

from tenuto.model.ids import ObjectId
from tenuto.providers.local.rules.machines.operations import MOST_ECHOES
from tenuto.providers.local.rules.machines.spec import MachineSpec, check_id
from tenuto.providers.local.rules.machines.virtual_spec import MOST_DISKS, VirtualSpec
from tenuto.providers.local.rules.networks.difference import Ends
from tenuto.providers.local.rules.networks.rendering import render_network
from tenuto.providers.local.rules.networks.spec import (
    LARGEST_VNI,
    Network,
    NetworkSpec,
    Port,
    UnusableValueError,
    check_address,
)
from tenuto.providers.local.rules.networks.ways_out import way_out

CHANNELS = ("agent", "console")
"""The ways into a guest."""
MOST_QUESTIONS = 32
"""The most questions in one request: the executor answers nothing else meanwhile, for about half a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkOrder:
    """One network for one host. `uplink` is its number among the ways out of this host, and -1 when it has none.
    `things` are the network and its interfaces, as far as this host has the orders for them, and `turn` is the number
    of the last batch of orders that the agent took."""

    vni: int
    cidr: str
    gateway_host: str
    mtu: int
    has_dhcp: bool
    has_nat: bool
    host: str
    hosts: Mapping[str, str]
    ports: tuple[Port, ...]
    uplink: int = -1
    has_dns: bool = False
    domain: str = ""
    names: tuple[tuple[str, str], ...] = ()
    resolvers: tuple[str, ...] = ()
    conductor: tuple[str, ...] = ()
    things: tuple[ObjectId, ...] = ()
    turn: int = 0

    def __post_init__(self) -> None:
        """Raises UnusableValueError."""
        for one in self.things:
            check_id(one)
        if self.uplink >= 0:
            way_out(self.uplink)
        elif self.uplink != -1:
            raise UnusableValueError(f"{self.uplink} is no number of a way out")
        self.rendered()

    def rendered(self) -> NetworkSpec:
        """Render the part of the host."""
        has_uplink = self.uplink >= 0
        network = Network(
            vni=self.vni,
            cidr=self.cidr,
            gateway_host=self.gateway_host,
            mtu=self.mtu,
            has_dhcp=self.has_dhcp,
            has_nat=self.has_nat and has_uplink,
            uplink=f"{self._way_out(2)}/30" if has_uplink else "",
            uplink_router=self._way_out(1) if has_uplink else "",
            has_dns=self.has_dns,
            domain=self.domain,
            names=self.names,
            resolvers=self.resolvers,
            conductor=self.conductor,
        )
        return render_network(network, self.ports, dict(self.hosts), self.host)

    def ends(self) -> Ends:
        """The ends of the network in this host."""
        return Ends(
            mesh_address=self.hosts[self.host],
            uplink_name=uplink_name(self.vni),
            uplink_router=f"{self._way_out(1)}/30" if self.uplink >= 0 else "",
        )

    def _way_out(self, last: int) -> str:
        return str(way_out(self.uplink)[last])


@dataclass(frozen=True, slots=True, kw_only=True)
class EnsureNetwork:
    """The network is to be as ordered."""

    network: NetworkOrder


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowNetwork:
    """The question for the differences of a network from its order. The answer is `NetworkAnswer`."""

    network: NetworkOrder


@dataclass(frozen=True, slots=True, kw_only=True)
class PingNetwork:
    """An address on the network is asked for echoes. The answer is the milliseconds of each, null for none."""

    network: NetworkOrder
    address: str
    count: int

    def __post_init__(self) -> None:
        """Raises UnusableValueError."""
        check_address(self.address)
        if ip_address(self.address) not in ip_network(self.network.cidr):
            raise UnusableValueError(f"{self.address} is not on the network {self.network.cidr}")
        if not 0 < self.count <= MOST_ECHOES:
            raise UnusableValueError(f"{self.count} is no number of echoes: 1 to {MOST_ECHOES} are")


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveNetwork:
    """The network is to be gone from this host."""

    vni: int

    def __post_init__(self) -> None:
        """Raises UnusableValueError."""
        if not 0 < self.vni <= LARGEST_VNI:
            raise UnusableValueError(f"{self.vni} is no number of a network")


@dataclass(frozen=True, slots=True, kw_only=True)
class EnsureMachine:
    """The machine is to be as ordered; its networks are here."""

    machine: MachineSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowMachine:
    """A question: how the machine is. The answer is `MachineShown`, or nothing when it is not here."""

    machine: MachineSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveMachine:
    """The machine is to be gone, with all that it had."""

    object_id: ObjectId

    def __post_init__(self) -> None:
        """Raises UnusableValueError."""
        check_id(self.object_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldLease:
    """The Conductor has answered: the host may hold its machines until a moment of the clock since the boot."""

    until: float

    def __post_init__(self) -> None:
        """Raises UnusableValueError."""
        if not 0.0 <= self.until < float("inf"):
            raise UnusableValueError(f"{self.until} is no moment")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseLease:
    """The agent has left in good order: the machines here run on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EnsureVirtual:
    """The virtual machine is to be as ordered; its networks are here."""

    machine: VirtualSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowVirtual:
    """A question: how the virtual machine is. The answer is `VirtualShown`, or nothing when it is not here."""

    machine: VirtualSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowKept:
    """The question for the things that are on the host, also those that the agent has no order for. The answer is
    `Kept`."""


Question = ShowNetwork | ShowMachine | ShowVirtual
"""A question about one thing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowMany:
    """Several questions of one moment, which share the facts that the host shows. The answer has one item for each: its
    own answer, or `{"refused": WHY}`."""

    questions: tuple[Question, ...]

    def __post_init__(self) -> None:
        """Raises UnusableValueError."""
        if len(self.questions) > MOST_QUESTIONS:
            raise UnusableValueError(f"{len(self.questions)} questions are more than {MOST_QUESTIONS}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveVirtual:
    """The virtual machine is to be gone, with all that it had."""

    object_id: ObjectId

    def __post_init__(self) -> None:
        """Raises UnusableValueError."""
        check_id(self.object_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResetVirtual:
    """The running virtual machine is to start anew."""

    object_id: ObjectId

    def __post_init__(self) -> None:
        """Raises UnusableValueError."""
        check_id(self.object_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenChannel:
    """A connection to the guest is asked for, which comes with the answer: `agent` or `console`."""

    object_id: ObjectId
    channel: str

    def __post_init__(self) -> None:
        """Raises UnusableValueError."""
        check_id(self.object_id)
        if self.channel not in CHANNELS:
            raise UnusableValueError(f"{self.channel!r} is none of {', '.join(CHANNELS)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotVirtual:
    """Disks of the running virtual machine are to be copied as they are at one moment, thinly without their bases. The
    answer is `SnapshotShown`, and the request is made again until the copies are there."""

    object_id: ObjectId
    snapshot: ObjectId
    disks: tuple[int, ...]
    is_thin: bool = False

    def __post_init__(self) -> None:
        """Raises UnusableValueError."""
        check_id(self.object_id)
        check_id(self.snapshot)
        if not self.disks or not all(0 <= one < MOST_DISKS for one in self.disks):
            raise UnusableValueError(f"a machine has the disks 0 to {MOST_DISKS - 1}")


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenSnapshot:
    """A copy of a disk is asked for, which comes with the answer as an open file."""

    object_id: ObjectId
    snapshot: ObjectId
    disk: int

    def __post_init__(self) -> None:
        """Raises UnusableValueError."""
        check_id(self.object_id)
        check_id(self.snapshot)
        if not 0 <= self.disk < MOST_DISKS:
            raise UnusableValueError(f"a machine has the disks 0 to {MOST_DISKS - 1}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetSnapshot:
    """The copies of a snapshot are to be gone."""

    object_id: ObjectId
    snapshot: ObjectId

    def __post_init__(self) -> None:
        """Raises UnusableValueError."""
        check_id(self.object_id)
        check_id(self.snapshot)


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotShown:
    """The progress of copies, in bytes; 0 where that is not known yet."""

    is_done: bool
    copied: int = 0
    size: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskShown:
    """One disk as it is: its base by name and by digest, its size, and its damage in words, empty when it is well."""

    name: str
    base: str
    size_gib: int
    damage: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VirtualShown:
    """One virtual machine as it is. `pid` is 0 while no QEMU runs."""

    object_id: ObjectId
    power: str
    pid: int
    vcpus: int
    memory_mib: int
    interfaces: tuple[ObjectId, ...]
    disks: tuple[DiskShown, ...]
    booted_at: float
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The machines on a host, and the numbers of its networks, each with the things that it was ordered for there.
    `turn` is the highest number of a batch of orders that the agent told. `foreign` are paths among them that are of no
    thing, as the texts that people are shown."""

    machines: tuple[ObjectId, ...] = ()
    networks: Mapping[str, tuple[ObjectId, ...]] = field(default_factory=dict)
    turn: int = 0
    foreign: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkAnswer:
    """The differences from an order, and whether the server of the network runs as ordered: None while none runs."""

    deviations: tuple[str, ...]
    is_served: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineShown:
    """One machine as it is. `power` says how it ended, `interfaces` are those whose cable works, `booted_at` is in
    seconds since 1970 and 0 for a machine that never ran."""

    object_id: ObjectId
    power: str
    vcpus: int
    memory_mib: int
    interfaces: tuple[ObjectId, ...]
    booted_at: float
    problems: tuple[str, ...] = ()


Request = (
    EnsureNetwork
    | ShowNetwork
    | PingNetwork
    | RemoveNetwork
    | EnsureMachine
    | ShowMachine
    | RemoveMachine
    | EnsureVirtual
    | ShowVirtual
    | ShowMany
    | ShowKept
    | RemoveVirtual
    | ResetVirtual
    | OpenChannel
    | SnapshotVirtual
    | OpenSnapshot
    | ForgetSnapshot
    | HoldLease
    | ReleaseLease
)
"""One request."""


def uplink_name(vni: int) -> str:
    """The name of the host's end of a network's uplink."""
    return f"tu-{vni}"
