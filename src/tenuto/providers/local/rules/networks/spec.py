"""The values of a network, the part of it that one host is to hold, and the checks of values that no network can have.

Every value that ends in a text of a packet filter or of a server is checked here first, so no name of a person can add
a rule or a line.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from ipaddress import IPv4Address, IPv4Network

from tenuto.model.ids import ObjectId
from tenuto.providers.local.rules.networks.addresses import address_problem, is_ipv4, network_problem
from tenuto.providers.local.rules.networks.names import name_problem

BRIDGE = "br0"
MESH = "vx0"
UPLINK = "up0"
MESH_PORT = 4789
MESH_OVERHEAD = 50
"""The bytes that VXLAN over IPv4 adds to a frame; a network's largest packet is smaller by them."""
ANY_MAC = "00:00:00:00:00:00"
"""The entry of a VXLAN link to whose hosts broadcasts and frames to unknown receivers go."""
_SMALLEST_MTU = 576
LARGEST_VNI = 2**24 - 1
MAC = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}")
HOST_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Port:
    """One interface of a network. `host` is where its machine runs, and empty while no machine has it."""

    object_id: ObjectId
    mac: str
    address: str
    host: str = ""
    host_name: str = ""
    floating: str = ""
    """The address outside that leads to its machine, and that its machine has outside; empty for none."""
    routed: tuple[str, ...] = ()
    """The addresses outside that are sent to its machine as they are."""

    @property
    def outside(self) -> tuple[str, ...]:
        """The addresses outside of its network that lead to it."""
        return (*((self.floating,) if self.floating else ()), *self.routed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """One network of a zone. `uplink` is the address of its way out on the gateway host, with a prefix, and
    `uplink_router` the address that it sends to; both are needed for a network with a way out only.

    `domain` ends the names of its machines, `names` are pairs of a name and an address, and `resolvers` are asked for
    names that are not its own; they count with `has_dns` only. `conductor` are the addresses of the Conductor, which no
    machine reaches.
    """

    vni: int
    cidr: str
    gateway_host: str
    mtu: int
    has_dhcp: bool = True
    has_nat: bool = True
    uplink: str = ""
    uplink_router: str = ""
    has_dns: bool = False
    domain: str = ""
    names: tuple[tuple[str, str], ...] = ()
    resolvers: tuple[str, ...] = ()
    conductor: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One link in the namespace of a network. `mac` is empty where any will do. With `wrong_mac`, any but that one will
    do, and `mac` is the one that it gets in its place."""

    name: str
    kind: str
    mtu: int
    mac: str = ""
    wrong_mac: str = ""
    master: str = ""
    vni: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkSpec:
    """The part of a network that one host holds. The pairs are (link, address with prefix), (block, router), (MAC,
    address of a host) and, of `outside`, (address that the host answers for, next hop of the packets for it); each is
    sorted, so equal specs are equal texts. `translated` are the pairs (address outside, machine): a connection that was
    made by a pair that is gone must end. `filters` are the rules inside, and `mesh_filters` those of the host."""

    netns: str
    links: tuple[Link, ...]
    addresses: tuple[tuple[str, str], ...]
    routes: tuple[tuple[str, str], ...]
    mesh: tuple[tuple[str, str], ...]
    filters: str
    mesh_filters: str
    server_options: tuple[str, ...]
    dhcp_hosts: str
    dns_names: str = ""
    outside: tuple[tuple[str, str], ...] = ()
    translated: tuple[tuple[str, str], ...] = ()

    @property
    def served(self) -> str:
        """All that the server of the network runs with; empty where none is to run."""
        return "\n".join((*self.server_options, "", self.dhcp_hosts, self.dns_names)) if self.server_options else ""


class UnusableValueError(ValueError):
    """A value that no network can have. The message is for people."""


def netns_of(vni: int) -> str:
    """The name of a network's namespace on each host."""
    return f"tn-{vni}"


def port_name(object_id: ObjectId) -> str:
    """The name of an interface's port: a hash, since the kernel takes 15 characters. The port's alias says the id."""
    return f"tp{sha256(object_id.encode()).hexdigest()[:12]}"


def bridge_mac(vni: int, host: str) -> str:
    """The MAC address of the bridge of a host that is not the gateway."""
    return _mac(f"bridge {vni} {host}")


def router_mac(vni: int) -> str:
    """The router's MAC address. It follows from the network, so that it stays when the gateway moves."""
    return _mac(f"router {vni}")


def check_network(network: Network, ports: Sequence[Port], hosts: dict[str, str], host: str) -> None:
    if not 0 < network.vni <= LARGEST_VNI:
        raise UnusableValueError(f"{network.vni} is no number of a network")
    if problem := network_problem(network.cidr):
        raise UnusableValueError(problem)
    if network.mtu < _SMALLEST_MTU:
        raise UnusableValueError(f"packets of {network.mtu} bytes are too small: {_SMALLEST_MTU} is the least")
    # A gateway elsewhere may have left the zone since; where it is changes nothing here.
    for name in sorted({host, *(port.host for port in ports if port.host)}):
        if name not in hosts:
            raise UnusableValueError(f"the zone has no host {name}")
    for address in (*hosts.values(), *network.resolvers, *network.conductor):
        check_address(address)
    _check_outside(network, ports)
    if network.has_dns:
        check_names(network.domain, network.names)
    if network.gateway_host == host and has_way_out(network, ports):
        check_address(network.uplink.partition("/")[0])
        if not network.uplink.partition("/")[2].isdecimal():
            raise UnusableValueError(f"{network.uplink!r} has no prefix such as /30")
        check_address(network.uplink_router)
    for port in ports:
        _check_port(network, port)


def _check_outside(network: Network, ports: Sequence[Port]) -> None:
    """Raises UnusableValueError for an address outside that no interface can have, or that two have."""
    block, taken = IPv4Network(network.cidr, strict=False), set[str]()
    for port in ports:
        for address in port.outside:
            check_address(address)
            if IPv4Address(address) in block:
                raise UnusableValueError(f"{address} is in the network's own block {block}")
            if address in taken:
                raise UnusableValueError(f"two interfaces have the address {address}")
            taken.add(address)


def check_names(domain: str, names: Sequence[tuple[str, str]]) -> None:
    """Raises UnusableValueError for a name that no network can serve."""
    for name in (domain, *(name for name, _ in names)):
        if problem := name_problem(name):
            raise UnusableValueError(problem)
    for _, address in names:
        check_address(address)


def _check_port(network: Network, port: Port) -> None:
    if problem := address_problem(network.cidr, port.address):
        raise UnusableValueError(problem)
    if not MAC.fullmatch(port.mac):
        raise UnusableValueError(f"{port.mac!r} is no MAC address such as 02:00:00:00:00:01")
    if port.host_name and not HOST_NAME.fullmatch(port.host_name):
        raise UnusableValueError(f"{port.host_name!r} is no host name")


def has_way_out(network: Network, ports: Sequence[Port]) -> bool:
    """Whether anything of the network leaves it, or comes in, by its gateway."""
    return network.has_nat or any(port.outside for port in ports)


def check_address(text: str) -> None:
    """Check that a text is an IPv4 address. Raises UnusableValueError."""
    if not is_ipv4(text):
        raise UnusableValueError(f"{text!r} is no IPv4 address")


def _mac(text: str) -> str:
    return ":".join(f"{byte:02x}" for byte in (0x02, *sha256(text.encode()).digest()[:5]))
