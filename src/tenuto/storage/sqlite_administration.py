"""The administration of the store in SQLite. Implements `administration.AdministrationRecords`."""

from collections.abc import Iterable, Sequence

from tenuto.kit.documents import dumps, loads
from tenuto.model.access import PolicyText, RuntimeSetting, UserSecret
from tenuto.model.account import Account
from tenuto.model.lease import Lease
from tenuto.model.notification import Delivery, Sink
from tenuto.model.rule import StoredRule
from tenuto.ports.store_administration import ProcessVersion
from tenuto.ports.store_retention import RemoveExpired
from tenuto.storage import administration_rows, retention
from tenuto.storage.statements import Statements


class SqliteAdministration:
    """Reads and writes within a transaction that somebody else began and ends."""

    def __init__(self, statements: Statements) -> None:
        self._statements = statements
        self._run, self._one = statements.run, statements.one

    def stored_lease(self) -> Lease | None:
        row = self._one("lease", {})
        return None if row is None else administration_rows.lease_of(row)

    def put_lease(self, lease: Lease) -> None:
        self._run("save_lease", administration_rows.lease_row(lease))

    def put_policy(self, policy: PolicyText | None) -> None:
        self._run("remove_policy", {})
        if policy is not None:
            self._run("insert_policy", administration_rows.policy_row(policy))

    def secret_of_key(self, key: str) -> UserSecret | None:
        row = self._one("user_secret_of_key", {"key": key})
        return None if row is None else administration_rows.secret_of(row)

    def put_secret(self, secret: UserSecret) -> None:
        self._run("save_user_secret", administration_rows.secret_row(secret))

    def remove_secret(self, user: str) -> None:
        self._run("remove_user_secret", {"user": user})

    def put_setting(self, setting: RuntimeSetting) -> None:
        self._run("save_runtime_setting", administration_rows.setting_row(setting))

    def remove_setting(self, key: str) -> None:
        self._run("remove_runtime_setting", {"key": key})

    def stored_rules(self) -> Iterable[StoredRule]:
        return map(administration_rows.rule_of, self._run("rules", {}).fetchall())

    def live_versions(self) -> Iterable[ProcessVersion]:
        return map(administration_rows.version_of, self._run("versions_of_processes", {}).fetchall())

    def put_rule(self, rule: StoredRule) -> None:
        self._run("save_rule", administration_rows.rule_row(rule))

    def remove_rule(self, name: str) -> None:
        self._run("remove_rule", {"name": name})

    def stored_account(self, name: str) -> Account | None:
        row = self._one("account", {"name": name})
        return None if row is None else administration_rows.account_of(row)

    def stored_accounts(self) -> Iterable[Account]:
        return map(administration_rows.account_of, self._run("accounts", {}).fetchall())

    def holder_of_account_id(self, account_id: str | None) -> str | None:
        row = self._one("holder_of_account_id", {"account_id": account_id})
        return None if row is None else str(row["name"])

    def residents(self, account: str) -> Sequence[str]:
        return [row["name"] for row in self._run("residents_of_account", {"name": account})]

    def put_account(self, account: Account, generation: int) -> None:
        self._run("save_account", administration_rows.account_row(account, generation))

    def remove_account(self, name: str) -> None:
        self._run("remove_account", {"name": name})

    def stored_sink(self, name: str) -> Sink | None:
        row = self._one("sink", {"name": name})
        return None if row is None else loads(Sink, row["document"])

    def put_sink(self, sink: Sink) -> None:
        self._run("save_sink", {"name": sink.name, "document": dumps(sink)})

    def remove_sink(self, name: str) -> None:
        self._run("remove_sink", {"name": name})

    def put_delivery(self, delivery: Delivery) -> None:
        self._run("save_delivery", administration_rows.delivery_row(delivery))

    def remove_delivery(self, sink: str, number: int) -> None:
        self._run("remove_delivery", {"sink": sink, "number": number})

    def remove_expired(self, change: RemoveExpired) -> None:
        retention.remove_expired(self._statements, change)
