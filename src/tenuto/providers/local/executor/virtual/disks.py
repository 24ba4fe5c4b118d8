"""The disks of virtual machines: base images that never change, and an overlay for each disk of each machine.

Theory of operation. A base is a blob that the agent has fetched from the Conductor, or a file in the folder of images,
where a person puts it. When a machine needs it, it is copied into the executor's own folder under the SHA-512 of its
content, and is never written again. So a person may put another file in its place: machines that exist keep their copy,
and those to come get the new one. A copy is removed with the last machine that has it. A thin base stands on another
one, whose digest is in its header (`kit.qcow2`), and which stands here beside it.

The stamp of a copy (its inode, its size, its time) is kept beside it, and its bytes are read once a day
(`base_reading`). A copy with another one is not given to any
machine before it was read as a whole; one with other bytes is made again. A machine that has it open reads the wrong
bytes until it is started again, so which copies were changed in their place is noted.

The overlays are in a folder of their machine's user, and QEMU writes them. A header that does not read as it was
written is damage, and is told.
"""

import hashlib
import os
import stat
import time
from dataclasses import dataclass
from pathlib import Path

from tenuto.kit.flushing import flush
from tenuto.kit.qcow2 import DamagedDiskError, grow, is_qcow2, read_header, write_overlay
from tenuto.kit.state_folder import StateFolder
from tenuto.model.image import is_digest
from tenuto.providers.local.executor.kernel.programs import ProgramError
from tenuto.providers.local.images.folder import BlobFolder
from tenuto.providers.local.rules.machines.virtual_spec import DiskSpec
from tenuto.providers.local.rules.networks.spec import UnusableValueError

GIB = 1 << 30
BASES = "bases"
INSIDE = "/bases"
"""The folder of bases as QEMU sees it."""
_CONTENT, _KNOWN, _CHANGED, _READ = "content", "known", "changed", "read"
_WRONG = "wrong"
"""The word, in the place of the moment of its last reading, of a copy that has other bytes than its digest says."""
_MODE = 0o444
_CHUNK = 1 << 20
_ENDINGS = ("", ".qcow2", ".img", ".raw")
_DIGEST = 128
_SECTOR = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """One base image, by its digest. `parent` is the base that a thin one stands on."""

    digest: str
    file: Path
    format: str
    size_bytes: int
    parent: "Base | None" = None

    def chain(self) -> tuple["Base", ...]:
        """The base, and all that it stands on."""
        return (self, *(self.parent.chain() if self.parent else ()))


