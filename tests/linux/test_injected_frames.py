"""Frames that a machine wraps itself, on two real hosts: none comes out in the network of somebody else, and no machine
reaches the Conductor or another host.

A frame of the mesh is a UDP packet, and the way out lets UDP pass under the address of the host: without rules, the
other host takes it for a frame of its neighbour.
"""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from passable import passable
from test_hosts_on_linux import TEMPLATE, UNDERLAY, Hosts

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

OTHERS = """
  Own: {Type: "Tenuto::Compute::Network", Properties: {CidrBlock: 10.2.0.0/24}}
  NicC: {Type: "Tenuto::Compute::NetworkInterface", Properties: {Network: !Ref Own, Address: 10.2.0.10}}
  C:
    Type: Tenuto::Compute::Instance
    Properties: {Vcpus: 1, MemoryMiB: 128, Host: h2, Interfaces: [!Ref NicC]}
"""
HOSTS = (f"{UNDERLAY}.11", f"{UNDERLAY}.12")
WORD = "from elsewhere"
INJECT = """
import socket, sys
word, port, addresses, numbers = sys.argv[1], int(sys.argv[2]), sys.argv[3].split(","), sys.argv[4].split(",")
frame = b"\\xff" * 6 + bytes.fromhex("020000000066") + b"\\x88\\xb5" + word.encode().ljust(46, b".")
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sent:
    for address in addresses:
        for number in numbers:
            try:
                sent.sendto(b"\\x08\\0\\0\\0" + int(number).to_bytes(3, "big") + b"\\0" + frame, (address, port))
            except OSError as refused:
                print(refused)
"""
HEAR = """
import socket, sys, time
end = time.monotonic() + float(sys.argv[2])
with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x88b5)) as heard:
    print("listens", flush=True)
    while (left := end - time.monotonic()) > 0:
        heard.settimeout(left)
        try:
            if sys.argv[1].encode() in heard.recv(2000):
                print("heard", flush=True)
                break
        except TimeoutError:
            break
"""
CALL = "import socket, sys; socket.create_connection((sys.argv[1], int(sys.argv[2])), 3).close()"


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[Hosts]:
    made = Hosts(passable(tmp_path))
    file = made.folder / "two.yaml"
    file.write_text(TEMPLATE + OTHERS)
    made.live.tenuto("run", str(file), "-a", "two", "--wait", check=True)
    yield made
    made.end()


def _in_machine(hosts: Hosts, logical_id: str) -> tuple[str, ...]:
    return ("nsenter", "-t", str(hosts.pid(logical_id)), "--net")


def _on_host(hosts: Hosts, name: str) -> tuple[str, ...]:
    return ("nsenter", f"--net=/run/netns/{hosts.bridge}{name}")


def _arrives(hosts: Hosts, within: tuple[str, ...], port: int = 4789) -> set[str]:
    """The machines that hear a frame which a program in a namespace wraps for every network, and sends to each host."""
    netns = {one for name in ("h1", "h2") for one in hosts.inside(name, "ip", "netns", "list").split()}
    numbers = ",".join(sorted(one.removeprefix("tn-") for one in netns if one.startswith("tn-")))
    ears = {
        name: subprocess.Popen(
            (*_in_machine(hosts, name), sys.executable, "-c", HEAR, WORD, "3"), stdout=subprocess.PIPE, text=True
        )
        for name in ("A", "B")
    }
    for ear in ears.values():
        assert ear.stdout is not None
        assert ear.stdout.readline() == "listens\n"
    for _ in range(2):
        command = (*within, sys.executable, "-c", INJECT, WORD, str(port), ",".join(HOSTS), numbers)
        subprocess.run(command, check=True, timeout=30)
        time.sleep(0.2)
    return {name for name, ear in ears.items() if "heard" in ear.communicate()[0]}


def _calls(within: tuple[str, ...], address: str, port: int) -> bool:
    command = (*within, sys.executable, "-c", CALL, address, str(port))
    return subprocess.run(command, capture_output=True, check=False, timeout=30).returncode == 0


def test_no_machine_injects_a_frame_and_none_reaches_the_conductor(hosts: Hosts) -> None:
    assert hosts.meet()
    guest = _in_machine(hosts, "C")
    assert hosts.pings("C", "10.2.0.1")
    # A host is believed by the other: the frame is one that arrives.
    assert "B" in _arrives(hosts, _on_host(hosts, "h1"))
    assert "A" in _arrives(hosts, _on_host(hosts, "h2"))
    assert _arrives(hosts, guest) == set()
    # The Conductor is on the underlay, and is no host.
    assert _arrives(hosts, ()) == set()

    port = int(hosts.live.listen_nodes.rpartition(":")[2])
    assert _calls(_on_host(hosts, "h2"), f"{UNDERLAY}.1", port)
    assert not _calls(guest, f"{UNDERLAY}.1", port)
    for name, address in zip(("h1", "h2"), HOSTS, strict=True):
        server = (*_on_host(hosts, name), sys.executable, "-m", "http.server", "4001", "--bind", address)
        with subprocess.Popen(server, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
            try:
                hosts.live.until(lambda at=address: _calls((), at, 4001), "the server listens")
                assert not _calls(guest, address, 4001)
            finally:
                running.kill()
    assert hosts.meet()


def test_a_host_keeps_its_machines_from_the_mesh_where_the_router_does_not(hosts: Hosts) -> None:
    """Each host holds by itself: the rules of a router are replaced by such as let everything out."""
    guest, open_ = _in_machine(hosts, "C"), "nft insert rule inet tenuto forward accept"
    for name in ("h1", "h2"):
        for netns in hosts.inside(name, "ip", "netns", "list").split():
            if netns.startswith("tn-") and "up0" in hosts.inside(name, "ip", "-n", netns, "-br", "link"):
                hosts.inside(name, "ip", "netns", "exec", netns, *open_.split())
    assert _arrives(hosts, guest) == set()
    assert hosts.meet()
