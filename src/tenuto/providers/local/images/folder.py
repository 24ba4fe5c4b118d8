"""The folder of blobs and of parts, on the machine of the Conductor and on each host.

    ab/abcdef…       a blob, in a folder named by the first two digits of its SHA-512
    parts/ID.part    a file that is still coming

Theory of operation. A part grows by appended bytes that are on the disk before their number is told. It becomes a blob
by a rename after it was read as a whole, so a blob is complete from the moment it is there. The folder is for its owner
alone (0700, files 0600), and no name of a file comes from outside: digests and ids are checked.
"""

import errno
import hashlib
import os
import re
import shutil
import stat
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

from tenuto.errors import BugError, NoRoomError, StoreUnavailableError
from tenuto.kit.flushing import flush
from tenuto.kit.qcow2 import parent_in
from tenuto.model.ids import Instant, ObjectId
from tenuto.model.image import Content, ImageFormat, is_digest
from tenuto.ports.images import Part, Stamp
from tenuto.providers.local.rules.image_format import HEAD_BYTES, image_format

KEPT_FREE_BYTES = 256 * 1024**2
"""The Conductor's database is on the same disk as a rule, and must be able to go on."""
BLOBS = "blobs"
"""The folder of blobs in the state directory of an agent."""
OF_THE_CONDUCTOR = (
    "The disk of the Conductor has no room for these bytes. What was sent before is kept: delete artifacts that are "
    "not needed, or give the disk more room, and type the command again."
)
OF_A_HOST = (
    "the disk of the host has no room for it: delete machines and files there, or give the disk more room. "
    f"{KEPT_FREE_BYTES >> 20} MiB of it are left free"
)
_READ_BYTES = 1024**2
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NAME = re.compile(r"[A-Za-z0-9._-]{1,80}")


