"""One host of driver `ns` on a real kernel: what is ordered stands, what is attacked is seen and set right, and what is
removed leaves nothing."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from passable import passable

from tenuto.kit.record_file import read_record
from tenuto.kit.state_folder import StateFolder
from tenuto.model.ids import JsonMap, ObjectId, TypeName
from tenuto.model.observation import Condition
from tenuto.providers.local.driver import Problem, Seen, Spec, Wire
from tenuto.providers.local.drivers.ns.driver import NamespaceHost
from tenuto.providers.local.drivers.ns.host import obstacle
from tenuto.providers.local.executor.kernel.cgroups import Cgroups
from tenuto.providers.local.executor.kernel.host_facts import host_rules
from tenuto.providers.local.executor.kernel.namespaces import namespaces
from tenuto.providers.local.executor.kernel.processes import stands_still, start_of
from tenuto.providers.local.executor.kernel.within import NETWORK as NETWORK_NAMESPACE
from tenuto.providers.local.executor.kernel.within import within
from tenuto.providers.local.executor.link import ExecutorGoneError, ExecutorLink
from tenuto.providers.local.executor.machines import FIRST_UID
from tenuto.providers.local.leases import seconds_since_boot
from tenuto.providers.local.objects import OPERATION
from tenuto.providers.local.rules.machines.spec import machine_netns
from tenuto.providers.local.rules.networks.addresses import mac_of
from tenuto.providers.local.rules.networks.spec import netns_of, port_name
from tenuto.providers.local.types import INSTANCE, INTERFACE, NETWORK, completed

REACH = "import socket, sys; socket.create_connection(('198.18.0.1', int(sys.argv[1])), 2)"
CIDR = "10.1.0.0/24"


def shell(text: str) -> str:
    """Run a line as a stranger with root does."""
    done = subprocess.run(["sh", "-c", text], capture_output=True, text=True, check=False, timeout=30)
    assert done.returncode == 0, f"{text}: {done.stderr}"
    return done.stdout


class Host:
    """This machine as a host, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.group = f"tenuto-test-{os.getpid()}"
        self.base = 11_000_000 + os.getpid() % 100_000 * 10
        self.start()

    def start(self) -> None:
        """An agent and its executor, as they are after a start."""
        self.link = ExecutorLink(self.folder / "executor", name=self.group)
        folder = StateFolder(self.folder / "agent")
        self.driver = NamespaceHost(self.link, folder, host="h1", address="127.0.0.1", mtu=1450)

    def order(self, *specs: Spec) -> None:
        problems = self.driver.ensure(specs)
        assert not problems, problems

    def order_until_kept(self, *specs: Spec, patience_s: float = 20) -> None:
        """Order again, as an agent does, until nothing is in the way; the last reason is told otherwise."""
        end = time.monotonic() + patience_s
        while problems := self.driver.ensure(specs):
            assert time.monotonic() < end, problems
            time.sleep(0.2)

    def vni(self, number: int) -> int:
        return self.base + number

    def network(self, number: int = 0, **changes: object) -> Spec:
        properties = completed(NETWORK, {"CidrBlock": CIDR, **changes})
        return _spec(NETWORK, f"net-{self.vni(number)}", properties, {"Vni": self.vni(number), "GatewayHost": "h1"})

    def wire(self, name: str, last: int, number: int = 0) -> Wire:
        return Wire(
            interface=ObjectId(f"if-{name}"),
            vni=self.vni(number),
            cidr=CIDR,
            mac=mac_of(name, 0),
            address=f"10.1.0.{last}",
            gateway_host="h1",
        )

    def interface(self, wire: Wire) -> Spec:
        shown = {"Address": wire.address, "MacAddress": wire.mac}
        return replace(_spec(INTERFACE, wire.interface, completed(INTERFACE, shown), shown), wiring=(wire,))

    def machine(self, name: str, *wires: Wire, **changes: object) -> Spec:
        asked = {
            "Vcpus": 1,
            "MemoryMiB": 128,
            "Name": name,
            "Interfaces": [wire.interface for wire in wires],
            **changes,
        }
        return replace(_spec(INSTANCE, f"m-{name}", completed(INSTANCE, asked), {}), wiring=wires)

    def stands(self, *, is_apart: bool = False) -> tuple[Spec, Spec, Spec]:
        """A network with two machines on it; or two networks of one block, with one machine each."""
        one, two = self.wire("a", 10), self.wire("b", 11, 1 if is_apart else 0)
        net, here, there = self.network(), self.machine("a", one), self.machine("b", two)
        others = [self.network(1)] if is_apart else []
        self.order(net, *others, self.interface(one), self.interface(two))
        self.order(here, there)
        return net, here, there

    def seen(self, spec: Spec) -> Seen | None:
        found = [one for one in self.driver.observe() if one.object_id == spec.object_id]
        return found[0] if found else None

    def differs(self, spec: Spec) -> dict[str, object]:
        """The properties that are shown of a thing and were not ordered, or the other way round; empty without any."""
        seen = self.seen(spec)
        if seen is None:
            return {"seen": None}
        names = {*seen.properties, *spec.properties}
        pairs = {name: (seen.properties.get(name, ...), spec.properties.get(name, ...)) for name in names}
        return {name: (shown, asked) for name, (shown, asked) in pairs.items() if shown != asked}

    def pid(self, spec: Spec) -> int:
        return int(json.loads((self.folder / "executor/machines" / spec.object_id / "process").read_text())["pid"])

    def pings(self, spec: Spec, address: str) -> bool:
        netns = machine_netns(spec.object_id)
        done = subprocess.run(
            ["ip", "netns", "exec", netns, "ping", "-c1", "-w5", address], capture_output=True, check=False
        )
        return done.returncode == 0

    def end(self) -> None:
        """Remove everything, also when a test failed between two executors, or one thing resists."""
        try:
            problems = self._removed()
        except ExecutorGoneError:
            self.start()
            problems = self._removed()
        finally:
            # A guard outlives its executor for as long as there is a lease: the host leaves in good order.
            with suppress(ExecutorGoneError):
                self.driver.let_go()
            self.link.close()
        assert not problems, problems

    def _removed(self) -> list[Problem]:
        specs = self.driver.specs()
        return [
            problem
            for kind in (INSTANCE, INTERFACE, NETWORK)
            for problem in self.driver.remove([spec.object_id for spec in specs if spec.type == kind]).values()
        ]


