"""Brings the schema of a database to the one that this Tenuto works with.

Theory of operation. Migrations are the files `sql/migrations/NNNN_*.sql`, numbered without gaps and never edited once
they were released. The number of the last one that was applied is the database's `user_version`. Each is applied in one
transaction together with its number, so a crash leaves the database before or after it, and of two Conductors that
start together the second finds it done. A database with a higher number was written by a newer Tenuto, and is left
alone: the meaning of a newer schema is not ours to guess.

Until the first release the first migration changes, and a database of then has its number and other tables. So the
tables themselves are compared with those that the migrations make. A statement that meets other tables would fail
anywhere, in words about columns.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from functools import cache
from importlib import resources

from tenuto.errors import BugError, StoreUnavailableError

APPLICATION_ID = 0x54454E55
"""`TENU`: marks a file as ours, so that a wrong --database does not fill the tables of another program."""

_MOST_NAMES = 3
"""Names of tables in a message: enough to see that it is no damage."""


def migrate(connection: sqlite3.Connection, where: str) -> None:
    """Apply the migrations that are missing. Raises StoreUnavailableError for a database of another program, or from a
    newer Tenuto.
    """
    scripts = load_migrations()
    check_ours(connection, where)
    version = stored_schema(connection)
    if version > len(scripts):
        raise StoreUnavailableError(
            f"the database {where} was written by a newer Tenuto (schema {version}, this one knows {len(scripts)})."
            " Nothing was changed. Run that Tenuto, or name another file with --database."
        )
    for number in range(version + 1, len(scripts) + 1):
        apply_migration(connection, number, scripts[number - 1])
    if version and (others := other_tables(connection)):
        raise StoreUnavailableError(f"the database {where} {of_another_version(others)}. Nothing was changed.")


def other_tables(connection: sqlite3.Connection) -> tuple[str, ...]:
    """The tables and indexes of a database of this schema that are not as this Tenuto makes them, by name."""
    found, made = _tables(connection), _made_by(load_migrations())
    return tuple(sorted(name for name in found.keys() | made.keys() if found.get(name) != made.get(name)))


def of_another_version(others: Sequence[str]) -> str:
    """The words that tell such a database, after its name."""
    more = f" and {len(others) - _MOST_NAMES} more" if len(others) > _MOST_NAMES else ""
    return (
        "was made by another version of Tenuto, from before the first release, whose tables are different "
        f"({', '.join(others[:_MOST_NAMES])}{more}). This version cannot use it. Run the version that made it, to kill "
        "or release what it holds, or name another file with --database"
    )


def _tables(connection: sqlite3.Connection) -> dict[str, str]:
    """The statements that made the tables and indexes. SQLite's own have names of SQLite, or no statement."""
    rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'")
    return {str(name): str(sql) for name, sql in rows}


@cache
def _made_by(scripts: tuple[str, ...]) -> Mapping[str, str]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as empty:
        for number, script in enumerate(scripts, start=1):
            apply_migration(empty, number, script)
        return _tables(empty)


def load_migrations() -> tuple[str, ...]:
    """The scripts in order. Raises BugError when their numbers have a gap."""
    folder = resources.files("tenuto.storage") / "sql" / "migrations"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name)
    for number, file in enumerate(files, start=1):
        if not file.name.startswith(f"{number:04d}_"):
            raise BugError(f"migration {file.name} should be number {number:04d}")
    return tuple(file.read_text(encoding="utf-8") for file in files)


def apply_migration(connection: sqlite3.Connection, number: int, script: str) -> None:
    """Apply one script and its number, or nothing. Does nothing when it was applied already."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if _number(connection, "user_version") < number:
            for statement in _statements(script):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {number}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _statements(script: str) -> Iterator[str]:
    """The statements of a script one by one: `executescript` would commit in between."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def stored_schema(connection: sqlite3.Connection) -> int:
    """The number of the last migration that was applied."""
    return _number(connection, "user_version")


def known_schema() -> int:
    """The number of the last migration of this Tenuto."""
    return len(load_migrations())


def check_ours(connection: sqlite3.Connection, where: str) -> None:
    """Raise StoreUnavailableError for the database of another program."""
    marked = _number(connection, "application_id") == APPLICATION_ID
    if not marked and connection.execute("SELECT EXISTS (SELECT 1 FROM sqlite_master)").fetchone()[0]:
        raise StoreUnavailableError(
            f"the database {where} belongs to another program. Nothing was changed. Name another file with --database."
        )


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    value: int = connection.execute(f"PRAGMA {pragma}").fetchone()[0]
    return value
