"""The journal of an agent: the highest generation for each thing, the outcome of its order, and the highest epoch.

Theory of operation. An order is written before it is begun, and again when it has ended. So an agent that died in
between finds it and does it again, which is harmless; one that is sent an order that it has ended answers from the
journal. An order below the highest generation of its thing, or below the highest epoch, comes from a Conductor that
leads no more, and is refused: the Conductor that leads now has ordered something else.

An order may itself be the cause of the agent's death. So each try is counted before it is made, and a thing whose work
was cut off as often as `MOST_TRIES` is reported as failed, instead of being begun once more at each start.
"""

import json
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from tenuto.errors import TransientError, UserError
from tenuto.kit.documents import from_document, to_document
from tenuto.model.ids import ObjectId
from tenuto.providers.local.driver import Problem
from tenuto.providers.local.wire.messages import Order, Report

FILE = "journal.db"
MOST_TRIES = 3
"""The tries of one work whose agent died of them, or beside them, one after the other."""
_FULL = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_SHMSIZE,
    sqlite3.SQLITE_IOERR_FSYNC,
    sqlite3.SQLITE_READONLY,
)
"""The errors of SQLite where a disk has no room (it tells the second to fourth of the files beside the database), or
takes no writes."""
_DAMAGED = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)
_SCHEMA = """
CREATE TABLE IF NOT EXISTS work (
    object_id TEXT PRIMARY KEY,
    generation INTEGER NOT NULL,
    verb TEXT NOT NULL CHECK (verb IN ('ensure', 'remove')),
    is_done INTEGER NOT NULL DEFAULT 0,
    problem TEXT,
    tries INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE IF NOT EXISTS fact (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
"""


class JournalFullError(TransientError):
    """The disk has no room for the journal: nothing is begun before it has."""


