"""The administration of the store in memory. Implements `administration.AdministrationRecords`."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from tenuto.kit.canonical import plain
from tenuto.model.access import PolicyText, RuntimeSetting, UserSecret
from tenuto.model.account import Account
from tenuto.model.lease import Lease
from tenuto.model.notification import Delivery, Sink
from tenuto.model.process import Process
from tenuto.model.rule import StoredRule
from tenuto.ports.store_administration import ProcessVersion
from tenuto.storage import rules
from tenuto.storage.memory_tables import THE_LEASE, THE_POLICY, Tables


class MemoryAdministration:
    """Stages writes in the tables. The caller keeps or drops them."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def stored_lease(self) -> Lease | None:
        return self._tables.leases.get(THE_LEASE)

    def put_lease(self, lease: Lease) -> None:
        self._tables.leases.put(THE_LEASE, lease)

    def put_policy(self, policy: PolicyText | None) -> None:
        if policy is None:
            self._tables.policies.remove(THE_POLICY)
        else:
            self._tables.policies.put(THE_POLICY, policy)

    def secret_of_key(self, key: str) -> UserSecret | None:
        return self._tables.secret_of_key(key)

    def put_secret(self, secret: UserSecret) -> None:
        self._tables.secrets.put(secret.user, secret)
        self._tables.keys.put(secret.key, secret.user)

    def remove_secret(self, user: str) -> None:
        self._tables.secrets.remove(user)

    def put_setting(self, setting: RuntimeSetting) -> None:
        self._tables.settings.put(setting.key, setting)

    def remove_setting(self, key: str) -> None:
        self._tables.settings.remove(key)

    def stored_rules(self) -> Iterable[StoredRule]:
        return self._tables.rules.current()

    def live_versions(self) -> Iterable[ProcessVersion]:
        return map(ProcessVersion.of, self._live())

    def put_rule(self, rule: StoredRule) -> None:
        self._tables.rules.put(rule.rule.name, rule)

    def remove_rule(self, name: str) -> None:
        self._tables.rules.remove(name)

    def stored_account(self, name: str) -> Account | None:
        return self._tables.accounts.get(name)

    def stored_accounts(self) -> Iterable[Account]:
        return self._tables.accounts.current()

    def holder_of_account_id(self, account_id: str | None) -> str | None:
        return next((one.name for one in self._tables.accounts.current() if one.account_id == account_id), None)

    def residents(self, account: str) -> Sequence[str]:
        living = sorted(self._live(), key=lambda process: (process.created_at, process.fid))
        return [one.alias or one.fid for one in living if one.partition.account == account]

    def put_account(self, account: Account, generation: int) -> None:
        self._tables.accounts.put(account.name, replace(account, generation=generation))

    def remove_account(self, name: str) -> None:
        self._tables.accounts.remove(name)

    def stored_sink(self, name: str) -> Sink | None:
        return self._tables.sinks.get(name)

    def put_sink(self, sink: Sink) -> None:
        self._tables.sinks.put(sink.name, sink)

    def remove_sink(self, name: str) -> None:
        self._tables.sinks.remove(name)
        for one in self._tables.deliveries.current():
            if one.sink == name:
                self._tables.deliveries.remove((name, one.number))

    def put_delivery(self, delivery: Delivery) -> None:
        kept = replace(delivery, document=plain(delivery.document))
        self._tables.deliveries.put((delivery.sink, delivery.number), kept)

    def remove_delivery(self, sink: str, number: int) -> None:
        self._tables.deliveries.remove((sink, number))

    def _live(self) -> list[Process]:
        return [process for process in self._tables.processes.current() if rules.is_live(process)]