class Bases:
    """The base images of one host."""

    def __init__(self, state: StateFolder, images: Path, blobs: Path | None = None) -> None:
        """`images` is the folder where a person puts them, `blobs` that of the agent with those that it has fetched."""
        self._state = state
        self._images = images
        self._blobs = BlobFolder(blobs) if blobs else None

    def named(self, name: str) -> Base:
        """The base of a name, which is a file in the folder of images or the digest of a base that is here.

        Raises UnusableValueError when there is none, and one that no machine may have.
        """
        if len(name) == _DIGEST and (kept := self.kept(name)) is not None:
            return kept
        if self._blobs is not None and is_digest(name) and (blob := self._blobs.path(name)).is_file():
            return self._taken(blob, expected=name)
        found = next(
            (one for end in _ENDINGS if (one := self._images / f"{name}{end}").is_file() and not one.is_symlink()), None
        )
        if found is None and is_digest(name):
            raise UnusableValueError(f"the image {name[:16]}… is not on this host")
        if found is None:
            raise UnusableValueError(
                f"there is no image {name}: 'tenuto artifact upload {name} FILE' brings one for every host, and a file "
                f"of this name in {self._images} is one for this host alone"
            )
        return self._taken(found)

    def kept(self, digest: str) -> Base | None:
        """The base of a digest; None when it is not here as it was copied, or something that it stands on is not."""
        if self._fault(digest):
            return None
        file = self._file(digest)
        try:
            if not is_qcow2(file):
                size = -(-file.stat().st_size // _SECTOR) * _SECTOR
                return Base(digest=digest, file=file, format="raw", size_bytes=size)
            header = read_header(file)
        except (DamagedDiskError, OSError):
            return None
        # No chain leads back to its beginning: each content has the digest of the next one in it.
        parent = self.kept(header.parent) if header.parent else None
        if header.parent and parent is None:
            return None
        return Base(digest=digest, file=file, format="qcow2", size_bytes=header.size_bytes, parent=parent)

    def fault(self, digest: str) -> str:
        """The reason, in words, why a base cannot be used; empty for one that can be."""
        if self.kept(digest) is not None:
            return ""
        return self._fault(digest) or "cannot be read, or stands on one that is not here"

    def stamps(self, base: Base) -> dict[str, str]:
        """The stamps of a base and of all that it stands on, by digest."""
        return {one.digest: self._record(one.digest)[2] for one in base.chain()}

    def was_changed(self, digest: str, stamp: str) -> bool:
        """Whether the bytes of a copy were changed in their place after it had this stamp."""
        return bool(stamp) and stamp in (self._state.read(BASES, digest[:64], _CHANGED) or "").splitlines()

    def mended(self, digest: str) -> Base | None:
        """The base of a digest. One that is not as it was copied is read as a whole: with its own bytes it is kept, and
        with any others it is removed, so that it is made again."""
        if self._record(digest)[2] and (kept := self.kept(digest)) is not None:
            for one in kept.chain():
                one.file.chmod(_MODE)
            return kept
        file, (mark, _, known) = self._file(digest), self._record(digest)
        try:
            shown = file.lstat()
            if stat.S_ISREG(shown.st_mode) and _digest_of(file) == digest:
                file.chmod(_MODE)
                self._record_copy(digest, mark)
                return self.kept(digest)
            if known and known.split()[0] == str(shown.st_ino):
                changed = self._state.read(BASES, digest[:64], _CHANGED) or ""
                self._state.write(BASES, digest[:64], _CHANGED, f"{changed}{known}\n")
            file.unlink()
        except FileNotFoundError:
            pass
        return None

    def read_at(self) -> dict[str, float]:
        """The moment at which each copy that may be right was last read as a whole; 0 for one that never was."""
        found: dict[str, float] = {}
        for head in self._state.names(BASES):
            digest, text = self._record(head)[1], self._state.read(BASES, head, _READ) or "0"
            if digest and text != _WRONG and not self._fault(digest):
                found[digest] = float(text)
        return found

    def stamp_of(self, digest: str) -> str:
        """The stamp of a copy as it is; empty for one that is gone."""
        try:
            return self._stamp(digest)
        except FileNotFoundError:
            return ""

    def slice_of(self, digest: str, offset: int, size: int, *, stamp: str) -> bytes | None:
        """The bytes of a copy from an offset on, fewer than `size` at its end; None for one with another stamp."""
        if not stamp or self.stamp_of(digest) != stamp:
            return None
        descriptor = os.open(self._file(digest), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as content:
            content.seek(offset)
            found = content.read(size)
            # The next reading comes in a day: these bytes are not to push out of memory the bytes that machines read.
            os.posix_fadvise(content.fileno(), offset, size, os.POSIX_FADV_DONTNEED)
            return found

    def note_read(self, digest: str, at: float, *, is_good: bool) -> None:
        """Keep the result of the reading of a copy as a whole."""
        self._state.write(BASES, digest[:64], _READ, str(at) if is_good else _WRONG)

    def forget(self, used: frozenset[str]) -> None:
        """Remove the copies that no machine has, and that nothing stands on which one has."""
        bases = [self.kept(one) for one in used]
        if None in bases:
            return  # The parents of that base are not known.
        heads = {link.digest[:64] for base in bases if base for link in base.chain()}
        for head in self._state.names(BASES):
            if head not in heads:
                self._state.remove(BASES, head)

    def _taken(self, found: Path, expected: str = "") -> Base:
        """The copy of a file, made where there is none. The agent, which may write its own folder, is not believed: a
        blob must have the digest that was `expected`.
        """
        _check(found)
        shown = found.stat()
        mark = f"{shown.st_dev} {shown.st_ino} {shown.st_size} {shown.st_mtime_ns}"
        for head in self._state.names(BASES):
            known, digest, _ = self._record(head)
            if known == mark and expected in ("", digest) and not self._fault(digest):
                return self._with_parents(digest)
        draft = self._state.path / f".draft-{os.getpid()}"
        try:
            digest = _copied(found, draft)
            if expected and digest != expected:
                raise UnusableValueError(f"the blob {expected[:16]}… has other bytes than its digest says")
            folder = self._state.made(BASES, digest[:64])
            draft.chmod(_MODE)
            draft.replace(folder / _CONTENT)
        finally:
            draft.unlink(missing_ok=True)
        self._record_copy(digest, mark)
        return self._with_parents(digest)

    def _with_parents(self, digest: str) -> Base:
        """The base of a digest that is here, after its parent was taken."""
        file = self._file(digest)
        if is_qcow2(file) and (parent := read_header(file).parent):
            self.named(parent)
        kept = self.kept(digest)
        if kept is None:
            raise UnusableValueError(f"the image {digest[:16]}… stands on another one, which is not on this host")
        return kept

    def _fault(self, digest: str) -> str:
        """The fault of a copy itself, without a look at its bytes. One of an earlier release has no stamp."""
        try:
            now = self._stamp(digest)
        except FileNotFoundError:
            return "is gone"
        known = self._record(digest)[2]
        if self._state.read(BASES, digest[:64], _READ) == _WRONG:
            return "has other bytes than it had"
        return "was changed" if not now or known not in ("", now) else ""

    def _stamp(self, digest: str) -> str:
        """The stamp of a copy as it is; empty for a path of no regular file. Raises FileNotFoundError."""
        shown = self._file(digest).lstat()
        is_file = stat.S_ISREG(shown.st_mode)
        return f"{shown.st_ino} {shown.st_size} {shown.st_mtime_ns}" if is_file else ""

    def _record(self, digest: str) -> tuple[str, str, str]:
        """The mark of the file that a copy is of, its digest, and the stamp of the copy; empty texts for none."""
        lines = [*(self._state.read(BASES, digest[:64], _KNOWN) or "").split("\n"), "", ""]
        return lines[0], lines[1], lines[2]

    def _record_copy(self, digest: str, mark: str) -> None:
        self._state.write(BASES, digest[:64], _KNOWN, f"{mark}\n{digest}\n{self._stamp(digest)}")
        # Its bytes have just been read: those that were copied, or all of it.
        self._state.write(BASES, digest[:64], _READ, str(time.time()))

    def _file(self, digest: str) -> Path:
        return self._state.folder(BASES, digest[:64]) / _CONTENT


def made(path: Path, disk: DiskSpec, base: Base | None, uid: int) -> None:
    """Make the overlay of a disk that was never in use, for its machine's user. It is there as a whole or not at all:
    a full disk or a crash leaves nothing half written. Raises UnusableValueError and OSError."""
    size = size_of(disk, base)
    # Outside of the folder that QEMU may write.
    draft = path.parent.with_name(f"draft-{path.name}")
    draft.unlink(missing_ok=True)
    try:
        if base is None:
            write_overlay(draft, size, base="", base_format="")
        else:
            write_overlay(draft, size, base=f"{INSIDE}/{base.digest}", base_format=base.format)
        os.chown(draft, uid, uid, follow_symlinks=False)
        flush(draft)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def size_of(disk: DiskSpec, base: Base | None) -> int:
    """The bytes that a disk is to have. Raises UnusableValueError for less than its base has."""
    least = base.size_bytes if base else 0
    size = disk.size_gib * GIB or least
    if size < least:
        raise UnusableValueError(f"a disk of {disk.size_gib} GiB is smaller than its base {disk.base} ({least} bytes)")
    return size


def damage(path: Path, base: Base | None) -> tuple[str, int]:
    """The damage of a disk, in words, and its size in bytes; an empty text for a disk that is well."""
    try:
        header = read_header(path)
    except FileNotFoundError:
        return "is gone", 0
    except (DamagedDiskError, OSError) as error:
        return str(error) if isinstance(error, DamagedDiskError) else f"cannot be read: {error.strerror}", 0
    wanted = f"{INSIDE}/{base.digest}" if base else ""
    if header.base != wanted:
        return f"has another base: {header.base[:200]}", header.size_bytes
    if header.is_corrupt or header.has_external_data or header.is_encrypted:
        return "is marked as damaged by QEMU", header.size_bytes
    return "", header.size_bytes


def grown(path: Path, size_bytes: int) -> None:
    """Let a disk that is not in use be larger. Raises ProgramError."""
    try:
        grow(path, size_bytes)
    except (ValueError, OSError) as error:
        raise ProgramError(f"a disk cannot grow: {error}") from error


def _check(found: Path) -> None:
    """Raise UnusableValueError for an image that reads other files, or that cannot be read at all."""
    if not is_qcow2(found):
        return
    try:
        header = read_header(found)
    except DamagedDiskError as error:
        raise UnusableValueError(f"the image {found.name} cannot be used: it {error}") from error
    if header.base or header.has_external_data or header.is_encrypted:
        raise UnusableValueError(
            f"the image {found.name} has a base, an external file or a key of its own: flatten it (qemu-img convert)"
        )


def _digest_of(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, hashlib.sha512).hexdigest()


def _copied(source: Path, target: Path) -> str:
    """Copy a file and return the digest of the copied bytes."""
    digest = hashlib.sha512()
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with source.open("rb") as content, os.fdopen(descriptor, "wb") as copy:
        while chunk := content.read(_CHUNK):
            digest.update(chunk)
            copy.write(chunk)
        copy.flush()
        os.fsync(copy.fileno())
    return digest.hexdigest()
