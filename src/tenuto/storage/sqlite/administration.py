"""The changes of the administration: which check stands before which write.

Most of them change records (`records`). A lease and a delivery have tables of their own, because a lease guards every
commit and deliveries are a queue.
"""

import json
from typing import assert_never

from tenuto.model.node import NODE_TYPES
from tenuto.ports.record_kinds import ACCOUNT, RULE, SINK
from tenuto.ports.records import RecordChange, RemoveRecord, SaveRecord
from tenuto.ports.store_administration import (
    AccountChange,
    Administration,
    CreateSink,
    ExpectAccount,
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
    SaveRule,
    SaveSink,
)
from tenuto.ports.store_retention import RemoveExpired
from tenuto.storage.rows import administration_rows
from tenuto.storage.rows.records import Records
from tenuto.storage.rows.statements import Statements
from tenuto.storage.rules import account_rules, rules
from tenuto.storage.rules.claim_rules import MOST_NAMES
from tenuto.storage.sqlite import retention


class AdministrationWrites:
    """Writes within a transaction that its owner begins and ends. A read sees the rows that were written in it
    before."""

    def __init__(self, statements: Statements) -> None:
        self._statements = statements
        self._run = statements.run
        self._records = Records(statements)

    def write(self, change: Administration) -> None:
        """Check one change and write it. Raises the errors of the checks; then the transaction must be given up."""
        match change:
            case SaveRecord() | RemoveRecord():
                self._record(change)
            case SaveRule() | RemoveRule() | ExpectRules():
                self._rule(change)
            case SaveAccount() | RemoveAccount() | ExpectAccount():
                self._account(change)
            case CreateSink() | SaveSink() | RemoveSink() | SaveDelivery() | RemoveDelivery():
                self._notification(change)
            case SaveLease() | ExpectLease():
                self._lease(change)
            case RemoveExpired():
                retention.remove_expired(self._statements, change)
            case _:
                assert_never(change)

    def _record(self, change: RecordChange) -> None:
        kind = change.kind
        key = kind.key(change.value) if isinstance(change, SaveRecord) else change.key
        rules.check_record(change, key, self._records.generation(kind, key))
        if isinstance(change, SaveRecord):
            holder = self._records.holding(kind, kind.claim(change.value))
            rules.check_claim(kind, key, None if holder is None else kind.key(holder))
            self._records.put(kind, change.value)
        else:
            self._records.remove(kind, key)

    def _rule(self, change: RuleChange) -> None:
        match change:
            case SaveRule(rule=rule):
                rules.check_held(change, map(administration_rows.version_of, self._run("versions_of_processes", {})))
                self._records.put(RULE, rule)
            case RemoveRule(name=name):
                rules.check_remove_rule(change, self._records.all(RULE))
                self._records.remove(RULE, name)
            case ExpectRules():
                rules.check_rules(change, self._records.all(RULE))
            case _:
                assert_never(change)

    def _account(self, change: AccountChange) -> None:
        match change:
            case SaveAccount(account=account):
                holder = self._records.holding(ACCOUNT, account.account_id)
                stored = self._records.get(ACCOUNT, account.name)
                account_rules.check_save_account(change, stored, None if holder is None else holder.name)
                self._records.put(ACCOUNT, account)
            case RemoveAccount(name=name):
                residents = [row["name"] for row in self._run("residents_of_account", {"name": name})]
                objects = self._objects_of(change)
                stored, others = self._records.get(ACCOUNT, name), self._records.all(ACCOUNT)
                account_rules.check_remove_account(change, stored, residents=residents, objects=objects, others=others)
                self._records.remove(ACCOUNT, name)
            case ExpectAccount(name=name):
                account_rules.check_expected_account(change, self._records.get(ACCOUNT, name))
            case _:
                assert_never(change)

    def _objects_of(self, change: RemoveAccount) -> list[tuple[str, str]]:
        """The types and names of the first live objects of an account, but for the one that it ends with."""
        parameters = {
            "name": change.name,
            "but": change.object_id,
            "nodes": json.dumps(sorted(NODE_TYPES)),
            "limit": MOST_NAMES + 1,
        }
        return [(row["type"], row["logical_id"]) for row in self._run("objects_of_account", parameters)]

    def _notification(self, change: NotificationChange) -> None:
        match change:
            case CreateSink(sink=sink):
                rules.check_new_sink(sink, self._records.get(SINK, sink.name))
                self._records.put(SINK, sink)
            case SaveSink(sink=sink):
                rules.check_sink(sink.name, self._records.get(SINK, sink.name), sink.created_at)
                self._records.put(SINK, sink)
            case RemoveSink(name=name):
                rules.check_sink(name, self._records.get(SINK, name))
                self._records.remove(SINK, name)
                self._run("remove_deliveries", {"sink": name})
            case SaveDelivery(delivery=delivery):
                rules.check_sink(delivery.sink, self._records.get(SINK, delivery.sink))
                self._run("save_delivery", administration_rows.delivery_row(delivery))
            case RemoveDelivery(sink=sink_name, number=number):
                self._run("remove_delivery", {"sink": sink_name, "number": number})
            case _:
                assert_never(change)

    def _lease(self, change: LeaseChange) -> None:
        row = self._statements.one("lease", {})
        stored = None if row is None else administration_rows.lease_of(row)
        if isinstance(change, SaveLease):
            rules.check_lease(change.lease, stored)
            self._run("save_lease", administration_rows.lease_row(change.lease))
        else:
            rules.check_epoch(change, stored)
