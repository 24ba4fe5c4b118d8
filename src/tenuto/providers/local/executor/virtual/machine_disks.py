"""The disks of the virtual machines of one host: which bases they have, their overlays, their sizes, their damages.

Theory of operation. A file of QEMU never becomes shorter, and QEMU goes on with the file that it has opened. So the
inode and the largest size of each overlay are kept: a shorter file has lost data, and another file in its place is not
the one that a running machine writes to. When no machine runs, another file is one that a person has restored.
"""

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from tenuto.kit.state_folder import StateFolder
from tenuto.providers.local.executor.kernel.spawning import document
from tenuto.providers.local.executor.requests import DiskShown
from tenuto.providers.local.executor.virtual import disks
from tenuto.providers.local.executor.virtual.disks import GIB, Base, Bases
from tenuto.providers.local.executor.virtual.qmp import monitor
from tenuto.providers.local.rules.machines.virtual_spec import VirtualSpec
from tenuto.providers.local.rules.networks.spec import UnusableValueError

KIND = "virtual"
FOLDER = "disks"
_BASES, _MADE, _FILES = "bases", "made", "files"
_MODE = 0o600
_RESTORE = "Restore its file, or take the machine out of the composition"
_REPLACED = (
    "was replaced while its machine runs, which goes on with the file that it began with until its QEMU is ended"
)


