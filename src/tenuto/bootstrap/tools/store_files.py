"""`tenuto store`: a database file is copied or checked by its owner, on its machine, with or without a Conductor.

Both read the file itself. A backup that went through the API would need a right that gives away everything, and a
Conductor that answers; the check of a backup has no Conductor to ask.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from tenuto.bootstrap.clock import SystemClock
from tenuto.bootstrap.tables import admit_stored
from tenuto.bootstrap.tools.blob_files import blobs_beside, check_copy, copy_blobs, faults_of_blobs
from tenuto.errors import TenutoError, UserError
from tenuto.model.ids import JsonMap
from tenuto.model.retention import Remnant
from tenuto.model.sealed import SealedValue
from tenuto.ports.store import Store
from tenuto.service.common.values import time_text
from tenuto.service.operations.doctor import Doctor, examination_document
from tenuto.storage.file.backup import back_up
from tenuto.storage.file.inspection import faults_of, sizes_of
from tenuto.storage.file.migrate import known_schema, of_another_version, other_tables
from tenuto.storage.file.read_only import ReadOnlyDatabase
from tenuto.storage.file.secrets import KeyedSecrets, load_keys
from tenuto.storage.file.starting import key_path
from tenuto.storage.open import file_of
from tenuto.storage.sqlite.store import SqliteStore

_TABLES = {
    "event": Remnant.EVENT,
    "op": Remnant.OP,
    "op_of_process": Remnant.OP,
    "command": Remnant.COMMAND,
    "job": Remnant.JOB,
    "plan": Remnant.PLAN,
    "composition": Remnant.COMPOSITION,
}
"""The tables whose room is that of one kind; denied commands are events, and dry runs are jobs."""


def back_up_store(database: str, target: Path, *, with_key: bool, with_blobs: bool = False) -> JsonMap:
    """Copy a database, and the blobs beside it when asked for. Raises UserError, StoreUnavailableError."""
    source = _file(database, "backed up")
    if with_blobs:
        check_copy(source, target)
    made = back_up(source, target, with_key=with_key)
    copied: JsonMap | None = None
    if with_blobs:
        try:
            copied = copy_blobs(source, target)
        except BaseException:
            # A backup that was to have its blobs and has not is taken back; the blobs that were copied serve the next.
            for one in (made.file, made.key):
                if one is not None:
                    one.unlink(missing_ok=True)
            raise
    return {
        "blobs": copied,
        "blobs_of_database": blobs_beside(source).document(),
        "database": str(source),
        "file": str(made.file),
        "bytes": made.size,
        "schema": made.schema,
        "key": None if made.key is None else str(made.key),
        "key_of_database": str(key_path(source)) if key_path(source).exists() else None,
    }


def check_store(database: str, key: Path | None) -> JsonMap:
    """Check a database file: list its faults and its content. `key`: its key file, where it is another one.

    Raises UserError when there is no such file, StoreUnavailableError when it is no database of Tenuto.
    """
    path = _file(database, "checked")
    with closing(ReadOnlyDatabase(path)) as opened:
        faults = list(faults_of(opened))
        document: dict[str, object] = {
            "file": str(path),
            "bytes": opened.size,
            "schema": opened.schema,
            "known_schema": known_schema(),
            "kinds": [],
            "problems": [],
            "examined": None,
            "sealed": None,
            "key": None,
            "blobs": None,
        }
        notes: list[str] = []
        if opened.schema > known_schema():
            faults.append(
                f"it was written by a newer Tenuto: schema {opened.schema}, and this one knows up to {known_schema()}"
            )
        elif not opened.is_of_this_schema:
            notes.append(
                f"An older Tenuto wrote it (schema {opened.schema} of {known_schema()}): a start brings it up to date. "
                "Until then the processes in it cannot be examined."
            )
        elif not faults and (others := other_tables(opened.connection)):
            faults.append(f"it {of_another_version(others)}")
        elif not faults:
            store = SqliteStore(opened)
            faults += [str(error) for error in admit_stored(store)]
            document |= {"kinds": _kinds(store, opened), **_examined(store)}
            document |= _keys(path, key, store.sealed_values(), faults, notes)
            wrong, told, document["blobs"] = faults_of_blobs(path, store)
            faults += wrong
            notes += told
    is_sound = not faults and not document["problems"]
    return {**document, "faults": faults, "notes": notes, "sound": is_sound}


def _file(database: str, what: str) -> Path:
    """The file of a database, which is to be `what`. Raises UserError when it has none."""
    path = file_of(database)
    if path is None:
        raise UserError(
            f"A database in memory cannot be {what}: it has no file. Name one with --database PATH or TENUTO_DATABASE."
        )
    return path


def _kinds(store: Store, opened: ReadOnlyDatabase) -> list[JsonMap]:
    """The kinds that age out, with their room, and the room of everything else as one."""
    room: dict[Remnant, int] = {}
    rest = 0
    for table, size in sizes_of(opened).items():
        kind = _TABLES.get(table)
        if kind is None:
            rest += size
        else:
            room[kind] = room.get(kind, 0) + size
    rows: list[JsonMap] = [
        {
            "kind": tally.kind.value,
            "rows": tally.rows,
            "bytes": room.get(tally.kind),
            "oldest": time_text(tally.oldest),
            "removed": tally.removed,
            "removed_until": time_text(tally.removed_until),
        }
        for tally in store.tallies().values()
    ]
    other = {"kind": "other", "rows": None, "bytes": rest or None, "oldest": None, "removed": 0, "removed_until": None}
    return [*rows, other]


def _examined(store: Store) -> JsonMap:
    """The findings of the doctor, of all pages."""
    problems: list[JsonMap] = []
    examined = 0
    for page in _pages(Doctor(store=store, clock=SystemClock())):
        problems += page["problems"]
        examined += page["examined"]
    return {"problems": problems, "examined": examined}


def _pages(doctor: Doctor) -> Iterator[JsonMap]:
    after = ""
    while True:
        found = doctor.examine(after=after)
        yield examination_document(found)
        if found.next is None:
            return
        after = found.next


def _keys(path: Path, key: Path | None, sealed: Sequence[SealedValue], faults: list[str], notes: list[str]) -> JsonMap:
    """Whether the key opens the sealed values."""
    file = key or key_path(path)
    if key is None and not file.exists():
        if sealed:
            notes.append(f"{len(sealed)} sealed values were not tried: {file} is not there. Name the key with --key.")
        return {"sealed": len(sealed), "key": None}
    try:
        if not file.exists():
            raise UserError(f"there is no key file {file}")
        secrets = KeyedSecrets(load_keys(file))
    except TenutoError as error:
        faults.append(str(error).rstrip("."))
        return {"sealed": len(sealed), "key": str(file)}
    closed = [one.owner for one in sealed if not secrets.opens(one.text)]
    if closed:
        names = ", ".join(dict.fromkeys(closed))
        faults.append(f"the key file {file} does not open {len(closed)} of {len(sealed)} sealed values: {names}")
    return {"sealed": len(sealed), "key": str(file)}
