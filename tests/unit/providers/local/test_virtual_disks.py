"""The disks of virtual machines, attacked behind the back of their host: what is told, mended, and left as it is."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tenuto.kit.qcow2 import empty_image
from tenuto.kit.state_folder import StateFolder
from tenuto.model.ids import ObjectId
from tenuto.providers.local.executor.virtual.disks import Base, Bases
from tenuto.providers.local.executor.virtual.machine_disks import KIND, VirtualDisks
from tenuto.providers.local.rules.machines.spec import MachineSpec
from tenuto.providers.local.rules.machines.virtual_spec import DiskSpec, VirtualSpec
from tenuto.providers.local.rules.networks.spec import UnusableValueError

NAME = "11111111-1111-4111-8111-111111111111"
IMAGE = empty_image(1 << 20, b"the content")
DIGEST = hashlib.sha512(IMAGE).hexdigest()


class Room:
    """The disks of one host, with one image in its folder of images and one machine that has it."""

    def __init__(self, folder: Path) -> None:
        images = folder / "images"
        images.mkdir()
        self.image = images / "tiny.qcow2"
        self.image.write_bytes(IMAGE)
        self.state = StateFolder(folder / "state")
        self.bases = Bases(self.state, images)
        self.disks = VirtualDisks(self.state, self.bases)
        self.copy = folder / "state/bases" / DIGEST[:64] / "content"
        self.disk = folder / "state" / KIND / NAME / "disks/disk0"

    def made(self, *, runs: bool = False) -> Base:
        machine = MachineSpec(object_id=ObjectId(NAME), name="web", vcpus=1, memory_mib=64)
        spec = VirtualSpec(machine=machine, disks=(DiskSpec(base="tiny", size_gib=1),))
        [base] = self.disks.made(spec, os.getuid(), runs=runs)
        assert base is not None
        return base

    def damage(self, *, runs: bool = False) -> str:
        [shown] = self.disks.shown(NAME, runs=runs)
        return shown.damage

    def changed(self, change: Callable[[bytearray], None]) -> None:
        """Change the copy of the base in its place."""
        self.copy.chmod(0o644)
        content = bytearray(self.copy.read_bytes())
        change(content)
        with self.copy.open("r+b") as file:
            file.truncate(len(content))
            file.write(content)


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


def other_byte(content: bytearray) -> None:
    content[-1] ^= 1


def cut_short(content: bytearray) -> None:
    del content[40:]


def empty(content: bytearray) -> None:
    content.clear()


@pytest.mark.parametrize("change", [other_byte, cut_short, empty])
def test_a_base_that_is_changed_is_told_and_made_again(room: Room, change: Callable[[bytearray], None]) -> None:
    opened = room.disks.opened([room.made()])
    room.changed(change)
    assert room.damage() == "has a base image that was changed"
    assert room.made().file.read_bytes() == IMAGE
    assert room.damage() == ""
    # A machine that had the file open goes on with the wrong bytes; one that opens it now does not.
    assert room.disks.reads_changed(opened)
    assert not room.disks.reads_changed(room.disks.opened([room.made()]))


def test_a_base_that_was_only_touched_stays_and_nobody_reads_wrong_bytes(room: Room) -> None:
    opened = room.disks.opened([room.made()])
    inode = room.copy.stat().st_ino
    os.utime(room.copy, (1.0, 1.0))
    assert room.damage() == "has a base image that was changed"
    room.made()
    assert (room.damage(), room.copy.stat().st_ino) == ("", inode)
    assert not room.disks.reads_changed(opened)


def test_a_link_in_the_place_of_a_base_is_followed_by_nobody(room: Room, tmp_path: Path) -> None:
    opened = room.disks.opened([room.made()])
    target = tmp_path / "elsewhere"
    room.copy.rename(target)
    room.copy.symlink_to(target)
    assert room.damage() == "has a base image that was changed"
    room.made()
    assert not room.copy.is_symlink()
    assert target.read_bytes() == IMAGE
    # A machine that began with the file before still has that one.
    assert not room.disks.reads_changed(opened)


def test_a_base_that_is_gone_is_copied_again(room: Room) -> None:
    room.made()
    room.copy.unlink()
    assert room.damage() == "has a base image that is gone"
    assert room.made().file.read_bytes() == IMAGE


def test_a_damaged_base_without_a_source_is_given_to_nobody(room: Room) -> None:
    room.made()
    room.changed(other_byte)
    room.image.unlink()
    with pytest.raises(UnusableValueError, match="there is no image tiny"):
        room.made()


def test_another_image_under_the_name_is_no_cure(room: Room) -> None:
    room.made()
    before = room.disk.read_bytes()
    room.changed(other_byte)
    room.image.write_bytes(empty_image(1 << 20, b"another one"))
    with pytest.raises(UnusableValueError, match="has another base"):
        room.made()
    assert room.disk.read_bytes() == before


def test_a_base_that_nobody_may_read_is_readable_when_a_machine_starts(room: Room) -> None:
    room.made()
    room.copy.chmod(0)
    room.disk.chmod(0)
    room.made()
    assert (room.copy.stat().st_mode & 0o777, room.disk.stat().st_mode & 0o777) == (0o444, 0o600)


def test_bases_of_an_earlier_release_are_read_once_and_get_a_stamp(room: Room) -> None:
    room.made()
    record = room.copy.with_name("known")
    record.write_text("\n".join(record.read_text().split("\n")[:2]))
    assert room.damage() == ""
    room.made()
    assert len(record.read_text().split("\n")) == 3


def test_the_damage_of_one_base_takes_no_other_one_away(room: Room) -> None:
    room.made()
    room.changed(cut_short)
    room.disks.forget_bases()
    assert room.copy.exists()
    room.state.remove(KIND, NAME)
    room.disks.forget_bases()
    assert not room.copy.parent.exists()


def test_a_disk_that_was_cut_off_is_told_until_it_is_whole(room: Room) -> None:
    room.made()
    whole = room.disk.read_bytes()
    assert room.damage(runs=True) == ""
    os.truncate(room.disk, len(whole) // 2)
    assert room.damage(runs=True).startswith("was cut off")
    with pytest.raises(UnusableValueError, match="was cut off"):
        room.made()
    with room.disk.open("r+b") as file:
        file.write(whole)
    assert room.damage(runs=True) == ""


def test_a_disk_that_is_replaced_under_a_running_machine_is_told_and_taken_when_it_is_off(room: Room) -> None:
    room.made()
    whole = room.disk.read_bytes()
    assert room.damage(runs=True) == ""
    room.disk.rename(room.disk.with_name("before"))
    room.disk.write_bytes(whole)
    assert room.damage(runs=True).startswith("was replaced while its machine runs")
    with pytest.raises(UnusableValueError, match=r"until its QEMU is ended.*: kill \$\(cat .*/pid\)$"):
        room.made(runs=True)
    room.made()
    assert room.damage(runs=True) == ""


def test_a_link_in_the_place_of_a_disk_is_no_disk(room: Room, tmp_path: Path) -> None:
    room.made()
    room.disk.rename(tmp_path / "elsewhere")
    room.disk.symlink_to(tmp_path / "elsewhere")
    assert "symbolic links" in room.damage()
    with pytest.raises(UnusableValueError, match="cannot be read"):
        room.made()
