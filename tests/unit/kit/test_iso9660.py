"""The drive of configuration: what was put into it is found by the names of Joliet."""

import struct

import pytest

from tenuto.kit.iso9660 import image

SECTOR = 2048


def files_of(drive: bytes) -> dict[str, bytes]:
    """Read the drive as the standard says, by its second descriptor, independently of how it was written."""
    for number in range(16, 32):
        descriptor = drive[number * SECTOR : (number + 1) * SECTOR]
        if descriptor[0] == 2:
            assert descriptor[88:91] == b"%/E"
            return _folder(drive, descriptor[156:190], "")
    raise AssertionError("no descriptor of Joliet")


def _folder(drive: bytes, record: bytes, path: str) -> dict[str, bytes]:
    start, size = struct.unpack("<I", record[2:6])[0] * SECTOR, struct.unpack("<I", record[10:14])[0]
    found: dict[str, bytes] = {}
    place = start
    while place < start + size and drive[place]:
        one = drive[place : place + drive[place]]
        place += drive[place]
        name = one[33 : 33 + one[32]]
        if name in (b"\0", b"\1"):
            continue
        whole = path + name.decode("utf-16-be").removesuffix(";1")
        if one[25] & 2:
            found |= _folder(drive, one, f"{whole}/")
        else:
            at, length = struct.unpack("<I", one[2:6])[0] * SECTOR, struct.unpack("<I", one[10:14])[0]
            found[whole] = drive[at : at + length]
    return found


def test_every_file_is_found_with_its_name_and_content() -> None:
    files = {
        "openstack/latest/meta_data.json": b'{"hostname": "web"}',
        "openstack/latest/user_data": b"#!/bin/sh\n" + b"x" * 70_000,
        "tenuto/links": b"one\n",
        "empty": b"",
    }
    drive = image("config-2", files)
    assert files_of(drive) == files
    assert drive[16 * SECTOR + 40 : 16 * SECTOR + 48] == b"config-2"
    assert len(drive) % SECTOR == 0
    assert struct.unpack("<I", drive[16 * SECTOR + 80 : 16 * SECTOR + 84])[0] * SECTOR == len(drive)


def test_equal_files_make_equal_drives() -> None:
    assert image("x", {"a": b"1", "b": b"2"}) == image("x", {"b": b"2", "a": b"1"})


def test_a_folder_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="too many files"):
        image("x", {f"a-long-name-of-a-file-{number}": b"" for number in range(100)})
