"""The checks before a Conductor starts on a database file: room on the disk, the file itself, and its key.

Only a first start makes a database, and only a database without sealed values gets a new key. A start that finds one of
the two files and not the other has lost it: with an empty database every resource would be an orphan, and with a new
key no secret could be opened. Both are refused, and the message says what to do.
"""

import os
from collections.abc import Sequence
from pathlib import Path

import structlog

from tenuto.errors import UserError
from tenuto.model.sealed import SealedValue
from tenuto.storage.file.secrets import KeyedSecrets, load_keys

_MB = 1024 * 1024
FIRST_START_BYTES = 4 * _MB
"""A new database takes 300 KB and its log as much; the log alone grows to 16 MB at work."""
START_BYTES = _MB
"""The room that a start needs. It writes a few pages into a database that is there: the rest is room for the report of
a fault."""
_WORK_MB = 50

_log = structlog.get_logger("tenuto.conductor")


def key_path(database: Path) -> Path:
    """The file of the keys of a database."""
    return database.with_name(f"{database.name}.key")


def check_start(database: Path) -> None:
    """Raise UserError when there is no room for a start, or only the key of a database. Changes nothing."""
    _check_room(database)
    key = key_path(database)
    if key.exists() and not database.exists():
        raise UserError(
            f"there is no database {database}, and its key file {key} is there: the database was moved or deleted. "
            f"Put it back, or restore a backup of it. To begin with an empty one, move {key} away. Nothing was changed."
        )


def stored_secrets(database: Path, sealed: Sequence[SealedValue]) -> KeyedSecrets:
    """The secrets of a database that holds these sealed values.

    Raises UserError when there is no key file, or one whose keys open none of them. Where they open some, the others
    are logged: those values are refused when they are needed, and everything else works.
    """
    key = key_path(database)
    if sealed and not key.exists():
        raise UserError(
            f"the key file {key} is not there, and the database {database} holds {len(sealed)} values that are sealed "
            f"with it (of {_owners(sealed)}). Restore {key} from a backup, mode 0600. Nothing was changed."
        )
    secrets = KeyedSecrets(load_keys(key))
    closed = tuple(one for one in sealed if not secrets.opens(one.text))
    if closed and len(closed) == len(sealed):
        raise UserError(
            f"the key file {key} holds another key: it opens none of the {len(sealed)} sealed values of the database "
            f"{database} (of {_owners(sealed)}). Restore the key file of this database. Nothing was changed."
        )
    if closed:
        _log.warning("key.incomplete", file=str(key), closed=len(closed), of=len(sealed), owners=_owners(closed))
    return secrets


def _owners(sealed: Sequence[SealedValue]) -> str:
    names = list(dict.fromkeys(one.owner for one in sealed))
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more


def _check_room(database: Path) -> None:
    folder = next((one for one in database.absolute().parents if one.is_dir()), None)
    if folder is None:
        return
    try:
        found = os.statvfs(folder)
    except OSError:
        return  # The opening of the file tells each fault.
    free = found.f_bavail * found.f_frsize
    needed = START_BYTES if database.exists() else FIRST_START_BYTES
    if free < needed:
        raise UserError(
            f"the disk of {database} is full: {folder} has {free / _MB:.1f} MB left. A start needs "
            f"{needed // _MB} MB, and a Conductor at work {_WORK_MB} MB or more. Free some space there "
            f"('df -h {folder}'), then start the Conductor again. Nothing was changed."
        )