def _spec(kind: TypeName, object_id: str, properties: JsonMap, attributes: JsonMap) -> Spec:
    return Spec(
        type=kind,
        object_id=ObjectId(object_id),
        account="red",
        owner=None,
        host="h1",
        properties=properties,
        attributes=attributes,
    )


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    made = Host(passable(tmp_path))
    yield made
    made.end()
    left = shell("ip netns list; ip -br link; find /sys/fs/cgroup -maxdepth 4 -name 'm-?'")
    assert not [vni for vni in range(made.vni(0), made.vni(10)) if str(vni) in left], left
    assert machine_netns(ObjectId("m-a")) not in left
    assert not [*Path("/sys/fs/cgroup").glob(f"**/{made.group}")]
    assert not [*(tmp_path / "executor").glob("*/*")]


def test_machines_of_one_network_meet_and_a_second_order_changes_nothing(host: Host) -> None:
    net, one, two = host.stands()
    assert not any(host.differs(spec) for spec in (net, one, two))
    assert host.pings(one, "10.1.0.11")
    assert host.pings(one, "10.1.0.1")
    before = host.pid(one), shell(f"ip -n {netns_of(host.vni(0))} -o link show")
    host.order(net, one, two)
    assert (host.pid(one), shell(f"ip -n {netns_of(host.vni(0))} -o link show")) == before


def test_machines_of_equal_blocks_never_meet(host: Host) -> None:
    """#43: both have a machine with the same router, and neither hears the other."""
    _, one, two = host.stands(is_apart=True)
    assert host.pings(one, "10.1.0.1")
    assert host.pings(two, "10.1.0.1")
    assert not host.pings(one, "10.1.0.11")


def test_agent_and_executor_that_died_find_what_stands(host: Host) -> None:
    """#16: the machines run on, and nothing of them is made again."""
    net, one, two = host.stands()
    pid = host.pid(one)
    host.link.close()
    host.start()
    assert not any(host.differs(spec) for spec in (net, one, two))
    host.order(net, one, two)
    assert host.pid(one) == pid


def test_a_guard_that_was_stopped_goes_on(host: Host) -> None:
    """It would end nothing when its host is cut off, and its machines would run twice."""
    host.driver.hold(seconds_since_boot() + 600)
    written = host.folder / "executor/guard"
    until(lambda: written.exists() and read_record(written) != "", "the guard has begun, and says so itself")
    guard = int(read_record(written))
    os.kill(guard, signal.SIGSTOP)
    until(lambda: stands_still(guard), "it stands still")
    host.driver.hold(seconds_since_boot() + 600)
    until(lambda: not stands_still(guard), "it goes on")
    assert int(read_record(written)) == guard


