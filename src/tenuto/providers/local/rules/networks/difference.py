"""The difference between a network as a host is to hold it and as its kernel shows it: the text for people, and the
lines that mend it.

Theory of operation. One comparison serves both. A `Difference` has a text for people and the lines that set it right,
so nothing is repaired that was not told, and nothing is told that an order would not repair. The lines are those of `ip
-batch` and `bridge -batch`, inside the namespace of the network or (`outside`) in the one of the host, where links with
an end in the host begin. Ports are not made here: a port is one end of a machine's cable, and the machine's own order
lays it. A part that is as it should be is left alone.
"""

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field, replace

from tenuto.providers.local.rules.networks.forwarding import bridge_entries, mesh_entries
from tenuto.providers.local.rules.networks.routing import ROUTING_RULES, added_neighbours, routing_rules
from tenuto.providers.local.rules.networks.spec import BRIDGE, MESH, MESH_PORT, UPLINK, Link, NetworkSpec

_PORT = "port"
PORT_SETTINGS = {
    "learning": True,
    "flood": True,
    "mcast_flood": True,
    "bcast_flood": True,
    "isolated": False,
    "locked": False,
}
"""The settings of a port of a bridge that cut it off when they are others. One that a kernel does not know is as it is
to be."""
BRIDGE_SETTINGS = {"stp_state": 0, "vlan_filtering": 0}
MESH_SETTINGS = {"learning": True, "port": MESH_PORT}
"""The settings of a VXLAN link, which are those of its making."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownLink:
    """One link as a kernel shows it."""

    name: str
    kind: str
    mtu: int
    mac: str
    master: str = ""
    vni: int = 0
    local: str = ""
    """The address of the host from which a VXLAN link sends."""
    is_up: bool = True
    settings: frozenset[tuple[str, int]] = frozenset()
    """The settings of the kinds above that are others than they are to be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkShown:
    """One network as a kernel shows it, in the words of `NetworkSpec`. `has_rules` is whether the rules are those that
    were applied last, and `uplink_router` the address of the host's end of the way out: empty while that is missing or
    down. `uplink_mtu` is the largest packet of that end, and `outside` are the host's routes by it. `answered` are
    pairs of an address and the link on which the host answers for it, of all that the network has or had; `doors` are
    the links on which it is to answer, by address. `rules` are those that choose a table of routes, and
    `neighbours` the pairs of an address and a link that a person has set. `placed` are the pairs of a MAC address and a
    link behind which a person has set the bridge to find it."""

    links: tuple[ShownLink, ...] = ()
    addresses: frozenset[tuple[str, str]] = frozenset()
    routes: frozenset[tuple[str, str]] = frozenset()
    mesh: frozenset[tuple[str, str]] = frozenset()
    placed: frozenset[tuple[str, str]] = frozenset()
    has_rules: bool = False
    rules: frozenset[tuple[str, str]] = ROUTING_RULES
    neighbours: frozenset[tuple[str, str]] = frozenset()
    uplink_router: str = ""
    uplink_mtu: int = 0
    outside: frozenset[tuple[str, str]] = frozenset()
    answered: frozenset[tuple[str, str]] = frozenset()
    doors: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One thing that is not as it is to be."""

    text: str
    outside: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()
    mesh: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ends:
    """The ends of a network in its host: its address on the mesh, and the link and address of the way out."""

    mesh_address: str
    uplink_name: str = ""
    uplink_router: str = ""


def differences(wanted: NetworkSpec, shown: NetworkShown, ends: Ends) -> list[Difference]:
    """Return the differences of links, addresses, routes and mesh, in the order in which they are set right."""
    links = _links(wanted, shown, ends)
    shown = _after_links(wanted, shown, ends)
    return [
        *links,
        # A link takes its addresses with it, and an address its routes: surplus parts are removed in the other order.
        *_added_routes(set(wanted.routes), shown.routes),
        *(Difference(text=text, inside=(line,)) for text, line in routing_rules(shown.rules)),
        *(Difference(text=text, inside=(line,)) for text, line in added_neighbours(shown.neighbours)),
        *_added(set(wanted.addresses), shown.addresses, "address {1} of {0}", "address delete {1} dev {0}"),
        *_missing(set(wanted.addresses), shown.addresses, "address {1} of {0}", "address add {1} dev {0}"),
        *_missing(set(wanted.routes), shown.routes, "route {0}", "route add {0} via {1}"),
        *_host_end(wanted, shown, ends),
        *_outside(wanted, shown, ends),
        *_entries(wanted, shown, ends),
        *_added_links(wanted, shown),
    ]


def _links(wanted: NetworkSpec, shown: NetworkShown, ends: Ends) -> Iterator[Difference]:
    known = {link.name: link for link in shown.links}
    for name in sorted(_doubles(wanted, shown)):
        yield Difference(text=f"link {name} was added", inside=(f"link delete dev {name}",))
    # The bridge comes first, since other links become its ports.
    for link in sorted(wanted.links, key=lambda link: (link.name != BRIDGE, link.name)):
        found = known.pop(link.name, None)
        if found is not None and (other := _otherwise(link, found, ends) or _without_end(link, shown)):
            yield Difference(text=f"link {link.name} {other}", inside=(f"link delete dev {link.name}",))
            found = None
        if found is not None:
            yield from _settings(link, found)
        elif link.kind != _PORT:
            yield _made(link, wanted.netns, ends)
    for name, found in sorted(known.items()):
        if found.kind == "loopback" and not found.is_up:
            yield Difference(text=f"link {name} is down", inside=(f"link set dev {name} up",))


def _otherwise(link: Link, found: ShownLink, ends: Ends) -> str:
    """The reason why a link has to be made anew; empty where it can stay."""
    if found.kind not in _kinds(link) or found.vni != link.vni:
        return "is of another kind"
    if link.name == MESH and found.local != ends.mesh_address:
        return f"sends from {found.local or 'any address'} instead of {ends.mesh_address}"
    if link.name == MESH and found.settings:
        return f"has other settings ({_names(found)})"
    return ""


def _after_links(wanted: NetworkSpec, shown: NetworkShown, ends: Ends) -> NetworkShown:
    """The network without the parts that a link takes with it when it goes or is made anew: the addresses of one that
    has the number of the mesh; the address of a way out, and the routes by it."""
    doubles = _doubles(wanted, shown)
    shown = replace(shown, addresses=frozenset(pair for pair in shown.addresses if pair[0] not in doubles))
    is_anew = any(
        one.name == UPLINK and found.name == UPLINK and (_otherwise(one, found, ends) or _without_end(one, shown))
        for one in wanted.links
        for found in shown.links
    )
    if not is_anew:
        return shown
    router = ends.uplink_router.partition("/")[0]
    return replace(
        shown,
        addresses=frozenset(pair for pair in shown.addresses if pair[0] != UPLINK),
        routes=frozenset(pair for pair in shown.routes if pair[1] != router),
        uplink_router=ends.uplink_router,
        outside=frozenset(),
    )


def _without_end(link: Link, shown: NetworkShown) -> str:
    """The reason why a way out has to be made anew: its end in the host has another name, or is in another place."""
    return "has no end in the host" if link.name == UPLINK and not shown.uplink_mtu else ""


def _has_mesh(shown: NetworkShown, wanted: NetworkSpec, ends: Ends) -> bool:
    """Whether the link of the mesh stays: its entries go with it."""
    links = {link.name: link for link in shown.links}
    return all(
        one.name in links and not _otherwise(one, links[one.name], ends) for one in wanted.links if one.name == MESH
    )


def _doubles(wanted: NetworkSpec, shown: NetworkShown) -> frozenset[str]:
    """The links that have the number of the mesh under another name: a kernel makes no second one of a number, so the
    mesh comes back only when they are gone."""
    expected = {link.name for link in wanted.links}
    numbers = {link.vni for link in wanted.links if link.name == MESH}
    return frozenset(one.name for one in shown.links if one.vni in numbers and one.name not in expected)


def _added_links(wanted: NetworkSpec, shown: NetworkShown) -> Iterator[Difference]:
    expected = {link.name for link in wanted.links} | _doubles(wanted, shown)
    for found in sorted(shown.links, key=lambda link: link.name):
        if found.name not in expected and found.kind != "loopback":
            yield Difference(text=f"link {found.name} was added", inside=(f"link delete dev {found.name}",))


def _kinds(link: Link) -> tuple[str, ...]:
    """The kinds that the kernel may show: a port is a cable to a namespace, or the tap of a virtual machine."""
    return ("veth", "tun") if link.kind == _PORT else (link.kind,)


def _made(link: Link, netns: str, ends: Ends) -> Difference:
    """A link that is not there. A kernel keeps the side of a VXLAN link from which its packets leave in the namespace
    where it was asked for; so it is asked for in the host's."""
    outside: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()
    if link.name == MESH:
        made = f"link add name {MESH} netns {netns} type vxlan id {link.vni}"
        outside = (f"{made} dstport {MESH_PORT} local {ends.mesh_address}",)
    elif link.name == UPLINK:
        outside = (
            f"link add name {ends.uplink_name} type veth peer name {UPLINK} netns {netns}",
            f"address add {ends.uplink_router} dev {ends.uplink_name}",
            f"link set dev {ends.uplink_name} up",
        )
    else:
        inside = (f"link add name {link.name} type {link.kind}",)
    return Difference(text=f"link {link.name} is missing", outside=outside, inside=(*inside, _set(link)))


