"""Opens the store that a database URL names."""

from pathlib import Path

from tenuto.errors import UserError
from tenuto.ports.store import Store
from tenuto.storage.file.database import Database
from tenuto.storage.sqlite.memory import MemoryStore
from tenuto.storage.sqlite.store import SqliteStore

_SQLITE = "sqlite:///"


def open_store(database: str) -> Store:
    """The store of that name. Raises UserError as `file_of`, StoreUnavailableError when the file cannot be used."""
    path = file_of(database)
    return MemoryStore() if path is None else SqliteStore(Database(path))


def file_of(database: str) -> Path | None:
    """The file of a store that is named by a path, by `sqlite:///PATH` (four slashes for an absolute one), or by
    `memory:`, which has none. Raises UserError for a name that means nothing here.
    """
    if database in ("memory:", ":memory:"):
        return None
    if database.startswith(("postgresql:", "postgres:")):
        raise UserError(
            "PostgreSQL is not available as a store yet. Name a file instead, with --database PATH or TENUTO_DATABASE."
        )
    if "://" in database and not database.startswith(_SQLITE):
        scheme = database.partition("://")[0]
        raise UserError(
            f"no store is known for {scheme}://. Name a file (PATH or sqlite:///PATH), or memory: to keep nothing."
        )
    path = database.removeprefix(_SQLITE)
    if not path:
        raise UserError("the database has no name. Name a file, with --database PATH or TENUTO_DATABASE.")
    return Path(path).expanduser()
