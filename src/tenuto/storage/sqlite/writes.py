"""The writing of changes inside a transaction that the caller begins and ends.

Theory of operation. A phase run saves a thousand objects at once, and the number of statements is the cost of that. So
the columns that the checks need of all objects are read by one statement before the first change, and kept in step with
the changes; and the rows that saves write are gathered, and written by one statement per table at the end.
"""

import itertools
import json
import sqlite3
from collections.abc import Sequence
from typing import Any

from tenuto.kit.documents import dumps, loads
from tenuto.model.composition import Composition
from tenuto.model.event import Event
from tenuto.model.ids import Fid, JobId, ObjectId
from tenuto.model.job import Job
from tenuto.model.outcome import Op
from tenuto.model.plan import Plan
from tenuto.model.process import Process
from tenuto.ports.store_changes import (
    Append,
    CreateObject,
    CreateProcess,
    ExpectMandate,
    SaveComposition,
    SaveDrifts,
    SaveFlips,
    SaveJob,
    SaveObject,
    SavePlan,
    SaveProcess,
    SaveRates,
    StoreChange,
)
from tenuto.ports.store_claims import ClaimChange, ExpectUnused, SaveClaims, SaveRelations
from tenuto.storage.rows import rows
from tenuto.storage.rows.statements import Statements
from tenuto.storage.rules import rules
from tenuto.storage.rules.changes import events_of
from tenuto.storage.sqlite.administration import AdministrationWrites
from tenuto.storage.sqlite.claims import ENDINGS, SqliteClaims

_NOT_STORED: tuple[int, None] = (0, None)
"""The number 0, which no row has."""


