"""The store in SQLite, in a file or in memory: the embedded default (DECISIONS 31).

Theory of operation. An object is a narrow row that every transition writes, documents apart from it that only a plan or
a plugin writes, and a row for each phase it was ever in; so a transition costs the same however large the object is.
Reading is three queries for any number of objects: which ones at which generation, and of those not known at it
(`known_objects`) their rows and entries. The rules of permitted rows are those of every store (`rules`); the CHECKs and
unique indexes of the schema say them once more, for a writer that goes past us.
"""

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from tenuto.kit.documents import loads
from tenuto.model.composition import Composition
from tenuto.model.ids import Fid, Instant, ObjectId, Partition, PhaseName, PhysicalId, PlanId, TypeName
from tenuto.model.lease import Lease
from tenuto.model.phase_map import PhaseDefinition, PhaseEntry
from tenuto.model.plan import Plan
from tenuto.model.process import Process
from tenuto.model.rate import Api, Bucket
from tenuto.model.resource import ManagedObject
from tenuto.ports.administration_reads import AccessReads, AccountReads, NotificationReads, RuleReads
from tenuto.ports.records import RecordKind, Value
from tenuto.ports.store_changes import StoreChange
from tenuto.ports.store_reads import PhaseQuery, Ready
from tenuto.ports.store_retention import RemoveExpired
from tenuto.storage.file.database import Connections
from tenuto.storage.file.faults import translated
from tenuto.storage.file.grouped import Grouped
from tenuto.storage.rows import administration_rows, rows
from tenuto.storage.rows.known_documents import KnownDocuments, KnownProcesses
from tenuto.storage.rows.known_objects import KnownObjects
from tenuto.storage.rows.records import Records
from tenuto.storage.rows.statements import Statements
from tenuto.storage.sqlite.boards import SqliteBoards
from tenuto.storage.sqlite.claim_reads import SqliteClaimReads
from tenuto.storage.sqlite.history import SqliteHistory
from tenuto.storage.sqlite.remains import SqliteRemains
from tenuto.storage.sqlite.writes import SqliteWrites