def _set(link: Link) -> str:
    mac = f" address {link.mac}" if link.mac else ""
    master = f" master {link.master}" if link.master else ""
    return f"link set dev {link.name} mtu {link.mtu}{mac}{master} up"


def _settings(link: Link, found: ShownLink) -> Iterator[Difference]:
    problems = []
    if found.mtu != link.mtu:
        problems.append(f"has MTU {found.mtu} instead of {link.mtu}")
    if link.wrong_mac and found.mac == link.wrong_mac:
        problems.append("has the MAC address of the router, which is on another host")
    if link.mac and not link.wrong_mac and found.mac != link.mac:
        problems.append(f"has MAC address {found.mac} instead of {link.mac}")
    if found.master != link.master:
        problems.append("is not a port of the bridge" if link.master else "is a port of a bridge")
    if not found.is_up:
        problems.append("is down")
    kind = "bridge" if link.name == BRIDGE else "bridge_slave"
    words = PORT_SETTINGS | BRIDGE_SETTINGS
    set_ = [f"{name} {_word(words[name])}" for name, _ in sorted(found.settings) if name in words]
    if set_:
        text = f"link {link.name} has other settings ({_names(found)})"
        yield Difference(text=text, inside=(f"link set dev {link.name} type {kind} {' '.join(set_)}",))
    if problems:
        freed = () if link.master or not found.master else (f"link set dev {link.name} nomaster",)
        yield Difference(text=f"link {link.name} {', '.join(problems)}", inside=(*freed, _set(link)))


