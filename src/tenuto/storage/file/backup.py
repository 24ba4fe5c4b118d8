"""A consistent copy of a database file while a Conductor works on it.

SQLite copies the pages of one moment, the write-ahead log included, and delays no writer. The copy is one file without
a log, for its owner's eyes only. It gets its name at the end: a file with the name is a whole backup, and a file
that is there already stays.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

from tenuto.errors import UserError
from tenuto.kit.private_file import private_draft
from tenuto.storage.file.faults import translated
from tenuto.storage.file.read_only import ReadOnlyDatabase
from tenuto.storage.file.secrets import load_keys
from tenuto.storage.file.starting import key_path

_ROOM_BYTES = 1024 * 1024
"""The room beyond the size of the copy that file systems need for themselves."""
_MB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """The written backup. `key` is None when the key was not asked for, or when there is none."""

    file: Path
    size: int
    schema: int
    key: Path | None


def back_up(database: Path, target: Path, *, with_key: bool) -> Backup:
    """Copy the database, and its key when asked for.

    Raises UserError when a file is in the way, there is no room, or the database or its key is not there;
    StoreUnavailableError when the database cannot be read. Then nothing is left of the copy.
    """
    key = key_path(database) if with_key else None
    for taken in (target, *(target.with_name(f"{target.name}{end}") for end in ("-wal", "-shm")), key_path(target)):
        if taken.exists() and (taken != key_path(target) or with_key):
            raise UserError(f"{taken} is there already, and a backup never overwrites. Name another file.")
    if not target.absolute().parent.is_dir():
        raise UserError(f"There is no folder {target.absolute().parent} for the backup. Make it, or name another file.")
    if key is not None:
        if not key.exists():
            raise UserError(f"There is no key file {key} to copy. Leave --with-key out.")
        load_keys(key)  # Refused when it is damaged, or open to others.
    with closing(ReadOnlyDatabase(database)) as source, _told(target):
        size = _copy(source, target)
        copied = _copy_key(key, target) if key is not None else None
        return Backup(file=target, size=size, schema=source.schema, key=copied)


def _copy(source: ReadOnlyDatabase, target: Path) -> int:
    _check_room(source, target)
    draft = target.with_name(f"{target.name}.{token_hex(4)}")
    os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        with translated(str(target)), closing(sqlite3.connect(draft, isolation_level=None)) as copy:
            source.connection.backup(copy)
            # A file that is complete by itself: the copied header still promises a log beside it.
            copy.execute("PRAGMA journal_mode = DELETE")
        _flush(draft)
        size = draft.stat().st_size
        _name(draft, target)
        _flush(target.absolute().parent)
    finally:
        draft.unlink(missing_ok=True)
    return size


def _copy_key(key: Path, target: Path) -> Path:
    """A backup that was to have its key and has not is taken back."""
    copied = key_path(target)
    try:
        with private_draft(copied, key.read_bytes()) as draft:
            _name(draft, copied)
    except BaseException:
        target.unlink(missing_ok=True)
        raise
    return copied


def _name(draft: Path, target: Path) -> None:
    """Give the file its name, unless another one has it by now. Raises FileExistsError."""
    try:
        target.hardlink_to(draft)
    except FileExistsError:
        raise
    except OSError:  # A file system without hard links.
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        draft.replace(target)


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        # A file system that cannot flush a folder has no more to give.
        with suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _check_room(source: ReadOnlyDatabase, target: Path) -> None:
    needed = source.size + _ROOM_BYTES
    found = os.statvfs(target.absolute().parent)
    if found.f_bavail * found.f_frsize < needed:
        raise UserError(
            f"There is no room for the backup {target}: it needs {needed / _MB:.1f} MB, and "
            f"{found.f_bavail * found.f_frsize / _MB:.1f} MB are left there. Free some space, or name another disk."
        )


@contextmanager
def _told(target: Path) -> Iterator[None]:
    """Translate the errors that the operating system raises in here to our words."""
    try:
        yield
    except FileExistsError as error:
        raise UserError(f"{target} is there by now, and a backup never overwrites. Name another file.") from error
    except OSError as error:
        raise UserError(
            f"The backup {target} cannot be written: {error.strerror}. Nothing is left of it. See who owns the folder "
            "and how much room it has, or name another file."
        ) from error
