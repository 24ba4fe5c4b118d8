"""The cables of machines: one for each interface, from the machine's namespace to a port of its network.

The end in the machine has the interface's MAC address, by which it is known again; the port has the interface's id as
its alias. A cable that is laid already stays as it is.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import count
from typing import Any

from tenuto.model.ids import ObjectId
from tenuto.providers.local.executor.kernel.host_facts import HostFacts, Inside, of_link
from tenuto.providers.local.executor.kernel.namespaces import namespaces
from tenuto.providers.local.executor.kernel.programs import batch, shown
from tenuto.providers.local.executor.kernel.within import NETWORK, within
from tenuto.providers.local.executor.networking.outside import announce
from tenuto.providers.local.rules.machines.spec import Cable, MachineSpec, machine_netns
from tenuto.providers.local.rules.networks.routing import added_neighbours, routing_rules
from tenuto.providers.local.rules.networks.spec import BRIDGE, netns_of

_OF_ROUTE = (("via", "gateway"), ("dev", "dev"), ("metric", "metric"))
"""The words of a route that tell it from others to its block, with their members in the output of `ip`."""


def lay(netns: str, cables: Sequence[Cable]) -> None:
    """Lay the cables that are missing, and take out those that no network wants."""
    wanted = {cable.mac: cable for cable in cables}
    here = {link["address"]: link["ifname"] for link in links_in(netns)}
    ports = _ports(cables)
    for mac, name in list(here.items()):
        cable = wanted.get(mac)
        if cable is None or cable.port not in ports:
            batch("ip", [f"link delete dev {name}"], netns)
            del here[mac]
    free = (name for number in count() if (name := f"eth{number}") not in here.values())
    for cable in cables:
        name = here.get(cable.mac) or next(free)
        inside = netns_of(cable.vni)
        if cable.mac not in here:
            if cable.port in ports:
                # Its other end is in a namespace that was deleted, and that a process keeps alive.
                batch("ip", [f"link delete dev {cable.port}"], inside)
            end = f"peer name {name} address {cable.mac} netns {netns}"
            batch("ip", [f"link add name {cable.port} mtu {cable.mtu} type veth {end}"], inside)
        batch(
            "ip",
            [
                f"link set dev {cable.port} mtu {cable.mtu} master {BRIDGE} up",
                f"link set dev {cable.port} alias {cable.interface}",
            ],
            inside,
        )
        batch(
            "ip",
            [
                f"address replace {cable.address}/{cable.prefix} dev {name}",
                f"link set dev {name} mtu {cable.mtu} up",
            ],
            netns,
        )
        if cable.mac not in here:
            # Another machine may have had the address, and its neighbours would go on sending to that one.
            within(f"/run/netns/{netns}", NETWORK, partial(announce, cable.address, name))
    for _, line in _foreign(cables, Inside(netns)):
        batch("ip", [line], netns)
    if cables:
        batch("ip", [f"route replace default via {cables[0].router}"], netns)


def plugged_in(spec: MachineSpec, facts: HostFacts) -> tuple[tuple[ObjectId, ...], tuple[str, ...]]:
    """The interfaces whose cable works, and the problems in the machine's namespace."""
    netns = machine_netns(spec.object_id)
    if netns not in namespaces():
        return (), (f"namespace {netns} is missing",)
    inside = facts.inside(netns)
    links = {link["address"]: link for link in inside.links if link["ifname"] != "lo"}
    ports = frozenset(name for one in _networks(spec.cables) for name in facts.inside(one).names)
    plugged: list[ObjectId] = []
    problems: list[str] = []
    for cable in spec.cables:
        link = links.pop(cable.mac, None)
        if link is None or "UP" not in link["flags"] or cable.port not in ports:
            continue
        plugged.append(cable.interface)
        if link["mtu"] != cable.mtu:
            problems.append(f"link {link['ifname']} has MTU {link['mtu']} instead of {cable.mtu}")
        if f"{cable.address}/{cable.prefix}" not in of_link(link):
            problems.append(f"address {cable.address} is missing")
    problems += [f"link {link['ifname']} was added" for link in links.values()]
    ways = [route for route in inside.routes if route.get("dst") == "default"]
    if spec.cables and not any(route.get("gateway") == spec.cables[0].router for route in ways):
        problems.append("the default route is missing")
    if any(link["ifname"] == "lo" and "UP" not in link["flags"] for link in inside.links):
        problems.append("link lo is down")
    problems += [text for text, _ in _foreign(spec.cables, inside)]
    return tuple(plugged), tuple(problems)


def _foreign(cables: Sequence[Cable], inside: Inside) -> Iterator[tuple[str, str]]:
    """The addresses, routes, rules and neighbours in the namespace of a machine that others have added: for each a text
    for people, and the line of `ip` that removes it. The machine itself has no right to any of them."""
    own = {cable.mac: f"{cable.address}/{cable.prefix}" for cable in cables}
    for link in inside.links:
        for address in of_link(link):
            if link["ifname"] != "lo" and link["address"] in own and own[link["address"]] != address:
                yield f"address {address} was added", f"address delete {address} dev {link['ifname']}"
    router = cables[0].router if cables else ""
    for route in inside.routes:
        is_own = route.get("protocol") == "kernel" or (route["dst"], route.get("gateway")) == ("default", router)
        if not is_own:
            kind = "" if route.get("type", "unicast") == "unicast" else f"{route['type']} "
            words = [f"{word} {route[name]}" for word, name in _OF_ROUTE if name in route]
            yield f"route {kind}{route['dst']} was added", " ".join(("route delete", f"{kind}{route['dst']}", *words))
    yield from routing_rules(inside.rules)
    yield from added_neighbours(inside.neighbours)


def links_in(netns: str) -> list[Any]:
    """The links of a namespace, but for its own loop."""
    return [link for link in shown("ip", "-j", "-n", netns, "link", "show") if link["ifname"] != "lo"]


def _ports(cables: Sequence[Cable]) -> frozenset[str]:
    """The links in the networks of cables. The name of a port follows from its interface, so it is in one network."""
    return frozenset(link["ifname"] for netns in _networks(cables) for link in links_in(netns))


def _networks(cables: Sequence[Cable]) -> list[str]:
    """The namespaces of the networks of cables, as far as they are there."""
    return sorted({netns_of(cable.vni) for cable in cables} & namespaces())