def _added(wanted: Set[tuple[str, str]], shown: Set[tuple[str, str]], text: str, line: str) -> Iterator[Difference]:
    for pair in sorted(shown - wanted):
        yield Difference(text=f"{text.format(*pair)} was added", inside=(line.format(*pair),))


def _added_routes(wanted: Set[tuple[str, str]], shown: Set[tuple[str, str]]) -> Iterator[Difference]:
    """Routes that are too many. Of two to one block, the kernel would delete the wrong one if only that was named."""
    for block, gateway in sorted(shown - wanted):
        via = f" via {gateway}" if gateway else ""
        yield Difference(text=f"route {block}{via} was added", inside=(f"route delete {block}{via}",))


def _word(value: int) -> str:
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)


def _names(found: ShownLink) -> str:
    return ", ".join(name for name, _ in sorted(found.settings))


def _missing(wanted: Set[tuple[str, str]], shown: Set[tuple[str, str]], text: str, line: str) -> Iterator[Difference]:
    # After those that are too many: a route to the same block takes the place of one that others made.
    for pair in sorted(wanted - shown):
        yield Difference(text=f"{text.format(*pair)} is missing", inside=(line.format(*pair),))


def _host_end(wanted: NetworkSpec, shown: NetworkShown, ends: Ends) -> Iterator[Difference]:
    """The host's end of a way out that stands; one that is made anew has it already."""
    stands = bool(shown.uplink_mtu) and all(any(link.name == UPLINK for link in one.links) for one in (wanted, shown))
    if stands and shown.uplink_router != ends.uplink_router:
        name = ends.uplink_name
        routes = (f"route replace {address} via {way_in} dev {name}" for address, way_in in wanted.outside)
        # The kernel drops the routes by a link with its last address.
        made = (f"address add {ends.uplink_router} dev {name}", f"link set dev {name} up", *routes)
        lines = (f"address flush dev {name}", *made)
        yield Difference(text=f"the host's end {name} of the way out is changed", outside=lines)
    mtu = next((link.mtu for link in wanted.links if link.name == UPLINK), 0)
    if stands and 0 < shown.uplink_mtu < mtu:
        text = f"the host's end {ends.uplink_name} of the way out has MTU {shown.uplink_mtu}, and packets have {mtu}"
        yield Difference(text=text, outside=(f"link set dev {ends.uplink_name} mtu {mtu}",))


