"""One Conductor for one SQLite file.

SQLite itself would let two processes write in turn; two Conductors would then both run every phase. The operating
system drops the lock when its holder dies in whatever way, so that a crash never leaves a stale one.
"""

import fcntl
import os
from pathlib import Path
from typing import IO

from tenuto.errors import UserError


class DatabaseLock:
    """An exclusive lock beside a database file, held from construction to `release` or the end of the process."""

    def __init__(self, database: Path) -> None:
        """Raises UserError when another process holds it, or the folder cannot be written."""
        self._path = database.with_name(f"{database.name}.lock")
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
        self._file.truncate(0)
        self._file.write(str(os.getpid()))
        self._file.flush()

    def release(self) -> None:
        self._file.close()

    def _open(self) -> IO[str]:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise UserError(f"{self._path} cannot be made: {error}. Give another place with --database.") from error
        return os.fdopen(descriptor, "r+")
