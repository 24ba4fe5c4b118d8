"""Two hosts of driver `ns` with a Conductor: network and mount namespaces of this machine, with an underlay between.

Machines of one network meet across the hosts, and stand whatever ends: an agent, an executor, the Conductor, the cable.
"""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from agents import HostsLive, RealAgent
from passable import passable, plain_user

from tenuto.cli.terminal.exits import Exit
from tenuto.model.ids import JsonMap
from tenuto.providers.local.executor.kernel.processes import start_of

UNDERLAY = "10.99.0"
TEMPLATE = """
Resources:
  Net: {Type: "Tenuto::Compute::Network", Properties: {CidrBlock: 10.1.0.0/24}}
  NicA: {Type: "Tenuto::Compute::NetworkInterface", Properties: {Network: !Ref Net, Address: 10.1.0.10}}
  NicB: {Type: "Tenuto::Compute::NetworkInterface", Properties: {Network: !Ref Net, Address: 10.1.0.11}}
  A:
    Type: Tenuto::Compute::Instance
    Properties: {Vcpus: 1, MemoryMiB: 128, Host: h1, Interfaces: [!Ref NicA]}
  B:
    Type: Tenuto::Compute::Instance
    Properties: {Vcpus: 1, MemoryMiB: 128, Host: h2, Interfaces: [!Ref NicB]}
"""
ROUTER = "10.1.0.1"
ADDRESSES = {"A": "10.1.0.10", "B": "10.1.0.11"}

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def do(*words: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=30)
    assert done.returncode == 0, f"{' '.join(words)}: {done.stderr}"


class Hosts:
    """Two hosts, and the Conductor on the underlay between them."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        self.bridge = f"tu{os.getpid()}"
        self.live = HostsLive(folder, f"{UNDERLAY}.1", **settings)
        self._ends = ExitStack()
        try:
            self._begin()
        except BaseException:
            self._ends.close()
            raise

    def _begin(self) -> None:
        """Make it all, and note with each thing how it ends."""
        do("ip", "link", "add", self.bridge, "type", "bridge")
        self._ends.callback(do, "ip", "link", "delete", self.bridge)
        do("ip", "address", "add", f"{UNDERLAY}.1/24", "dev", self.bridge)
        do("ip", "link", "set", self.bridge, "up")
        # A mount namespace can be kept in a private place only.
        do("mount", "--bind", "--make-private", str(self.folder), str(self.folder))
        # The guard of an executor looks twice a second whether it is still needed, and holds the log of its agent.
        self._ends.callback(self.live.until, self._is_unmounted, "nothing holds the folder of the hosts")
        for number, name in enumerate(("h1", "h2")):
            self._make(name, f"{UNDERLAY}.{11 + number}")
        self.live.start()
        self._ends.callback(self.live.end)
        for name in ("h1", "h2"):
            self.live.join(name, driver="ns", options=("--user", plain_user()), within=self._within(name))

    def agent(self, name: str) -> RealAgent:
        return self.live.agents[name]

    def pid(self, logical_id: str) -> int:
        """The first process of a machine."""
        machine = self.live.id("two", logical_id)
        host = "h1" if logical_id == "A" else "h2"
        return int((self.folder / f"{host}.machines/machines" / str(machine) / "pid").read_text())

    def meet(self) -> bool:
        """Whether each machine hears the other."""
        return all(self.pings(one, ADDRESSES[other]) for one, other in (("A", "B"), ("B", "A")))

    def node(self, name: str) -> JsonMap:
        """A host, as people see it."""
        found: JsonMap = self.live.asked("node", "show", name, "--json").document
        return found

    def inside(self, name: str, *words: str) -> str:
        """Run a program on a host, as root there does."""
        done = subprocess.run((*self._within(name), *words), capture_output=True, text=True, check=False, timeout=30)
        assert done.returncode == 0, f"{words}: {done.stderr}"
        return done.stdout

    def network(self, name: str) -> str:
        """The namespace of the network on a host; empty while it has none."""
        found = self.inside(name, "ip", "netns", "list").split()
        return next((one for one in found if one.startswith("tn-")), "")

    def router(self, name: str) -> str:
        """The MAC address of the router on a host; empty where it is not there."""
        netns = self.network(name)
        links = json.loads(self.inside(name, "ip", "-j", "-n", netns, "address", "show")) if netns else []
        found = (one for one in links if ROUTER in [its.get("local") for its in one.get("addr_info", ())])
        return next((str(one["address"]) for one in found), "")

    def wired(self, pid: int) -> list[str]:
        """The links of a machine, besides its own loop."""
        shown = subprocess.run(
            ("nsenter", "-t", str(pid), "--net", "ip", "-j", "link"), capture_output=True, text=True, check=True
        ).stdout
        return [one["ifname"] for one in json.loads(shown) if one["ifname"] != "lo"]

    def plug(self, name: str, state: str) -> None:
        do("ip", "link", "set", f"{self.bridge}{name}", state)

    def executor(self, name: str) -> int:
        """The process of a host's executor."""
        agent = self.agent(name).process
        assert agent is not None
        (found,) = Path(f"/proc/{agent.pid}/task/{agent.pid}/children").read_text().split()
        return int(found)

    def end(self) -> None:
        with self._ends:
            self.live.tenuto("kill", "two", "--wait=60")

    def _is_unmounted(self) -> bool:
        return subprocess.run(("umount", str(self.folder)), capture_output=True, check=False).returncode == 0

    def _make(self, name: str, address: str) -> None:
        netns, link = f"{self.bridge}{name}", f"{self.bridge}{name}"
        do("ip", "netns", "add", netns)
        self._ends.callback(do, "ip", "netns", "delete", netns)
        do("ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", netns)
        # With the namespace alone it goes later, and the hosts of the next test have the same names.
        self._ends.callback(do, "ip", "link", "delete", link)
        do("ip", "link", "set", link, "master", self.bridge, "up")
        do("ip", "-n", netns, "address", "add", f"{address}/24", "dev", "eth0")
        do("ip", "-n", netns, "link", "set", "eth0", "up")
        do("ip", "-n", netns, "link", "set", "lo", "up")
        mounts = self.folder / f"{name}.mounts"
        mounts.touch()
        do("unshare", f"--mount={mounts}", "mount", "-t", "tmpfs", "tmpfs", "/run/netns")
        self._ends.callback(do, "umount", str(mounts))

    def _within(self, name: str) -> tuple[str, ...]:
        return (
            "nsenter",
            f"--net=/run/netns/{self.bridge}{name}",
            f"--mount={self.folder / f'{name}.mounts'}",
        )

    def pings(self, logical_id: str, address: str) -> bool:
        inside = ("nsenter", "-t", str(self.pid(logical_id)), "--net")
        return (
            subprocess.run((*inside, "ping", "-c1", "-w5", address), capture_output=True, check=False).returncode == 0
        )


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[Hosts]:
    made = Hosts(passable(tmp_path))
    yield made
    made.end()


