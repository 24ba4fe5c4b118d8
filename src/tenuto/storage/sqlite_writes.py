"""How changes are written, inside a transaction that somebody else began and ends.

Theory of operation. A phase run saves a thousand objects at once, and what that costs is the number of statements. So
what the checks need of all objects is read by one statement before the first change, and kept in step with the changes;
and the rows that saves write are gathered, and written by one statement per table at the end.
"""

import itertools
import json
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, assert_never

from tenuto.kit.documents import dumps, loads
from tenuto.model.account import Account
from tenuto.model.event import Event
from tenuto.model.ids import Fid, JobId, ObjectId
from tenuto.model.job import Job
from tenuto.model.lease import Lease
from tenuto.model.notification import Sink
from tenuto.model.outcome import Op
from tenuto.model.plan import Plan
from tenuto.model.process import Process
from tenuto.ports.store_administration import (
    AccessChange,
    AccountChange,
    CreateSink,
    ExpectLease,
    ExpectRules,
    LeaseChange,
    NotificationChange,
    RemoveAccount,
    RemoveDelivery,
    RemoveRule,
    RemoveSink,
    RuleChange,
    SaveAccount,
    SaveDelivery,
    SaveLease,
    SavePolicy,
    SaveRule,
    SaveRuntime,
    SaveSink,
    SaveUserSecrets,
)
from tenuto.ports.store_changes import (
    Append,
    CreateObject,
    CreateProcess,
    SaveComposition,
    SaveFlips,
    SaveJob,
    SaveObject,
    SavePlan,
    SaveProcess,
    SaveRates,
    StoreChange,
)
from tenuto.storage import account_rows, account_rules, rows, rules
from tenuto.storage.changes import events_of
from tenuto.storage.queries import load_queries

_NOT_STORED: tuple[int, None] = (0, None)
"""No row has the number 0."""


