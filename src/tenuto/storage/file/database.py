"""One SQLite file: its creation, its one writing connection and its readers.

Theory of operation. SQLite has one writer at a time, so there is one writing connection and a lock around it: waiting
for a lock of ours is fair and free, waiting for SQLite's is a poll. Readers have connections of their own and, thanks
to the write-ahead log, neither wait for the writer nor delay it; each read is one transaction, so that a value put
together from several queries is of one moment. Idle readers are kept for the next who asks, so there are as many as
ever read at the same time.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Protocol

from tenuto.errors import StoreUnavailableError
from tenuto.storage.file.faults import translated
from tenuto.storage.file.migrate import migrate
from tenuto.storage.file.opened_file import OpenedFile

_BUSY_TIMEOUT_S = 5.0
"""Seconds for which another program may hold the file: a backup or a shell takes less, and a person notices more."""
_PRAGMAS = (
    # A plan or an intent must outlive a loss of power, or a create could happen twice (DECISIONS 19). A commit is one
    # whole phase run, so this costs one flush of the disk for up to a thousand objects.
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    # 4,000 pages (16 MB) of log before it is merged: merging makes a commit slow now and then, and bulk transitions of
    # scattered objects write a thousand pages each.
    "PRAGMA wal_autocheckpoint = 4000",
)


class Connections(Protocol):
    """The connections that the SQLite store needs of its database. All of it is safe to call from several threads."""

    where: str
    """The database's name in messages."""

    def writing(self) -> AbstractContextManager[sqlite3.Connection]:
        """The writing connection in a transaction of its own: committed at the end, undone when anything is raised."""
        ...

    def reading(self) -> AbstractContextManager[sqlite3.Connection]:
        """A connection for reads that all see one moment."""
        ...

    def check(self) -> None:
        """Raise StoreLostError when the next program that opens the database would not find the rows that are written
        now."""
        ...

    def close(self) -> None:
        """Close every connection. Twice is fine."""
        ...


class Database:
    """The `Connections` on an open file.

    Raises StoreUnavailableError, with a remedy, when it cannot be made, opened or migrated.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.where = str(path)
        self._lock = Lock()
        self._idle_lock = Lock()
        self._idle: list[sqlite3.Connection] = []
        self._is_closed = False
        _create(path)
        self._file = OpenedFile(path)
        with translated(self.where):
            self.writer = self._connect()
            try:
                mode = self.writer.execute("PRAGMA journal_mode = WAL").fetchone()[0]
                if mode != "wal":
                    raise StoreUnavailableError(
                        f"the database {path} cannot have a write-ahead log here (its journal stays {mode})."
                        " Put it on a local disk."
                    )
                migrate(self.writer, str(path))
                self._file.watch_log()
            except BaseException:
                self.writer.close()
                raise

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock, translated(self.where):
            self._check_open()
            self.check()
            with transaction(self.writer, "BEGIN IMMEDIATE"):
                yield self.writer

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        with translated(self.where):
            self.check()
            connection = self._take()
            try:
                connection.execute("BEGIN")
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                connection.close()
                raise
            self._give_back(connection)

    def check(self) -> None:
        self._check_open()
        self._file.check()

    def close(self) -> None:
        """Close every connection; merges the log into the file. Twice is fine."""
        with self._lock, self._idle_lock:
            if self._is_closed:
                return
            self._is_closed = True
            for connection in self._idle:
                connection.close()
            self._idle.clear()
            # The log keeps each fault of SQLite for the next start.
            with suppress(sqlite3.Error):
                self.writer.close()

    def _take(self) -> sqlite3.Connection:
        with self._idle_lock:
            self._check_open()
            if self._idle:
                return self._idle.pop()
        connection = self._connect()
        connection.execute("PRAGMA query_only = ON")
        return connection

    def _give_back(self, connection: sqlite3.Connection) -> None:
        with self._idle_lock:
            if not self._is_closed:
                self._idle.append(connection)
                return
        connection.close()

    def _check_open(self) -> None:
        if self._is_closed:
            raise StoreUnavailableError(f"the database {self.path} was closed: Tenuto is stopping")

    def _connect(self) -> sqlite3.Connection:
        # Never made here: a connection that found no file would go on with an empty one.
        name = f"{self.path.absolute().as_uri()}?mode=rw"
        # Connections wander between threads, one thread at a time: the two locks are for that.
        connection = sqlite3.connect(
            name, uri=True, timeout=_BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
        )
        connection.row_factory = sqlite3.Row
        try:
            for pragma in _PRAGMAS:
                connection.execute(pragma)
            self.check()
        except BaseException:
            connection.close()
            raise
        return connection


@contextmanager
def transaction(connection: sqlite3.Connection, begin: str) -> Iterator[None]:
    """A transaction around the statements in here; it is undone when anything is raised, also by a signal as it
    begins."""
    try:
        connection.execute(begin)
        yield
        connection.execute("COMMIT")
    except BaseException:
        # A full disk makes SQLite undo by itself; then there is nothing left to undo.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _create(path: Path) -> None:
    """Make the file, and its folder, for the owner's eyes only. Both stay as they are when they exist."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        raise StoreUnavailableError(
            f"the database {path} cannot be made or opened: {error.strerror}. Nothing was written."
            " Check the path and who owns it, or name another file with --database."
        ) from error
