"""Networks on this host: each is compared with the state that the kernel shows, and only the differences are changed.

Theory of operation. A network is a namespace `tn-NUMBER`. An order renders it, reads the namespace, and applies the
differences; a second order finds none. The rules of the packet filter are no set of lines that could be compared: a
kernel shows them in a form of its own. So the digest of that form is kept right after they were applied, together with
the digest of the text; when either differs, the whole table is replaced. The server of addresses and names is started
anew whenever its entries change. It takes some milliseconds, and its leases are in a file, from which those of machines
that have their address no more are taken out.

Namespaces, links and rules of others are never touched: everything happens in `tn-NUMBER`, on the links of the host
that this module has made (`tu-…`), and in two tables of rules of the host. One lets the ways out pass, and keeps
machines from the host itself and from the mesh. The other is that of `mesh_rules`.
"""

import sys
from collections.abc import Iterable
from typing import Any

from tenuto.kit.address_pools import WAYS_OUT
from tenuto.kit.state_folder import StateFolder, is_name, make_way
from tenuto.model.ids import ObjectId
from tenuto.providers.local.executor.kernel.host_facts import (
    TABLE,
    WAY_OUT,
    HostFacts,
    digest,
    host_rules,
    link_names,
    of_link,
)
from tenuto.providers.local.executor.kernel.namespaces import delete_namespace, make_namespace, namespaces
from tenuto.providers.local.executor.kernel.processes import end, is_in, is_running_as, running_as, stands_still
from tenuto.providers.local.executor.kernel.programs import ProgramError, batch, run, shown, within
from tenuto.providers.local.executor.networking.forwarding import bridge_of, mesh_of
from tenuto.providers.local.executor.networking.mesh_rules import MeshRules, take_out
from tenuto.providers.local.executor.networking.outside import KIND, Outside, announce
from tenuto.providers.local.executor.networking.settings import other_settings, set_settings
from tenuto.providers.local.rules.networks.difference import (
    BRIDGE_SETTINGS,
    MESH_SETTINGS,
    PORT_SETTINGS,
    Ends,
    NetworkShown,
    ShownLink,
    differences,
)
from tenuto.providers.local.rules.networks.server import kept_leases
from tenuto.providers.local.rules.networks.spec import BRIDGE, MESH_PORT, UPLINK, NetworkSpec

ECHO = "tenuto.providers.local.executor.networking.echo"
"""The module that asks for echoes."""
_HOST_RULES = f"""table ip {TABLE} {{
  chain input {{
    type filter hook input priority 0; policy accept;
    iifname "tu-*" icmp type echo-request accept
    iifname "tu-*" ct state established,related accept
    iifname "tu-*" drop
  }}
  chain forward {{
    type filter hook forward priority 0; policy accept;
    iifname "tu-*" udp dport {MESH_PORT} drop
  }}
  chain leave {{
    type nat hook postrouting priority 100; policy accept;
    ip saddr {WAYS_OUT} oifname != "tu-*" masquerade
  }}
}}
"""
_FORWARDING = "net.ipv4.ip_forward"
_RULES, _HOSTS, _PID, _LEASES = "rules", "dhcp-hosts", "dhcp-pid", "dhcp-leases"
_NAMES, _SERVED, _UPLINK_RULES, _THINGS = "dns-names", "served", "uplink-rules", "things"


