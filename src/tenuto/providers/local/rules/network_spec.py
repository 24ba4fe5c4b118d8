"""Rendering of a network for one host: everything that its kernel and its DHCP server are to hold, as data.

Theory of operation. A network is one network namespace per host, named by the network's number. Inside are a bridge, a
VXLAN link to every other host of the zone, and one port per interface of this host. A host without the network drops
what it gets of it, so no host must know where the machines of a network are. Two networks with equal blocks never meet:
they share no link, no route and no table of rules. The gateway host adds the router's address, the way out and the DHCP
server. Nothing here is read from a kernel: the same values give the same text, and whoever applies it compares what the
kernel shows with what was rendered.

The rules of a packet filter are whole tables. Each text adds its table, deletes it and adds it again in one
transaction, so it may be applied to a namespace with or without that table, and rules that strangers added go.

Every value that ends in a text is parsed first, so no name of a person can add a rule or a line.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from ipaddress import IPv4Network

from tenuto.model.ids import ObjectId
from tenuto.providers.local.rules.addresses import address_problem, is_ipv4, network_problem, router_of

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """One network of a zone. `uplink` is the address of its way out on the gateway host, with a prefix, and
    `uplink_router` the address that it sends to; both are needed for `nat` only."""

    vni: int
    cidr: str
    gateway_host: str
    mtu: int
    has_dhcp: bool = True
    has_nat: bool = True
    uplink: str = ""
    uplink_router: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One link in the namespace of a network. `mac` is empty where any will do."""

    name: str
    kind: str
    mtu: int
    mac: str = ""
    master: str = ""
    vni: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkSpec:
    """The part of a network that one host holds. The pairs are (link, address with prefix), (block, router) and (MAC,
    address of a host); each is sorted, so equal specs are equal texts."""

    netns: str
    links: tuple[Link, ...]
    addresses: tuple[tuple[str, str], ...]
    routes: tuple[tuple[str, str], ...]
    mesh: tuple[tuple[str, str], ...]
    filters: str
    dhcp_options: tuple[str, ...]
    dhcp_hosts: str


class UnusableValueError(ValueError):
    """A value that no network can have. The message is for people."""


def netns_of(vni: int) -> str:
    """The name of a network's namespace on each host."""
    return f"tn-{vni}"


def port_name(object_id: ObjectId) -> str:
    """The name of an interface's port: a hash, since the kernel takes 15 characters. The port's alias says the id."""
    return f"tp{sha256(object_id.encode()).hexdigest()[:12]}"


def router_mac(vni: int) -> str:
    """The router's MAC address. It follows from the network, so that it stays when the gateway moves."""
    return ":".join(f"{byte:02x}" for byte in (0x02, *sha256(f"router {vni}".encode()).digest()[:5]))


def render_network(network: Network, ports: Sequence[Port], hosts: dict[str, str], host: str) -> NetworkSpec:
    """Render a network for a host; `hosts` are the mesh addresses of the zone's hosts, by name.

    Raises UnusableValueError.
    """
    _check(network, ports, hosts, host)
    ports = sorted(ports, key=lambda port: port.object_id)
    here = [port for port in ports if port.host == host]
    is_gateway = network.gateway_host == host
    has_uplink = is_gateway and network.has_nat
    has_dhcp = is_gateway and network.has_dhcp
    block = IPv4Network(network.cidr, strict=False)
    router = f"{router_of(network.cidr)}/{block.prefixlen}"
    return NetworkSpec(
        netns=netns_of(network.vni),
        links=_links(network, here, is_gateway=is_gateway, has_uplink=has_uplink),
        addresses=((BRIDGE, router),) * is_gateway + ((UPLINK, network.uplink),) * has_uplink,
        routes=(("0.0.0.0/0", network.uplink_router),) * has_uplink,
        mesh=tuple(sorted((ANY_MAC, address) for name, address in hosts.items() if name != host)),
        filters=_port_filters(here) + (_router_filters(network, block, has_uplink=has_uplink) if is_gateway else ""),
        dhcp_options=_dhcp_options(network, block) if has_dhcp else (),
        dhcp_hosts="".join(_dhcp_host(port) for port in ports) if has_dhcp else "",
    )


def _links(network: Network, here: Sequence[Port], *, is_gateway: bool, has_uplink: bool) -> tuple[Link, ...]:
    mtu = network.mtu
    bridge = Link(name=BRIDGE, kind="bridge", mtu=mtu, mac=router_mac(network.vni) if is_gateway else "")
    mesh = Link(name=MESH, kind="vxlan", mtu=mtu, master=BRIDGE, vni=network.vni)
    uplink = (Link(name=UPLINK, kind="veth", mtu=mtu),) * has_uplink
    # The MAC address of a port is its machine's end, which the machine's own spec says.
    taps = (Link(name=port_name(port.object_id), kind="port", mtu=mtu, master=BRIDGE) for port in here)
    return tuple(sorted((bridge, mesh, *uplink, *taps), key=lambda link: link.name))


