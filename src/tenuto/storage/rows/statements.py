"""The named queries, run on one connection within the transaction of a caller."""

import sqlite3
from collections.abc import Iterable
from typing import Any

from tenuto.storage.rows.columns import Row
from tenuto.storage.rows.queries import load_queries


class Statements:
    """Runs queries by their names."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._queries = load_queries()

    def run(self, name: str, parameters: dict[str, Any]) -> sqlite3.Cursor:
        return self._connection.execute(self._queries[name], parameters)

    def run_many(self, name: str, parameters: Iterable[dict[str, Any]]) -> None:
        """Run the statement once for each of the parameters."""
        self._connection.executemany(self._queries[name], parameters)

    def one(self, name: str, parameters: dict[str, Any]) -> Row | None:
        """The first row; None when there is none."""
        row: Row | None = self.run(name, parameters).fetchone()
        return row

    def all(self, name: str, parameters: dict[str, Any]) -> list[Row]:
        return self.run(name, parameters).fetchall()
