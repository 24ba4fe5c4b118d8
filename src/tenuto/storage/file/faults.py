"""Faults of an SQLite file in our words, each with its cause and its remedy."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from tenuto.errors import BugError, ConflictError, StoreUnavailableError, TenutoError
from tenuto.kit.canonical import DocumentError

_UNWRITTEN = "Nothing was written."
_ADVICE = (
    (
        "SQLITE_FULL",
        "its disk, or its quota, is full. Free some space: a Conductor that runs goes on by itself then, and one that "
        "was being started must be started again.",
    ),
    ("SQLITE_BUSY", "another program holds it locked. Find that program (fuser, lsof) and let it finish."),
    ("SQLITE_LOCKED", "another program holds it locked. Find that program (fuser, lsof) and let it finish."),
    ("SQLITE_NOTADB", "it is not an SQLite database. Name another file with --database."),
    ("SQLITE_CORRUPT", "it is damaged. Stop Tenuto and restore a backup, or try the `.recover` of the sqlite3 shell."),
    ("SQLITE_CANTOPEN", "it cannot be opened. Check that the path exists and who owns it."),
    ("SQLITE_READONLY", "it can only be read. Check who owns the file and its folder, and how they are mounted."),
    ("SQLITE_PERM", "access is denied. Check who owns the file and its folder."),
    ("SQLITE_IOERR", "its disk reports an error. Look at the system's log and at the health of the disk."),
    ("SQLITE_NOMEM", "there is not enough memory. Free some; a Conductor that runs goes on by itself then."),
    ("SQLITE_PROTOCOL", "its locks do not work. Put it on a local disk: network file systems break them."),
)
_TWICE = ("SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY")


@contextmanager
def translated(where: str) -> Iterator[None]:
    """Raise the errors of SQLite, and of the values that go in and out, as ours. `where` names the database."""
    try:
        yield
    except sqlite3.Error as error:
        raise _of(error, where) from error
    except (DocumentError, UnicodeEncodeError, OverflowError) as error:
        raise BugError(f"a value cannot be stored or read: {error}") from error


def _of(error: sqlite3.Error, where: str) -> TenutoError:
    name = getattr(error, "sqlite_errorname", None) or ""
    if name in _TWICE:
        return ConflictError(f"another writer was faster: {error}; read again, then decide again")
    if isinstance(error, sqlite3.IntegrityError):
        return BugError(f"the store refused what must not be stored: {error}")
    for code, advice in _ADVICE:
        if name.startswith(code):
            return StoreUnavailableError(f"the database {where} is not usable: {advice} {_UNWRITTEN} ({error})")
    return BugError(f"the store could not be asked: {error} ({name or type(error).__name__})")
