"""The headers of disks in the form qcow2, written and read here: an overlay costs no program, and a damage is seen.

Theory of operation. A file is clusters of 64 KiB: the header, the table of reference counts, its one block, the first
table of the map, and then the second tables and the data. An overlay begins without data, so its map is empty; QEMU
adds the data that a machine writes. The first table is a whole cluster, which is enough for a disk of 4 TiB. So to grow
a disk that is not in use is to write another size.

A *thin* image holds only the differences from another one, its parent. Its header names no file, since a reader would
open that name. It has the digest of the parent in an extension of our own, which other readers pass over; who opens a
thin image says where its parent is. So the content of a thin image names its parent, and two that differ from different
parents in the same way are different contents.

The source is `docs/interop/qcow2.txt` of QEMU. Version 3, without encryption, snapshots or an external data file.
"""

import io
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

_MAGIC = b"QFI\xfb"
_CLUSTER_BITS = 16
_CLUSTER = 1 << _CLUSTER_BITS
_ENTRIES = _CLUSTER // 8
"""The entries of one table of the map."""
LARGEST = _ENTRIES * _ENTRIES * _CLUSTER
"""Bytes of the largest disk that one first table can hold: 4 TiB."""
_COUNTS = _CLUSTER // 2
"""The clusters whose references one block counts, at 16 bits each: 2 GiB of a file."""
_COPIED = 1 << 63
_HEAD = struct.Struct(">4sIQIIQIIQQIIQQQQII")
_HEAD_LENGTH = 104
_FORMAT_OF_BASE = 0xE2792ACA
_PARENT = 0x746E7470
"""The extension with the SHA-512 of the parent of a thin image: "tntp"."""
_DIGEST_BYTES = 64
_SIZE_AT = 24
_DIRTY, _CORRUPT, _EXTERNAL_DATA = 1, 2, 4
_HEADER, _REFERENCES, _BLOCK, _MAP, _FREE = range(5)
"""The clusters of a new file."""


class DamagedDiskError(ValueError):
    """The file is no qcow2 that can be used. The message says why, and follows the name of the disk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The facts in the header of a disk. `parent` is the SHA-512 of the image that a thin one stands on."""

    size_bytes: int
    base: str = ""
    parent: str = ""
    is_corrupt: bool = False
    has_external_data: bool = False
    is_encrypted: bool = False


def write_overlay(path: Path, size_bytes: int, *, base: str, base_format: str, parent: str = "") -> None:
    """Write an empty disk over a base, or one that will be a thin image of a parent. Raises ValueError for a size that
    it cannot have, and FileExistsError.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as disk:
        _write_start(disk, size_bytes, base=base, base_format=base_format, parent=parent)
        disk.seek(_BLOCK * _CLUSTER)
        disk.write(struct.pack(f">{_FREE}H", *[1] * _FREE))
        disk.truncate(_FREE * _CLUSTER)


def empty_image(size_bytes: int, behind: bytes = b"", *, parent: str = "") -> bytes:
    """The file of an empty disk without a base, or of a thin image that is equal to its parent. The bytes `behind` it
    belong to no cluster. Raises ValueError.
    """
    disk = io.BytesIO()
    _write_start(disk, size_bytes, parent=parent)
    disk.seek(_BLOCK * _CLUSTER)
    disk.write(struct.pack(f">{_FREE}H", *[1] * _FREE))
    return disk.getvalue().ljust(_FREE * _CLUSTER, b"\0") + behind


def write_image(raw: Path, path: Path) -> None:
    """Write a raw disk as a qcow2 file without a base; empty clusters take no room. Raises ValueError."""
    size_bytes = raw.stat().st_size
    with raw.open("rb") as source, path.open("wb") as disk:
        tables = -(-size_bytes // (_CLUSTER * _ENTRIES))
        _write_start(disk, size_bytes)
        first = _FREE
        disk.seek(_MAP * _CLUSTER)
        disk.write(struct.pack(f">{tables}Q", *((first + number) * _CLUSTER | _COPIED for number in range(tables))))
        free = first + tables
        for index, cluster in _filled(source):
            disk.seek(free * _CLUSTER)
            disk.write(cluster)
            disk.seek(first * _CLUSTER + index * 8)
            disk.write(struct.pack(">Q", free * _CLUSTER | _COPIED))
            free += 1
        if free > _COUNTS:
            raise ValueError("the content of the disk is larger than 2 GiB")
        disk.seek(_BLOCK * _CLUSTER)
        disk.write(struct.pack(f">{free}H", *[1] * free))
        disk.truncate(free * _CLUSTER)


def read_header(path: Path) -> Header:
    """Read the facts of a disk, without following a link. Raises DamagedDiskError and OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as disk:
        head = disk.read(_CLUSTER)
    if len(head) < _HEAD_LENGTH or head[:4] != _MAGIC:
        raise DamagedDiskError("has a damaged header")
    fields = _HEAD.unpack_from(head)
    version, base_at, base_length, size_bytes, encryption = fields[1], fields[2], fields[3], fields[5], fields[6]
    features = fields[12] if version > 2 else 0
    if version not in (2, 3):
        raise DamagedDiskError(f"has a damaged header (version {version})")
    if base_length > 1023 or base_at + base_length > len(head):
        raise DamagedDiskError("has a damaged header (the name of its base)")
    return Header(
        size_bytes=size_bytes,
        base=head[base_at : base_at + base_length].decode(errors="replace"),
        parent=parent_in(head),
        is_corrupt=bool(features & _CORRUPT),
        has_external_data=bool(features & _EXTERNAL_DATA),
        is_encrypted=bool(encryption),
    )


