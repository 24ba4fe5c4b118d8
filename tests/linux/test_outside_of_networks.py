"""Floating and routed addresses on a real kernel: another machine beside the host reaches them, and is reached."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from passable import passable
from test_own_host import Host, shell

from tenuto.model.ids import ObjectId
from tenuto.providers.local.driver import Spec, Wire
from tenuto.providers.local.leases import seconds_since_boot
from tenuto.providers.local.rules.machines.spec import machine_netns
from tenuto.providers.local.rules.networks.spec import netns_of

FLOAT, OTHER = "198.51.100.7", "198.51.100.8"
NEIGHBOUR = "198.51.100.2"
SERVE = """
import socket, sys
with socket.create_server((sys.argv[1], 4000)) as server:
    print("listens", flush=True)
    while True:
        caller, address = server.accept()
        caller.sendall(f"{sys.argv[2]} {address[0]}".encode())
        caller.close()
"""
CALL = """
import socket, sys
with socket.create_connection((sys.argv[1], 4000), 3) as found:
    print(found.recv(100).decode())
"""

FORGE = """
import socket, struct, sys
def checked(text, at):
    words = struct.unpack(f"!{len(text) // 2}H", text)
    total = sum(words)
    total = (total & 0xffff) + (total >> 16)
    total = ~((total & 0xffff) + (total >> 16)) & 0xffff
    return text[:at] + struct.pack("!H", total) + text[at + 2:]
own, other = map(socket.inet_aton, sys.argv[1:])
end = struct.pack("!HHIIBBHHH", 4000, 4000, 1, 1, 0x50, 4, 0, 0, 0)
end = checked(own + other + struct.pack("!HH", 6, len(end)) + end, 28)[12:]
answer = checked(struct.pack("!BBHHH", 0, 0, 0, 1, 1), 2)
question = checked(struct.pack("!BBHHH", 8, 0, 0, 7, 7), 2)
with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW) as sent:
    for number, text in ((6, end), (1, answer), (1, question)):
        head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(text), 0, 0, 64, number, 0)
        sent.sendto(head + own + other + text, (sys.argv[2], 0))
"""
"""The end of a connection that is none, an answer to no question, and a question."""
HEAR = """
import socket, time
end = time.monotonic() + 2
with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0800)) as heard:
    print("listens", flush=True)
    while (left := end - time.monotonic()) > 0:
        heard.settimeout(left)
        try:
            packet = heard.recv(2000)
        except TimeoutError:
            break
        print(socket.inet_ntoa(packet[26:30]), flush=True)
"""


@dataclass
class Neighbour:
    """A machine beside the host, in the network from which the pool is."""

    name: str
    servers: list[subprocess.Popen[bytes]]

    def reaches(self, address: str) -> bool:
        done = subprocess.run(
            ["ip", "netns", "exec", self.name, "ping", "-c1", "-w4", address], capture_output=True, check=False
        )
        return done.returncode == 0

    def knows(self, address: str) -> str:
        """The MAC address that it has for one, without a question."""
        found = json.loads(shell(f"ip -n {self.name} -j neighbour show {address}") or "[]")
        return str(found[0].get("lladdr", "")) if found else ""

    def serve(self, netns: str, address: str, word: str) -> None:
        """A server in a namespace, which answers with the word and the caller's address."""
        command = ["ip", "netns", "exec", netns, sys.executable, "-c", SERVE, address, word]
        server = subprocess.Popen(command, stdout=subprocess.PIPE)
        self.servers.append(server)
        assert server.stdout is not None
        assert server.stdout.readline() == b"listens\n"


def called(netns: str, address: str) -> str:
    """The answer of a server to a caller in a namespace; empty when there is none."""
    command = ["ip", "netns", "exec", netns, sys.executable, "-c", CALL, address]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    made = Host(passable(tmp_path))
    yield made
    made.end()
    assert FLOAT not in shell("ip -4 neighbour show proxy; ip -4 route show")


@pytest.fixture
def neighbour() -> Iterator[Neighbour]:
    link, name = f"tf{os.getpid()}", f"tenuto-{os.getpid()}-beside"
    shell(f"ip netns add {name} && ip link add {link} type veth peer name eth0 netns {name}")
    shell(f"ip address add 198.51.100.1/24 dev {link} && ip link set {link} up")
    shell(f"ip -n {name} address add {NEIGHBOUR}/24 dev eth0 && ip -n {name} link set eth0 up")
    made = Neighbour(name, [])
    yield made
    for server in made.servers:
        server.kill()
        server.communicate()
    # With the namespace alone it goes later, and the neighbour of the next test has the same names.
    shell(f"ip link delete {link} && ip netns delete {name}")