class SqliteWrites:
    """Writes changes on one connection. What was raised leaves the transaction to be undone by its owner."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._queries = load_queries()
        self._events: list[Event] = []
        self._standings: dict[ObjectId, tuple[int, rules.Standing]] = {}
        self._gathered: dict[str, list[dict[str, Any]]] = {}

    def apply(self, changes: Sequence[StoreChange]) -> None:
        """Check and write all changes and their events, in order."""
        named = [change.object.object_id for change in changes if isinstance(change, CreateObject | SaveObject)]
        for row in self._run("standings_of_objects", {"ids": json.dumps(named)}) if named else ():
            self._standings[row["object_id"]] = (row["number"], rows.object_standing(row))
        for change in changes:
            self._apply(change)
            self._events.extend(events_of(change))
        self._write_gathered()
        self._connection.executemany(self._queries["insert_event"], map(rows.event_row, self._events))

    def _apply(self, change: StoreChange) -> None:
        match change:
            case CreateProcess():
                self._create_process(change)
            case SaveProcess():
                self._save_process(change)
            case CreateObject():
                self._create_object(change)
            case SaveObject():
                self._save_object(change)
            case SaveComposition(composition=composition):
                self._run("insert_composition", {"digest": composition.digest, "document": dumps(composition)})
            case SaveJob(job=job):
                self._save_job(job)
            case SavePlan(plan=plan):
                self._save_plan(plan)
            case SaveFlips():
                self._save_flips(change)
            case Append():
                self._append(change)
            case SaveRates(buckets=buckets):
                self._connection.executemany(
                    self._queries["save_rate"], itertools.starmap(rows.rate_row, buckets.items())
                )
            case _:
                self._administer(change)

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
        self._standings[item.object_id] = (number, replace(rules.standing_of_object(item), generation=generation))
        if item.message:
            self._write_gathered()
            has_failed = self._run("has_failed_entry", {"number": number}).fetchone()[0]
            rules.check_message(item, is_phase_failed=bool(has_failed))

    def _gather(self, name: str, *parameters: dict[str, Any]) -> None:
        """Keep the parameters of a statement for `_write_gathered`."""
        self._gathered.setdefault(name, []).extend(parameters)

    def _write_gathered(self) -> None:
        for name, parameters in self._gathered.items():
            self._connection.executemany(self._queries[name], parameters)
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
        row = self._one("plan", {"plan_id": plan.plan_id})
        rules.check_plan(plan, None if row is None else loads(Plan, row["document"]))
        if row is None:
            self._run("insert_plan", {"plan_id": plan.plan_id, "fid": plan.fid, "document": dumps(plan)})

    def _save_flips(self, change: SaveFlips) -> None:
        for logical_id, path in change.removed:
            self._run("remove_flip", {"fid": change.fid, "logical_id": logical_id, "path": path})
        for flip in change.saved:
            row = {"fid": change.fid, "logical_id": flip.logical_id, "path": flip.path, "document": dumps(flip)}
            self._run("save_flip", row)

    def _append(self, change: Append) -> None:
        for command in change.commands:
            self._run("insert_command", rows.command_row(command))
        for op in change.ops:
            self._append_op(op)

    def _append_op(self, op: Op) -> None:
        row = rows.op_row(op)
        number = self._run("insert_op", row).lastrowid
        self._run("attribute_op", {"number": number, "object_ids": row["object_ids"]})

    def _administer(self, change: AccessChange | RuleChange | AccountChange | NotificationChange | LeaseChange) -> None:
        """What is about no single process."""
        match change:
            case SavePolicy() | SaveUserSecrets() | SaveRuntime():
                self._save_access(change)
            case SaveRule() | RemoveRule() | ExpectRules():
                self._save_rules(change)
            case SaveAccount():
                self._save_account(change)
            case RemoveAccount():
                self._remove_account(change)
            case CreateSink() | SaveSink() | RemoveSink() | SaveDelivery() | RemoveDelivery():
                self._notification(change)
            case SaveLease(lease=lease):
                rules.check_lease(lease, self._stored_lease())
                self._run("save_lease", rows.lease_row(lease))
            case ExpectLease():
                rules.check_epoch(change, self._stored_lease())
            case _:
                assert_never(change)

    def _stored_lease(self) -> Lease | None:
        row = self._one("lease", {})
        return None if row is None else rows.lease_of(row)

    def _save_access(self, change: AccessChange) -> None:
        match change:
            case SavePolicy(policy=policy):
                self._run("remove_policy", {})
                if policy is not None:
                    self._run("insert_policy", rows.policy_row(policy))
            case SaveRuntime(settings=settings, removed=removed):
                for setting in settings:
                    self._run("save_runtime_setting", rows.setting_row(setting))
                for key in removed:
                    self._run("remove_runtime_setting", {"key": key})
            case SaveUserSecrets(secrets=secrets, removed=removed):
                for user in removed:
                    self._run("remove_user_secret", {"user": user})
                for secret in secrets:
                    row = self._one("user_secret_of_key", {"key": secret.key})
                    rules.check_secret(secret, None if row is None else rows.secret_of(row))
                    self._run("save_user_secret", rows.secret_row(secret))

    def _save_rules(self, change: RuleChange) -> None:
        stored = [rows.rule_of(row) for row in self._run("rules", {}).fetchall()]
        match change:
            case SaveRule():
                rules.check_held(change, map(rows.version_of, self._run("versions_of_processes", {}).fetchall()))
                self._run("save_rule", rows.rule_row(change.rule))
            case RemoveRule(name=name):
                rules.check_remove_rule(change, stored)
                self._run("remove_rule", {"name": name})
            case ExpectRules():
                rules.check_rules(change, stored)

    def _save_account(self, change: SaveAccount) -> None:
        account = change.account
        holder = self._one("holder_of_account_id", {"account_id": account.account_id})
        account_rules.check_save_account(change, self._account(account.name), holder["name"] if holder else None)
        self._run("save_account", account_rows.account_row(account, change.expected_generation + 1))

    def _remove_account(self, change: RemoveAccount) -> None:
        named = {"name": change.name}
        account_rules.check_remove_account(
            change,
            self._account(change.name),
            residents=[row["name"] for row in self._run("residents_of_account", named)],
            others=map(account_rows.account_of, self._run("accounts", {})),
        )
        self._run("remove_account", named)

    def _account(self, name: str) -> Account | None:
        row = self._one("account", {"name": name})
        return None if row is None else account_rows.account_of(row)

    def _notification(self, change: NotificationChange) -> None:
        match change:
            case CreateSink(sink=sink):
                rules.check_new_sink(sink, self._sink(sink.name))
                self._run("save_sink", {"name": sink.name, "document": dumps(sink)})
            case SaveSink(sink=sink):
                rules.check_sink(sink.name, self._sink(sink.name), sink.created_at)
                self._run("save_sink", {"name": sink.name, "document": dumps(sink)})
            case RemoveSink(name=name):
                rules.check_sink(name, self._sink(name))
                self._run("remove_sink", {"name": name})
            case SaveDelivery(delivery=delivery):
                rules.check_sink(delivery.sink, self._sink(delivery.sink))
                self._run("save_delivery", rows.delivery_row(delivery))
            case RemoveDelivery(sink=name, number=number):
                self._run("remove_delivery", {"sink": name, "number": number})
            case _:
                assert_never(change)

    def _sink(self, name: str) -> Sink | None:
        row = self._one("sink", {"name": name})
        return None if row is None else loads(Sink, row["document"])

    def _run(self, name: str, parameters: dict[str, Any]) -> sqlite3.Cursor:
        return self._connection.execute(self._queries[name], parameters)

    def _one(self, name: str, parameters: dict[str, Any]) -> rows.Row | None:
        row: rows.Row | None = self._run(name, parameters).fetchone()
        return row
