"""One host of driver `qemu`: virtual machines that really boot, and whose guests answer."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from passable import passable
from test_own_host import operation, shell
from virtual_host import Virtual, until

from tenuto.errors import TransientError
from tenuto.model.ids import JsonMap
from tenuto.model.observation import Condition
from tenuto.providers.local.driver import Seen, Spec
from tenuto.providers.local.drivers.qemu.host import obstacle
from tenuto.providers.local.executor.kernel.processes import start_of
from tenuto.providers.local.executor.kernel.spawning import as_user
from tenuto.providers.local.executor.requests import OpenChannel
from tenuto.providers.local.executor.virtual import arguments
from tenuto.providers.local.executor.virtual.disks import Base
from tenuto.providers.local.executor.virtual.machines import FIRST_UID
from tenuto.providers.local.rules.networks.spec import netns_of, port_name

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
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
    until(lambda: (seen := host.seen(larger)) is not None and "powered itself off" in seen.attributes["AgentState"])
    assert not host.differs(larger)
    pid = host.pid(machine)
    larger = changed(larger, Disks=[{"Base": "tiny", "SizeGiB": 3}], Vcpus=2, Tags={"a": "b"})
    host.order(larger)
    seen = host.seen(larger)
    assert seen is not None
    assert "powered itself off" in seen.attributes["AgentState"], "an order of other things starts no machine"
    assert (host.differs(larger), host.pid(machine)) == ({}, pid)
    always = changed(larger, Restart="always")
    host.order(always)
    host.answers(always)
    assert not host.differs(always)
    assert host.says(machine, "nproc").strip() == "2"

    # A killed machine that is never to be started again stays off, until its ordered power is another one.
    never = changed(larger, Restart="never")
    host.order(never)
    pid = host.pid(machine)
    os.kill(pid, signal.SIGKILL)
    host.order(changed(never, Tags={}), never)
    assert (host.differs(never), host.pid(machine)) == ({}, pid)
    host.order(changed(never, PowerState="off"))
    host.order(never)
    assert host.pid(machine) != pid
    host.order(always)

    # It is turned off, with its guest's consent, and told so.
    host.answers(always)
    off = changed(larger, PowerState="off")
    host.order(off)
    assert not host.differs(off)
    groups = Path("/sys/fs/cgroup").rglob(f"{host.group}/{machine.object_id}/cgroup.procs")
    assert [group.read_text() for group in groups if group.read_text()] == []


def test_behaviour_37_and_40_commands_change_the_power_and_the_console_is_read_in_parts(host: Virtual) -> None:
    one = host.wire("a", 10)
    net, machine = host.network(), host.machine("va", one, **TINY)
    host.order(net, host.interface(one), machine)
    host.answers(machine)
    numbers = iter(range(1, 100))

    def told(command: JsonMap, error: str = "") -> JsonMap:
        order = operation(machine, command, name=f"o-{next(numbers)}")
        found: list[Seen] = []

        def has_ended() -> bool:
            assert not host.driver.ensure([order])
            found.extend(one for one in host.driver.observe() if one.object_id == order.object_id)
            return found[-1].condition is not Condition.PENDING

        until(has_ended, 180)
        host.driver.remove([order.object_id])
        if error:
            assert (found[-1].condition, found[-1].message) == (Condition.BROKEN, error)
            return {}
        assert found[-1].condition is Condition.READY, found[-1].message
        [result] = found[-1].attributes["Results"]
        return dict(result)

    def is_shown(power: str) -> bool:
        seen = host.seen(machine)
        return seen is not None and seen.properties["PowerState"] == power

    whole = told({"Console": "read"})
    assert (whole["From"], whole["Next"] > 10) == (0, True)
    assert told({"Console": "read", "From": 5, "Bytes": 5})["Out"] == whole["Out"].encode()[5:10].decode()
    emptied = told({"Console": "clear"})
    assert (emptied["Out"], emptied["Next"] >= whole["Next"]) == ("", True)
    assert told({"Console": "read", "From": 0})["From"] >= emptied["Next"]

    pid = host.pid(machine)
    assert told({"Power": "pause"}) == {"PowerState": "paused", "Declared": "on"}
    assert is_shown("paused")
    assert told({"Power": "unpause"}) == {"PowerState": "on", "Declared": "on"}
    assert (is_shown("on"), host.pid(machine)) == (True, pid)
    assert told({"Power": "off"}) == {"PowerState": "off", "Declared": "on"}
    assert is_shown("off"), "turned off by a command, it is not as it is ordered"
    assert told({"Power": "on"}) == {"PowerState": "on", "Declared": "on"}
    assert host.pid(machine) != pid
    host.answers(machine)
    assert not host.differs(machine)

    # A program turns the machine off, and is told so before its deadline. The command of a user starts the machine.
    told({"Exec": ["sh", "-c", "poweroff; sleep 600"]}, error="its machine is off (the guest powered itself off)")
    assert not host.differs(machine), "it stays off, as its guest wants"
    shown = host.seen(machine)
    assert shown is not None
    assert f"'tenuto instance power {machine.object_id} on' starts it" in shown.message
    told({"Exec": ["true"]}, error="its machine is off (the guest powered itself off)")
    told({"Power": "on"})
    host.answers(machine)


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
    host.order_until_kept(net, machine, patience_s=180)
    assert not host.differs(machine)
    assert host.pid(machine) == pid
    until(lambda: "10.1.0.10/24" in host.says(machine, "ip -4 address"), 180)

    # Its QEMU does not answer for a while, as on a host with too much to do: the guest is not ended for that.
    # QEMU accepts no call to the guest meanwhile, and the executor goes on without it.
    os.kill(pid, signal.SIGSTOP)
    for _ in range(4):
        with suppress(TransientError):
            host.link.open(OpenChannel(object_id=machine.object_id, channel="agent")).close()
    problem = host.driver.ensure([machine])[machine.object_id]
    assert not problem.is_final
    assert "runs and does not answer" in problem.message
    os.kill(pid, signal.SIGCONT)
    host.order_until_kept(machine, patience_s=180)
    assert host.pid(machine) == pid

    # Its QEMU is taken out of its control groups: it is told, and put back while the guest runs.
    groups = sorted(Path("/sys/fs/cgroup").rglob(f"{host.group}/{machine.object_id}/cgroup.procs"))
    for group in groups:
        assert str(pid) in group.read_text().split()
        root = next(one for one in reversed(group.parents) if (one / "cgroup.procs").exists())
        (root / "cgroup.procs").write_text(str(pid))
    assert "outside of its control groups" in str(host.seen(machine))
    host.order_until_kept(machine, patience_s=180)
    assert host.pid(machine) == pid
    assert all(str(pid) in group.read_text().split() for group in groups)

    # The note that it stays when the lease of its host ends is removed: it is told, and written anew.
    note = host.folder / "executor/virtual" / machine.object_id / "leased"
    note.unlink()
    assert "its file 'leased'" in str(host.seen(machine))
    host.order_until_kept(machine, patience_s=180)
    assert (note.exists(), host.pid(machine)) == (True, pid)

    # Its base image is changed while it reads that: it starts again, with the image as it was.
    [base] = (host.folder / "executor/bases").glob("*/content")
    before = base.read_bytes()
    base.chmod(0o644)
    with base.open("r+b") as opened:
        opened.seek(-64, os.SEEK_END)
        opened.write(b"changed!" * 8)
    assert "has a base image that was changed" in str(host.seen(machine))
    host.order_until_kept(machine, patience_s=180)
    assert base.read_bytes() == before
    assert host.pid(machine) != pid
    host.answers(machine)
    assert not host.differs(machine)
    pid = host.pid(machine)

    # A damage of its disk is told, and it is not started from it.
    os.kill(pid, signal.SIGKILL)
    disk = host.document(machine) / "disks/disk0"
    with disk.open("r+b") as opened:
        opened.write(b"garbage!")
    seen = host.seen(machine)
    assert seen is not None
    assert "disk 0 has a damaged header" in str(seen.properties["Deviations"])
    problem = host.driver.ensure([machine])[machine.object_id]
    assert not problem.is_final, "a failure would remove what is left of the disk"
    assert "has a damaged header" in problem.message


def test_a_machine_whose_folder_is_deleted_is_told_and_made_no_second_time(host: Virtual) -> None:
    machine = host.machine("vh", **TINY)
    host.order(machine)
    host.answers(machine)
    pid = host.pid(machine)
    shutil.rmtree(host.document(machine))
    seen = host.seen(machine)
    assert seen is not None, "one that is not shown is made anew"
    told = str(seen.properties["Deviations"])
    assert "its folder was deleted while it ran, with its disks" in told
    assert "disk 0 was deleted while it was in use" in told
    problem = host.driver.ensure([machine])[machine.object_id]
    assert (problem.is_final, "the data on it may be lost" in problem.message) == (False, True)
    assert start_of(pid)
    assert host.driver.remove([machine.object_id]) == {}
    until(lambda: not start_of(pid))
    assert host.seen(machine) is None


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
    # A disk keeps its base, whatever is ordered.
    refused = host.driver.ensure([changed(first, Disks=[{"Base": "other"}])])
    assert "has the base tiny and keeps it" in refused[first.object_id].message
    assert not refused[first.object_id].is_final, "a failure would remove the machine with its disk"
    seen = host.seen(first)
    assert seen is not None
    assert seen.properties["Disks"] == [{"Base": "tiny"}]
    assert "1 to 16 disks" in host.driver.ensure([changed(first, Disks=[])])[first.object_id].message
    host.order(first)
    host.driver.remove([third.object_id])
    assert [*(host.folder / "executor/bases").iterdir()] == bases


def test_what_cannot_be_is_refused_with_its_reason(host: Virtual) -> None:
    def refusal(name: str = "va", **properties: object) -> str:
        machine = host.machine(name, **properties)
        problem = host.driver.ensure([machine])[machine.object_id]
        assert problem.is_final
        return problem.message

    assert "starts from its first disk" in refusal(Disks=[{"SizeGiB": 1}])
    assert "has 1 to 16 disks" in refusal()
    assert "there is no image none" in refusal(Disks=[{"Base": "none"}])
    assert "no name of a base image" in refusal(Disks=[{"Base": "../../etc/passwd"}])
    assert "have no disks" in refusal("vb", Driver="ns", Disks=[{"Base": "tiny"}])


TRIES = {
    "it writes the system": "touch /usr/bin/mine",
    "it reads secrets of the host": "cat /etc/shadow",
    "it sees homes of the host": "ls /root",
    "it sees other machines": "ls {folder}",
    "it changes its base image": "echo x > /bases/base",
    "it reads a drive of another machine": "cat {folder}/executor/virtual/other/drive",
    "it mounts": "mount -t tmpfs none /mnt",
    "it makes a device": "mknod /tmp/sda b 8 0",
    "it opens the kernel's memory": "cat /dev/mem",
    "it makes links": "ip link add d0 type bridge",
    "it has a network": "grep -v lo: /proc/net/dev | grep :",
    "it enters the host's namespaces": "nsenter --target 1 --net --mount true",
    "it makes a namespace in which it has all rights": "unshare --user true",
    "it becomes root by a program": "su -c true",
    "it sees processes of the host": "test $(ls /proc | grep -c '^[0-9]') -gt 8",
    "it takes more of the processor": "echo -1 > /sys/fs/cgroup/cpu/cpu.cfs_quota_us",
    "it changes the kernel": "echo 1 > /proc/sys/kernel/sysrq",
    "it reaches its own monitor": "ls /sockets {folder}/executor/virtual/m-va/sockets",
}


def test_a_program_in_the_place_of_qemu_gets_out_nowhere(host: Virtual) -> None:
    """Section 15 of the design: a guest that has taken over its QEMU may do what is tried here, and no more.

    The filter of system calls comes on top of that, and is not there in this test, so a shell can be started at all.
    """
    machine = host.machine("va", Disks=[{"Base": "tiny"}], PowerState="off")
    host.order(machine)
    folder = host.document(machine)
    [base] = [*(host.folder / "executor/bases").iterdir()]
    found = Base(digest="base", file=base / "content", format="qcow2", size_bytes=0)
    status = folder / "tried"
    allowed = []
    with status.open("wb") as told:
        sandbox = [*as_user(FIRST_UID), *arguments.sandbox(folder / "disks", None, [found], told.fileno())]
        for name, attempt in {**TRIES, "it writes its own disk": "echo x >> /disks/disk0"}.items():
            script = attempt.format(folder=host.folder)
            done = subprocess.run(
                [*sandbox, "/bin/sh", "-c", script], pass_fds=[told.fileno()], capture_output=True, check=False
            )
            allowed += [name] if done.returncode == 0 else []
    assert allowed == ["it writes its own disk"]


def test_an_agent_that_was_taken_over_reaches_no_file_by_the_executor(host: Virtual) -> None:
    """What the types of a request let pass is tried against the files: links in the place of images and disks."""
    (host.folder / "images/link.qcow2").symlink_to("/etc/shadow")
    problem = host.driver.ensure([host.machine("va", Disks=[{"Base": "link"}])])["m-va"]
    assert problem.is_final
    machine = host.machine("vb", Disks=[{"Base": "tiny"}], PowerState="off")
    host.order(machine)
    disk = host.document(machine) / "disks/disk0"
    # A QEMU that was taken over owns this folder.
    disk.unlink()
    disk.symlink_to("/etc/shadow")
    problem = host.driver.ensure([changed(machine, PowerState="on")])[machine.object_id]
    assert "cannot be read: Too many levels of symbolic links" in problem.message
    assert "root:" in Path("/etc/shadow").read_text()
    with pytest.raises(TransientError):
        host.link.open(OpenChannel(object_id=machine.object_id, channel="agent"))
