"""An archive of cpio (form `newc`), as a kernel unpacks it for its first files. Written here, so that it needs no root:
owners and modes are those of the entries, and not of files on a disk.
"""

import gzip
import stat
from collections.abc import Sequence
from dataclasses import dataclass

_END = "TRAILER!!!"
_SPEED = 1
"""The level of compression: a higher one saves little, and this file is read at every boot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One file, folder or link. `content` of a link is its target."""

    path: str
    mode: int
    content: bytes = b""

    @staticmethod
    def folder(path: str, mode: int = 0o755) -> "Entry":
        return Entry(path=path, mode=stat.S_IFDIR | mode)

    @staticmethod
    def file(path: str, content: bytes, mode: int = 0o644) -> "Entry":
        return Entry(path=path, mode=stat.S_IFREG | mode, content=content)

    @staticmethod
    def link(path: str, target: str) -> "Entry":
        return Entry(path=path, mode=stat.S_IFLNK | 0o777, content=target.encode())


def packed(entries: Sequence[Entry]) -> bytes:
    """The archive, compressed. The folders of a file come before it."""
    parts = [_member(number, one) for number, one in enumerate(entries, start=1)]
    parts.append(_member(0, Entry(path=_END, mode=0)))
    return gzip.compress(b"".join(parts), _SPEED, mtime=0)


def _member(number: int, entry: Entry) -> bytes:
    name = entry.path.encode() + b"\0"
    links = 2 if stat.S_ISDIR(entry.mode) else 1
    fields = (number, entry.mode, 0, 0, links, 0, len(entry.content), 0, 0, 0, 0, len(name), 0)
    head = b"070701" + "".join(f"{one:08x}" for one in fields).encode() + name
    return _padded(head) + _padded(entry.content)


def _padded(content: bytes) -> bytes:
    return content + b"\0" * (-len(content) % 4)