class BlobFolder:
    """Implements `ports.images.ImageFiles`."""

    def __init__(self, root: Path | None, *, kept_free: int = KEPT_FREE_BYTES, no_room: str = OF_THE_CONDUCTOR) -> None:
        """Name the place of the folder, which is made when it is needed. `root` is None for one that ends with the
        program, as a store in memory does. `no_room` is the message for a full disk."""
        self._no_room = no_room
        self._given = root
        self._made: Path | None = None
        self._kept_free = kept_free

    def free_bytes(self) -> int:
        with self._told():
            return max(0, shutil.disk_usage(self._root()).free - self._kept_free)

    def check_room(self, size: int) -> None:
        """Raise NoRoomError when new files may not take so many bytes."""
        if self.free_bytes() < size:
            raise NoRoomError(self._no_room)

    def begin(self, name: ObjectId, at: Instant) -> None:
        path = self._part(name)
        with self._told():
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600))
            os.utime(path, (at, at))

    def part(self, name: ObjectId) -> Part | None:
        with self._told():
            try:
                found = self._part(name).stat()
            except FileNotFoundError:
                return None
        return Part(size=found.st_size, touched_at=Instant(found.st_mtime))

    def append(self, name: ObjectId, offset: int, content: bytes, at: Instant) -> int:
        path = self._part(name)
        self.check_room(len(content))
        with self._told():
            descriptor = os.open(path, os.O_WRONLY | os.O_NOFOLLOW)
            try:
                os.ftruncate(descriptor, offset)
                try:
                    _write(descriptor, offset, content)
                    os.fdatasync(descriptor)
                except OSError:
                    # It is not known which bytes of the block the disk has: none of them counts as there.
                    os.ftruncate(descriptor, offset)
                    raise
            finally:
                os.close(descriptor)
            os.utime(path, (at, at))
        return offset + len(content)

    def drop(self, name: ObjectId) -> None:
        with self._told():
            self._part(name).unlink(missing_ok=True)

    def seal(self, name: ObjectId) -> Content:
        path = self._part(name)
        with self._told():
            with path.open("rb") as file:
                os.fsync(file.fileno())
            return _read(path)

    def keep(self, name: ObjectId, sha512: str) -> Stamp:
        part, blob = self._part(name), self.path(sha512)
        with self._told():
            known = self.stamp(sha512)
            if known is not None and (not part.exists() or known.size == part.stat().st_size):
                part.unlink(missing_ok=True)
                return known
            blob.parent.mkdir(mode=0o700, exist_ok=True)
            _set_aside(blob)
            part.replace(blob)
            for folder in (blob.parent, part.parent):
                flush(folder)
        stamp = self.stamp(sha512)
        if stamp is None:
            raise BugError(f"the blob {sha512} is not there after it was kept")
        return stamp

    def stamp(self, sha512: str) -> Stamp | None:
        with self._told():
            try:
                found = self.path(sha512).lstat()
            except FileNotFoundError:
                return None
        # A folder, a link or a pipe in its place is no blob: it counts as missing, and comes again.
        return Stamp(size=found.st_size, mtime_ns=found.st_mtime_ns) if stat.S_ISREG(found.st_mode) else None

    def content(self, sha512: str) -> Content | None:
        if self.stamp(sha512) is None:
            return None
        with self._told():
            try:
                return _read(self.path(sha512))
            except FileNotFoundError:
                return None

    def remove(self, sha512: str) -> None:
        with self._told():
            _set_aside(self.path(sha512))
            self.path(sha512).unlink(missing_ok=True)

    def stored(self) -> tuple[str, ...]:
        with self._told():
            return tuple(sorted(one.name for one in self._root().glob("??/*") if is_digest(one.name)))

    def parts(self) -> tuple[ObjectId, ...]:
        with self._told():
            return tuple(sorted(ObjectId(one.stem) for one in (self._root() / "parts").glob("*.part")))

    def path(self, sha512: str) -> Path:
        if not is_digest(sha512):
            raise BugError(f"{sha512[:140]!r} is no digest of a blob")
        return self._root() / sha512[:2] / sha512

    def _part(self, name: ObjectId) -> Path:
        if _NAME.fullmatch(name) is None or name.startswith("."):
            raise BugError(f"{name[:80]!r} cannot name a part")
        return self._root() / "parts" / f"{name}.part"

    def _root(self) -> Path:
        if self._made is None:
            with self._told():
                root = self._given
                if root is None:
                    root = Path(mkdtemp(prefix="tenuto-blobs-"))
                    weakref.finalize(self, shutil.rmtree, root, ignore_errors=True)
                for folder in (root, root / "parts"):
                    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._made = root
        return self._made

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Translate the errors of the disk. FileNotFoundError is for the caller to understand where it can."""
        try:
            yield
        except FileNotFoundError:
            raise
        except OSError as error:
            if error.errno in _FULL:
                raise NoRoomError(self._no_room) from error
            raise StoreUnavailableError(
                f"the folder of images {self._given} cannot be used: {error.strerror}. Correct that, then try again"
            ) from error


def _read(path: Path) -> Content:
    digest, size, head = hashlib.sha512(), 0, b""
    with path.open("rb") as file:
        while block := file.read(_READ_BYTES):
            digest.update(block)
            size += len(block)
            head = head or block[:HEAD_BYTES]
    found, virtual, fault = image_format(head, size)
    parent = parent_in(head) if found is ImageFormat.QCOW2 else ""
    return Content(sha512=digest.hexdigest(), size=size, format=found, virtual_size=virtual, fault=fault, parent=parent)


def _set_aside(blob: Path) -> None:
    """Rename a folder that has the place of a blob: a person has made it, and no file can take its place."""
    if blob.is_dir() and not blob.is_symlink():
        blob.rename(blob.with_name(f"{blob.name}.aside-{time.time_ns()}"))


def _write(descriptor: int, offset: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        written = os.pwrite(descriptor, rest, offset)
        offset, rest = offset + written, rest[written:]