class SqliteStore(
    SqliteHistory,
    SqliteRemains,
    SqliteClaimReads,
    SqliteBoards,
    AccessReads,
    RuleReads,
    AccountReads,
    NotificationReads,
):
    """Implements `ports.store.Store`. Another program may read a file meanwhile, and even write in turn."""

    def __init__(self, database: Connections) -> None:
        self._database = database
        self._known = KnownObjects()
        self._processes = KnownProcesses()
        self._compositions = KnownDocuments(partial(loads, Composition))
        self._plans = KnownDocuments(partial(loads, Plan))
        self._grouped = Grouped(self._write_all)

    def commit(self, changes: Sequence[StoreChange]) -> None:
        if not changes:
            return
        self._grouped.write(changes)
        self._known.add_committed(changes)
        self._processes.add_committed(changes)
        for change in changes:
            if isinstance(change, RemoveExpired):
                for documents in (self._plans, self._compositions):
                    documents.forget(change.expired.keys)

    def _write_all(self, group: Sequence[Sequence[StoreChange]]) -> Sequence[Exception | None]:
        """Write the changes of all writers in one transaction: a refused change of one of several is undone without the
        others.
        """
        with self._database.writing() as connection:
            if len(group) > 1:
                return [self._write_one_of(connection, changes) for changes in group]
            SqliteWrites(connection).apply(group[0])
            return [None]

    def _write_one_of(self, connection: sqlite3.Connection, changes: Sequence[StoreChange]) -> Exception | None:
        connection.execute("SAVEPOINT one")
        try:
            with translated(self._database.where):
                SqliteWrites(connection).apply(changes)
        except Exception as error:
            if not connection.in_transaction:  # A full disk makes SQLite undo everything by itself.
                raise
            connection.execute("ROLLBACK TO one")
            return error
        finally:
            if connection.in_transaction:
                connection.execute("RELEASE one")
        return None

    def note(self, process: Process) -> None:
        self._processes.note(process)

    def check(self) -> None:
        self._database.check()

    def close(self) -> None:
        self._database.close()

    def process(self, reference: str) -> Process | None:
        with self._reading() as reads:
            parameters = {"reference": reference}
            row = reads.one("process_by_fid", parameters) or reads.one("process_by_alias", parameters)
            return None if row is None else self._processes.of(row)

    def processes_of(self, fids: Iterable[Fid]) -> dict[Fid, Process]:
        with self._reading() as reads:
            found = map(self._processes.of, reads.all("processes_by_fid", {"fids": json.dumps(sorted(fids))}))
            return {process.fid: process for process in found}

    def processes(self, *, live: bool = True) -> tuple[Process, ...]:
        with self._reading() as reads:
            return tuple(map(self._processes.of, reads.all("processes", {"live": live})))

    def process_page(self, after: str, limit: int) -> tuple[Process, ...]:
        with self._reading() as reads:
            return tuple(map(self._processes.of, reads.all("process_page", {"after": after, "limit": max(limit, 0)})))

    def composition(self, digest: str) -> Composition | None:
        if known := self._compositions.get(digest):
            return known
        with self._reading() as reads:
            row = reads.one("composition", {"digest": digest})
        return None if row is None else self._compositions.read(digest, row["document"])

    def objects(self, fid: Fid) -> tuple[ManagedObject, ...]:
        with self._reading() as reads:
            return reads.objects("objects_of_process", {"fid": fid})

    def open_objects(self, fids: Sequence[Fid]) -> tuple[ManagedObject, ...]:
        with self._reading() as reads:
            return reads.objects("open_objects", {"fids": json.dumps(fids)})

    def object(self, object_id: ObjectId) -> ManagedObject | None:
        return next(iter(self.selected([object_id])), None)

    def selected(self, object_ids: Sequence[ObjectId]) -> tuple[ManagedObject, ...]:
        with self._reading() as reads:
            found = {item.object_id: item for item in reads.objects("objects_by_id", {"ids": json.dumps(object_ids)})}
        return tuple(found[object_id] for object_id in dict.fromkeys(object_ids) if object_id in found)

    def ready(self, now: Instant) -> tuple[Ready, ...]:
        with self._reading() as reads:
            found = reads.all("ready", {"now": now})
        return tuple(
            Ready(
                phase=row["phase"],
                partition=Partition(account=row["account"], region=row["region"]),
                waiting=row["waiting"],
                wake_at=None if row["waiting"] else row["wake_at"],
            )
            for row in found
        )

    def waiting(self, phase: PhaseName, partition: Partition, now: Instant, limit: int) -> tuple[ManagedObject, ...]:
        parameters = {"phase": phase, **_place(partition), "now": now, "limit": max(limit, 0)}
        with self._reading() as reads:
            return reads.objects("waiting", parameters)

    def without_upkeep(self, phase: PhaseDefinition, after: str, limit: int) -> tuple[ManagedObject, ...]:
        parameters = {
            "phase": phase.name,
            "states": json.dumps(phase.states),
            "types": json.dumps(phase.types),
            "after": after,
            "limit": max(limit, 0),
        }
        with self._reading() as reads:
            return reads.objects("without_upkeep", parameters)

    def without_mandate(self, object_ids: Sequence[ObjectId]) -> tuple[ObjectId, ...]:
        with self._reading() as reads:
            found = reads.all("without_mandate", {"ids": json.dumps(object_ids)})
        return tuple(ObjectId(row["object_id"]) for row in found)

    def interrupted(self) -> tuple[ManagedObject, ...]:
        with self._reading() as reads:
            return reads.objects("interrupted", {})

    def tracked(self, partition: Partition, type: TypeName) -> tuple[ManagedObject, ...]:  # noqa: A002
        with self._reading() as reads:
            return reads.objects("tracked_objects", {**_place(partition), "type": type})

    def tracked_ids(
        self, provider: str, partition: Partition, types: Sequence[TypeName]
    ) -> Mapping[TypeName, frozenset[PhysicalId]]:
        found: dict[TypeName, set[PhysicalId]] = {name: set() for name in types}
        with self._reading() as reads:
            wanted = {**_place(partition), "provider": provider, "types": json.dumps(list(types))}
            for row in reads.all("tracked_ids", wanted):
                found[TypeName(row["type"])].add(PhysicalId(row["physical_id"]))
        return {name: frozenset(ids) for name, ids in found.items()}

    def standing_for(self, partition: Partition, physical_ids: Collection[PhysicalId]) -> tuple[ManagedObject, ...]:
        with self._reading() as reads:
            return reads.objects(
                "objects_standing_for", {**_place(partition), "physical_ids": json.dumps(sorted(physical_ids))}
            )

    def claimed_twice(self, limit: int) -> tuple[ManagedObject, ...]:
        with self._reading() as reads:
            return reads.objects("objects_claimed_twice", {"limit": max(limit, 0)})

    def in_phase(self, query: PhaseQuery) -> tuple[ManagedObject, ...]:
        rank, at, object_id = query.after or (False, 0.0, None)
        parameters = {
            "phase": query.phase,
            "fids": None if query.fids is None else json.dumps(query.fids),
            "status": query.status,
            "only": None if query.only is None else json.dumps(query.only),
            "without": json.dumps(query.without),
            "after_rank": int(rank),
            "after_at": at,
            "after_id": object_id,
            "limit": max(query.limit, 0),
        }
        with self._reading() as reads:
            return reads.objects("in_phase", parameters)

    def dated_after(self, moment: Instant) -> tuple[ManagedObject, ...]:
        with self._reading() as reads:
            return reads.objects("objects_dated_after", {"moment": moment})

    def plan(self, plan_id: PlanId) -> Plan | None:
        if known := self._plans.get(plan_id):
            return known
        with self._reading() as reads:
            row = reads.one("plan", {"plan_id": plan_id})
        return None if row is None else self._plans.read(plan_id, row["document"])

    def lease(self) -> Lease | None:
        with self._reading() as reads:
            row = reads.one("lease", {})
        return None if row is None else administration_rows.lease_of(row)

    def rates(self) -> dict[Api, Bucket]:
        with self._reading() as reads:
            return dict(map(rows.rate_of, reads.all("rates", {})))

    def record(self, kind: RecordKind[Value], key: str) -> Value | None:
        with self._reading() as reads:
            return Records(reads).get(kind, key)

    def record_with(self, kind: RecordKind[Value], claim: str) -> Value | None:
        with self._reading() as reads:
            return Records(reads).holding(kind, claim)

    def records(self, kind: RecordKind[Value]) -> tuple[Value, ...]:
        with self._reading() as reads:
            return Records(reads).all(kind)

    def claiming(self, kind: RecordKind[Value]) -> tuple[Value, ...]:
        with self._reading() as reads:
            return Records(reads).claiming(kind)

    def resource_states(self) -> Mapping[str, int]:
        with self._reading() as reads:
            found = reads.all("resource_states", {})
        return {row["state"]: row["count"] for row in found}

    @contextmanager
    def _reading(self) -> Iterator["_Reads"]:
        with self._database.reading() as connection:
            yield _Reads(connection, self._known)


