"""The changes of the administration: how they are checked and written, in any store.

Each store gives the few reads that the checks need and the plain writes; which check stands before which write is said
once, here.
"""

from collections.abc import Iterable, Sequence
from typing import Protocol, assert_never

from tenuto.model.access import PolicyText, RuntimeSetting, UserSecret
from tenuto.model.account import Account
from tenuto.model.lease import Lease
from tenuto.model.notification import Delivery, Sink
from tenuto.model.rule import StoredRule
from tenuto.ports.store_administration import (
    AccessChange,
    AccountChange,
    Administration,
    CreateSink,
    ExpectLease,
    ExpectRules,
    NotificationChange,
    ProcessVersion,
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
from tenuto.ports.store_retention import RemoveExpired
from tenuto.storage import account_rules, rules


class AdministrationRecords(Protocol):
    """What is kept of the administration, inside the transaction. A read sees what was written in it before."""

    def stored_lease(self) -> Lease | None: ...
    def put_lease(self, lease: Lease) -> None: ...

    def put_policy(self, policy: PolicyText | None) -> None: ...
    def secret_of_key(self, key: str) -> UserSecret | None: ...
    def put_secret(self, secret: UserSecret) -> None: ...
    def remove_secret(self, user: str) -> None: ...
    def put_setting(self, setting: RuntimeSetting) -> None: ...
    def remove_setting(self, key: str) -> None: ...

    def stored_rules(self) -> Iterable[StoredRule]: ...
    def live_versions(self) -> Iterable[ProcessVersion]: ...
    def put_rule(self, rule: StoredRule) -> None: ...
    def remove_rule(self, name: str) -> None: ...

    def stored_account(self, name: str) -> Account | None: ...
    def stored_accounts(self) -> Iterable[Account]: ...
    def holder_of_account_id(self, account_id: str | None) -> str | None: ...
    def residents(self, account: str) -> Sequence[str]:
        """The live processes there, by creation time: their aliases, or FIDs."""
        ...

    def put_account(self, account: Account, generation: int) -> None: ...
    def remove_account(self, name: str) -> None: ...

    def stored_sink(self, name: str) -> Sink | None: ...
    def put_sink(self, sink: Sink) -> None: ...
    def remove_sink(self, name: str) -> None:
        """With its deliveries."""
        ...

    def put_delivery(self, delivery: Delivery) -> None: ...
    def remove_delivery(self, sink: str, number: int) -> None: ...

    def remove_expired(self, change: RemoveExpired) -> None: ...


def administer(change: Administration, records: AdministrationRecords) -> None:
    """Check one change and write it. Raises what the checks raise; then the transaction must be given up."""
    match change:
        case SavePolicy() | SaveUserSecrets() | SaveRuntime():
            _access(change, records)
        case SaveRule() | RemoveRule() | ExpectRules():
            _rules(change, records)
        case SaveAccount() | RemoveAccount():
            _account(change, records)
        case CreateSink() | SaveSink() | RemoveSink() | SaveDelivery() | RemoveDelivery():
            _notification(change, records)
        case SaveLease(lease=lease):
            rules.check_lease(lease, records.stored_lease())
            records.put_lease(lease)
        case ExpectLease():
            rules.check_epoch(change, records.stored_lease())
        case RemoveExpired():
            records.remove_expired(change)
        case _:
            assert_never(change)


def _access(change: AccessChange, records: AdministrationRecords) -> None:
    match change:
        case SavePolicy(policy=policy):
            records.put_policy(policy)
        case SaveRuntime(settings=settings, removed=removed):
            for setting in settings:
                records.put_setting(setting)
            for key in removed:
                records.remove_setting(key)
        case SaveUserSecrets(secrets=secrets, removed=removed):
            for user in removed:
                records.remove_secret(user)
            for secret in secrets:
                rules.check_secret(secret, records.secret_of_key(secret.key))
                records.put_secret(secret)
        case _:
            assert_never(change)


def _rules(change: RuleChange, records: AdministrationRecords) -> None:
    match change:
        case SaveRule(rule=rule):
            rules.check_held(change, records.live_versions())
            records.put_rule(rule)
        case RemoveRule(name=name):
            rules.check_remove_rule(change, records.stored_rules())
            records.remove_rule(name)
        case ExpectRules():
            rules.check_rules(change, records.stored_rules())
        case _:
            assert_never(change)


def _account(change: AccountChange, records: AdministrationRecords) -> None:
    match change:
        case SaveAccount(account=account):
            holder = records.holder_of_account_id(account.account_id)
            account_rules.check_save_account(change, records.stored_account(account.name), holder)
            records.put_account(account, change.expected_generation + 1)
        case RemoveAccount(name=name):
            residents, others = records.residents(name), records.stored_accounts()
            account_rules.check_remove_account(change, records.stored_account(name), residents=residents, others=others)
            records.remove_account(name)
        case _:
            assert_never(change)


def _notification(change: NotificationChange, records: AdministrationRecords) -> None:
    match change:
        case CreateSink(sink=sink):
            rules.check_new_sink(sink, records.stored_sink(sink.name))
            records.put_sink(sink)
        case SaveSink(sink=sink):
            rules.check_sink(sink.name, records.stored_sink(sink.name), sink.created_at)
            records.put_sink(sink)
        case RemoveSink(name=name):
            rules.check_sink(name, records.stored_sink(name))
            records.remove_sink(name)
        case SaveDelivery(delivery=delivery):
            rules.check_sink(delivery.sink, records.stored_sink(delivery.sink))
            records.put_delivery(delivery)
        case RemoveDelivery(sink=sink_name, number=number):
            records.remove_delivery(sink_name, number)
        case _:
            assert_never(change)
