"""Rendered networks on a real kernel: machines of one network meet, those of equal blocks do not, and nobody lies."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tenuto.model.ids import ObjectId
from tenuto.providers.local.rules.networks.addresses import mac_of
from tenuto.providers.local.rules.networks.rendering import render_network
from tenuto.providers.local.rules.networks.spec import (
    BRIDGE,
    Network,
    NetworkSpec,
    Port,
    port_name,
)

CIDR = "10.1.0.0/24"
HOSTS = {"h1": "10.0.0.11"}


def _run(*command: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, input=given, capture_output=True, text=True, check=False, timeout=30)


def _do(*command: str, given: str = "") -> str:
    done = _run(*command, given=given)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stderr}\n{given}"
    return done.stdout


@dataclass
class Bench:
    """Networks made by hand from their specs, and removed at the end by the names that were made here."""

    made: list[str]

    def namespace(self, name: str) -> str:
        _do("ip", "netns", "add", name)
        self.made.append(name)
        _do("ip", "-n", name, "link", "set", "lo", "up")
        return name

    def network(self, number: int, ports: list[Port]) -> NetworkSpec:
        vni = 10_000_000 + os.getpid() % 100_000 * 10 + number
        network = Network(vni=vni, cidr=CIDR, gateway_host="h1", mtu=1450, has_nat=False)
        spec = render_network(network, ports, HOSTS, "h1")
        inside = self.namespace(spec.netns)
        mac = next(link.mac for link in spec.links if link.name == BRIDGE)
        _do("ip", "-n", inside, "link", "add", BRIDGE, "address", mac, "type", "bridge")
        for link, address in spec.addresses:
            _do("ip", "-n", inside, "address", "add", address, "dev", link)
        _do("ip", "-n", inside, "link", "set", BRIDGE, "up")
        for port in ports:
            self._machine(inside, port)
        _do("ip", "netns", "exec", inside, "nft", "-f", "-", given=spec.filters)
        return spec

    def _machine(self, inside: str, port: Port) -> None:
        machine, name = self.namespace(machine_of(port)), port_name(port.object_id)
        end = ("peer", "name", "eth0", "address", port.mac, "netns", machine)
        _do("ip", "-n", inside, "link", "add", name, "type", "veth", *end)
        _do("ip", "-n", inside, "link", "set", name, "master", BRIDGE, "up")
        _do("ip", "-n", machine, "address", "add", f"{port.address}/24", "dev", "eth0")
        _do("ip", "-n", machine, "link", "set", "eth0", "up")


def machine_of(port: Port) -> str:
    return f"tenuto-{os.getpid()}-{port.object_id}"


def _port(name: str, address: str) -> Port:
    return Port(object_id=ObjectId(name), mac=mac_of(name, 0), address=address, host="h1")


def _answers(port: Port, address: str, *more: str) -> bool:
    # Many short tries: the first frames may meet a bridge that does not forward yet.
    return not _run("ip", "netns", "exec", machine_of(port), "ping", "-c1", "-w5", *more, address).returncode


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench([])
    yield made
    for name in reversed(made.made):
        _run("ip", "netns", "delete", name)
    left = {line.split()[0] for line in _do("ip", "netns", "list").splitlines()}
    assert not left & set(made.made)


def test_machines_of_one_network_meet_and_reach_their_router(bench: Bench) -> None:
    one, two = _port("a", "10.1.0.10"), _port("b", "10.1.0.11")
    bench.network(0, [one, two])
    assert _answers(one, two.address)
    assert _answers(one, "10.1.0.1")


def test_machines_of_equal_blocks_never_meet(bench: Bench) -> None:
    """#43: two networks have one block; what is sent in one is not seen in the other."""
    one, other = _port("a", "10.1.0.10"), _port("c", "10.1.0.11")
    bench.network(0, [one])
    bench.network(1, [other])
    assert _answers(one, "10.1.0.1")
    assert not _answers(one, other.address)


def test_a_machine_that_takes_another_address_is_not_heard(bench: Bench) -> None:
    one, two = _port("a", "10.1.0.10"), _port("b", "10.1.0.11")
    bench.network(0, [one, two])
    _do("ip", "-n", machine_of(one), "address", "add", "10.1.0.99/24", "dev", "eth0")
    assert _answers(one, two.address, "-I", "10.1.0.10")
    assert not _answers(one, two.address, "-I", "10.1.0.99")


def test_rules_are_replaced_as_a_whole(bench: Bench) -> None:
    """#46: applied again, the rules are those of the spec: none twice, and a stranger's is gone."""
    spec = bench.network(0, [_port("a", "10.1.0.10")])
    listing = ("ip", "netns", "exec", spec.netns, "nft", "list", "ruleset")
    before = _do(*listing)
    _do("ip", "netns", "exec", spec.netns, "nft", "add", "rule", "inet", "tenuto", "input", "accept")
    assert _do(*listing) != before
    _do("ip", "netns", "exec", spec.netns, "nft", "-f", "-", given=spec.filters)
    assert _do(*listing) == before


def test_the_kernel_takes_the_rules_of_a_gateway_and_dnsmasq_its_options(bench: Bench) -> None:
    network = Network(
        vni=5000, cidr=CIDR, gateway_host="h1", mtu=1450, uplink="198.18.0.2/30", uplink_router="198.18.0.1"
    )
    spec = render_network(network, [_port("a", "10.1.0.10")], HOSTS, "h1")
    inside = bench.namespace(f"tenuto-{os.getpid()}-rules")
    _do("ip", "netns", "exec", inside, "nft", "-f", "-", given=spec.filters)
    _do("dnsmasq", "--test", *spec.server_options)


@pytest.mark.skipif(
    not shutil.which("busybox"), reason="the test asks with the DHCP client of busybox, which is absent"
)
def test_behaviour_45_dhcp_gives_a_known_machine_its_address_and_an_unknown_one_none(
    bench: Bench, tmp_path: Path
) -> None:
    known, unknown = _port("a", "10.1.0.10"), _port("b", "10.1.0.11")
    spec = bench.network(0, [known, unknown])
    first = spec.dhcp_hosts.splitlines()[0]
    assert first == f"{known.mac},{known.address}"
    hosts, told = tmp_path / "hosts", tmp_path / "told"
    hosts.write_text(f"{first}\n")
    told.write_text('#!/bin/sh\n[ "$1" != bound ] || echo "$ip $router $mask"\n')
    told.chmod(0o755)
    files = (f"--dhcp-hostsfile={hosts}", f"--dhcp-leasefile={tmp_path / 'leases'}", "--pid-file=")
    # It reads the file of hosts as this user, since another one may not enter the folder of a test.
    server = ("dnsmasq", "--keep-in-foreground", "--user=root", *spec.server_options, *files)
    with subprocess.Popen(("ip", "netns", "exec", spec.netns, *server)) as running:
        try:
            assert _asked(known, told).stdout.split() == [known.address, "10.1.0.1", "24"]
            refused = _asked(unknown, told)
        finally:
            running.terminate()
    assert (refused.returncode, refused.stdout) == (1, "")


def _asked(port: Port, told: Path) -> subprocess.CompletedProcess[str]:
    """A machine without an address asks for one; its client prints the address, the router and the mask."""
    machine = machine_of(port)
    _do("ip", "-n", machine, "address", "flush", "dev", "eth0")
    client = ("busybox", "udhcpc", "-f", "-q", "-n", "-t", "6", "-T", "1", "-i", "eth0", "-s", str(told))
    return _run("ip", "netns", "exec", machine, *client)
