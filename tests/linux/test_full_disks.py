"""A host whose disk is full: nothing half made stays, the reason is told, and it goes on once there is room."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from agents import HostsLive
from images import disk
from passable import passable
from test_own_host import Host
from virtual_host import Virtual, until

from tenuto.kit.record_file import read_record, write_record
from tenuto.model.ids import JsonMap
from tenuto.providers.local.drivers.qemu.host import obstacle
from tenuto.providers.local.images.folder import KEPT_FREE_BYTES
from tenuto.providers.local.leases import seconds_since_boot

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]
TINY: JsonMap = {"Disks": [{"Base": "tiny"}], "ReadyWhen": "agent"}
WEB = """
Resources:
  Web:
    Type: Tenuto::Compute::Instance
    Properties: {Vcpus: 1, MemoryMiB: 192, Disks: [{Base: base, SizeGiB: 1}]}
"""


class SmallDisk:
    """A file system of a few MiB, which a test fills."""

    def __init__(self, folder: Path, mib: int) -> None:
        self.folder = folder
        folder.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={mib}m,mode=0711", "tenuto-test", folder], check=True)

    def fill(self) -> None:
        with (self.folder / "filler").open("ab", buffering=0) as filler:
            for block in (1 << 20, 4096):
                with suppress(OSError):
                    while True:
                        filler.write(bytes(block))

    def make_room(self) -> None:
        (self.folder / "filler").unlink()

    def end(self) -> None:
        subprocess.run(["umount", "--lazy", self.folder], check=True)


@contextmanager
def small_disk(folder: Path, mib: int) -> Iterator[SmallDisk]:
    made = SmallDisk(folder, mib)
    try:
        yield made
    finally:
        made.end()


def files(folder: Path) -> list[Path]:
    return sorted(one.relative_to(folder) for one in folder.rglob("*") if one.is_file() and one.name != "filler")


def state_of_host(live: HostsLive) -> str:
    [node] = live.asked("--json", "node", "list").document["hosts"]
    return str(node["state"])


@pytest.mark.skipif(bool(obstacle()), reason=f"no host of driver qemu: {obstacle()}")
def test_a_virtual_machine_on_a_full_disk_is_made_once_there_is_room(tmp_path: Path) -> None:
    with small_disk(passable(tmp_path) / "executor", 64) as small:
        host = Virtual(tmp_path)
        try:
            machine = host.machine("va", **TINY)
            small.fill()
            before = files(small.folder)
            for _ in range(3):
                problem = host.driver.ensure([machine])[machine.object_id]
                assert (problem.is_full, problem.is_final) == (True, False), problem
                assert "No space left" in problem.message
            # Neither a half of the image nor of its disk stays.
            assert not [one for one in files(small.folder) if "draft" in one.name or "disk0" in one.name]
            assert {one for one in set(files(small.folder)) - set(before) if one.name == "content"} == set()

            small.make_room()
            host.order(machine)
            host.answers(machine)
            assert not host.differs(machine)
        finally:
            host.end()


def test_a_machine_of_namespaces_on_a_full_disk_is_made_once_there_is_room(tmp_path: Path) -> None:
    with small_disk(passable(tmp_path) / "executor", 16) as small:
        host = Host(tmp_path)
        try:
            one = host.wire("a", 10)
            net, machine = host.network(), host.machine("ma", one, Replace="on-host-error")
            small.fill()
            problems = host.driver.ensure([net, host.interface(one), machine])
            assert problems[machine.object_id].is_full, problems
            small.make_room()
            host.order(net, host.interface(one), machine)
            assert not host.differs(machine)
            host.driver.hold(seconds_since_boot() + 60)
            # A host that became full meanwhile answers, and changes nothing of what runs.
            small.fill()
            assert not host.differs(machine)
            # It keeps its lease, and what ends with the lease ends: a mark that cannot be written saves no machine.
            host.driver.hold(seconds_since_boot() + 60)
            kept = small.folder / "lease"
            write_record(kept, json.dumps({**json.loads(read_record(kept)), "until": seconds_since_boot() + 2}))
            assert not host.differs(machine)
            until(lambda: host.differs(machine))
            small.make_room()
            host.driver.hold(seconds_since_boot() + 60)
            host.order(machine)
            assert not host.differs(machine)
        finally:
            host.end()


def test_an_agent_on_a_full_disk_answers_and_takes_the_image_once_there_is_room(tmp_path: Path) -> None:
    live = HostsLive(passable(tmp_path))
    live.start()
    try:
        with small_disk(tmp_path / "h1", (KEPT_FREE_BYTES >> 20) + 32) as small:
            h1 = live.join("h1", options=("--disk", "100"))
            (tmp_path / "base.img").write_bytes(disk(size=8 << 20))
            live.tenuto("artifact", "upload", "base", str(tmp_path / "base.img"), check=True)
            (tmp_path / "web.yaml").write_text(WEB)
            live.until(lambda: state_of_host(live) == "created", "the host has its first lease")
            small.fill()
            live.tenuto("run", str(tmp_path / "web.yaml"), "--alias", "web", check=True)
            live.until(lambda: "disk of the host" in live.asked("explain", "web").out, "the full disk is told")
            assert h1.machines() == {}
            assert state_of_host(live) == "created"
            small.make_room()
            live.until(lambda: bool(h1.machines()), "the machine is made")
            live.tenuto("kill", "web", "--wait=120", check=True)
            live.stop()
    finally:
        live.end()


def test_a_guest_that_finds_the_disk_of_its_host_full_stands_still_and_goes_on(tmp_path: Path) -> None:
    host = Virtual(passable(tmp_path))
    try:
        machine = host.machine("vf", **TINY)
        host.order(replace(machine, properties={**machine.properties, "PowerState": "off"}))
        folder = host.document(machine) / "disks"
        kept = tmp_path / "kept"
        folder.rename(kept)
        with small_disk(folder, 1) as small:
            shutil.copy2(kept / "disk0", folder / "disk0")
            shutil.chown(folder, *[kept.stat().st_uid] * 2)
            folder.chmod(0o700)
            host.order(machine)
            host.answers(machine)
            pid = host.pid(machine)
            guest = host.driver.guests.known(machine.object_id)
            assert guest is not None
            with guest.turn:
                writes = guest.agent().start(
                    "/bin/sh", ["-c", "dd if=/dev/urandom of=/data/big bs=64k count=60 && sync"]
                )
            until(lambda: "took no write" in str(host.seen(machine)), 180)
            assert "make room there" in host.driver.ensure([machine])[machine.object_id].message
            assert host.pid(machine) == pid, "the guest keeps what it has not written yet"

            subprocess.run(["mount", "-o", "remount,size=64m", small.folder], check=True)
            host.order_until_kept(machine, patience_s=180)
            with guest.turn:
                until(lambda: guest.agent().ended(writes) is not None, 180)
            assert "3.8M" in host.says(machine, "ls -lh /data/big")
            assert host.pid(machine) == pid
            assert not host.differs(machine)
            host.order(replace(machine, properties={**machine.properties, "PowerState": "off"}))
    finally:
        host.end()