def test_machines_on_two_hosts_meet_and_outlive_whatever_ends(hosts: Hosts) -> None:
    """#16, #43, #44: the mesh between two hosts, and the ends of everything that is not a machine."""
    live = hosts.live
    file = hosts.folder / "two.yaml"
    file.write_text(TEMPLATE)
    live.tenuto("run", str(file), "-a", "two", "--wait", check=True)
    assert hosts.meet()
    pids = {name: hosts.pid(name) for name in ADDRESSES}

    hosts.agent("h1").kill_9()
    hosts.agent("h1").start()
    os.kill(hosts.executor("h2"), signal.SIGKILL)
    live.until(lambda: hosts.agent("h2").has_ended(), "an agent ends with its executor")
    hosts.agent("h2").start()
    live.kill_9()
    live.start()
    live.until(lambda: live.status("two")["converged"], "all is well after the ends")
    assert hosts.meet()

    hosts.plug("h2", "down")
    live.until(lambda: "does not answer" in live.asked("plan", "two").out, "the host is missed")
    hosts.plug("h2", "up")
    live.until(lambda: "does not answer" not in live.asked("plan", "two").out, "the host is back")
    live.until(lambda: live.status("two")["converged"], "all is well again")
    assert hosts.meet()
    assert {name: hosts.pid(name) for name in ADDRESSES} == pids

    os.kill(pids["B"], signal.SIGKILL)
    live.until(lambda: hosts.pid("B") != pids["B"] and hosts.meet(), "the machine that was killed serves again")
    live.tenuto("kill", "two", "--wait", check=True)
    for name in ("h1", "h2"):
        left = [one.name for one in (hosts.folder / f"{name}.machines").glob("*/*")]
        assert left == []


