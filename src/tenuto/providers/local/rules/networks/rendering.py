"""Rendering of a network for one host: everything that its kernel and its server are to hold, as data.

Theory of operation. A network is one network namespace per host, named by the network's number. Inside are a bridge, a
VXLAN link to every other host of the zone, and one port per interface of this host. A host without the network drops
the frames that it gets of it, so no host must know where the machines of a network are. Two networks with equal blocks
never meet: they share no link, no route and no table of rules. The gateway host adds the router's address, the way out,
the server of addresses and names, and the routes from outside to floating and routed addresses. Nothing here is read
from a kernel: the same values give the same text, and the code that applies it compares the state that the kernel shows
with the rendered one.
"""

from collections.abc import Sequence
from ipaddress import IPv4Network

from tenuto.providers.local.rules.networks.addresses import router_of
from tenuto.providers.local.rules.networks.filters import mesh_filters, port_filters, router_filters
from tenuto.providers.local.rules.networks.server import dhcp_hosts, dns_names, server_options
from tenuto.providers.local.rules.networks.spec import (
    ANY_MAC,
    BRIDGE,
    MESH,
    UPLINK,
    Link,
    Network,
    NetworkSpec,
    Port,
    bridge_mac,
    check_network,
    has_way_out,
    netns_of,
    port_name,
    router_mac,
)


def render_network(network: Network, ports: Sequence[Port], hosts: dict[str, str], host: str) -> NetworkSpec:
    """Render a network for a host; `hosts` are the mesh addresses of the zone's hosts, by name.

    Raises UnusableValueError.
    """
    check_network(network, ports, hosts, host)
    ports = sorted(ports, key=lambda port: port.object_id)
    here = [port for port in ports if port.host == host]
    is_gateway = network.gateway_host == host
    has_uplink = is_gateway and has_way_out(network, ports)
    block = IPv4Network(network.cidr, strict=False)
    router = f"{router_of(network.cidr)}/{block.prefixlen}"
    outside = [(address, port.address) for port in ports for address in port.outside] if is_gateway else []
    routed = ((address, port.address) for port in ports for address in port.routed) if is_gateway else ()
    default = (("0.0.0.0/0", network.uplink_router),) * has_uplink
    others = {name: address for name, address in hosts.items() if name != host}
    way_in = network.uplink.partition("/")[0]
    return NetworkSpec(
        netns=netns_of(network.vni),
        links=_links(network, here, host, is_gateway=is_gateway, has_uplink=has_uplink),
        addresses=((BRIDGE, router),) * is_gateway + ((UPLINK, network.uplink),) * has_uplink,
        routes=tuple(sorted((*default, *routed))),
        mesh=tuple(sorted((ANY_MAC, address) for address in others.values())),
        filters=port_filters(network, here) + (router_filters(network, ports, hosts.values()) if is_gateway else ""),
        mesh_filters=mesh_filters(network.vni, others.values()),
        server_options=server_options(network) if is_gateway else (),
        dhcp_hosts=dhcp_hosts(network, ports) if is_gateway else "",
        dns_names=dns_names(network) if is_gateway else "",
        outside=tuple(sorted((address, way_in) for address, _ in outside)),
        translated=tuple(sorted(outside)),
    )


def _links(
    network: Network, here: Sequence[Port], host: str, *, is_gateway: bool, has_uplink: bool
) -> tuple[Link, ...]:
    mtu = network.mtu
    router = router_mac(network.vni)
    # A host that was the gateway would keep the packets for the router to itself.
    bridge = (
        Link(name=BRIDGE, kind="bridge", mtu=mtu, mac=router)
        if is_gateway
        else Link(name=BRIDGE, kind="bridge", mtu=mtu, mac=bridge_mac(network.vni, host), wrong_mac=router)
    )
    mesh = Link(name=MESH, kind="vxlan", mtu=mtu, master=BRIDGE, vni=network.vni)
    uplink = (Link(name=UPLINK, kind="veth", mtu=mtu),) * has_uplink
    # The MAC address of a port is its machine's end, which the machine's own spec says.
    taps = (Link(name=port_name(port.object_id), kind="port", mtu=mtu, master=BRIDGE) for port in here)
    return tuple(sorted((bridge, mesh, *uplink, *taps), key=lambda link: link.name))
