"""The inspection of a database file by SQLite itself: whether it is whole, and which table takes how much room."""

import sqlite3
from collections.abc import Mapping

from tenuto.storage.file.read_only import ReadOnlyDatabase

_MOST = 20
"""Faults that are told: the first ones say where the damage begins."""


def faults_of(database: ReadOnlyDatabase) -> tuple[str, ...]:
    """The damage of a file; empty for a sound one. Reads the whole file."""
    connection = database.connection
    try:
        found = [str(row[0]) for row in connection.execute(f"PRAGMA integrity_check({_MOST})")]
        if found == ["ok"]:
            found = [
                f"a row of {row['table']} refers to a row of {row['parent']} that is not there"
                for row in connection.execute("PRAGMA foreign_key_check").fetchmany(_MOST)
            ]
    except sqlite3.DatabaseError as error:
        found = [str(error)]
    return tuple(found)


def sizes_of(database: ReadOnlyDatabase) -> Mapping[str, int]:
    """Bytes of each table with its indexes, the largest first; empty where this SQLite cannot tell.

    Reads the whole file.
    """
    try:
        found = database.connection.execute(
            "SELECT COALESCE(entry.tbl_name, stat.name) AS name, SUM(stat.pgsize) AS bytes"
            " FROM dbstat AS stat LEFT JOIN sqlite_master AS entry ON entry.name = stat.name"
            " GROUP BY 1 ORDER BY 2 DESC, 1"
        ).fetchall()
    except sqlite3.DatabaseError:
        return {}
    return {row["name"]: row["bytes"] for row in found}
