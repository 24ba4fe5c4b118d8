"""Disks in the form qcow2: what is written is read back, and damage is seen."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tenuto.kit.qcow2 import (
    DamagedDiskError,
    empty_image,
    grow,
    is_qcow2,
    parent_in,
    read_header,
    write_image,
    write_overlay,
)

GIB = 1 << 30


def checked(disk: Path) -> None:
    """Let QEMU's own tool judge, where it is installed."""
    if program := shutil.which("qemu-img"):
        done = subprocess.run([program, "check", "-q", str(disk)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_an_overlay_has_the_size_and_the_base_that_were_asked_for(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    write_overlay(disk, 5 * GIB, base="/bases/abc", base_format="raw")
    header = read_header(disk)
    assert (header.size_bytes, header.base, header.is_corrupt) == (5 * GIB, "/bases/abc", False)
    assert disk.stat().st_size < 1 << 19


def test_an_empty_disk_is_sound(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    write_overlay(disk, GIB, base="", base_format="")
    checked(disk)
    grow(disk, 3000 * GIB)
    checked(disk)
    assert read_header(disk).size_bytes == 3000 * GIB


def test_a_disk_is_never_written_over(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.write_bytes(b"mine")
    with pytest.raises(FileExistsError):
        write_overlay(disk, GIB, base="", base_format="")
    assert disk.read_bytes() == b"mine"


def test_a_thin_image_has_the_digest_of_its_parent_and_names_no_file(tmp_path: Path) -> None:
    disk, parent = tmp_path / "disk", "0123456789abcdef" * 8
    write_overlay(disk, GIB, base="", base_format="", parent=parent)
    assert (read_header(disk).parent, read_header(disk).base) == (parent, "")
    assert parent_in(empty_image(GIB, parent=parent)) == parent
    grow(disk, 2 * GIB)
    assert read_header(disk).parent == parent


@pytest.mark.parametrize("length", [0, 63, 65, 1 << 31])
def test_a_parent_of_another_length_is_none_and_ends_the_search(length: int) -> None:
    image = bytearray(empty_image(GIB, parent="ab" * 64))
    image[108:112] = length.to_bytes(4, "big")
    assert parent_in(bytes(image)) == ""
    assert parent_in(bytes(image[:104])) == ""


def test_a_disk_grows_and_does_not_shrink(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    write_overlay(disk, 2 * GIB, base="", base_format="")
    with pytest.raises(ValueError, match="does not shrink"):
        grow(disk, GIB)
    assert read_header(disk).size_bytes == 2 * GIB


def test_an_image_keeps_its_content_and_leaves_out_what_is_empty(tmp_path: Path) -> None:
    raw, disk = tmp_path / "raw", tmp_path / "disk"
    content = bytearray(8 << 20)
    content[100:105] = b"first"
    content[-5:] = b"last!"
    raw.write_bytes(content)
    write_image(raw, disk)
    checked(disk)
    assert is_qcow2(disk)
    assert read_header(disk).size_bytes == 8 << 20
    assert disk.stat().st_size < 1 << 20
    if program := shutil.which("qemu-img"):
        subprocess.run([program, "convert", "-O", "raw", str(disk), str(tmp_path / "back")], check=True)
        assert (tmp_path / "back").read_bytes() == content


@pytest.mark.parametrize("damage", [b"", b"QFI\xfb", b"garbage" * 100, b"QFI\xfb\0\0\0\x09" + b"\0" * 200])
def test_a_damaged_header_is_told(tmp_path: Path, damage: bytes) -> None:
    disk = tmp_path / "disk"
    disk.write_bytes(damage)
    with pytest.raises(DamagedDiskError, match="has a damaged header"):
        read_header(disk)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    write_overlay(tmp_path / "disk", GIB, base="", base_format="")
    (tmp_path / "link").symlink_to(tmp_path / "disk")
    with pytest.raises(OSError, match="symbolic links"):
        read_header(tmp_path / "link")