def _interface(host: Host, wire: Wire, floating: str = "", routed: tuple[str, ...] = ()) -> Spec:
    spec = host.interface(wire)
    return replace(spec, wiring=(replace(wire, floating=floating, routed=routed),))


def _inside(spec: Spec) -> str:
    return machine_netns(spec.object_id)


def test_behaviour_49_a_floating_address_leads_in_and_out_and_moves(host: Host, neighbour: Neighbour) -> None:
    net, one, two = host.stands()
    first, second = host.wire("a", 10), host.wire("b", 11)
    neighbour.serve(neighbour.name, NEIGHBOUR, "neighbour")
    for spec, wire in ((one, first), (two, second)):
        neighbour.serve(_inside(spec), wire.address, str(spec.object_id))
    assert not neighbour.reaches(FLOAT)

    host.order(_interface(host, first, FLOAT))
    assert not host.differs(net)
    assert neighbour.reaches(FLOAT)
    assert called(neighbour.name, FLOAT) == f"m-a {NEIGHBOUR}"
    assert called(_inside(one), NEIGHBOUR) == f"neighbour {FLOAT}"
    assert called(_inside(two), NEIGHBOUR) == "neighbour 198.51.100.1", "others leave by the address of the host"
    assert called(_inside(two), FLOAT).startswith("m-a"), "a machine of the same network reaches it, too"
    assert called(_inside(one), FLOAT) == "m-a 10.1.0.1", "and so does the machine itself, by way of the router"

    # Held open over the move: the connection must not go on with the machine that has the address no more.
    command = ["ip", "netns", "exec", neighbour.name, "ping", "-i", "0.2", "-c", "1000", FLOAT]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as pinging:
        host.order(_interface(host, first))
        assert not neighbour.reaches(FLOAT)
        assert called(_inside(one), NEIGHBOUR) == "neighbour 198.51.100.1"
        host.order(_interface(host, second, FLOAT))
        pinging.kill()
    assert called(neighbour.name, FLOAT) == f"m-b {NEIGHBOUR}"
    assert called(_inside(two), NEIGHBOUR) == f"neighbour {FLOAT}"
    assert not host.differs(net)

    assert not host.driver.remove([ObjectId("if-b")])
    assert not neighbour.reaches(FLOAT)
    assert not host.differs(net)


def test_behaviour_49_a_floating_address_needs_no_nat(host: Host, neighbour: Neighbour) -> None:
    _, one, two = host.stands()
    neighbour.serve(neighbour.name, NEIGHBOUR, "neighbour")
    net = host.network(Nat=False)
    host.order(net)
    host.order(_interface(host, host.wire("a", 10), FLOAT))
    assert neighbour.reaches(FLOAT)
    assert called(_inside(one), NEIGHBOUR) == f"neighbour {FLOAT}"
    assert called(_inside(two), NEIGHBOUR) == ""
    assert not host.differs(net)


def test_behaviour_49_networks_of_one_host_reach_the_floating_addresses_of_others(
    host: Host, neighbour: Neighbour
) -> None:
    _, one, two = host.stands(is_apart=True)
    neighbour.serve(_inside(one), "10.1.0.10", "one")
    host.order(_interface(host, host.wire("a", 10), FLOAT), _interface(host, host.wire("b", 11, 1), OTHER))
    assert called(_inside(two), FLOAT) == f"one {OTHER}"
    assert neighbour.reaches(OTHER)


ATTACKS = {
    "the host's route to it is deleted": "ip route delete {address}",
    "the host answers for it no more": "ip neighbour delete proxy {address} dev {link}",
    "its translation is deleted": "ip netns exec {net} nft flush chain inet tenuto arrive",
    "its translation on the way out is deleted": "ip netns exec {net} nft flush chain inet tenuto leave",
    "the way out loses its address": "ip address flush dev tu-{vni}",
    "the way out is deleted": "ip link delete tu-{vni}",
    "its network is deleted": "ip netns delete {net}",
    "the host has another route by its way out": "ip route add 198.51.100.99 dev tu-{vni}",
}


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_behaviour_51_an_attacked_floating_address_is_seen_and_set_right(
    host: Host, neighbour: Neighbour, attack: str
) -> None:
    net, one, two = host.stands()
    host.order(_interface(host, host.wire("a", 10), FLOAT))
    assert neighbour.reaches(FLOAT)
    vni = host.vni(0)
    shell(attack.format(address=FLOAT, link=f"tf{os.getpid()}", net=netns_of(vni), vni=vni))
    seen = host.seen(net)
    assert seen is not None
    assert seen.properties["Deviations"]
    host.order_until_kept(net, one, two)
    assert not host.differs(net), host.seen(net)
    assert neighbour.reaches(FLOAT)


