"""The rules of the packet filter of a network, on one host.

Theory of operation. The rules are whole tables. Each text adds its table, deletes it and adds it again in one
transaction, so it may be applied to a namespace with or without that table, and rules that others added go.

A host lets the machine behind each port speak as itself alone. A packet with another address than one of the network
goes to the router only, and the router, on one host, knows who may have which: so no other host holds an address that
is routed to a machine. A floating address is translated at the way out, to the machine when something comes in and from
the machine when something leaves. A machine that calls such an address of its own network calls under the address of
the router, since the answer would not pass the router otherwise.

A machine leaves under the address of its host, which the other hosts take for one of theirs. So the router lets nothing
out to the hosts of the zone, to the Conductor, or to the port of the mesh: a frame that a machine wraps itself would
come out in the network of another namespace. It answers calls from there, since hosts may use the services of machines.
The host, where the mesh comes in, takes the frames of a network from the other hosts of the zone only.
"""

from collections.abc import Iterable, Iterator, Sequence
from ipaddress import IPv4Network

from tenuto.providers.local.rules.networks.addresses import router_of
from tenuto.providers.local.rules.networks.spec import (
    BRIDGE,
    MESH_PORT,
    UPLINK,
    Network,
    Port,
    has_way_out,
    netns_of,
    port_name,
    router_mac,
)

_VNI = "@th,96,24"
"""The number of the network in a packet of the mesh: after the 8 bytes of UDP and the first 4 of VXLAN."""
MESH_TABLE = "tenuto_mesh"
"""The table of the host's rules for the mesh, with a chain for each network."""


def port_filters(network: Network, here: Sequence[Port]) -> str:
    """A machine sends ARP and IPv4 from its own addresses only, and gives no answers of a DHCP server. Frames of any
    other kind (IPv6, VLAN tags) would go round these rules, so they are dropped."""
    block, router = IPv4Network(network.cidr, strict=False), router_of(network.cidr)
    lines = []
    for port in here:
        name = f'iifname "{port_name(port.object_id)}"'
        lines += [
            f"{name} ether type != {{ arp, ip }} drop",
            f"{name} ether saddr != {port.mac} drop",
            f"{name} arp saddr ether != {port.mac} drop",
            f"{name} arp saddr ip {block} arp saddr ip != {port.address} drop",
            f"{name} arp saddr ip != {{ 0.0.0.0, {block} }} arp daddr ip != {router} drop",
            f"{name} udp sport 67 drop",
            f"{name} ip saddr 0.0.0.0 udp sport 68 udp dport 67 accept",
            f"{name} ip saddr {block} ip saddr != {port.address} drop",
            f"{name} ip saddr != {block} ether daddr != {router_mac(network.vni)} drop",
        ]
    return _table("bridge", "tenuto", _chain("ports", "filter hook prerouting priority -300", "accept", lines))


def router_filters(network: Network, ports: Sequence[Port], hosts: Iterable[str]) -> str:
    """The rules of the router: machines reach its services and its ICMP, and addresses beyond it only by the way out:
    neither the hosts, by their addresses in the mesh, nor the Conductor."""
    block = IPv4Network(network.cidr, strict=False)
    text = _chain("input", "filter hook input priority 0", "drop", _to_router(network, block))
    text += _chain("forward", "filter hook forward priority 0", "drop", _through(network, ports, block, hosts))
    if has_way_out(network, ports):
        floating = [port for port in ports if port.floating]
        arriving = [f"ip daddr {port.floating} dnat ip to {port.address}" for port in floating]
        if arriving:
            text += _chain("arrive", "nat hook prerouting priority -100", "accept", arriving)
            # A machine that is told of a shorter way to a floating address would miss the translation.
            told = [f'oifname "{BRIDGE}" icmp type redirect drop']
            text += _chain("output", "filter hook output priority 0", "accept", told)
        leaving = [f'oifname "{BRIDGE}" ip saddr {block} ct status dnat masquerade'] if arriving else []
        routed = [address for port in ports for address in port.routed]
        leaving += [f'oifname "{BRIDGE}" ip saddr {block} ip daddr {address} masquerade' for address in routed]
        leaving += [f'oifname "{UPLINK}" ip saddr {port.address} snat ip to {port.floating}' for port in floating]
        if network.has_nat:
            leaving.append(f'oifname "{UPLINK}" ip saddr {block} masquerade')
        if leaving:
            text += _chain("leave", "nat hook postrouting priority 100", "accept", leaving)
    return _table("inet", "tenuto", text)