def test_a_router_that_was_moved_to_another_host_by_hand_comes_back(hosts: Hosts) -> None:
    """Its address and its MAC address are on the host of a machine, and not on that of the gateway."""
    live = hosts.live
    file = hosts.folder / "two.yaml"
    file.write_text(TEMPLATE)
    live.tenuto("run", str(file), "-a", "two", "--wait", check=True)
    at = next(name for name in ("h1", "h2") if hosts.router(name))
    to = {"h1": "h2", "h2": "h1"}[at]
    mac = hosts.router(at)
    live.tenuto("suspend", "two", check=True)
    hosts.inside(at, "ip", "-n", hosts.network(at), "address", "delete", f"{ROUTER}/24", "dev", "br0")
    hosts.inside(at, "ip", "-n", hosts.network(at), "link", "set", "br0", "address", "02:00:00:00:00:99")
    hosts.inside(to, "ip", "-n", hosts.network(to), "link", "set", "br0", "address", mac)
    hosts.inside(to, "ip", "-n", hosts.network(to), "address", "add", f"{ROUTER}/24", "dev", "br0")

    def told() -> bool:
        plan = live.asked("plan", "two").out
        return f"address {ROUTER}/24 of br0 is missing" in plan and f"address {ROUTER}/24 of br0 was added" in plan

    live.until(told, "the plan tells both hosts")
    live.tenuto("resume", "two", check=True)
    live.until(lambda: hosts.router(at) == mac and not hosts.router(to), "the router is where it was")
    live.until(lambda: hosts.meet() and all(hosts.pings(one, ROUTER) for one in ADDRESSES), "all of them meet")


def test_machines_meet_again_when_their_host_gets_another_address(hosts: Hosts) -> None:
    """The mesh sends from an address that is gone, so nothing leaves the host, and every link is as it should be."""
    live = hosts.live
    file = hosts.folder / "two.yaml"
    file.write_text(TEMPLATE)
    live.tenuto("run", str(file), "-a", "two", "--wait", check=True)
    pids = {name: hosts.pid(name) for name in ADDRESSES}
    hosts.inside("h1", "ip", "address", "flush", "dev", "eth0")
    hosts.inside("h1", "ip", "address", "add", f"{UNDERLAY}.31/24", "dev", "eth0")
    live.until(lambda: hosts.node("h1")["address"] == f"{UNDERLAY}.31", "the Conductor knows the new address")
    live.until(hosts.meet, "the machines meet again")
    live.until(lambda: live.status("two")["converged"], "all is well again")
    assert {name: hosts.pid(name) for name in ADDRESSES} == pids


def test_orders_that_are_damaged_on_a_host_come_again_and_cut_nothing_off(hosts: Hosts) -> None:
    """Without them a host would take the port of a machine, and the router, for links that somebody has added."""
    live = hosts.live
    file = hosts.folder / "two.yaml"
    file.write_text(TEMPLATE)
    live.tenuto("run", str(file), "-a", "two", "--wait", check=True)
    at = next(name for name in ("h1", "h2") if hosts.router(name))
    links = hosts.inside(at, "ip", "-n", hosts.network(at), "-o", "link", "show")
    pids = {name: hosts.pid(name) for name in ADDRESSES}
    live.tenuto("suspend", "two", check=True)
    hosts.agent(at).stop()
    kept = sorted((hosts.folder / at / "specs").glob("*/specs*"))
    for one in kept:
        one.write_text("damaged")
    hosts.agent(at).start()
    live.until(lambda: "has lost the orders for" in str(hosts.node(at)["troubles"]), "the host says what it waits for")
    assert hosts.meet(), "a process that holds nothing gives no order again"
    live.tenuto("resume", "two", check=True)
    live.until(lambda: all(one.read_text() != "damaged" for one in kept), "the orders are given again")
    live.until(lambda: live.status("two")["converged"], "all is well again")
    live.until(lambda: not hosts.node(at)["troubles"], "the host waits for nothing any more")
    assert hosts.inside(at, "ip", "-n", hosts.network(at), "-o", "link", "show") == links
    assert hosts.meet()
    assert {name: hosts.pid(name) for name in ADDRESSES} == pids


def back_up(hosts: Hosts) -> None:
    """Copy the state directories of both agents, as somebody does who stops them for it."""
    for name in ("h1", "h2"):
        hosts.agent(name).stop()
        do("cp", "-a", str(hosts.folder / name), str(hosts.folder / f"{name}.yesterday"))
        hosts.agent(name).start()


def kept_since(folder: Path, moment: float) -> list[Path]:
    """The orders that agents were given after a moment."""
    return [one for one in folder.glob("h?/specs/*/specs") if one.stat().st_mtime >= moment]


