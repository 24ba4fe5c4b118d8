"""A signal that arrives just as a transaction begins leaves no open one behind: the next writer would be refused."""

import sqlite3

import pytest

from tenuto.storage.file.database import transaction


class Interrupted:
    """A connection whose first statement is carried out, and then interrupted as by Ctrl-C."""

    def __init__(self, inner: sqlite3.Connection) -> None:
        self.inner = inner
        self.is_new = True

    def execute(self, statement: str) -> None:
        self.inner.execute(statement)
        if self.is_new:
            self.is_new = False
            raise KeyboardInterrupt

    @property
    def in_transaction(self) -> bool:
        return self.inner.in_transaction


def test_a_transaction_that_is_interrupted_as_it_begins_is_undone() -> None:
    inner = sqlite3.connect(":memory:", isolation_level=None)
    try:
        connection = Interrupted(inner)
        with pytest.raises(KeyboardInterrupt), transaction(connection, "BEGIN IMMEDIATE"):
            pass
        assert not inner.in_transaction
        with transaction(inner, "BEGIN IMMEDIATE"):
            inner.execute("CREATE TABLE kept (one)")
        assert inner.execute("SELECT count(*) FROM kept").fetchone() == (0,)
    finally:
        inner.close()