def parent_in(head: bytes) -> str:
    """The SHA-512 of the parent of a thin image that begins so; empty for every other file."""
    if len(head) < _HEAD_LENGTH or head[:4] != _MAGIC or struct.unpack_from(">I", head, 4)[0] < 3:
        return ""
    at = struct.unpack_from(">I", head, _HEAD_LENGTH - 4)[0]
    while at + 8 <= len(head):
        kind, length = struct.unpack_from(">II", head, at)
        if kind == 0:
            return ""
        if kind == _PARENT:
            found = head[at + 8 : at + 8 + length]
            return found.hex() if len(found) == length == _DIGEST_BYTES else ""
        at += 8 + length + -length % 8
    return ""


def is_qcow2(path: Path) -> bool:
    """Whether a file begins as a qcow2 disk does."""
    with path.open("rb") as disk:
        return disk.read(4) == _MAGIC


def grow(path: Path, size_bytes: int) -> None:
    """Let a disk that `write_overlay` wrote, and that is not in use, be larger. Raises ValueError and OSError."""
    if size_bytes > LARGEST or size_bytes % 512:
        raise ValueError(f"no disk here can have {size_bytes} bytes")
    if size_bytes < read_header(path).size_bytes:
        raise ValueError("a disk does not shrink")
    descriptor = os.open(path, os.O_WRONLY | os.O_NOFOLLOW)
    try:
        os.pwrite(descriptor, struct.pack(">Q", size_bytes), _SIZE_AT)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_start(disk: BinaryIO, size_bytes: int, *, base: str = "", base_format: str = "", parent: str = "") -> None:
    if not 0 < size_bytes <= LARGEST or size_bytes % 512:
        raise ValueError(f"no disk here can have {size_bytes} bytes")
    name, kind = base.encode(), base_format.encode()
    extensions = struct.pack(">II", _FORMAT_OF_BASE, len(kind)) + kind + b"\0" * (-len(kind) % 8) if base else b""
    if parent:
        extensions += struct.pack(">II", _PARENT, _DIGEST_BYTES) + bytes.fromhex(parent)
    extensions += struct.pack(">II", 0, 0)
    base_at = _HEAD_LENGTH + len(extensions) if base else 0
    if base_at + len(name) > 1023:
        raise ValueError("the name of the base is too long")
    head = _HEAD.pack(
        *(_MAGIC, 3, base_at, len(name), _CLUSTER_BITS, size_bytes, 0, _ENTRIES, _MAP * _CLUSTER),
        *(_REFERENCES * _CLUSTER, 1, 0, 0, 0, 0, 0, 4, _HEAD_LENGTH),
    )
    disk.seek(0)
    disk.write(head + extensions + name)
    disk.seek(_REFERENCES * _CLUSTER)
    disk.write(struct.pack(">Q", _BLOCK * _CLUSTER))


def _filled(source: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """The clusters of a disk that are not empty, by their number."""
    index = 0
    while cluster := source.read(_CLUSTER):
        if cluster.count(0) != len(cluster):
            yield index, cluster.ljust(_CLUSTER, b"\0")
        index += 1