@pytest.mark.parametrize("is_empty", [True, False])
def test_agents_with_the_state_of_yesterday_make_nothing_a_second_time(hosts: Hosts, *, is_empty: bool) -> None:
    """A backup knows nothing of what came after it. The machines run on, and one that a host had no order for was made
    again beside it, with the same address."""
    live, folder = hosts.live, hosts.folder
    if is_empty:
        back_up(hosts)
    file = folder / "two.yaml"
    file.write_text(TEMPLATE)
    live.tenuto("run", str(file), "-a", "two", "--wait", check=True)
    if not is_empty:
        back_up(hosts)
        file.write_text(TEMPLATE.replace("MemoryMiB: 128", "MemoryMiB: 160"))
        live.tenuto("update", "two", str(file), "--wait", check=True)
    at = next(name for name in ("h1", "h2") if hosts.router(name))
    before = _standing(hosts)
    for name in ("h1", "h2"):
        hosts.agent(name).stop()
        do("rm", "-r", str(folder / name))
        do("mv", str(folder / f"{name}.yesterday"), str(folder / name))
    began = time.time()
    assert not kept_since(folder, began)
    assert is_empty == (not any((folder / name / "specs").is_dir() for name in ("h1", "h2")))
    for name in ("h1", "h2"):
        hosts.agent(name).start()
    live.until(lambda: len(kept_since(folder, began)) == 5, "the orders are given again")
    for name in ("h1", "h2"):
        live.until(lambda name=name: not hosts.node(name)["troubles"], "no order is lost any more")
    live.until(lambda: live.status("two")["converged"], "all is well again")
    assert hosts.router(at)
    assert _standing(hosts) == before
    assert hosts.meet()
    live.tenuto("kill", "two", "--wait=60", check=True)
    assert [hosts.network(name) for name in ("h1", "h2")] == ["", ""]


def _standing(hosts: Hosts) -> JsonMap:
    """The machines with their processes, and the links of the network on each host."""
    pids: JsonMap = {file.parent.name: file.read_text() for file in hosts.folder.glob("h?.machines/machines/*/pid")}
    links = {name: hosts.inside(name, "ip", "-n", hosts.network(name), "-o", "link", "show") for name in ("h1", "h2")}
    return pids | links


LOST = """
Resources:
  Net: {Type: "Tenuto::Compute::Network", Properties: {CidrBlock: 10.1.0.0/24}}
  Nic: {Type: "Tenuto::Compute::NetworkInterface", Properties: {Network: !Ref Net, Address: 10.1.0.10}}
  W:
    Type: Tenuto::Compute::Instance
    Properties: {Vcpus: 1, MemoryMiB: 128, Interfaces: [!Ref Nic], Replace: on-host-error}
"""


@pytest.fixture
def short(tmp_path: Path) -> Iterator[Hosts]:
    made = Hosts(passable(tmp_path), TENUTO_NODE_DEADLINE="1", TENUTO_PERIOD="2", TENUTO_KEEP="objects=1s")
    yield made
    made.end()


def serving(hosts: Hosts) -> list[str]:
    """The hosts on which a machine runs, by what the kernel says."""
    found = []
    for name in ("h1", "h2"):
        for file in (hosts.folder / f"{name}.machines/machines").glob("*/pid"):
            status = Path(f"/proc/{file.read_text().strip()}/status")
            if status.exists() and "\tZ" not in status.read_text():
                found.append(name)
    return found


def test_a_machine_of_a_host_that_is_cut_off_serves_elsewhere_and_never_twice(short: Hosts) -> None:
    """The host loses its cable, its agent stands still and its executor is dead: what is left must end the machine,
    also beside a folder of another hand, and when the machine has lost its note of the lease."""
    live = short.live
    file = short.folder / "lost.yaml"
    file.write_text(LOST)
    live.tenuto("run", str(file), "-a", "two", "--wait", check=True)
    (host,) = serving(short)
    agent = short.agent(host).process
    assert agent is not None
    executor = short.executor(host)
    machines = short.folder / f"{host}.machines/machines"
    foreign = machines / "lost+found"
    foreign.mkdir()
    live.until(lambda: str(foreign) in live.asked("node", "show", host).out, "the folder is told as a trouble")
    short.plug(host, "down")
    os.kill(agent.pid, signal.SIGSTOP)
    os.kill(executor, signal.SIGKILL)
    for note in machines.glob("*/leased"):
        note.unlink()
    counts: set[int] = set()

    def serves_elsewhere() -> bool:
        found = serving(short)
        counts.add(len(found))
        return bool(found) and host not in found

    live.until(serves_elsewhere, "the machine serves elsewhere", patience_s=120)
    assert counts <= {0, 1}
    short.plug(host, "up")
    os.kill(agent.pid, signal.SIGCONT)
    live.until(lambda: short.agent(host).has_ended(), "an agent ends with its executor")
    short.agent(host).start()

    def is_cleared() -> bool:
        counts.add(len(serving(short)))
        return not list(machines.glob("*/pid"))

    live.until(is_cleared, "the host that is back is cleared")
    foreign.rmdir()
    assert counts <= {0, 1}
    live.until(lambda: live.status("two")["converged"], "all is well")
    assert len(serving(short)) == 1


