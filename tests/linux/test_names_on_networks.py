"""The names of a network, asked by machines of the driver `ns` on a real kernel."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from passable import passable
from test_own_host import CIDR, Host, shell

from tenuto.providers.local.driver import Spec
from tenuto.providers.local.executor.requests import EnsureNetwork, NetworkOrder
from tenuto.providers.local.rules.machines.spec import machine_netns
from tenuto.providers.local.rules.networks.spec import Port, netns_of

ROUTER = "10.1.0.1"
DOMAIN = "red.eu"

pytestmark = pytest.mark.skipif(
    not shutil.which("busybox"), reason="the test asks with the resolver of busybox, which is absent"
)


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    made = Host(passable(tmp_path))
    yield made
    made.end()


def named(net: Spec, *names: tuple[str, str]) -> Spec:
    """The network with these names."""
    attributes = {**net.attributes, "Domain": DOMAIN, "Names": [list(one) for one in names]}
    return replace(net, attributes=attributes, properties={**net.properties, "Dns": True})


def ask(machine: Spec, name: str) -> str:
    """The answer that a machine gets: the address, or what the resolver says instead."""
    command = ["busybox", "nslookup", "-type=a", name, ROUTER]
    inside = ["ip", "netns", "exec", machine_netns(machine.object_id)]
    done = subprocess.run([*inside, *command], capture_output=True, text=True, check=False, timeout=60)
    told = done.stdout + done.stderr
    found = [line.split()[1] for line in told.splitlines() if line.startswith("Address:") and ":53" not in line]
    return " ".join(found) or told


def client_in(machine: Spec, *options: str) -> list[str]:
    """The command by which a machine asks for its address."""
    client = ["busybox", "udhcpc", "-n", "-t", "6", "-T", "1", "-i", "eth0", *options]
    return ["ip", "netns", "exec", machine_netns(machine.object_id), *client]


def lease(machine: Spec, *options: str) -> None:
    """Let a machine get its address, and change nothing by it."""
    command = client_in(machine, "-f", "-q", "-s", "/bin/true", *options)
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr


def until(is_so: Callable[[], bool]) -> None:
    """Wait for a thing that takes seconds."""
    end = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_behaviour_53_machines_and_declared_names_resolve_and_others_are_refused(host: Host) -> None:
    net, one, two = host.stands()
    with_names = named(net, ("a", "10.1.0.10"), ("b", "10.1.0.11"), ("api.example.org", "192.0.2.1"))
    host.order(with_names)
    assert not host.differs(with_names)
    assert ask(one, f"b.{DOMAIN}") == "10.1.0.11"
    assert ask(two, f"a.{DOMAIN}") == "10.1.0.10"
    assert ask(two, "api.example.org") == "192.0.2.1"
    assert "NXDOMAIN" in ask(one, f"nobody.{DOMAIN}")
    fewer = named(net, ("a", "10.1.0.10"))
    assert not host.differs(with_names)
    host.order(fewer)
    assert "NXDOMAIN" in ask(one, f"b.{DOMAIN}")
    without_way_out = replace(fewer, properties={**fewer.properties, "Nat": False})
    host.order(without_way_out)
    assert "REFUSED" in ask(one, "www.example.com")
    assert not host.differs(without_way_out)


@pytest.mark.parametrize("option", ["-xhostname:{}", "-F{}"])
@pytest.mark.parametrize("name", ["wpad", "localhost", "b", f"b.{DOMAIN}", "www.example.com"])
def test_a_machine_gets_no_name_that_it_claims_when_it_asks_for_its_address(host: Host, option: str, name: str) -> None:
    """It may ask before the name of its address is declared, or a record may have taken the place of that."""
    net, one, two = host.stands()
    first = name.partition(".")[0]
    for declared in ((), (("a", "10.1.0.10"),)):
        host.order(named(net, *declared))
        lease(one, option.format(name))
        assert not [asked for asked in (name, first, f"{first}.{DOMAIN}") if ask(two, asked) == "10.1.0.10"]
    assert ask(two, f"a.{DOMAIN}") == "10.1.0.10"


def test_a_name_of_a_machine_that_has_a_lease_goes_when_it_is_declared_no_more(host: Host) -> None:
    net, one, two = host.stands()
    host.order(named(net, ("a", "10.1.0.10"), ("api", "10.1.0.10")))
    lease(one)
    assert ask(two, f"api.{DOMAIN}") == ask(two, f"a.{DOMAIN}") == "10.1.0.10"
    host.order(named(net))
    assert [name for name in ("a", "api") if "NXDOMAIN" not in ask(two, f"{name}.{DOMAIN}")] == []


def test_a_machine_with_the_identifier_of_another_one_does_not_end_its_lease(host: Host, tmp_path: Path) -> None:
    """Copies of one disk have one identifier, and a machine could tell that of another one."""
    net, one, two = host.stands()
    host.order(net)
    told, script = tmp_path / "told", tmp_path / "script"
    told.touch()
    script.write_text(f'#!/bin/sh\necho "$1" >> {told}\n')
    script.chmod(0o755)
    same = "-x0x3d:00112233"
    with subprocess.Popen(client_in(one, "-f", "-s", str(script), same)) as client:
        try:
            until(lambda: "bound" in told.read_text())
            lease(two, same)
            client.send_signal(signal.SIGUSR1)
            until(lambda: told.read_text().split()[-1] not in ("deconfig", "bound"))
        finally:
            client.terminate()
    assert told.read_text().split() == ["deconfig", "bound", "renew"]


@pytest.mark.parametrize("has_dhcp", [True, False])
def test_behaviour_44_a_network_without_dns_answers_no_question(host: Host, has_dhcp: bool) -> None:
    _, one, _ = host.stands()
    net = host.network(Dhcp=has_dhcp)
    vni = host.vni(0)
    listening = f"ip netns exec {netns_of(vni)} ss -lnptu"
    host.order(net)
    assert ":53 " not in shell(listening)
    assert "10.1.0" not in ask(one, f"a.{DOMAIN}").replace(ROUTER, "")
    host.order(named(net, ("a", "10.1.0.10")))
    assert ask(one, f"a.{DOMAIN}") == "10.1.0.10"
    assert (":67 " in shell(listening)) is has_dhcp
    host.order(net)
    assert ":53 " not in shell(listening)
    assert not host.differs(net)


@pytest.mark.parametrize("attack", ["kill -9 $(cat {state}/dhcp-pid)", "ip netns exec {net} nft flush ruleset"])
def test_a_server_of_names_that_was_attacked_is_seen_and_set_right(host: Host, attack: str) -> None:
    net, one, _ = host.stands()
    with_names = named(net, ("a", "10.1.0.10"))
    host.order(with_names)
    vni = host.vni(0)
    shell(attack.format(state=host.folder / f"executor/networks/{vni}", net=netns_of(vni)))
    assert host.differs(with_names)
    host.order(with_names)
    assert not host.differs(with_names)
    assert ask(one, f"a.{DOMAIN}") == "10.1.0.10"


def test_a_name_of_others_is_asked_for_at_the_resolvers_of_the_host(host: Host) -> None:
    _, one, two = host.stands()
    wires = [wire for spec in (one, two) for wire in spec.wiring]
    order = NetworkOrder(
        vni=host.vni(0),
        cidr=CIDR,
        gateway_host="h1",
        mtu=1450,
        has_dhcp=True,
        has_nat=True,
        host="h1",
        hosts={"h1": "127.0.0.1"},
        ports=tuple(Port(object_id=one.interface, mac=one.mac, address=one.address, host="h1") for one in wires),
        uplink=0,
        has_dns=True,
        domain=DOMAIN,
        names=(("a", "10.1.0.10"),),
        resolvers=("198.51.100.2",),
    )
    link, beside = f"tf{os.getpid()}", f"tenuto-{os.getpid()}-beside"
    shell(f"ip netns add {beside} && ip link add {link} type veth peer name eth0 netns {beside}")
    shell(f"ip address add 198.51.100.1/24 dev {link} && ip link set {link} up")
    shell(f"ip -n {beside} address add 198.51.100.2/24 dev eth0 && ip -n {beside} link set eth0 up")
    options = "--keep-in-foreground --conf-file=/dev/null --no-hosts --no-resolv --user=root --pid-file="
    command = f"ip netns exec {beside} dnsmasq {options} --address=/example.com/203.0.113.5".split()
    with subprocess.Popen(command) as resolver:
        try:
            answer = host.link.ask(EnsureNetwork(network=order))
            assert "done" in answer, answer
            assert ask(one, "www.example.com") == "203.0.113.5"
            assert ask(one, f"a.{DOMAIN}") == "10.1.0.10"
            # The names of the network are its own: its resolvers are never asked for them.
            assert "NXDOMAIN" in ask(one, f"nobody.{DOMAIN}")
        finally:
            resolver.terminate()
            shell(f"ip netns delete {beside}")