def until(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, f"not within a minute: {what}"
        time.sleep(0.05)


def test_a_network_is_asked_for_echoes_from_its_own_namespace(host: Host) -> None:
    net, one, _ = host.stands()

    def echoes(address: str, count: int = 2) -> Seen:
        name = ObjectId(f"op-{address.replace('.', '-')}-{count}")
        asked = {"Instance": net.object_id, "Commands": [{"Ping": address, "Count": count}], "DeadlineSeconds": 60}
        host.order(_spec(OPERATION, name, asked, {}))
        [seen] = [found for found in host.driver.observe() if found.object_id == name]
        host.driver.remove([name])
        return seen

    for address, received in (("10.1.0.10", 2), ("10.1.0.1", 2), ("10.1.0.200", 0)):
        [result] = echoes(address).attributes["Results"]
        assert (result["Sent"], result["Received"]) == (2, received), result
        assert all(one > 0 for one in result["Milliseconds"] if one is not None)
    shell(f"kill -STOP {host.pid(one)}")  # The kernel answers for its machine.
    assert echoes("10.1.0.10", 1).attributes["Results"][0]["Received"] == 1
    shell(f"kill -CONT {host.pid(one)}")
    refused = echoes("192.0.2.1", 1)
    assert (refused.condition, "is not on the network" in refused.message) == (Condition.BROKEN, True)
    shell(f"ip netns delete tn-{host.vni(0)}")
    missing = echoes("10.1.0.10", 1)
    assert (missing.condition, "is missing" in missing.message) == (Condition.BROKEN, True)
    # The kernel lets go of a namespace by and by, and of its links with it: an agent tries again.
    host.order_until_kept(net)


NETWORK_ATTACKS = {
    "its namespace is deleted": "ip netns delete {net}",
    "its namespace has no name any more": "umount /run/netns/{net}",
    "its bridge is deleted": "ip -n {net} link delete br0",
    "its bridge is down": "ip -n {net} link set br0 down",
    "its bridge has another MAC address": "ip -n {net} link set br0 address 02:00:00:00:00:99",
    "its mesh is deleted": "ip -n {net} link delete vx0",
    "its mesh has an entry more": "bridge -n {net} fdb append 00:00:00:00:00:00 dev vx0 dst 10.9.9.9 self permanent",
    "its mesh sends frames for a machine to another host": (
        "bridge -n {net} fdb replace {mac} dev vx0 dst 10.9.9.9 self static"
    ),
    "its bridge keeps frames for a machine": "bridge -n {net} fdb replace {mac} dev br0 self permanent",
    "its bridge never learns where a machine is": "bridge -n {net} fdb replace {mac} dev vx0 master sticky static",
    "its router's address is deleted": "ip -n {net} address delete 10.1.0.1/24 dev br0",
    "its router has an address more": "ip -n {net} address add 10.7.0.1/24 dev br0",
    "its way out is deleted": "ip link delete tu-{vni}",
    "its way out has no address": "ip address flush dev tu-{vni}",
    "its way out takes small packets only": "ip link set tu-{vni} mtu 600",
    "its default route is deleted": "ip -n {net} route delete default",
    "it has a route more": "ip -n {net} route add blackhole 9.9.9.0/24",
    "it has a link more": "ip -n {net} link add extra type bridge",
    "its packets may be smaller only": "ip -n {net} link set br0 mtu 1200",
    "its rules are flushed": "ip netns exec {net} nft flush ruleset",
    "it has a rule more": "ip netns exec {net} nft add rule inet tenuto input accept",
    "the host's rules are deleted": "nft delete table ip tenuto_uplinks",
    "the host's rules are flushed": "nft flush table ip tenuto_uplinks",
    "the host has a rule more": "nft add rule ip tenuto_uplinks input accept",
    "the host lets its machines into the mesh": "nft flush chain ip tenuto_uplinks forward",
    "the host's rules for the mesh are deleted": "nft delete table ip tenuto_mesh",
    "the host's rules for the mesh are flushed": "nft flush table ip tenuto_mesh",
    "the host's rules for its mesh are others": "nft insert rule ip tenuto_mesh {net} accept",
    "the host's rules for its mesh begin later": (
        "nft 'delete table ip tenuto_mesh; add table ip tenuto_mesh;"
        " add chain ip tenuto_mesh {net} {{ type filter hook input priority 10; policy accept; }}'"
    ),
    "its router lets its machines into the mesh": "ip netns exec {net} nft insert rule inet tenuto forward accept",
    "the host forwards nothing": "sysctl -qw net.ipv4.ip_forward=0",
    "it forwards nothing": "ip netns exec {net} sysctl -qw net.ipv4.ip_forward=0",
    "it forwards nothing from its way out": "ip netns exec {net} sysctl -qw net.ipv4.conf.up0.forwarding=0",
    "its router answers no neighbour": "ip netns exec {net} sysctl -qw net.ipv4.conf.all.arp_ignore=8",
    "its router answers no echo": "ip netns exec {net} sysctl -qw net.ipv4.icmp_echo_ignore_all=1",
    "its router answers for all addresses": "ip netns exec {net} sysctl -qw net.ipv4.conf.br0.proxy_arp_pvlan=1",
    "its packets go nowhere far": "ip netns exec {net} sysctl -qw net.ipv4.ip_default_ttl=1",
    "a port floods and learns nothing": "bridge -n {net} link set dev {port} flood off learning off",
    "a port is isolated": "bridge -n {net} link set dev {port} isolated on",
    "a port is off its bridge": "ip -n {net} link set {port} nomaster",
    "its bridge waits for others of its kind": "ip -n {net} link set br0 type bridge stp_state 1",
    "its bridge has another name": "ip -n {net} link set br0 down && ip -n {net} link set br0 name br9",
    "its mesh has another name": "ip -n {net} link set vx0 down && ip -n {net} link set vx0 name vx9",
    "its mesh has another name and an address": (
        "ip -n {net} link set vx0 down && ip -n {net} link set vx0 name vx9 && ip -n {net} link set vx9 up"
        " && ip -n {net} address add 10.8.0.1/24 dev vx9"
    ),
    "its mesh learns nothing": "ip -n {net} link set vx0 type vxlan nolearning",
    "its router has a neighbour that was set": (
        "ip -n {net} neigh replace 10.1.0.10 lladdr 02:00:00:00:00:99 dev br0 nud permanent"
    ),
    "its router is told to route nothing": "ip -n {net} rule add prio 5 blackhole",
    "its router has no table of routes": "ip -n {net} rule delete prio 32766",
    "it has a second default route": "ip -n {net} route add default via 10.1.0.99 metric 5",
    "its way out has another name in the host": "ip link set tu-{vni} down && ip link set tu-{vni} name {other}",
    "its DHCP server stands still": "kill -STOP $(cat {state}/networks/{vni}/dhcp-pid)",
    "its record is deleted": "rm -r {state}/networks/{vni}",
    "its DHCP server loses an entry": ": > {state}/networks/{vni}/dhcp-hosts",
    "the file of its leases is a folder, and its DHCP server is killed": (
        "cd {state}/networks/{vni} && rm dhcp-leases && mkdir dhcp-leases && kill -9 $(cat dhcp-pid)"
    ),
    "the number of its DHCP server is a folder, and that is killed": (
        "cd {state}/networks/{vni} && kill -9 $(cat dhcp-pid) && rm dhcp-pid && mkdir -p dhcp-pid/theirs"
    ),
    "the digest of its rules is a folder": "cd {state}/networks/{vni} && rm rules && mkdir rules",
    "its DHCP server is killed": "kill -9 $(cat {state}/networks/{vni}/dhcp-pid)",
}


@pytest.mark.parametrize("attack", NETWORK_ATTACKS.values(), ids=NETWORK_ATTACKS)
def test_an_attacked_network_is_seen_and_set_right(host: Host, attack: str) -> None:
    """#44, #46, #51: each is told as a deviation, and the order for the network and its machines sets it right."""
    net, one, two = host.stands()
    vni = host.vni(0)
    names = {"port": port_name(host.wire("a", 10).interface), "other": f"tx{os.getpid()}", "mac": mac_of("b", 0)}
    shell(attack.format(net=netns_of(vni), vni=vni, state=host.folder / "executor", **names))
    seen = host.seen(net)
    assert seen is not None
    assert seen.properties["Deviations"]
    host.order_until_kept(net, one, two)
    assert not any(host.differs(spec) for spec in (net, one, two))
    assert host.pings(one, "10.1.0.11")


def test_a_server_whose_number_was_lost_is_found_and_ends_with_its_network(host: Host) -> None:
    """Another one beside it would answer the same machines, and it would keep a deleted namespace alive."""
    net, one, two = host.stands()
    folder = host.folder / "executor/networks" / str(host.vni(0))
    server = int((folder / "dhcp-pid").read_text())
    (folder / "dhcp-pid").unlink()
    assert not host.differs(net), "it serves"
    host.order(net, one, two)
    assert not host.differs(net)
    host.driver.remove([one.object_id, two.object_id, "if-a", "if-b", net.object_id])
    assert not start_of(server)


@pytest.mark.skipif(
    not shutil.which("busybox"), reason="the test asks with the DHCP client of busybox, which is absent"
)
def test_behaviour_45_the_next_owner_of_an_address_gets_it_by_dhcp(host: Host, tmp_path: Path) -> None:
    """Its server keeps the lease of the one before for an hour, and refused the address for as long."""
    client = tmp_path / "told"
    client.write_text('#!/bin/sh\n[ "$1" != bound ] || echo "$ip"\n')
    client.chmod(0o755)

    def asked(machine: Spec) -> str:
        words = f"busybox udhcpc -f -q -n -t 6 -T 1 -i eth0 -s {client} 2>/dev/null || :"
        return shell(f"ip netns exec {machine_netns(machine.object_id)} {words}").strip()

    net, one, two = host.stands()
    assert [asked(one), asked(two)] == ["10.1.0.10", "10.1.0.11"]
    assert not host.driver.remove([one.object_id, host.wire("a", 10).interface])
    wire = host.wire("c", 10)
    after = host.machine("c", wire)
    host.order(host.interface(wire), after)
    assert not host.differs(net)
    assert [asked(after), asked(two)] == ["10.1.0.10", "10.1.0.11"]


def test_neighbours_learn_at_once_that_an_address_has_another_machine(host: Host) -> None:
    """They went on sending to the one before, for some ten seconds."""
    net, one, two = host.stands()
    assert host.pings(two, "10.1.0.10")
    assert host.pings(one, "10.1.0.1")
    assert not host.driver.remove([one.object_id, host.wire("a", 10).interface])
    wire = host.wire("c", 10)
    host.order(host.interface(wire), host.machine("c", wire))
    places = (netns_of(host.vni(0)), machine_netns(two.object_id))
    known = [json.loads(shell(f"ip -n {netns} -j neighbour show 10.1.0.10")) for netns in places]
    assert [one["lladdr"] for found in known for one in found] == [wire.mac, wire.mac]
    assert not host.differs(net)


def test_a_machine_that_was_taken_out_of_its_groups_is_ended_with_it(host: Host) -> None:
    if not Path("/sys/fs/cgroup/freezer").exists():
        pytest.skip("the control groups of this machine are of version 2")
    one = host.machine("a")
    host.order(one)
    pid = host.pid(one)
    assert own_processes(host, one)
    shell(MACHINE_ATTACKS["it is outside of its limits"].format(group=host.group, id=one.object_id))
    assert not Cgroups(host.group).processes(one.object_id)
    host.order(replace(one, properties={**one.properties, "PowerState": "off"}))
    assert not start_of(pid)


def test_a_way_out_leaves_alone_what_the_host_reaches_already(host: Host) -> None:
    """Its addresses may be those of the host's own router, or of networks that another installation has left here."""
    link = f"tx{os.getpid()}"
    shell(f"ip link add {link} type bridge && ip address add 198.18.0.9/20 dev {link} && ip link set {link} up")
    try:
        net, one, _ = host.stands()
        assert not host.differs(net)
        assert host.pings(one, "198.18.16.1")
        shell(f"ip address flush dev {link} && ip address add 198.18.16.1/30 dev {link}")
        seen = host.seen(net)
        assert seen is not None
        assert seen.properties["Deviations"] == {"h1": [f"{link} has the address of the way out, too"]}
        host.order(net)
        assert not host.differs(net)
        assert host.pings(one, "198.18.0.1")
        assert "198.18.16.1/30" in shell(f"ip address show dev {link}"), "what others have stays"
    finally:
        shell(f"ip link delete {link}")


def test_the_rules_for_ways_out_stay_on_a_host_in_a_namespace_while_it_has_one(tmp_path: Path) -> None:
    """/sys shows the links of the namespace in which it was mounted: those of this machine, not those of the host."""
    name, folder = f"tenuto-{os.getpid()}-host", passable(tmp_path)

    def left() -> list[bool]:
        """Whether the rules are there: with two ways out, with one, and with none."""
        made = Host(folder)
        try:
            first, second = made.network(), made.network(1)
            made.order(first, second)
            found = [bool(host_rules())]
            for spec in (first, second):
                made.driver.remove([spec.object_id])
                found.append(bool(host_rules()))
            return found
        finally:
            made.end()

    shell(f"ip netns add {name} && ip -n {name} link set lo up")
    try:
        assert within(f"/run/netns/{name}", NETWORK_NAMESPACE, left) == [True, True, False]
    finally:
        shell(f"ip netns delete {name}")


MACHINE_ATTACKS = {
    "it is killed": "kill -9 {pid}",
    "the mark that it was stopped is a folder, and it is killed": (
        "mkdir -p {state}/machines/{id}/stopped/theirs && kill -9 {pid}"
    ),
    "the mark that its host ended it is a folder, and it is killed": (
        "mkdir -p {state}/machines/{id}/ended-by-host/theirs && kill -9 {pid}"
    ),
    "the note that it stays is a folder, and it is killed": (
        "cd {state}/machines/{id} && rm -f leased && mkdir -p leased/theirs && kill -9 {pid}"
    ),
    "its home is a file, and it is killed": (
        "cd {state}/machines/{id} && kill -9 {pid} && rm -r home && echo theirs > home"
    ),
    "its cable is deleted": "ip -n {machine} link delete eth0",
    "its end of the cable is down": "ip -n {machine} link set eth0 down",
    "its packets may be smaller only": "ip -n {machine} link set eth0 mtu 700",
    "its address is deleted": "ip -n {machine} address flush dev eth0",
    "its route is deleted": "ip -n {machine} route delete default",
    "it has a link more": "ip -n {machine} link add extra type bridge",
    "its namespace is deleted": "ip netns delete {machine}",
    "its namespace has no name any more": "umount /run/netns/{machine}",
    "it is frozen": "echo FROZEN > /sys/fs/cgroup/freezer/{group}/{id}/freezer.state",
    "its home is deleted": "rm -r {state}/machines/{id}/home",
    "its folder is deleted": "rm -r {state}/machines/{id}",
    "its end of the cable has another MAC address": "ip -n {machine} link set eth0 address 02:00:00:00:00:77",
    "its default route leads elsewhere": "ip -n {machine} route replace default via 10.1.0.99",
    "it has a second default route": "ip -n {machine} route add default via 10.1.0.99 metric 5",
    "it has an address more": "ip -n {machine} address add 10.1.0.77/24 dev eth0",
    "it has a neighbour that was set": (
        "ip -n {machine} neigh replace 10.1.0.11 lladdr 02:00:00:00:00:99 dev eth0 nud permanent"
    ),
    "it is told to route nothing": "ip -n {machine} rule add prio 5 blackhole",
    "it has rules of a packet filter": "ip netns exec {machine} nft add table inet stranger",
    "the note about its rules holds no number": "echo none > {state}/machines/{id}/rules",
    "its own loop is down": "ip -n {machine} link set lo down",
    "it stands still": "kill -STOP {pid}",
    "it is outside of its limits": (
        "for one in pids memory cpu freezer; do for it in $(cat /sys/fs/cgroup/$one/{group}/{id}/cgroup.procs); "
        "do echo $it > /sys/fs/cgroup/$one/cgroup.procs; done; done"
    ),
    "it may have three processes": "echo 3 > /sys/fs/cgroup/pids/{group}/{id}/pids.max",
    "the note that it stays is removed": "rm {state}/machines/{id}/leased",
    "it has more memory": "echo 512M > /sys/fs/cgroup/memory/{group}/{id}/memory.limit_in_bytes",
}


def operation(machine: Spec, *commands: JsonMap, name: str = "o-1") -> Spec:
    """An operation of a machine."""
    return Spec(
        type=OPERATION,
        object_id=ObjectId(name),
        account=machine.account,
        owner=None,
        host=machine.host,
        properties={"Instance": machine.object_id, "Commands": list(commands), "DeadlineSeconds": 60},
    )


def own_processes(host: Host, machine: Spec) -> list[int]:
    """The processes of a machine, by its control group, once its first commands, which fork, have come to their end."""
    groups = Cgroups(host.group)
    _until(lambda: any(_sleeps(pid) for pid in groups.processes(machine.object_id)))
    return groups.processes(machine.object_id)


def _sleeps(pid: int) -> bool:
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/cmdline").read_text().startswith("sleep")
    return False


@pytest.mark.parametrize("attack", MACHINE_ATTACKS.values(), ids=MACHINE_ATTACKS)
def test_an_attacked_machine_is_seen_and_set_right(host: Host, attack: str) -> None:
    if "/sys/fs/cgroup" in attack and not Path("/sys/fs/cgroup/freezer").exists():
        pytest.skip("the control groups of this machine are of version 2")
    net, one, two = host.stands()
    names = {"machine": machine_netns(one.object_id), "group": host.group, "id": one.object_id}
    processes = own_processes(host, one)
    shell(attack.format(pid=host.pid(one), state=host.folder / "executor", **names))
    assert host.differs(one)
    host.order_until_kept(net, one)
    assert not host.differs(one)
    assert host.pings(two, "10.1.0.10")
    assert host.pings(one, "10.1.0.1")
    # It never runs twice, also where nothing told of its first process any more.
    assert len(own_processes(host, one)) == len(processes)


def test_a_machine_without_the_note_that_it_ends_with_the_lease_ends_with_it(host: Host) -> None:
    """It ran on beside its successor on another host. An order notes it again, and restarts nothing."""
    one = host.machine("a", Replace="on-host-error")
    host.order(one)
    pid, note = host.pid(one), host.folder / "executor/machines" / one.object_id / "leased"
    note.unlink()
    assert list(host.differs(one)) == ["Deviations"]
    host.order(one)
    assert (note.read_text(), host.pid(one)) == ("", pid)
    note.unlink()
    host.driver.hold(seconds_since_boot() - 1)
    _until(lambda: not Path(f"/proc/{pid}").exists())
    host.driver.hold(seconds_since_boot() + 100)


def test_the_namespace_of_a_trial_that_was_killed_is_removed_by_the_next_one() -> None:
    with subprocess.Popen(["true"]) as ended:
        left = f"tenuto-try-{ended.pid}"
    with subprocess.Popen(["sleep", "60"]) as alive:
        other = f"tenuto-try-{alive.pid}"
        try:
            for name in (left, other):
                shell(f"ip netns add {name}")
            assert obstacle() == ""
            assert {left, other} & namespaces() == {other}
        finally:
            shell(f"ip netns delete {other}")
            alive.kill()


def test_how_a_machine_ended_is_told(host: Host) -> None:
    _, one, _ = host.stands()
    os.kill(host.pid(one), signal.SIGKILL)
    _until(lambda: host.differs(one))
    seen = host.seen(one)
    assert seen is not None
    assert seen.properties["PowerState"] == "off (ended by signal 9)"


def test_a_machine_is_turned_off_and_on_and_paused(host: Host) -> None:
    one = host.machine("a")
    for power in ("on", "paused", "on", "off", "paused", "off"):
        spec = replace(one, properties={**one.properties, "PowerState": power})
        host.order(spec)
        assert not host.differs(spec), power


def test_behaviour_37_a_command_changes_the_power_and_what_is_ordered_stays(host: Host) -> None:
    one = host.machine("a")
    host.order(one)

    def told(*commands: JsonMap) -> Seen:
        order = operation(one, *commands)
        assert not host.driver.ensure([order])
        [seen] = [seen for seen in host.driver.observe() if seen.object_id == order.object_id]
        host.driver.remove([order.object_id])
        assert all(seen.object_id != order.object_id for seen in host.driver.observe())
        return seen

    for word, power in (("off", "off"), ("on", "on"), ("pause", "paused"), ("unpause", "on")):
        seen = told({"Power": word})
        assert seen.attributes["Results"] == [{"PowerState": power, "Declared": "on"}], seen.message
        shown = host.seen(one)
        assert shown is not None
        assert shown.properties["PowerState"] == power
        assert bool(host.differs(one)) == (power != "on")
    before = host.pid(one)
    assert told({"Reboot": "reset"}).attributes["Results"] == [{}]
    assert host.pid(one) != before
    assert told({"Power": "off"}, {"Power": "pause"}).message.startswith("its machine is off")
    assert "does not run" in told({"Reboot": "reset"}).message
    host.order(one)
    assert not host.differs(one)
    refused = host.driver.ensure([operation(one, {"Exec": ["true"]})])
    assert "there is no agent" in refused[ObjectId("o-1")].message


def test_interfaces_are_plugged_in_and_out_while_a_machine_runs(host: Host) -> None:
    """#53: the process stays, and the port of what was taken out is gone."""
    net, one, _ = host.stands()
    more = host.wire("c", 12)
    host.order(host.interface(more))
    pid, both = host.pid(one), host.machine("a", host.wire("a", 10), more)
    host.order(both)
    assert not host.differs(both)
    host.order(one)
    assert not host.differs(one)
    assert host.pid(one) == pid
    assert not host.differs(net)


def test_another_host_name_of_a_machine_is_seen_and_set_right_while_it_runs(host: Host) -> None:
    one = host.machine("a")
    host.order(one)
    pid = host.pid(one)
    shell(f"nsenter -t {pid} --uts hostname somebody-else")
    seen = host.seen(one)
    assert seen is not None
    assert seen.properties["Deviations"] == {"h1": ["its host name is 'somebody-else'"]}
    host.order(one)
    assert not host.differs(one)
    assert host.pid(one) == pid
    assert shell(f"nsenter -t {pid} --uts hostname").strip() == "a"
    assert shell("hostname").strip() != "a"


def test_a_machine_has_no_rights_and_sees_nothing_of_its_host(host: Host) -> None:
    """Section 15 of the design: what a guest may try, tried by its own script."""
    tried = (
        "id -u; grep CapEff /proc/self/status; ls /proc | grep -c '^[0-9]'; touch /usr/x; ls /home /etc/shadow; "
        "mount -t tmpfs x /mnt; ip link add d0 type bridge; kill -9 1; echo $?; "
        "unshare --user true || echo no namespace; hostname"
    )
    one = host.machine("a", UserData=f"({tried}) > out 2>&1; echo ended >> out")
    host.order(one)
    out = host.folder / "executor/machines/m-a/home/out"
    _until(lambda: out.exists() and out.read_text().endswith("ended\n"))
    lines = out.read_text().splitlines()
    assert lines[:2] == ["0", "CapEff:\t0000000000000000"], lines
    assert int(lines[2]) < 10, lines
    told = "\n".join(lines[3:])
    for refusal in (
        "Read-only file system",
        "/home",
        "/etc/shadow",
        "mount",
        "Operation not permitted",
        "no namespace",
    ):
        assert refusal in told, told
    assert lines[-2] == "a", lines
    owner = out.stat().st_uid
    assert owner >= FIRST_UID
    assert not host.differs(one)


@pytest.mark.parametrize("text", ["", "abc", "0", f"{FIRST_UID + 99}"])
def test_a_machine_reads_its_own_files_after_the_number_of_its_user_was_changed(host: Host, text: str) -> None:
    """Its home went to another user without the files in it."""
    one = host.machine("a", UserData="umask 077; date > first; cat first > second && echo well >> told")
    host.order(one)
    folder = host.folder / "executor/machines" / one.object_id
    told = folder / "home/told"
    _until(lambda: told.exists() and told.read_text() == "well\n")
    (folder / "uid").write_text(text)
    os.kill(host.pid(one), signal.SIGKILL)
    host.order_until_kept(one)
    _until(lambda: told.read_text() == "well\nwell\n")
    owners = {file.stat().st_uid for file in (folder / "home", told, folder / "home/first")}
    assert owners == {int((folder / "uid").read_text())}
    assert FIRST_UID <= min(owners) <= FIRST_UID + 99


def test_a_machine_cannot_take_more_memory_than_it_has(host: Host) -> None:
    filled = "head -c 300M /dev/zero | tail -c 299M > /dev/null; echo $? > out"
    one = host.machine("a", UserData=filled)
    host.order(one)
    out = host.folder / "executor/machines/m-a/home/out"
    _until(lambda: out.exists() and out.read_text() != "")
    assert out.read_text() != "0\n"
    assert not host.differs(one)


def test_a_machine_reaches_no_server_of_its_host(host: Host) -> None:
    """The host answers pings of its machines, and none of their connections."""
    _, one, _ = host.stands()
    assert host.pings(one, "198.18.0.1")
    netns = machine_netns(one.object_id)
    with socket.create_server(("198.18.0.1", 0)) as server:
        reach = [sys.executable, "-c", REACH, str(server.getsockname()[1])]
        assert subprocess.run(reach, check=False).returncode == 0
        assert subprocess.run(["ip", "netns", "exec", netns, *reach], check=False, capture_output=True).returncode != 0


@pytest.mark.parametrize(
    "attack",
    [
        "ip -n {netns} link delete vx0",
        "ip -n {netns} link delete br0",
        "ip netns exec {netns} nft flush ruleset",
        "bridge -n {netns} fdb delete 00:00:00:00:00:00 dev vx0 dst 127.0.0.2 self",
    ],
)
def test_behaviour_51_the_part_of_a_network_on_a_host_that_is_not_its_gateway_is_seen_and_set_right(
    host: Host, attack: str
) -> None:
    """The network has an order at its gateway alone: the machine here tells of it, and its order sets it right."""
    host.driver.meet({"h1": "127.0.0.1", "h2": "127.0.0.2"})
    machine = host.machine("a", replace(host.wire("a", 10), gateway_host="h2"))
    host.order(machine)
    assert not host.differs(machine)
    before = host.pid(machine)
    shell(attack.format(netns=netns_of(host.vni(0))))
    seen = host.seen(machine)
    assert seen is not None
    (told,) = seen.properties["Deviations"].values()
    assert all(one.startswith(f"network {host.vni(0)}: ") for one in told), told
    host.order(machine)
    assert not host.differs(machine)
    assert host.pid(machine) == before


def test_behaviour_52_the_last_machine_takes_the_networks_part_of_the_host_with_it(host: Host) -> None:
    """Its gateway is another host; one machine is removed, the other is taken out of the network while it runs."""
    one, two = (replace(host.wire(name, last), gateway_host="h2") for name, last in (("a", 10), ("b", 11)))
    first, second = host.machine("a", one), host.machine("b", two)
    host.order(first, second)
    part = Path("/run/netns") / netns_of(host.vni(0))
    assert not host.driver.remove([first.object_id])
    assert part.exists()
    host.order(host.machine("b"))
    assert not part.exists()
    assert not host.differs(host.machine("b"))


def _until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end, "still not"
        time.sleep(0.1)