def _table(family: str, name: str, body: str) -> str:
    return f"add table {family} {name}\ndelete table {family} {name}\ntable {family} {name} {{\n{body}}}\n"


def _port_filters(here: Sequence[Port]) -> str:
    """A machine sends ARP and IPv4 from its own addresses only, and gives no answers of a DHCP server. Frames of any
    other kind (IPv6, VLAN tags) would go round these rules, so they are dropped."""
    lines = []
    for port in here:
        name = f'iifname "{port_name(port.object_id)}"'
        lines += [
            f"{name} ether type != {{ arp, ip }} drop",
            f"{name} ether saddr != {port.mac} drop",
            f"{name} arp saddr ether != {port.mac} drop",
            f"{name} arp saddr ip != {{ 0.0.0.0, {port.address} }} drop",
            f"{name} udp sport 67 drop",
            f"{name} ip saddr 0.0.0.0 udp sport 68 udp dport 67 accept",
            f"{name} ip saddr != {port.address} drop",
        ]
    rules = "".join(f"    {line}\n" for line in lines)
    chain = f"  chain ports {{\n    type filter hook prerouting priority -300; policy accept;\n{rules}  }}\n"
    return _table("bridge", "tenuto", chain)


def _router_filters(network: Network, block: IPv4Network, *, has_uplink: bool) -> str:
    """Machines reach DHCP, DNS and ICMP of the router, and what is beyond it only by the way out."""
    to_router = (
        f'    iifname "{BRIDGE}" udp dport {{ 53, 67 }} accept\n'
        f'    iifname "{BRIDGE}" tcp dport 53 accept\n'
        f'    iifname "{BRIDGE}" meta l4proto icmp accept\n'
        "    ct state established,related accept\n"
        '    iifname "lo" accept\n'
    )
    text = f"  chain input {{\n    type filter hook input priority 0; policy drop;\n{to_router}  }}\n"
    # A kernel may show bridged frames to this hook (bridge-nf-call-iptables): machines of one network would be cut off.
    through = f'    iifname "{BRIDGE}" oifname "{BRIDGE}" accept\n'
    if has_uplink:
        through += (
            "    ip daddr 169.254.0.0/16 drop\n"
            f'    iifname "{BRIDGE}" oifname "{UPLINK}" ip saddr {block} accept\n'
            "    ct state established,related accept\n"
        )
    text += f"  chain forward {{\n    type filter hook forward priority 0; policy drop;\n{through}  }}\n"
    if has_uplink:
        rule = f'    oifname "{UPLINK}" ip saddr {block} masquerade\n'
        text += f"  chain leave {{\n    type nat hook postrouting priority 100; policy accept;\n{rule}  }}\n"
    return _table("inet", "tenuto", text)


def _dhcp_options(network: Network, block: IPv4Network) -> tuple[str, ...]:
    """The options of dnsmasq, without the paths of its files, which the host knows."""
    return (
        "--conf-file=/dev/null",
        "--no-hosts",
        "--no-resolv",
        "--no-ping",
        "--port=0",
        f"--interface={BRIDGE}",
        "--bind-interfaces",
        "--dhcp-authoritative",
        "--dhcp-ignore=tag:!known",
        f"--dhcp-range={block[0]},static,{block.netmask},1h",
        f"--dhcp-option=option:router,{router_of(network.cidr)}",
        f"--dhcp-option=option:mtu,{network.mtu}",
    )


def _dhcp_host(port: Port) -> str:
    name = f",{port.host_name}" if port.host_name else ""
    return f"{port.mac},{port.address}{name}\n"


def _check(network: Network, ports: Sequence[Port], hosts: dict[str, str], host: str) -> None:
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
    for address in hosts.values():
        check_address(address)
    if network.has_nat and network.gateway_host == host:
        check_address(network.uplink.partition("/")[0])
        if not network.uplink.partition("/")[2].isdecimal():
            raise UnusableValueError(f"{network.uplink!r} has no prefix such as /30")
        check_address(network.uplink_router)
    for port in ports:
        _check_port(network, port)


def _check_port(network: Network, port: Port) -> None:
    if problem := address_problem(network.cidr, port.address):
        raise UnusableValueError(problem)
    if not MAC.fullmatch(port.mac):
        raise UnusableValueError(f"{port.mac!r} is no MAC address such as 02:00:00:00:00:01")
    if port.host_name and not HOST_NAME.fullmatch(port.host_name):
        raise UnusableValueError(f"{port.host_name!r} is no host name")


def check_address(text: str) -> None:
    """Raises UnusableValueError for what is no IPv4 address."""
    if not is_ipv4(text):
        raise UnusableValueError(f"{text!r} is no IPv4 address")
