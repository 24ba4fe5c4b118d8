"""A file system of type ISO 9660 with the names of Joliet, from a few small files, as bytes.

It is the drive by which a virtual machine gets its configuration. Two trees of folders share the files: one has names
that the old standard allows, and the other the real names, which every system of today reads. The sources are ECMA-119
and the Joliet specification. A sector has 2048 bytes; numbers stand in both byte orders.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field

_SECTOR = 2048
_FIRST = 16
"""The sector of the first descriptor."""
_TABLES = 19
"""The sector of the first table of paths: after three descriptors."""
_TIME = bytes((70, 1, 1, 0, 0, 0, 0))
"""The moment of every file, the first that there is: equal files make equal drives."""
_NO_TIME = b"0" * 16 + b"\0"


@dataclass(slots=True)
class _Folder:
    name: str
    parent: "_Folder | None" = None
    folders: "dict[str, _Folder]" = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)


def image(label: str, files: Mapping[str, bytes]) -> bytes:
    """The file system with these files, by their paths. Raises ValueError for a folder that does not fit into a sector.

    Labels have at most 16 characters. Folders and files of one name in one folder must not be.
    """
    folders = _tree(files)
    plain_at = _TABLES + 4
    joliet_at = plain_at + len(folders)
    files_at = joliet_at + len(folders)
    starts: dict[tuple[int, str], int] = {}
    content = bytearray()
    for number, folder in enumerate(folders):
        for name, text in sorted(folder.files.items()):
            starts[number, name] = files_at + len(content) // _SECTOR
            content += _filled(text)
    plain, joliet = _Names(is_joliet=False), _Names(is_joliet=True)
    parts = [b"\0" * _SECTOR * _FIRST]
    sectors = files_at + len(content) // _SECTOR
    tables = [
        _paths(folders, at, names, order) for names, at in ((plain, plain_at), (joliet, joliet_at)) for order in "<>"
    ]
    parts += [
        _descriptor(1, label, plain, sectors, len(tables[0]), _TABLES, plain_at),
        _descriptor(2, label, joliet, sectors, len(tables[2]), _TABLES + 2, joliet_at),
        _filled(b"\xffCD001\x01"),
        *(_filled(one) for one in tables),
    ]
    for names, at in ((plain, plain_at), (joliet, joliet_at)):
        parts += [_records(folders, number, at, names, starts) for number in range(len(folders))]
    return b"".join(parts) + bytes(content)


@dataclass(frozen=True, slots=True)
class _Names:
    """The spelling of names in one of the two trees."""

    is_joliet: bool

    def file(self, name: str, number: int) -> bytes:
        return f"{name};1".encode("utf-16-be") if self.is_joliet else f"F{number:07}.;1".encode()

    def folder(self, name: str, number: int) -> bytes:
        return name.encode("utf-16-be") if self.is_joliet else f"D{number:07}".encode()

    def label(self, text: str, size: int) -> bytes:
        if self.is_joliet:
            return text.ljust(size // 2).encode("utf-16-be")[: size // 2 * 2].ljust(size, b"\0")
        return text.encode()[:size].ljust(size)


def _tree(files: Mapping[str, bytes]) -> list[_Folder]:
    """The folders, each after its parent; those of one parent together, as a table of paths has them."""
    root = _Folder("")
    for path, text in files.items():
        *above, name = path.split("/")
        folder = root
        for one in above:
            folder = folder.folders.setdefault(one, _Folder(one, folder))
        folder.files[name] = text
    found = [root]
    for folder in found:
        found.extend(one for _, one in sorted(folder.folders.items()))
    return found


def _place(folders: list[_Folder], wanted: _Folder) -> int:
    return next(number for number, one in enumerate(folders) if one is wanted)


def _paths(folders: list[_Folder], at: int, names: _Names, order: str) -> bytes:
    table = b""
    for number, folder in enumerate(folders):
        name = names.folder(folder.name, number) if number else b"\0"
        above = _place(folders, folder.parent) + 1 if folder.parent else 1
        table += struct.pack(f"{order}BBIH", len(name), 0, at + number, above) + name + b"\0" * (len(name) % 2)
    return table


def _records(
    folders: list[_Folder], number: int, at: int, names: _Names, starts: Mapping[tuple[int, str], int]
) -> bytes:
    folder = folders[number]
    above = _place(folders, folder.parent) if folder.parent else number
    content = _record(b"\0", at + number, _SECTOR, is_folder=True) + _record(b"\1", at + above, _SECTOR, is_folder=True)
    entries = [
        (names.file(name, index), starts[number, name], len(text), False)
        for index, (name, text) in enumerate(sorted(folder.files.items()))
    ]
    for one in folder.folders.values():
        place = _place(folders, one)
        entries.append((names.folder(one.name, place), at + place, _SECTOR, True))
    for name, start, size, is_folder in sorted(entries):
        content += _record(name, start, size, is_folder=is_folder)
    if len(content) > _SECTOR:
        raise ValueError(f"the folder {folder.name!r} has too many files for this drive")
    return _filled(content)


def _record(name: bytes, start: int, size: int, *, is_folder: bool) -> bytes:
    body = b"\0" + _both(start) + _both(size) + _TIME + bytes((2 if is_folder else 0, 0, 0))
    body += _both(1, short=True) + bytes((len(name),)) + name
    body += b"\0" * ((len(body) + 1) % 2)
    return bytes((len(body) + 1,)) + body


def _descriptor(kind: int, label: str, names: _Names, sectors: int, paths: int, paths_at: int, root: int) -> bytes:
    blank = names.label
    escape = b"%/E" if names.is_joliet else b""
    content = bytes((kind,)) + b"CD001\x01\0" + blank("", 32) + blank(label, 32) + b"\0" * 8
    content += _both(sectors) + escape.ljust(32, b"\0") + _both(1, short=True) * 2 + _both(_SECTOR, short=True)
    content += _both(paths) + struct.pack("<II", paths_at, 0) + struct.pack(">II", paths_at + 1, 0)
    content += _record(b"\0", root, _SECTOR, is_folder=True)
    content += blank("", 128) * 4 + blank("", 37) * 3 + _NO_TIME * 4 + b"\x01"
    return _filled(content)


def _both(number: int, *, short: bool = False) -> bytes:
    letter = "H" if short else "I"
    return struct.pack(f"<{letter}", number) + struct.pack(f">{letter}", number)


def _filled(content: bytes) -> bytes:
    return content + b"\0" * (-len(content) % _SECTOR)
