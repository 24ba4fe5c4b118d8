"""The facts of a host that many questions need, each asked of the kernel once.

Theory of operation. A host with a hundred networks is asked about all of them at one moment. The facts of the host
itself (its addresses, its routes, its rules for ways out) are the same for each, and the links of a network are needed
for the network and for its machines. One object of this class serves the questions of one moment, and is dropped then.
"""

import re
import socket
from collections.abc import Mapping
from functools import cached_property
from hashlib import sha256
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

from tenuto.providers.local.executor.kernel.programs import ProgramError, answers, run, shown
from tenuto.providers.local.rules.networks.filters import MESH_TABLE

TABLE = "tenuto_uplinks"
"""The table of the host's rules for ways out."""
WAY_OUT = "tu-"
"""The beginning of the names of the ways out's ends in the host."""
_FORWARDING = Path("/proc/sys/net/ipv4/ip_forward")
_CHAIN = re.compile(r"^\tchain (\S+) \{\n(.*?)^\t\}$", re.MULTILINE | re.DOTALL)
_QUESTIONS = ("address show", "route show", "rule show", "neighbour show nud permanent")


class Inside:
    """A network namespace as the kernel shows it: its links with their addresses, its routes, the rules that choose a
    table of routes, and the neighbours that a person has set."""

    def __init__(self, netns: str) -> None:
        """Raises ProgramError."""
        links, routes, rules, neighbours = answers("ip", _QUESTIONS, netns)
        self.links: list[Any] = [link for link in links if "ifname" in link]
        self.routes: list[Any] = routes
        self.rules = frozenset((str(one["priority"]), _chosen(one)) for one in rules)
        self.neighbours = frozenset((str(one["dst"]), str(one["dev"])) for one in neighbours if ":" not in one["dst"])

    @property
    def names(self) -> frozenset[str]:
        return frozenset(link["ifname"] for link in self.links)


class HostFacts:
    """The facts of one moment. Each member raises ProgramError when the kernel does not tell."""

    def __init__(self) -> None:
        self._inside: dict[str, Inside] = {}

    def inside(self, netns: str) -> Inside:
        """A network namespace of the host, which is there."""
        if netns not in self._inside:
            self._inside[netns] = Inside(netns)
        return self._inside[netns]

    @cached_property
    def links(self) -> Mapping[str, Any]:
        """The host's own links with their IPv4 addresses, by name."""
        return {link["ifname"]: link for link in shown("ip", "-j", "address", "show") if "ifname" in link}

    @cached_property
    def holders(self) -> Mapping[str, frozenset[str]]:
        """The names of the host's own links by each of their IPv4 addresses."""
        found: dict[str, set[str]] = {}
        for name, link in self.links.items():
            for address in of_link(link):
                found.setdefault(address, set()).add(name)
        return {address: frozenset(names) for address, names in found.items()}

    @cached_property
    def routes(self) -> list[Any]:
        return list(shown("ip", "-j", "-4", "route", "show"))

    @cached_property
    def answered(self) -> frozenset[tuple[str, str]]:
        """The pairs of an address and a link on which the host answers for it."""
        return frozenset((one["dst"], one["dev"]) for one in shown("ip", "-j", "-4", "neighbour", "show", "proxy"))

    @cached_property
    def rules(self) -> str:
        return host_rules()

    @cached_property
    def mesh_rules(self) -> Mapping[str, str]:
        return mesh_rules()

    @cached_property
    def forwards(self) -> bool:
        """Whether the host forwards packets that are for other machines."""
        try:
            return _FORWARDING.read_text().strip() == "1"
        except OSError as error:
            raise ProgramError(f"{_FORWARDING} cannot be read: {error.strerror}") from error

    def answered_for(self, addresses: frozenset[str]) -> frozenset[tuple[str, str]]:
        """The pairs of one of these addresses and a link on which the host answers for it."""
        return frozenset(pair for pair in self.answered if pair[0] in addresses) if addresses else frozenset()

    def ways_to(self, addresses: frozenset[str]) -> frozenset[tuple[str, str]]:
        """The pairs of one of these addresses and the way out by which the host forwards packets for that address
        alone."""
        return frozenset(
            (one["dst"], one["dev"])
            for one in self.routes
            if one["dst"] in addresses and one.get("dev", "").startswith(WAY_OUT)
        )

    def door_of(self, address: str) -> str:
        """The link from which packets for an address come: the one to which the host would send them by itself; empty
        when it would send them nowhere."""
        matching = [
            (ip_network(_block(route)).prefixlen, str(route.get("dev", "")))
            for route in self.routes
            if not str(route.get("dev", WAY_OUT)).startswith(WAY_OUT)
            and ip_address(address) in ip_network(_block(route))
        ]
        # Of two routes of one length, the first one counts, as with the kernel.
        return max(matching, key=lambda found: found[0])[1] if matching else ""


def link_names() -> frozenset[str]:
    """The names of the host's own links. /sys would tell those of the namespace in which it was mounted: those of
    another host, where hosts are namespaces of one machine."""
    return frozenset(name for _, name in socket.if_nameindex())


def of_link(link: Any) -> list[str]:
    """The IPv4 addresses of a link."""
    shown_here = (one for one in link.get("addr_info", ()) if one.get("family", "inet") == "inet" and "local" in one)
    return [f"{one['local']}/{one['prefixlen']}" for one in shown_here]


def _chosen(rule: Any) -> str:
    """The act of a rule of routing, in the words of `ip rule`: `lookup main` where it is for everything."""
    named = {key: value for key, value in rule.items() if key not in ("priority", "protocol", "table")}
    to = f"lookup {rule['table']}" if "table" in rule else ""
    others = [f"{key} {value}" for key, value in sorted(named.items()) if (key, value) != ("src", "all")]
    return " ".join((*others, *((to,) if to else ())))


def host_rules() -> str:
    """The digest of the rules for ways out, as the host shows them now; empty where there are none."""
    try:
        return digest(run("nft", "list", "table", "ip", TABLE))
    except ProgramError:
        return ""


def mesh_rules() -> Mapping[str, str]:
    """The digests of the host's rules for the mesh, by their chains, of which each network has one."""
    try:
        found = run("nft", "list", "table", "ip", MESH_TABLE)
    except ProgramError:
        return {}
    return {name: digest(rules) for name, rules in _CHAIN.findall(found)}


def digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _block(route: Any) -> str:
    return "0.0.0.0/0" if route["dst"] == "default" else str(route["dst"])
