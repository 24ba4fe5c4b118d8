"""One host of driver `qemu`: virtual machines that really boot, and whose guests answer."""

import os
import shutil
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from passable import passable
from test_own_host import shell
from virtual_host import Virtual, until

from tenuto.model.ids import JsonMap
from tenuto.providers.local.driver import Spec
from tenuto.providers.local.drivers.qemu.host import obstacle
from tenuto.providers.local.executor.virtual import FIRST_UID
from tenuto.providers.local.rules.network_spec import netns_of, port_name

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(300),
    pytest.mark.skipif(bool(obstacle()), reason=f"no host of driver qemu: {obstacle()}"),
]
TINY: JsonMap = {"Disks": [{"Base": "tiny"}], "ReadyWhen": "agent"}


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Virtual]:
    made = Virtual(passable(tmp_path))
    yield made
    made.end()
    left = shell("ip netns list; find /sys/fs/cgroup -maxdepth 4 -name 'm-v?'")
    assert not [vni for vni in range(made.vni(0), made.vni(10)) if str(vni) in left], left
    assert not [*(tmp_path / "executor").glob("*/*")]


def changed(spec: Spec, **properties: object) -> Spec:
    return replace(spec, properties={**spec.properties, **properties})


def test_the_life_of_a_virtual_machine(host: Virtual) -> None:
    """One guest for many claims, since a boot takes seconds; each step begins where the one before it ended."""
    one, two = host.wire("a", 10), host.wire("b", 11)
    net, shared = host.network(), host.machine("vb", two, Driver="ns")
    machine = host.machine("va", one, **TINY, UserData="echo $(hostname) >> /data/boots; sync")
    host.order(net, host.interface(one), host.interface(two))
    host.order(machine, shared)

    # It boots, and meets a machine of the driver ns on one network; it has its address by DHCP.
    seen = host.answers(machine)
    assert seen.attributes["Accelerator"] == "tcg"
    assert not any(host.differs(spec) for spec in (net, machine, shared))
    until(lambda: host.pings(shared, "10.1.0.10"))
    assert "0% packet loss" in host.says(machine, "ping -c 1 -W 5 10.1.0.11")
    assert "10.1.0.10/24" in host.says(machine, "ip -4 address show eth0")

    # QEMU is a user of its own, without rights, without a network, and with a filter of its system calls.
    status = Path(f"/proc/{host.pid(machine)}/status").read_text()
    assert f"Uid:\t{FIRST_UID}\t" in status
    assert "CapEff:\t0000000000000000" in status
    assert "Seccomp:\t2" in status
    links = shell(f"nsenter -t {host.pid(machine)} -n ip -o link")
    assert [line.split()[1] for line in links.splitlines()] == ["lo:"]

    # A second order changes nothing, and neither does a new agent with a new executor.
    pid = host.pid(machine)
    host.order(net, machine)
    assert host.pid(machine) == pid
    host.driver.guests.forget(machine.object_id)
    host.link.close()
    host.start()
    host.answers(machine)
    host.order(machine)
    assert host.pid(machine) == pid
    assert not host.differs(machine)

    # It is paused and goes on; the guest answers again.
    host.order(changed(machine, PowerState="paused"))
    assert not host.differs(changed(machine, PowerState="paused"))
    host.order(machine)
    host.answers(machine)

    # Its disk grows while it runs, and does not shrink.
    larger = changed(machine, Disks=[{"Base": "tiny", "SizeGiB": 2}])
    host.order(larger)
    assert not host.differs(larger)
    assert host.says(machine, "cat /sys/class/block/vda/size").strip() == str(2 * (1 << 30) // 512)
    refused = host.driver.ensure([changed(machine, Disks=[{"Base": "tiny", "SizeGiB": 1}])])
    host.order(larger)
    assert not refused or "shrink" in refused[machine.object_id].message

    # Killed behind its back, it is seen, and starts from its disk.
    os.kill(host.pid(machine), signal.SIGKILL)
    until(lambda: host.differs(larger))
    seen = host.seen(larger)
    assert seen is not None
    assert seen.properties["PowerState"] == "off (ended by signal 9)"
    host.order(larger)
    host.answers(larger)
    assert host.pid(machine) != pid
    until(lambda: host.says(machine, "cat /data/boots") == "va\nva\n")

    # A guest that powers itself off is respected, and one that is to run always is not.
    host.says(machine, "(sleep 1; poweroff) > /dev/null 2>&1 &")
    always = changed(larger, Restart="always")
    until(lambda: (seen := host.seen(larger)) is not None and "powered itself off" in seen.attributes["AgentState"])
    assert not host.differs(larger)
    host.driver.ensure([always])
    assert not host.differs(always)

    # It is turned off, with its guest's consent, and told so.
    host.answers(always)
    off = changed(larger, PowerState="off")
    host.order(off)
    assert not host.differs(off)
    groups = Path("/sys/fs/cgroup").rglob(f"{host.group}/{machine.object_id}/cgroup.procs")
    assert [group.read_text() for group in groups if group.read_text()] == []


def test_attacks_on_a_virtual_machine_are_seen_and_set_right(host: Virtual) -> None:
    one = host.wire("a", 10)
    net, machine = host.network(), host.machine("va", one, **TINY)
    host.order(net, host.interface(one), machine)
    host.answers(machine)
    inside = netns_of(host.vni(0))

    # Its tap is deleted: the card is plugged in anew while the guest runs.
    shell(f"ip -n {inside} link delete {port_name(one.interface)}")
    assert host.differs(machine)
    pid = host.pid(machine)
    until(lambda: not host.driver.ensure([net, machine]), 60)
    assert not host.differs(machine)
    assert host.pid(machine) == pid
    until(lambda: "10.1.0.10/24" in host.says(machine, "ip -4 address"), 60)

    # A damage of its disk is told, and it is not started from it.
    os.kill(pid, signal.SIGKILL)
    disk = host.document(machine) / "disks/disk0"
    with disk.open("r+b") as opened:
        opened.write(b"garbage!")
    seen = host.seen(machine)
    assert seen is not None
    assert "disk 0 its header is damaged" in str(seen.properties["Deviations"])
    problem = host.driver.ensure([machine])[machine.object_id]
    assert problem.is_final
    assert "header is damaged" in problem.message


def test_a_base_is_copied_once_and_goes_with_its_last_machine(host: Virtual) -> None:
    off = {"Disks": [{"Base": "tiny"}], "PowerState": "off"}
    first, second = host.machine("va", **off), host.machine("vb", **off)
    host.order(first, second)
    bases = [*(host.folder / "executor/bases").iterdir()]
    assert len(bases) == 1
    # Another image of the same name is for machines to come.
    shutil.copy("/bin/true", host.folder / "images/tiny.qcow2")
    third = host.machine("vc", **off)
    host.order(first, third)
    assert len([*(host.folder / "executor/bases").iterdir()]) == 2
    assert not host.differs(first)
    host.driver.remove([third.object_id])
    assert [*(host.folder / "executor/bases").iterdir()] == bases


def test_what_cannot_be_is_refused_with_its_reason(host: Virtual) -> None:
    def refusal(**properties: object) -> str:
        problem = host.driver.ensure([host.machine("va", **properties)])["m-va"]
        assert problem.is_final
        return problem.message

    assert "starts from its first disk" in refusal(Disks=[{"SizeGiB": 1}])
    assert "has 1 to 16 disks" in refusal()
    assert "there is no image none" in refusal(Disks=[{"Base": "none"}])
    assert "no name of a base image" in refusal(Disks=[{"Base": "../../etc/passwd"}])
    assert "have no disks" in refusal(Driver="ns", Disks=[{"Base": "tiny"}])