LEFT = """
Resources:
  Net: {Type: "Tenuto::Compute::Network", Properties: {CidrBlock: 10.1.0.0/24}}
  NicA: {Type: "Tenuto::Compute::NetworkInterface", Properties: {Network: !Ref Net, Address: 10.1.0.10}}
  NicB: {Type: "Tenuto::Compute::NetworkInterface", Properties: {Network: !Ref Net, Address: 10.1.0.11}}
  NicC: {Type: "Tenuto::Compute::NetworkInterface", Properties: {Network: !Ref Net, Address: 10.1.0.12}}
  A: {Type: "Tenuto::Compute::Instance", Properties: {Vcpus: 1, MemoryMiB: 128, Host: h1, Interfaces: [!Ref NicA]}}
  B: {Type: "Tenuto::Compute::Instance", Properties: {Vcpus: 1, MemoryMiB: 128, Host: h2, Interfaces: [!Ref NicB]}}
  C: {Type: "Tenuto::Compute::Instance", Properties: {Vcpus: 1, MemoryMiB: 128, Host: h2, Interfaces: [!Ref NicC]}}
"""


def test_a_machine_that_failed_with_its_host_is_on_no_network_until_a_person_decides(short: Hosts) -> None:
    """B and C run on and keep their homes, but their host, which is back, takes them off the mesh. An agent that is
    started anew leaves them off, what a person plugs by hand is put off again, and `resume` makes others in their
    place, which serve."""
    live = short.live
    file = short.folder / "left.yaml"
    file.write_text(LEFT)
    live.tenuto("run", str(file), "-a", "two", "--wait", check=True)
    assert short.meet()
    pid, old = short.pid("B"), str(live.id("two", "B"))

    short.plug("h2", "down")
    live.until(lambda: short.node("h2")["state"] == "error", "the host is lost", patience_s=60)
    lost = short.node("h2")
    assert lost["checked_in"] < lost["since"], "it was not heard at the moment at which it was declared lost"
    assert lost["silent_s"] > 9
    assert start_of(pid), "nobody makes it elsewhere"
    short.plug("h2", "up")
    live.until(lambda: short.node("h2")["state"] == "created", "the host is back")
    live.until(lambda: not short.wired(pid), "the machine is off its network")
    assert old in short.node("h2")["isolated"]
    assert start_of(pid), "its home may be saved"
    assert not short.meet()

    short.agent("h2").kill_9()
    short.agent("h2").start()
    live.until(lambda: short.node("h2")["silent_s"] < 1, "the agent is back")
    assert not short.wired(pid)

    live.until(lambda: live.status("two")["state"] == "Suspended", "a job has met the machines that failed")
    live.tenuto("resume", "two", check=True)
    live.until(lambda: live.status("two")["converged"], "all is well", patience_s=60)
    assert str(live.id("two", "B")) != old
    assert not start_of(pid)
    assert short.meet()
    live.until(lambda: not short.node("h2")["isolated"], "nothing is isolated any more")


def test_a_host_is_cleared_of_what_the_store_does_not_know_any_more(short: Hosts) -> None:
    """The process was killed while the host was lost, and the cleaner has removed every row of it."""
    live = short.live
    file = short.folder / "left.yaml"
    file.write_text(LEFT)
    live.tenuto("run", str(file), "-a", "two", "--wait", check=True)
    pid, old = short.pid("B"), str(live.id("two", "B"))
    short.plug("h2", "down")
    live.until(lambda: short.node("h2")["state"] == "error", "the host is lost", patience_s=60)
    live.tenuto("kill", "two", "--wait=60", check=True)
    live.until(lambda: live.asked("object", "show", old).code == Exit.NOT_FOUND, "the cleaner was there")
    assert start_of(pid)
    short.plug("h2", "up")
    live.until(lambda: not start_of(pid), "the machine is gone")
    live.until(lambda: not short.network("h2"), "so is the network")
    live.until(lambda: short.node("h2")["left_behind"] == short.node("h2")["strays"] == [], "its node says so")