class SqliteWrites:
    """The writes of changes on one connection. After an error, the owner of the transaction undoes it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._statements = Statements(connection)
        self._run, self._one = self._statements.run, self._statements.one
        self._administration = AdministrationWrites(self._statements)
        self._claims = SqliteClaims(self._statements)
        self._events: list[Event] = []
        self._standings: dict[ObjectId, tuple[int, rules.Standing]] = {}
        self._gathered: dict[str, list[dict[str, Any]]] = {}

    def apply(self, changes: Sequence[StoreChange]) -> None:
        """Check and write all changes and their events, in order."""
        named = [change.object.object_id for change in changes if isinstance(change, CreateObject | SaveObject)]
        for row in self._run("standings_of_objects", {"ids": json.dumps(named)}) if named else ():
            self._standings[row["object_id"]] = (row["number"], rows.object_standing(row))
        for change in changes:
            self._write(change)
            self._events.extend(events_of(change))
        self._write_gathered()
        self._statements.run_many("insert_event", map(rows.event_row, self._events))

    def _write(self, change: StoreChange) -> None:  # noqa: C901 - one line for each kind of change
        match change:
            case CreateProcess():
                self._create_process(change)
            case SaveProcess():
                self._save_process(change)
            case CreateObject():
                self._create_object(change)
            case SaveObject():
                self._save_object(change)
            case ExpectMandate():
                self._expect_mandate(change)
            case SaveClaims() | SaveRelations() | ExpectUnused():
                self._save_held(change)
            case SaveComposition(composition=composition):
                self._save_composition(composition)
            case SaveJob(job=job):
                self._save_job(job)
            case SavePlan(plan=plan):
                self._save_plan(plan)
            case SaveFlips():
                self._save_flips(change)
            case SaveDrifts():
                self._save_drifts(change)
            case Append():
                self._append(change)
            case SaveRates():
                self._save_rates(change)
            case _:
                self._administration.write(change)

    def _save_composition(self, composition: Composition) -> None:
        self._run("insert_composition", {"digest": composition.digest, "document": dumps(composition)})

    def _save_rates(self, change: SaveRates) -> None:
        self._statements.run_many("save_rate", itertools.starmap(rows.rate_row, change.buckets.items()))

    def _create_process(self, change: CreateProcess) -> None:
        process = change.process
        rules.check_create_process(change, self._process_standing(process.fid))
        self._check_alias(process)
        row = rows.process_row(process, process.generation)
        self._run("insert_process", row)
        self._run("insert_process_document", row)

    def _save_process(self, change: SaveProcess) -> None:
        process = change.process
        rules.check_save_process(change, self._process_standing(process.fid))
        self._check_alias(process)
        row = rows.process_row(process, change.expected_generation + 1)
        self._run("update_process", row)
        self._run("update_process_document", row)

    def _process_standing(self, fid: Fid) -> rules.Standing | None:
        row = self._one("standing_of_process", {"fid": fid})
        return None if row is None else rows.process_standing(row)

    def _check_alias(self, process: Process) -> None:
        row = self._one("holder_of_alias", {"alias": process.alias})
        rules.check_alias(process, None if row is None else Fid(row["fid"]))

    def _create_object(self, change: CreateObject) -> None:
        item = change.object
        _, stored = self._standings.get(item.object_id, _NOT_STORED)
        has_process = item.fid is None or self._process_standing(item.fid) is not None
        rules.check_create_object(change, stored, has_process=has_process)
        rules.check_message(item, is_phase_failed=item.is_phase_failed)
        row = rows.object_row(item, item.generation)
        holder = self._one("holder_of_address", row)
        rules.check_address(item, None if holder is None else ObjectId(holder["object_id"]))
        number = self._run("insert_object", row).lastrowid or 0
        self._run("insert_object_document", rows.object_documents(item, number))
        self._gather("save_entry", *(rows.entry_row(entry, number) for entry in item.phases.values()))
        self._standings[item.object_id] = (number, rules.standing_of_object(item))

    def _save_object(self, change: SaveObject) -> None:
        item = change.object
        number, stored = self._standings.get(item.object_id, _NOT_STORED)
        rules.check_save_object(change, stored)
        generation = change.expected_generation + 1
        self._gather("update_object", {**rows.object_row(item, generation), "number": number})
        if change.documents:
            self._gather("update_object_document", rows.object_documents(item, number))
        for phase in change.entries:
            if phase in item.phases:
                self._gather("save_entry", rows.entry_row(item.phases[phase], number))
            else:
                self._write_gathered()
                self._run("remove_entry", {"number": number, "phase": phase})
        self._standings[item.object_id] = (number, rules.standing_of_object(item, generation))
        if item.message:
            self._write_gathered()
            has_failed = self._run("has_failed_entry", {"number": number}).fetchone()[0]
            rules.check_message(item, is_phase_failed=bool(has_failed))
        if rules.lifecycle_of(item).is_final(item.state):
            let_go = {"object_id": item.object_id, "at": item.moved_at}
            for name in ENDINGS:
                self._gather(name, let_go)

    def _save_held(self, change: ClaimChange) -> None:
        self._write_gathered()
        self._claims.apply(change)

    def _expect_mandate(self, change: ExpectMandate) -> None:
        found = self._run("without_mandate", {"ids": json.dumps(change.object_ids)}).fetchall()
        rules.check_mandate([ObjectId(row["object_id"]) for row in found])

    def _gather(self, name: str, *parameters: dict[str, Any]) -> None:
        """Keep the parameters of a statement for `_write_gathered`."""
        self._gathered.setdefault(name, []).extend(parameters)

    def _write_gathered(self) -> None:
        for name, parameters in self._gathered.items():
            self._statements.run_many(name, parameters)
        self._gathered.clear()

    def _save_job(self, job: Job) -> None:
        stored = self._one("job", {"job_id": job.job_id})
        running = self._one("running_job", {"fid": job.fid})
        rules.check_job(
            job,
            owner=None if stored is None else Fid(stored["fid"]),
            running=None if running is None else JobId(running["job_id"]),
        )
        self._run("save_job", rows.job_row(job))

    def _save_plan(self, plan: Plan) -> None:
        stored = self._one("plan", {"plan_id": plan.plan_id})
        rules.check_plan(plan, None if stored is None else loads(Plan, stored["document"]))
        if stored is None:
            row = {"plan_id": plan.plan_id, "fid": plan.fid, "made_at": plan.observed_at, "document": dumps(plan)}
            self._run("insert_plan", row)

    def _save_flips(self, change: SaveFlips) -> None:
        for logical_id, path in change.removed:
            self._run("remove_flip", {"fid": change.fid, "logical_id": logical_id, "path": path})
        for flip in change.saved:
            row = {"fid": change.fid, "logical_id": flip.logical_id, "path": flip.path, "document": dumps(flip)}
            self._run("save_flip", row)

    def _save_drifts(self, change: SaveDrifts) -> None:
        for logical_id in change.removed:
            self._run("remove_drift", {"fid": change.fid, "logical_id": logical_id})
        for drift in change.saved:
            self._run("save_drift", {"fid": change.fid, "logical_id": drift.logical_id, "document": dumps(drift)})

    def _append(self, change: Append) -> None:
        for command in change.commands:
            self._run("insert_command", rows.command_row(command))
        if change.ops:
            self._append_ops(change.ops)

    def _append_ops(self, ops: Sequence[Op]) -> None:
        """Append ops under the next free numbers, as SQLite gives them, so that one statement serves all of them."""
        first = self._run("next_op", {}).fetchone()[0]
        written = [{**rows.op_row(op), "number": number} for number, op in enumerate(ops, start=first)]
        self._statements.run_many("insert_op", written)
        self._statements.run_many("attribute_op", written)
