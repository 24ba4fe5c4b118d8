"""The format of disk images: what is taken, and what is refused with its reason."""

import struct

import pytest

from tenuto.model.image import ImageFormat
from tenuto.providers.local.rules.image_format import LARGEST_DISK, image_format


def qcow2(
    *, version: int = 3, backing: int = 0, bits: int = 16, size: int = 1 << 30, crypt: int = 0, features: int = 0
) -> bytes:
    head = b"QFI\xfb" + struct.pack(
        ">IQIIQIIQQIIQ", version, backing, 0, bits, size, crypt, 1, 0x30000, 0x10000, 1, 0, 0
    )
    return head + struct.pack(">QQQII", features, 0, 0, 4, 104)


def raw(size: int = 1 << 20) -> bytes:
    return bytes(510) + b"\x55\xaa" + bytes(size - 512)


@pytest.mark.parametrize("version", [2, 3])
def test_a_whole_qcow2_image_is_taken_with_the_size_of_its_disk(version: int) -> None:
    assert image_format(qcow2(version=version), 1 << 20) == (ImageFormat.QCOW2, 1 << 30, "")


@pytest.mark.parametrize(
    ("head", "told"),
    [
        (qcow2(backing=512), "backing file"),
        (qcow2(features=1 << 2), "data are in another file"),
        (qcow2(features=1 << 9), "features"),
        (qcow2(crypt=1), "encrypted"),
        (qcow2(version=4), "version 4"),
        (qcow2(size=0), "damaged"),
        (qcow2(size=LARGEST_DISK + 1), "damaged"),
        (qcow2(bits=40), "damaged"),
        (qcow2()[:60], "cut off"),
        (b"\x1f\x8b" + bytes(600), "gzip"),
        (b"hello", "neither qcow2"),
        (bytes(4096), "neither qcow2"),
    ],
)
def test_what_is_no_image_is_refused_with_its_reason(head: bytes, told: str) -> None:
    found, _, fault = image_format(head, 1 << 20)
    assert (found, told in fault) == (ImageFormat.DATA, True), fault


def test_a_raw_disk_has_a_partition_table_and_whole_sectors() -> None:
    assert image_format(raw(), 1 << 20) == (ImageFormat.RAW, 1 << 20, "")
    assert "multiple of 512" in image_format(raw(), (1 << 20) + 1)[2]


def test_an_iso_is_known_by_its_mark_at_32_kib() -> None:
    assert image_format(bytes(0x8001) + b"CD001" + bytes(100), 1 << 20) == (ImageFormat.ISO, 1 << 20, "")


def test_a_qcow2_whose_version_2_header_is_short_has_no_features() -> None:
    head = qcow2(version=2)[:72] + b"\xff" * 8  # What follows a short header is no set of features.
    assert image_format(head, 1 << 20)[0] is ImageFormat.QCOW2