class _Reads(Statements):
    """The named queries on one connection, within one moment, and the objects put together from the rows that they
    select."""

    def __init__(self, connection: sqlite3.Connection, known: KnownObjects) -> None:
        super().__init__(connection)
        self._known = known

    def objects(self, name: str, parameters: dict[str, Any]) -> tuple[ManagedObject, ...]:
        """The objects that a query selects (number, id and generation), in its order."""
        selected = [
            (row["number"], self._known.get(row["object_id"], row["generation"])) for row in self.all(name, parameters)
        ]
        unknown = [number for number, item in selected if item is None]
        if not unknown:
            return tuple(item for _, item in selected if item is not None)
        read = self._unknown(unknown)
        self._known.add(read.values())
        return tuple(read[number] if item is None else item for number, item in selected)

    def _unknown(self, numbers: Sequence[int]) -> dict[int, ManagedObject]:
        """The objects of these numbers, put together from their rows."""
        selected = {"numbers": json.dumps(numbers)}
        entries: dict[int, dict[PhaseName, PhaseEntry]] = {number: {} for number in numbers}
        for row in self.all("entry_rows", selected):
            entries[row["number"]][row["phase"]] = rows.entry_of(row)
        return {row["number"]: rows.object_of(row, entries[row["number"]]) for row in self.all("object_rows", selected)}


def _place(partition: Partition) -> dict[str, str]:
    return {"account": partition.account, "region": partition.region}
