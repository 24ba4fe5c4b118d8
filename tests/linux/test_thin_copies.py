"""Thin copies of disks by the QEMU of this machine: what they hold, and what stands on them, byte by byte (behaviour
64). No guest runs here: QEMU itself writes what a guest would."""

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from passable import passable

from tenuto.kit.qcow2 import read_header, write_image
from tenuto.kit.state_folder import StateFolder
from tenuto.model.ids import ObjectId
from tenuto.providers.local.drivers.qemu.host import obstacle
from tenuto.providers.local.executor.kernel.cgroups import Cgroups
from tenuto.providers.local.executor.leased import LeasedMachines
from tenuto.providers.local.executor.virtual.disks import Bases
from tenuto.providers.local.executor.virtual.machine_disks import KIND
from tenuto.providers.local.executor.virtual.machines import VirtualMachines
from tenuto.providers.local.executor.virtual.qmp import monitor
from tenuto.providers.local.images.folder import BlobFolder
from tenuto.providers.local.rules.machines.spec import MachineSpec
from tenuto.providers.local.rules.machines.virtual_spec import DiskSpec, VirtualSpec
from tenuto.providers.local.rules.networks.spec import UnusableValueError

MIB = 1 << 20
PIECE = 64 << 10
DEVICE = "/machine/peripheral/device0/virtio-backend"

pytestmark = pytest.mark.skipif(bool(obstacle()), reason=f"no host of driver qemu: {obstacle()}")


class Held:
    """The virtual machines of a host that hold still: QEMU is there, and no guest runs."""

    def __init__(self, folder: Path) -> None:
        self.state = StateFolder(folder / "state")
        self.blobs = BlobFolder(folder / "blobs")
        cgroups = Cgroups(f"thin-{os.getpid()}")
        self.bases = Bases(self.state, folder / "images", folder / "blobs")
        leased = LeasedMachines(self.state, cgroups, (KIND,))
        self.machines = VirtualMachines(self.state, cgroups, self.bases, leased)
        self.made: list[ObjectId] = []
        self.count: dict[ObjectId, int] = {}

    def blob(self, file: Path) -> str:
        """Let the agent have a file as a blob, and return its digest."""
        name = ObjectId(str(uuid4()))
        self.blobs.begin(name, 0.0)
        self.blobs.append(name, 0, file.read_bytes(), 0.0)
        digest = self.blobs.seal(name).sha512
        self.blobs.keep(name, digest)
        return digest

    def machine(self, base: str, size_gib: int = 0) -> ObjectId:
        name = ObjectId(str(uuid4()))
        self.made.append(name)
        machine = MachineSpec(object_id=name, name="held", vcpus=1, memory_mib=64, cables=(), power="paused")
        self.machines.ensure(VirtualSpec(machine=machine, disks=(DiskSpec(base=base, size_gib=size_gib),)))
        return name

    def told(self, name: ObjectId, *words: str) -> None:
        """Let QEMU read or write the disk."""
        with monitor(self.state.folder(KIND, name) / "sockets" / "monitor", 20.0) as qemu:
            for one in words:
                said = qemu.do("human-monitor-command", {"command-line": f'qemu-io -d {DEVICE} "{one}"'})
                assert not said, (one, said)
        # QEMU tells the result at its own output alone.
        lines = self.machines.sayings.text(name).splitlines()
        assert sum(one.endswith(")") and "ops" in one for one in lines) == self._done(name, len(words)), lines
        assert not [one for one in lines if "fail" in one.lower() or "error" in one.lower()], lines

    def _done(self, name: ObjectId, more: int) -> int:
        """Count what QEMU was told to do with the disk of a machine."""
        self.count[name] = self.count.get(name, 0) + more
        return self.count[name]

    def reads(self, name: ObjectId, at: int, pattern: int) -> None:
        """Check that a piece of the disk has a byte everywhere."""
        self.told(name, f"read -P {pattern} {at} {PIECE}")

    def copy(self, name: ObjectId, *, is_thin: bool, file: Path) -> str:
        """Take a copy of the disk, and return its digest as a blob."""
        snapshot, until = ObjectId(str(uuid4())), time.monotonic() + 60
        while not self.machines.snapshot(name, snapshot, (0,), is_thin=is_thin).is_done:
            assert time.monotonic() < until, "the copy does not end"
            time.sleep(0.05)
        descriptor = self.machines.snapshots.opened(name, snapshot, 0)
        with os.fdopen(descriptor, "rb") as copied, file.open("wb") as target:
            shutil.copyfileobj(copied, target)
        self.machines.forget_snapshot(name, snapshot)
        return self.blob(file)


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Held]:
    found = Held(passable(tmp_path))
    yield found
    for name in found.made:
        found.machines.remove(name)