class Networks:
    """The networks of one host."""

    def __init__(self, state: StateFolder, outside: Outside) -> None:
        self._state = state
        self._outside = outside
        self._mesh_rules = MeshRules(state)

    def ensure(self, vni: int, wanted: NetworkSpec, ends: Ends, things: Iterable[ObjectId]) -> None:
        """Bring a network about as it is to be, and note the things that it is for. Raises ProgramError."""
        name = str(vni)
        if tuple(things) != self.things(name):
            self._state.write(KIND, name, _THINGS, " ".join(things))
        self._state.made(KIND, name)
        if wanted.served and not self._serves_in(name, wanted.netns):
            self._stop_server(name)
        # Before the mesh is there: nothing comes in that the rules would not let in.
        self._mesh_rules.ensure(name, wanted)
        if wanted.netns not in namespaces():
            make_namespace(wanted.netns)
        found = self._shown(name, wanted, ends, HostFacts())
        if UPLINK not in {link.name for link in found.links}:
            _cut(ends.uplink_name)
        self._outside.expect(name, self._outside.kept(name) | set(wanted.translated))
        for difference in differences(wanted, found, ends):
            batch("ip", difference.outside)
            batch("ip", difference.inside, wanted.netns)
            batch("bridge", difference.mesh, wanted.netns)
        set_settings(wanted)
        if wanted.routes:
            run("sysctl", "-q", "-w", f"{_FORWARDING}=1")
            if not self._has_host_rules(name, host_rules()):
                replaced = f"add table ip {TABLE}\ndelete table ip {TABLE}\n{_HOST_RULES}"
                run("nft", "-f", "-", given=replaced)
                self._state.write(KIND, name, _UPLINK_RULES, _as_applied(host_rules()))
        self._filter(name, wanted, has_rules=found.has_rules)
        self._outside.note(name, wanted.netns, wanted.translated)
        for address, door in sorted(found.doors.items()):
            if (address, door) not in found.answered:
                announce(address, door)
        self._serve(name, wanted)

    def things(self, name: str) -> tuple[ObjectId, ...]:
        """Return the things for which a network was brought about last: an agent may have lost the orders for them."""
        noted = (self._state.read(KIND, name, _THINGS) or "").split()
        return tuple(ObjectId(one) for one in noted if is_name(one))

    def remove(self, vni: int, netns: str, uplink_name: str) -> None:
        """Remove a network from this host. One that is not here is gone. Raises ProgramError."""
        name = str(vni)
        self._stop_server(name)
        answered = HostFacts().answered_for(frozenset(address for address, _ in self._outside.kept(name)))
        batch("ip", [f"neighbour delete proxy {address} dev {door}" for address, door in sorted(answered)])
        _cut(uplink_name)
        delete_namespace(netns)
        take_out(netns)
        self._state.remove(KIND, name)

    def deviations(self, vni: int, wanted: NetworkSpec, ends: Ends, facts: HostFacts) -> list[str]:
        """Return the differences from the order, in words. Raises ProgramError."""
        if wanted.netns not in namespaces():
            return [f"namespace {wanted.netns} is missing"]
        found = self._shown(str(vni), wanted, ends, facts)
        told = [one.text for one in differences(wanted, found, ends)]
        others = facts.holders.get(ends.uplink_router, frozenset()) - {ends.uplink_name}
        told += [f"{link} has the address of the way out, too" for link in sorted(others)]
        if not found.has_rules or self._kept_rules(str(vni)) != digest(wanted.filters):
            told.append("rules of the packet filter differ")
        if wanted.routes and not self._has_host_rules(str(vni), facts.rules):
            told.append("rules of the host for ways out differ")
        if not self._mesh_rules.are_kept(str(vni), wanted, facts.mesh_rules):
            told.append("rules of the host for the mesh differ")
        told += other_settings(wanted)
        if wanted.routes and not facts.forwards:
            told.append(f"the host forwards no packets ({_FORWARDING})")
        return told

    def echoes(self, wanted: NetworkSpec, address: str, count: int) -> Any:
        """Ask an address for echoes: the milliseconds of each answer. Raises ProgramError."""
        if wanted.netns not in namespaces():
            raise ProgramError(f"the namespace {wanted.netns} of the network is missing")
        # As the executor itself is started: no module of another folder runs (-P).
        answers = shown(*within(wanted.netns), sys.executable, "-P", "-m", ECHO, address, str(count))
        # A request to an address without a machine waits three seconds for a neighbour, and keeps a namespace alive
        # that is deleted then.
        run("ip", "-n", wanted.netns, "neighbour", "flush", "to", address)
        return answers

    def is_served(self, vni: int, wanted: NetworkSpec) -> bool | None:
        """Whether the server of a network runs with the ordered configuration; None while none answers."""
        pid = self._server_pid(str(vni)) if wanted.served else 0
        return self._serves(str(vni), wanted) if pid and not stands_still(pid) else None

    def _shown(self, name: str, wanted: NetworkSpec, ends: Ends, facts: HostFacts) -> NetworkShown:
        """A network as the kernel shows it."""
        netns = wanted.netns
        inside = facts.inside(netns)
        kept = frozenset(address for address, _ in (*self._outside.kept(name), *wanted.outside))
        # An end in the host whose other end is gone is removed, and its routes with it.
        has_uplink = UPLINK in inside.names
        # Only a network with a way out has an end in the host.
        end = facts.links.get(ends.uplink_name) if ends.uplink_router else None
        is_open = end is not None and "UP" in end["flags"]
        entries = shown("bridge", "-j", "-n", netns, "fdb", "show")
        doors = {address: facts.door_of(address) for address, _ in wanted.outside}
        return NetworkShown(
            links=tuple(_link(link) for link in inside.links),
            addresses=frozenset(
                (link["ifname"], address)
                for link in inside.links
                if link["ifname"] != "lo"
                for address in of_link(link)
            ),
            routes=_routes(inside.routes),
            mesh=mesh_of(entries),
            placed=bridge_of(entries, inside.links),
            has_rules=self._has_rules(name, netns),
            rules=inside.rules,
            neighbours=inside.neighbours,
            uplink_router=next(iter(of_link(end)), "") if is_open else "",
            uplink_mtu=end["mtu"] if end is not None else 0,
            outside=_routes(one for one in facts.routes if one.get("dev") == ends.uplink_name)
            if is_open and has_uplink
            else frozenset(),
            answered=facts.answered_for(kept),
            doors={address: door for address, door in doors.items() if door},
        )

    def _filter(self, name: str, wanted: NetworkSpec, *, has_rules: bool) -> None:
        if has_rules and self._kept_rules(name) == digest(wanted.filters):
            return
        inside = within(wanted.netns)
        run(*inside, "nft", "-f", "-", given=f"flush ruleset\n{wanted.filters}")
        self._state.write(KIND, name, _RULES, f"{digest(wanted.filters)} {_listed(wanted.netns)}")

    def _kept_rules(self, name: str) -> str:
        return (self._state.read(KIND, name, _RULES) or "").partition(" ")[0]

    def _has_host_rules(self, name: str, rules: str) -> bool:
        """Whether the host has the rules for ways out, as they were when they were applied for this network."""
        return bool(rules) and self._state.read(KIND, name, _UPLINK_RULES) == _as_applied(rules)

    def _has_rules(self, name: str, netns: str) -> bool:
        kept = (self._state.read(KIND, name, _RULES) or "").partition(" ")[2]
        return bool(kept) and kept == _listed(netns)

    def _serve(self, name: str, wanted: NetworkSpec) -> None:
        if not wanted.served:
            if self._state.read(KIND, name, _SERVED) is not None:
                self._stop_server(name)
        elif not self._serves(name, wanted):
            self._stop_server(name)
            hosts = self._state.write(KIND, name, _HOSTS, wanted.dhcp_hosts, mode=0o644)
            names = self._state.write(KIND, name, _NAMES, wanted.dns_names, mode=0o644)
            given = kept_leases(self._state.read(KIND, name, _LEASES) or "", wanted.dhcp_hosts)
            leases = self._state.write(KIND, name, _LEASES, given, mode=0o644)
            self._state.write(KIND, name, _SERVED, wanted.served)
            pid = hosts.parent / _PID
            make_way(pid)
            run(
                *within(wanted.netns),
                "dnsmasq",
                *wanted.server_options,
                f"--dhcp-hostsfile={hosts}",
                f"--addn-hosts={names}",
                f"--dhcp-leasefile={leases}",
                f"--pid-file={pid}",
                "--user=nobody",
                "--group=nogroup",
            )

    def _serves(self, name: str, wanted: NetworkSpec) -> bool:
        """Whether the server of a network runs with the ordered configuration, and its files, which it reads again at a
        signal, still hold it."""
        kept = [self._state.read(KIND, name, file) or "" for file in (_SERVED, _HOSTS, _NAMES)]
        pid = self._server_pid(name)
        return bool(pid) and not stands_still(pid) and kept == [wanted.served, wanted.dhcp_hosts, wanted.dns_names]

    def _server_pid(self, name: str) -> int:
        """The process of the server; 0 while none runs. One whose number was lost is found by its command line: it
        would keep a namespace alive that is deleted, and answer beside the next one."""
        pid = (self._state.read(KIND, name, _PID) or "").strip()
        path = str(self._state.folder(KIND, name) / _PID)
        if pid.isdecimal() and is_running_as(int(pid), path):
            return int(pid)
        return next(running_as(f"--pid-file={path}"), 0)

    def _serves_in(self, name: str, netns: str) -> bool:
        """Whether the server, if there is one, is in the namespace of this name: a server that was left behind
        keeps a deleted namespace alive, and with it its links.
        """
        pid = self._server_pid(name)
        return not pid or is_in(pid, f"/run/netns/{netns}")

    def _stop_server(self, name: str) -> None:
        while pid := self._server_pid(name):
            end(pid, lambda: self._server_pid(name) == pid)