class Journal:
    """The journal in a state directory. Thread-safe. Raises UserError when the file cannot be used, and
    JournalFullError where something is written and the disk is full."""

    def __init__(self, state: Path) -> None:
        self._path = state / FILE
        self._lock = threading.Lock()
        self._epoch = 0
        self._unwritten: list[Report] = []
        try:
            self._database = sqlite3.connect(self._path, check_same_thread=False, isolation_level=None)
            self._path.chmod(0o600)
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = FULL")
            self._database.executescript(_SCHEMA)
            if "tries" not in {row[1] for row in self._database.execute("PRAGMA table_info(work)")}:
                # A journal of before: no work in it was cut off as far as it tells.
                self._database.execute("ALTER TABLE work ADD COLUMN tries INTEGER NOT NULL DEFAULT 0")
        except (OSError, sqlite3.Error) as failed:
            raise self._unusable(failed) from failed

    def close(self) -> None:
        self._database.close()

    def epoch(self) -> int:
        """The highest epoch that was seen."""
        with self._turn() as database:
            row = database.execute("SELECT value FROM fact WHERE name = 'epoch'").fetchone()
            return max(int(row[0]) if row else 0, self._epoch)

    def raise_epoch(self, epoch: int) -> None:
        """Keep an epoch; a lower one than before changes nothing. On a full disk it is kept for as long as the agent
        runs: a host with a full disk still answers."""
        self._epoch = max(self._epoch, epoch)
        with suppress(JournalFullError), self._turn() as database:
            database.execute(
                "INSERT INTO fact VALUES ('epoch', ?) "
                "ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)",
                (epoch,),
            )

    def forget_epochs(self) -> None:
        """A person has let the host join anew: an older database may lead from now on."""
        self._epoch = 0
        with self._turn() as database:
            database.execute("DELETE FROM fact WHERE name = 'epoch'")
            database.execute("UPDATE work SET generation = 0")

    def given(self) -> int:
        """The highest generation of an order that was taken; 0 for none."""
        with self._turn() as database:
            return int(database.execute("SELECT coalesce(max(generation), 0) FROM work").fetchone()[0])

    def held(self) -> tuple[ObjectId, ...]:
        """Return the things that were ordered, and not removed since."""
        with self._turn() as database:
            rows = database.execute(
                "SELECT object_id FROM work WHERE NOT (verb = 'remove' AND is_done AND problem IS NULL) ORDER BY 1"
            )
            return tuple(ObjectId(row[0]) for row in rows)

    def removed(self) -> frozenset[ObjectId]:
        """Return the things that were removed, and not ordered since."""
        with self._turn() as database:
            rows = database.execute("SELECT object_id FROM work WHERE verb = 'remove' AND is_done AND problem IS NULL")
            return frozenset(ObjectId(row[0]) for row in rows)

    def begin(self, orders: Sequence[Order]) -> tuple[list[Order], list[Report]]:
        """The orders that are to be done, which are written, and the reports of those that are done or refused."""
        due: list[Order] = []
        told: list[Report] = []
        self._write_ends()
        with self._turn() as database:
            for order in orders:
                row = database.execute(
                    "SELECT generation, is_done, problem, tries FROM work WHERE object_id = ?", (order.object_id,)
                ).fetchone()
                known, is_done, problem, tries = row or (0, 0, None, 0)
                if order.generation < known:
                    told.append(_refused(order, known))
                elif order.generation == known and is_done:
                    told.append(_report(order.object_id, known, problem))
                else:
                    due.append(order)
                    database.execute(
                        "INSERT INTO work (object_id, generation, verb, tries) VALUES (?, ?, ?, ?) "
                        "ON CONFLICT (object_id) DO UPDATE SET generation = excluded.generation, verb = excluded.verb, "
                        "is_done = 0, problem = NULL, tries = excluded.tries",
                        (order.object_id, order.generation, order.verb.value, 0 if is_done else tries),
                    )
        return due, told

    def cut_off(self, orders: Sequence[Order]) -> Mapping[ObjectId, int]:
        """Return how often the work of orders that are due was begun and never ended; only of those where it was."""
        with self._turn() as database:
            found = {
                one.object_id: int(
                    database.execute("SELECT tries FROM work WHERE object_id = ?", (one.object_id,)).fetchone()[0]
                )
                for one in orders
            }
        return {object_id: tries for object_id, tries in found.items() if tries}

    def count_try(self, orders: Sequence[Order]) -> None:
        """Orders are about to be carried out."""
        with self._turn() as database:
            database.executemany(
                "UPDATE work SET tries = tries + 1 WHERE object_id = ?", [(one.object_id,) for one in orders]
            )

    def finish(self, reports: Sequence[Report]) -> None:
        """Write the ends of orders that were begun. On a full disk they are written before the next order is begun."""
        self._unwritten += reports
        with suppress(JournalFullError):
            self._write_ends()

    def _write_ends(self) -> None:
        if not self._unwritten:
            return
        with self._turn() as database:
            database.executemany(
                "UPDATE work SET is_done = 1, tries = 0, problem = ? WHERE object_id = ? AND generation = ?",
                [
                    (
                        json.dumps(to_document(one.problem)) if one.problem else None,
                        one.object_id,
                        one.generation,
                    )
                    for one in self._unwritten
                ],
            )
        self._unwritten = []

    @contextmanager
    def _turn(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                self._database.execute("BEGIN IMMEDIATE")
                try:
                    yield self._database
                    self._database.execute("COMMIT")
                except BaseException:
                    if self._database.in_transaction:  # A full disk may have ended it.
                        self._database.execute("ROLLBACK")
                    raise
            except sqlite3.Error as failed:
                if getattr(failed, "sqlite_errorcode", 0) in _FULL:
                    raise JournalFullError(
                        f"The disk of the host is full, or takes no writes: the agent cannot write to {self._path} "
                        f"({failed}), and begins nothing new. Make room there, or mount it to be written again; it "
                        "goes on by itself.",
                        code="DiskFull",
                    ) from failed
                raise self._unusable(failed) from failed

    def _unusable(self, failed: Exception) -> UserError:
        advice = "Make room or correct its rights, and start the agent again. What runs on the host is kept."
        if getattr(failed, "sqlite_errorcode", None) in _DAMAGED:
            advice = (
                "It is damaged. Move it away with the files beside it (-wal, -shm), and start the agent again: the "
                "Conductor gives its orders anew. What runs on the host is kept."
            )
        return UserError(f"The journal of the agent in {self._path} cannot be used: {failed}. {advice}")


def _refused(order: Order, known: int) -> Report:
    problem = Problem(
        message=f"the order {order.generation} for {order.object_id} is older than the order {known}, which the host "
        "has: it comes from a Conductor that leads no more"
    )
    return Report(object_id=order.object_id, generation=order.generation, problem=problem)


def _report(object_id: ObjectId, generation: int, problem: str | None) -> Report:
    found = from_document(Problem, json.loads(problem)) if problem else None
    return Report(object_id=object_id, generation=generation, problem=found)
