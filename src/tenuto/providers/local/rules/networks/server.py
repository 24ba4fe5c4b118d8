"""The server of a network on its gateway: dnsmasq, which gives addresses by DHCP and serves names.

Theory of operation. One program does both, and each part is there only where the network has it: without names it
listens to no question, and without DHCP it has no range. It answers for the names of its domain by itself; for other
names it asks the resolvers of its host, and it refuses them where the network has none: one without NAT has no way to
them.

A machine is known by its MAC address alone. The name that it tells is ignored: it would get any that is free, such as
`wpad` or `localhost`. So is its identifier: copies of one disk tell the same one, and each would end the lease of the
others.
"""

from collections.abc import Sequence
from ipaddress import IPv4Network

from tenuto.providers.local.rules.networks.addresses import router_of
from tenuto.providers.local.rules.networks.spec import BRIDGE, Network, Port

_ALWAYS = ("--conf-file=/dev/null", "--no-hosts", "--no-resolv", f"--interface={BRIDGE}", "--bind-interfaces")
_NO_NAME = "*"


def server_options(network: Network) -> tuple[str, ...]:
    """The options of dnsmasq, without the paths of its files, which the host knows; none where no server is to run."""
    if not (network.has_dhcp or network.has_dns):
        return ()
    return (*_ALWAYS, *(_names(network) if network.has_dns else ("--port=0",)), *_addresses(network))


def dhcp_hosts(network: Network, ports: Sequence[Port]) -> str:
    """The file of the machines that get an address."""
    return "".join(_dhcp_host(port) for port in ports) if network.has_dhcp else ""


def kept_leases(leases: str, hosts: str) -> str:
    """The lines of the file of leases for machines that have their address still, by the file of the machines. The
    server refuses an address to its next owner for as long as the lease of the one before it lasts. The lines are
    without names: the server would serve one that its machine has no more."""
    given = {tuple(line.split(",")[:2]) for line in hosts.splitlines()}
    kept = (lease for lease in map(str.split, leases.splitlines()) if tuple(lease[1:3]) in given)
    # A lease is its end, the MAC address, the address, the name, and more.
    return "".join(f"{' '.join((*lease[:3], _NO_NAME, *lease[4:]))}\n" for lease in kept)


def dns_names(network: Network) -> str:
    """The file of the names, in the form of /etc/hosts."""
    return "".join(f"{address} {name}\n" for name, address in network.names) if network.has_dns else ""


def _names(network: Network) -> tuple[str, ...]:
    asked = network.resolvers if network.has_nat else ()
    return (
        "--except-interface=lo",
        f"--domain={network.domain}",
        f"--local=/{network.domain}/",
        "--expand-hosts",
        "--domain-needed",
        "--bogus-priv",
        *(f"--server={one}" for one in asked),
    )


def _addresses(network: Network) -> tuple[str, ...]:
    if not network.has_dhcp:
        return ()
    block = IPv4Network(network.cidr, strict=False)
    return (
        "--no-ping",
        "--dhcp-authoritative",
        "--dhcp-ignore=tag:!known",
        "--dhcp-ignore-names",
        "--dhcp-ignore-clid",
        f"--dhcp-range={block[0]},static,{block.netmask},1h",
        f"--dhcp-option=option:router,{router_of(network.cidr)}",
        f"--dhcp-option=option:mtu,{network.mtu}",
    )


def _dhcp_host(port: Port) -> str:
    name = f",{port.host_name}" if port.host_name else ""
    return f"{port.mac},{port.address}{name}\n"
