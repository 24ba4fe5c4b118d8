"""One Conductor for one SQLite file.

SQLite itself would let two processes write in turn; two Conductors would then both run every phase. The operating
system drops the lock when its holder dies in any way, so that a crash never leaves a stale one.

A file may have several names. Symbolic links are followed, so that the lock is beside the file itself. A hard link may
be in any folder, so the file is locked as well, by its inode and not by its name. That lock (`flock`) and those that
SQLite takes on the same file (`fcntl`) know nothing of each other on Linux; elsewhere they may, and there the file is
not locked.
"""

import fcntl
import os
import sys
from pathlib import Path
from typing import IO

from tenuto.errors import UserError


class DatabaseLock:
    """An exclusive lock beside a database file, held from construction to `release` or the end of the process."""

    def __init__(self, database: Path) -> None:
        """Raises UserError when another process holds it, or the folder cannot be written."""
        real = database.resolve()
        self._path = real.with_name(f"{real.name}.lock")
        self._inode: int | None = None
        self._file = self._open()
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = self._path.read_text().strip() or "unknown"
            self._file.close()
            raise UserError(
                f"another Conductor (process {holder}) already uses {database}. Stop it, or give this one another "
                "--database."
            ) from error
        self._lock_inode(real)
        try:
            self._file.truncate(0)
            self._file.write(str(os.getpid()))
            self._file.flush()
        except OSError as error:
            raise UserError(
                f"{self._path} cannot be written: {error.strerror}. Free some space on its disk, or see who owns it; "
                "then start the Conductor again."
            ) from error

    def release(self) -> None:
        """Release the lock after the database was closed: closing the file here ends SQLite's locks, too. A second call
        does nothing.
        """
        if self._inode is not None:
            os.close(self._inode)
            self._inode = None
        self._file.close()

    def _lock_inode(self, real: Path) -> None:
        """Lock the file itself, where there is one: one that is still to be made has no other name."""
        if not sys.platform.startswith("linux"):
            return
        try:
            descriptor = os.open(real, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return  # The code that opens the database reports the fault.
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(descriptor)
            self._file.close()
            raise UserError(
                f"another Conductor already uses {real} under another name (a hard link). Stop it, or give this one "
                "another --database: SQLite loses data where one file is used under two names."
            ) from error
        self._inode = descriptor

    def _open(self) -> IO[str]:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise UserError(f"{self._path} cannot be made: {error}. Give another place with --database.") from error
        return os.fdopen(descriptor, "r+")