def _cut(uplink_name: str) -> None:
    """Remove the host's end of a way out whose other end is gone, or goes with it; with the last one go the rules."""
    if uplink_name in link_names():
        run("ip", "link", "delete", "dev", uplink_name)
    if not any(link.startswith(WAY_OUT) for link in link_names()) and host_rules():
        run("nft", "delete", "table", "ip", TABLE)


def _as_applied(rules: str) -> str:
    """The record of the host's rules as the kernel shows them, with the text from which they were made."""
    return f"{digest(_HOST_RULES)} {rules}"


def _routes(routes: Iterable[Any]) -> frozenset[tuple[str, str]]:
    """Routes as they are compared, but for the kernel's own."""
    return frozenset(_route(one) for one in routes if one.get("protocol") != "kernel")


def _listed(netns: str) -> str:
    return digest(run(*within(netns), "nft", "list", "ruleset"))


def _link(link: Any) -> ShownLink:
    info = link.get("linkinfo", {})
    kind = info.get("info_kind", "")
    return ShownLink(
        name=link["ifname"],
        kind="loopback" if link.get("link_type") == "loopback" else kind,
        mtu=link["mtu"],
        mac=link.get("address", ""),
        master=link.get("master", ""),
        vni=info.get("info_data", {}).get("id", 0) if kind == "vxlan" else 0,
        local=info.get("info_data", {}).get("local", ""),
        is_up="UP" in link.get("flags", ()),
        settings=frozenset(_others(link.get("master") == BRIDGE, info)),
    )


def _others(is_port: bool, info: Any) -> Iterable[tuple[str, int]]:
    """The settings of a link that are others than they are to be."""
    own = {"bridge": BRIDGE_SETTINGS, "vxlan": MESH_SETTINGS}.get(info.get("info_kind", ""), {})
    kinds = ((own, info.get("info_data", {})), (PORT_SETTINGS if is_port else {}, info.get("info_slave_data", {})))
    return [
        (name, shown[name])
        for wanted, shown in kinds
        for name, value in wanted.items()
        if shown.get(name, value) != value
    ]


def _route(route: Any) -> tuple[str, str]:
    kind = f"{route['type']} " if route.get("type", "unicast") != "unicast" else ""
    block = "0.0.0.0/0" if route["dst"] == "default" else route["dst"]
    return f"{kind}{block}", route.get("gateway", "")
