"""The file that was opened, and whether its path still leads to it.

An open file outlives its name. To delete, move or replace a database under a running program leaves it a file
that no program will ever find again, and SQLite writes on into it without a word. So the path is asked before each
transaction whether it still leads to the same file: two calls of the system, some microseconds.

The write-ahead log is a part of the database: the latest commits are in it alone.
"""

import os
from pathlib import Path

from tenuto.errors import StoreLostError, StoreUnavailableError

_Identity = tuple[int, int]


class OpenedFile:
    """A database file by its device and inode, and its log once it is there."""

    def __init__(self, path: Path) -> None:
        """Remember the file that the path leads to now. Raises StoreUnavailableError when there is none."""
        self._path = path
        self._log = path.resolve().with_name(f"{path.resolve().name}-wal")
        found = _identity(path)
        if found is None:
            raise StoreUnavailableError(f"the database {path} is not there any more. Nothing was written.")
        self._file: _Identity = found
        self._log_file: _Identity | None = None

    def watch_log(self) -> None:
        """Watch the write-ahead log too. SQLite has made it by now, and keeps it until the database is closed."""
        self._log_file = _identity(self._log)

    def check(self) -> None:
        """Raise StoreLostError when the path, or that of the log, leads to no file any more or to another one."""
        for path, opened in ((self._path, self._file), (self._log, self._log_file)):
            if opened is None:
                continue
            found = _identity(path)
            if found != opened:
                what = "is not there any more" if found is None else "was replaced by another file"
                raise StoreLostError(
                    f"the database file {path} {what} while the Conductor was running: it was moved, deleted or "
                    "replaced. Nothing was written, and this Conductor has stopped acting. Put the file back, or "
                    "restore a backup, with its -wal file when there is one; then start the Conductor again."
                )


def _identity(path: Path) -> _Identity | None:
    """Return the identity of the file; None when the path leads nowhere. Raises StoreUnavailableError when that cannot
    be told.
    """
    try:
        found = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StoreUnavailableError(
            f"the database {path} cannot be observed: {error.strerror}. Nothing was written."
        ) from error
    return found.st_dev, found.st_ino
