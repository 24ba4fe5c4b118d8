"""Opens the store that a database URL names."""

from pathlib import Path

from tenuto.errors import UserError
from tenuto.ports.store import Store
from tenuto.storage.database import Database
from tenuto.storage.memory import MemoryStore
from tenuto.storage.sqlite import SqliteStore

_SQLITE = "sqlite:///"


def open_store(database: str) -> Store:
    """The store named by a path, by `sqlite:///PATH` (four slashes for an absolute one), or by `memory:`.

    Raises UserError for a name that means nothing here, StoreUnavailableError when the file cannot be used.
    """
    if database in ("memory:", ":memory:"):
        return MemoryStore()
    if database.startswith(_SQLITE):
        return _open_file(database.removeprefix(_SQLITE))
    if database.startswith(("postgresql:", "postgres:")):
        raise UserError(
            "PostgreSQL is not available as a store yet. Name a file instead, with --database PATH or TENUTO_DATABASE."
        )
    if "://" in database:
        scheme = database.partition("://")[0]
        raise UserError(
            f"no store is known for {scheme}://. Name a file (PATH or sqlite:///PATH), or memory: to keep nothing."
        )
    return _open_file(database)


def _open_file(path: str) -> Store:
    if not path:
        raise UserError("the database has no name. Name a file, with --database PATH or TENUTO_DATABASE.")
    return SqliteStore(Database(Path(path).expanduser()))