def mesh_filters(vni: int, others: Iterable[str]) -> str:
    """The host takes frames of the network from these addresses only, those of the other hosts. The text replaces the
    chain of the network, and leaves those of other networks, and other mesh links of the host, as they are."""
    chain, known = f"ip {MESH_TABLE} {netns_of(vni)}", ", ".join(sorted(set(others)))
    stranger = f" ip saddr != {{ {known} }}" if known else ""
    return (
        f"add table ip {MESH_TABLE}\n"
        f"add chain {chain}\n"
        f"delete chain {chain}\n"
        f"add chain {chain} {{ type filter hook input priority 0; policy accept; }}\n"
        f"add rule {chain} udp dport {MESH_PORT} {_VNI} {vni}{stranger} drop\n"
    )


def _to_router(network: Network, block: IPv4Network) -> Iterator[str]:
    if network.has_dhcp:
        yield f'iifname "{BRIDGE}" udp dport 67 accept'
    yield f'iifname "{BRIDGE}" ip saddr != {block} drop'
    if network.has_dns:
        yield f'iifname "{BRIDGE}" udp dport 53 accept'
        yield f'iifname "{BRIDGE}" tcp dport 53 accept'
    yield f'iifname "{BRIDGE}" meta l4proto icmp accept'
    yield "ct state established,related accept"
    yield 'iifname "lo" accept'


def _through(network: Network, ports: Sequence[Port], block: IPv4Network, hosts: Iterable[str]) -> Iterator[str]:
    # A kernel may show bridged frames to this hook (bridge-nf-call-iptables): machines of one network would be cut off.
    yield f'iifname "{BRIDGE}" oifname "{BRIDGE}" ip saddr {block} accept'
    if not has_way_out(network, ports):
        return
    yield "ip daddr 169.254.0.0/16 drop"
    yield f'oifname "{UPLINK}" udp dport {MESH_PORT} drop'
    if kept := ", ".join(sorted({*hosts, *network.conductor})):
        # A packet that belongs to no connection has no direction, so that a drop by direction would let it pass.
        yield f'oifname "{UPLINK}" ip daddr {{ {kept} }} ct direction reply accept'
        yield f'oifname "{UPLINK}" ip daddr {{ {kept} }} drop'
    # A packet that belongs to no connection is not translated: it would leave under the address that the network has,
    # which its owner chooses, and could end the connections of others.
    yield f'iifname "{BRIDGE}" oifname "{UPLINK}" ip saddr {block} ct state invalid drop'
    for port in ports:
        for address in port.routed:
            yield f'iifname "{BRIDGE}" ether saddr {port.mac} ip saddr {address} accept'
            yield f'iifname "{UPLINK}" oifname "{BRIDGE}" ip daddr {address} accept'
        if port.floating and not network.has_nat:
            yield f'iifname "{BRIDGE}" oifname "{UPLINK}" ip saddr {port.address} accept'
        if port.floating:
            yield f'iifname "{UPLINK}" oifname "{BRIDGE}" ct status dnat ip daddr {port.address} accept'
    if network.has_nat:
        yield f'iifname "{BRIDGE}" oifname "{UPLINK}" ip saddr {block} accept'
    yield "ct state established,related accept"


def _chain(name: str, hook: str, policy: str, lines: Sequence[str] | Iterator[str]) -> str:
    rules = "".join(f"    {line}\n" for line in lines)
    return f"  chain {name} {{\n    type {hook}; policy {policy};\n{rules}  }}\n"


def _table(family: str, name: str, body: str) -> str:
    return f"add table {family} {name}\ndelete table {family} {name}\ntable {family} {name} {{\n{body}}}\n"