class VirtualDisks:
    """The disks, in the folders of their machines. Methods raise ProgramError and UnusableValueError."""

    def __init__(self, state: StateFolder, bases: Bases) -> None:
        self._state = state
        self._bases = bases

    def made(self, spec: VirtualSpec, uid: int, *, runs: bool) -> list[Base | None]:
        """The bases of the disks, whose overlays are there from now on. A base that was changed is made again."""
        name = spec.machine.object_id
        known = self._known(name)
        if len(spec.disks) < len(known):
            raise UnusableValueError(f"it has {len(known)} disks, and a disk is never taken out: declare them all")
        bases: list[Base | None] = []
        for number, disk in enumerate(spec.disks):
            word, digest = known[number] if number < len(known) else ("", "")
            if number < len(known) and disk.base not in (word, digest):
                raise UnusableValueError(
                    f"disk {number} has the base {word or 'none'} and keeps it. Another base needs another machine: "
                    "declare it under another name"
                )
            kept = self._bases.mended(digest) if digest else None
            bases.append(kept or (self._bases.named(disk.base) if disk.base else None))
        for disk, base in zip(spec.disks, bases, strict=True):
            disks.size_of(disk, base)
        folder = self._state.made(KIND, name) / FOLDER
        folder.mkdir(mode=0o700, exist_ok=True)
        os.chown(folder, uid, uid, follow_symlinks=False)
        pairs = [
            [known[number][0] if number < len(known) else disk.base, one.digest if one else ""]
            for number, (disk, one) in enumerate(zip(spec.disks, bases, strict=True))
        ]
        made = self._made(name, known)
        self._state.write(KIND, name, _MADE, str(made))
        # Written before the overlays: a base in use is never forgotten.
        self._state.write(KIND, name, _BASES, json.dumps(pairs))
        for number, (disk, base) in enumerate(zip(spec.disks, bases, strict=True)):
            # A disk that was there once and is gone is not made a second time: its data are lost, and that is told.
            if number >= made:
                disks.made(folder / f"disk{number}", disk, base, uid)
                self._state.write(KIND, name, _MADE, str(number + 1))
            told = self._damage(name, number, base, runs=runs)[0]
            if told == _REPLACED:
                raise UnusableValueError(
                    f"its disk {number} {told}. To start it from the file that is there now, end its QEMU: "
                    f"kill $(cat {self._state.folder(KIND, name) / 'pid'})"
                )
            if told:
                raise UnusableValueError(f"its disk {number} {told}: the data on it may be lost. {_RESTORE}")
        if not runs:
            for number in range(len(bases)):
                _give(folder / f"disk{number}", uid)
        return bases

    def opened(self, bases: Sequence[Base | None]) -> dict[str, str]:
        """The stamps of the bases that a machine opens now, by digest."""
        return {digest: stamp for base in bases if base for digest, stamp in self._bases.stamps(base).items()}

    def reads_changed(self, opened: Mapping[str, str]) -> bool:
        """Whether a machine reads a copy of a base that was changed after it had opened it."""
        return any(self._bases.was_changed(digest, stamp) for digest, stamp in opened.items())

    def grow(self, spec: VirtualSpec, bases: list[Base | None], running_at: Path | None) -> None:
        """Let disks be as large as they are to be; `running_at` is the monitor of a machine that runs."""
        name = spec.machine.object_id
        for number, (disk, base) in enumerate(zip(spec.disks, bases, strict=True)):
            path, size = self._disk(name, number), disks.size_of(disk, base)
            told, has = disks.damage(path, base)
            if told or has >= size:
                continue
            if running_at is not None:
                with monitor(running_at) as qemu:
                    qemu.do("block_resize", {"node-name": f"disk{number}", "size": size})
            else:
                disks.grown(path, size)

    def shown(self, name: str, *, runs: bool) -> list[DiskShown]:
        """The disks of a machine as they are."""
        shown = []
        for number, (word, digest) in enumerate(self._known(name)):
            base = self._bases.kept(digest) if digest else None
            damage, size = self._damage(name, number, base, runs=runs)
            if digest and base is None:
                damage = f"has a base image that {self._bases.fault(digest)}"
            shown.append(DiskShown(name=word, base=digest, size_gib=size // GIB, damage=damage))
        return shown

    def size_of(self, name: str, number: int) -> int:
        """The size of a disk in bytes. Raises UnusableValueError where its file cannot be read: it is no better at the
        next try."""
        told, size = disks.damage(self._disk(name, number), None)
        if not size:
            raise UnusableValueError(f"its disk {number} {told}. {_RESTORE}")
        return size

    def allocated(self, name: str, numbers: Sequence[int], *, is_thin: bool) -> int:
        """The most bytes that a copy of disks takes: the bytes written in them and, unless it is thin, in their bases,
        but no more than their sizes."""
        total = 0
        for number in numbers:
            digest = self._known(name)[number][1]
            base = self._bases.kept(digest) if digest else None
            files = [self._disk(name, number), *(one.file for one in (base.chain() if base and not is_thin else ()))]
            written = sum(one.stat().st_blocks * 512 for one in files)
            total += min(written, disks.damage(self._disk(name, number), base)[1] or written)
        return total

    def _damage(self, name: str, number: int, base: Base | None, *, runs: bool) -> tuple[str, int]:
        """The damage of a disk, in words, and its size in bytes; an empty text for a disk that is well."""
        path = self._disk(name, number)
        told, size = disks.damage(path, base)
        if told:
            return told, size
        shown = path.lstat()
        files = document(self._state.read(KIND, name, _FILES))
        inode, length = files.get(str(number), (shown.st_ino, 0))
        if shown.st_ino != inode and runs:
            return _REPLACED, size
        if shown.st_ino == inode and shown.st_size < length:
            return f"was cut off: its file had {length} bytes and has {shown.st_size}", size
        if [inode, length] != [shown.st_ino, shown.st_size]:
            with suppress(OSError):  # A full disk takes no note, and the one before stays true.
                files[str(number)] = [shown.st_ino, shown.st_size]
                self._state.write(KIND, name, _FILES, json.dumps(files))
        return "", size

    def _disk(self, name: str, number: int) -> Path:
        return self._state.folder(KIND, name) / FOLDER / f"disk{number}"

    def forget_bases(self) -> None:
        """Remove the copies of base images that no machine has any more."""
        self._bases.forget(frozenset(one for name in self._state.names(KIND) for one in self.kept(name) if one))

    def _made(self, name: str, known: Sequence[tuple[str, str]]) -> int:
        """The number of disks that were made: a full host may have known of a disk and never made it. All that are
        known, for a machine of an earlier release."""
        text = self._state.read(KIND, name, _MADE) or ""
        return int(text) if text.isdecimal() else len(known)

    def kept(self, name: str) -> list[str]:
        """The digests of the bases of a machine, by its disks; an empty text for a disk without one."""
        return [digest for _, digest in self._known(name)]

    def _known(self, name: str) -> list[tuple[str, str]]:
        """The bases of a machine as they were named, with their digests."""
        with suppress(ValueError):
            return [
                (str(word), str(digest)) for word, digest in json.loads(self._state.read(KIND, name, _BASES) or "[]")
            ]
        return []


def _give(path: Path, uid: int) -> None:
    """Let the user of a machine read and write its disk: another user may have restored the file."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        os.fchown(descriptor, uid, uid)
        os.fchmod(descriptor, _MODE)
    finally:
        os.close(descriptor)
