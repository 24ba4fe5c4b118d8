"""The store in memory: the SQLite store on a database that no file holds, for tests, the simulator and dry runs.

One connection serves every thread in turn, because a database in memory belongs to the connection that made it. The
schema is made once for each program and copied for every further store: tests make thousands of them.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock

from tenuto.errors import StoreUnavailableError
from tenuto.storage.file.database import transaction
from tenuto.storage.file.faults import translated
from tenuto.storage.file.migrate import migrate
from tenuto.storage.sqlite.store import SqliteStore

_WHERE = "in memory"


class MemoryStore(SqliteStore):
    """Implements `ports.store.Store`. Nothing outlives the object."""

    def __init__(self) -> None:
        super().__init__(MemoryDatabase())


class MemoryDatabase:
    """Implements `storage.file.database.Connections` with one connection."""

    where = _WHERE

    def __init__(self) -> None:
        self._lock = Lock()
        self._is_closed = False
        self._connection = _connect()
        self._connection.deserialize(_empty())
        self._connection.execute("PRAGMA foreign_keys = ON")

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock, translated(_WHERE):
            self._check_open()
            with transaction(self._connection, "BEGIN IMMEDIATE"):
                yield self._connection

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        with self._lock, translated(_WHERE):
            self._check_open()
            yield self._connection

    def check(self) -> None:
        """A database in memory cannot be taken away."""

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            self._connection.close()

    def _check_open(self) -> None:
        if self._is_closed:
            raise StoreUnavailableError("the database in memory was closed: Tenuto is stopping")


def _connect() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    connection.row_factory = sqlite3.Row
    return connection


@cache
def _empty() -> bytes:
    """The pages of a database with the present schema and nothing in it."""
    connection = _connect()
    try:
        migrate(connection, _WHERE)
        return connection.serialize()
    finally:
        connection.close()
