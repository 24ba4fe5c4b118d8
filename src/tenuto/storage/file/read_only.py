"""A database file that is only read, by one connection, while another program may be at work on it.

A connection that may write is opened where the file allows that, and told not to: SQLite needs the index of the
write-ahead log, and makes it anew where no program has the file open. A file that cannot be written has no log beside
it, as a rule, and is read as it is.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from tenuto.errors import StoreUnavailableError, UserError
from tenuto.storage.file.faults import translated
from tenuto.storage.file.migrate import check_ours, known_schema, stored_schema

_BUSY_TIMEOUT_S = 5.0


class ReadOnlyDatabase:
    """Implements `storage.file.database.Connections`, but for writing. To be closed.

    Raises UserError when there is no such file, StoreUnavailableError when it is no database of Tenuto.
    """

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise UserError(f"There is no database {path}. Name its file; --database or TENUTO_DATABASE say which.")
        self.path = path
        self.where = str(path)
        self._lock = Lock()
        with translated(self.where):
            self.connection = _connect(path)
            try:
                check_ours(self.connection, self.where)
                self.schema = stored_schema(self.connection)
                if not self.schema:
                    raise StoreUnavailableError(f"the database {path} is empty: nothing was ever stored in it.")
            except BaseException:
                self.connection.close()
                raise

    @property
    def size(self) -> int:
        """Bytes of all pages, also of those that are in the log only."""
        try:
            pages, size = (self.connection.execute(f"PRAGMA page_{name}").fetchone()[0] for name in ("count", "size"))
        except sqlite3.DatabaseError:  # So damaged that SQLite cannot tell.
            return self.path.stat().st_size
        return int(pages * size)

    @property
    def is_of_this_schema(self) -> bool:
        """Whether this Tenuto can read its tables as they are."""
        return self.schema == known_schema()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        raise StoreUnavailableError(f"the database {self.path} is open for reading only. Nothing was written.")
        yield self.connection

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        with self._lock, translated(self.where):
            self.connection.execute("BEGIN")
            try:
                yield self.connection
            finally:
                self.connection.execute("ROLLBACK")

    def check(self) -> None:
        """Do nothing, and never raise: a connection that only reads loses nothing."""

    def close(self) -> None:
        self.connection.close()


def _connect(path: Path) -> sqlite3.Connection:
    mode = "mode=rw"
    if not os.access(path, os.W_OK) or not os.access(path.resolve().parent, os.W_OK):
        has_log = path.resolve().with_name(f"{path.resolve().name}-wal").exists()
        mode = "mode=ro" if has_log else "mode=ro&immutable=1"
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?{mode}",
        uri=True,
        timeout=_BUSY_TIMEOUT_S,
        isolation_level=None,
        check_same_thread=False,
    )
    connection.row_factory = sqlite3.Row
    try:
        connection.execute("PRAGMA query_only = ON")
    except BaseException:
        connection.close()
        raise
    return connection