@pytest.fixture
def base(held: Held, tmp_path: Path) -> str:
    """An image of 8 MiB whose every byte is 1."""
    (tmp_path / "raw").write_bytes(b"\1" * (8 * MIB))
    write_image(tmp_path / "raw", tmp_path / "base")
    return held.blob(tmp_path / "base")


def test_a_thin_copy_holds_what_was_written_and_is_read_through_to_its_base(
    held: Held, base: str, tmp_path: Path
) -> None:
    first = held.machine(base, size_gib=1)
    held.told(first, f"write -P 2 0 {PIECE}", f"write -z {MIB} {PIECE}", f"write -z -u {2 * MIB} {PIECE}")
    held.told(first, f"write -P 3 {512 * MIB} {PIECE}")
    one = held.copy(first, is_thin=True, file=tmp_path / "one")
    assert read_header(tmp_path / "one").parent == base
    assert (tmp_path / "one").stat().st_size < 2 * MIB
    held.told(first, f"write -P 9 0 {PIECE}")

    second = held.machine(one)
    held.reads(second, 0, 2)
    held.reads(second, MIB, 0)
    held.reads(second, 2 * MIB, 0)
    held.reads(second, 3 * MIB, 1)
    held.reads(second, 100 * MIB, 0)
    held.reads(second, 512 * MIB, 3)

    # Another one on top, and a whole copy of all.
    held.told(second, f"write -P 4 {3 * MIB} {PIECE}", f"write -P 5 {MIB} {PIECE}")
    two = held.copy(second, is_thin=True, file=tmp_path / "two")
    assert read_header(tmp_path / "two").parent == one
    whole = held.copy(second, is_thin=False, file=tmp_path / "whole")
    assert read_header(tmp_path / "whole").parent == ""
    for digest in (two, whole):
        third = held.machine(digest)
        for at, pattern in ((0, 2), (MIB, 5), (2 * MIB, 0), (3 * MIB, 4), (4 * MIB, 1), (512 * MIB, 3)):
            held.reads(third, at, pattern)


def test_what_thin_bases_stand_on_stays_for_as_long_as_a_machine_reads_it(
    held: Held, base: str, tmp_path: Path
) -> None:
    first = held.machine(base)
    held.told(first, f"write -P 2 0 {PIECE}")
    one = held.copy(first, is_thin=True, file=tmp_path / "one")
    second = held.machine(one)
    # The agent has dropped the blobs, and the first machine goes: its base is what the second one stands on.
    for digest in (one, base):
        held.blobs.remove(digest)
    held.machines.remove(first)
    held.made.remove(first)
    held.reads(second, 0, 2)
    held.reads(second, 4 * MIB, 1)
    assert held.bases.kept(one) is not None
    held.machines.remove(second)
    held.made.remove(second)
    assert held.bases.kept(base) is None


def test_a_thin_base_whose_parent_is_not_here_is_refused(held: Held, base: str, tmp_path: Path) -> None:
    first = held.machine(base)
    one = held.copy(first, is_thin=True, file=tmp_path / "one")
    held.machines.remove(first)
    held.made.remove(first)
    held.blobs.remove(base)
    with pytest.raises(UnusableValueError, match="is not on this host"):
        held.machine(one)