def _outside(wanted: NetworkSpec, shown: NetworkShown, ends: Ends) -> Iterator[Difference]:
    """The addresses outside: the host sends the packets for one into the network, and answers for it on the link from
    which they come. Surplus answers and routes go first, in the other order, so that no address is answered for that
    leads nowhere."""
    answered = {(address, shown.doors[address]) for address, _ in wanted.outside if address in shown.doors}
    for address, door in sorted(shown.answered - answered):
        line = f"neighbour delete proxy {address} dev {door}"
        yield Difference(text=f"the host answers for {address} on {door}", outside=(line,))
    for address, way_in in sorted(shown.outside - set(wanted.outside)):
        via = f" via {way_in}" if way_in else ""
        line = f"route delete {address}{via} dev {ends.uplink_name}"
        yield Difference(text=f"route of the host to {address} was added", outside=(line,))
    for address, way_in in sorted(set(wanted.outside) - shown.outside):
        line = f"route replace {address} via {way_in} dev {ends.uplink_name}"
        yield Difference(text=f"route of the host to {address} is missing", outside=(line,))
    for address, door in sorted(answered - shown.answered):
        line = f"neighbour add proxy {address} dev {door}"
        yield Difference(text=f"the host does not answer for {address} on {door}", outside=(line,))


def _entries(wanted: NetworkSpec, shown: NetworkShown, ends: Ends) -> Iterator[Difference]:
    """The entries of the mesh and of the bridge. Those of a link that is made anew go with it."""
    mesh = shown.mesh if _has_mesh(shown, wanted, ends) else frozenset()
    ports = {link.name: link for link in shown.links}
    anew = {
        one.name
        for one in wanted.links
        if one.name in ports and (_otherwise(one, ports[one.name], ends) or ports[one.name].master != one.master)
    }
    anew |= _doubles(wanted, shown)
    placed = {(mac, link) for mac, link in shown.placed if not anew & {link, BRIDGE}}
    for text, line in (*mesh_entries(set(wanted.mesh), mesh), *bridge_entries(placed)):
        yield Difference(text=text, mesh=(line,))