def test_a_routed_address_reaches_its_machine_as_it_is(host: Host, neighbour: Neighbour) -> None:
    net, one, two = host.stands()
    neighbour.serve(neighbour.name, NEIGHBOUR, "neighbour")
    shell(f"ip -n {_inside(one)} address add {OTHER}/32 dev lo")
    neighbour.serve(_inside(one), OTHER, "routed")
    assert called(neighbour.name, OTHER) == ""
    host.order(_interface(host, host.wire("a", 10), routed=(OTHER,)))
    assert not host.differs(net)
    assert called(neighbour.name, OTHER) == f"routed {NEIGHBOUR}"
    assert called(_inside(two), OTHER) == "routed 10.1.0.1"
    # Nobody else may have it.
    shell(f"ip -n {_inside(two)} address add {OTHER}/32 dev lo")
    taken = ["ip", "netns", "exec", _inside(two), "ping", "-c1", "-w2", "-I", OTHER, NEIGHBOUR]
    assert subprocess.run(taken, capture_output=True, check=False).returncode != 0
    host.order(_interface(host, host.wire("a", 10)))
    assert called(neighbour.name, OTHER) == ""
    assert not host.differs(net)


def test_no_packet_leaves_a_network_under_an_address_of_its_own(host: Host, neighbour: Neighbour) -> None:
    """A user chooses the block of a network, so these addresses may be those of anybody outside."""
    net, one, two = host.stands()
    host.order(_interface(host, host.wire("b", 11), FLOAT))
    command = ["ip", "netns", "exec", neighbour.name, sys.executable, "-c", HEAR]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as heard:
        assert heard.stdout is not None
        assert heard.stdout.readline() == "listens\n"
        for spec, address in ((one, "10.1.0.10"), (two, "10.1.0.11")):
            forge = ["ip", "netns", "exec", _inside(spec), sys.executable, "-c", FORGE, address, NEIGHBOUR]
            subprocess.run(forge, check=True)
        assert {*heard.communicate()[0].split()} - {NEIGHBOUR} == {"198.51.100.1", FLOAT}
    assert not host.differs(net)


def test_a_host_of_the_zone_reaches_what_machines_serve_and_is_not_reached(host: Host, neighbour: Neighbour) -> None:
    net, one, two = host.stands()
    neighbour.serve(neighbour.name, NEIGHBOUR, "neighbour")
    shell(f"ip -n {_inside(one)} address add {OTHER}/32 dev lo")
    for spec, address in ((one, "10.1.0.10"), (one, OTHER)):
        neighbour.serve(_inside(spec), address, "one")
    host.order(_interface(host, host.wire("a", 10), FLOAT, (OTHER,)))
    assert called(_inside(two), NEIGHBOUR).startswith("neighbour")
    host.driver.meet({"h1": "127.0.0.1", "h2": NEIGHBOUR})
    host.order_until_kept(net, one, two)
    assert not host.differs(net)
    for address in (FLOAT, OTHER):
        assert called(neighbour.name, address) == f"one {NEIGHBOUR}"
    assert neighbour.reaches(FLOAT)
    assert called(_inside(one), NEIGHBOUR) == called(_inside(two), NEIGHBOUR) == ""
    assert not host.pings(two, NEIGHBOUR)
    assert called(_inside(two), FLOAT).startswith("one")


def test_a_host_without_a_lease_lets_go_of_its_addresses(host: Host, neighbour: Neighbour) -> None:
    """The address may be on another host from then on, so the guard takes it away, also without an executor."""
    net, *_ = host.stands()
    spec = _interface(host, host.wire("a", 10), FLOAT)
    host.order(spec)
    assert neighbour.reaches(FLOAT)
    host.driver.hold(seconds_since_boot() + 2)
    host.link.close()
    _until(lambda: FLOAT not in shell("ip -4 neighbour show proxy; ip -4 route show"))
    assert not neighbour.reaches(FLOAT)
    host.start()
    refused = host.driver.ensure([net])
    assert "did not hear from the Conductor" in refused[net.object_id].message
    host.driver.hold(seconds_since_boot() + 3600)
    host.order(net, spec)
    assert not host.differs(net)
    assert neighbour.reaches(FLOAT)


def test_a_neighbour_learns_at_once_where_an_address_is(host: Host, neighbour: Neighbour) -> None:
    _, *_ = host.stands()
    shell(f"ip -n {neighbour.name} neighbour replace {FLOAT} lladdr 02:00:00:00:00:99 dev eth0 nud stale")
    host.order(_interface(host, host.wire("a", 10), FLOAT))
    mac = Path(f"/sys/class/net/tf{os.getpid()}/address").read_text().strip()
    _until(lambda: neighbour.knows(FLOAT) == mac)


def _until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end, "still not"
        time.sleep(0.1)
