"""Brings the schema of a database to the one that this Tenuto works with.

Theory of operation. Migrations are the files `sql/migrations/NNNN_*.sql`, numbered without gaps and never edited once
they were released. The number of the last one that was applied is the database's `user_version`. Each is applied in one
transaction together with its number, so a crash leaves the database before or after it, and of two Conductors that
start together the second finds it done. A database with a higher number was written by a newer Tenuto, and is left
alone: what a newer schema means is not ours to guess.
"""

import sqlite3
from collections.abc import Iterator
from importlib import resources

from tenuto.errors import BugError, StoreUnavailableError

APPLICATION_ID = 0x54454E55
"""`TENU`: marks a file as ours, so that a wrong --database does not fill the tables of another program."""


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
