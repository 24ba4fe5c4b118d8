"""The questions that a store answers about its administration: access, rules, accounts, sealed values, notifications.

A reader asks for the face that it needs, as of the others (`ports.store_reads`), with the same promises. The faces of
records say themselves which record they read, so a store implements `RecordReads` alone.
"""

from collections.abc import Mapping
from typing import Protocol

from tenuto.model.access import PolicyText, RuntimeSetting, UserSecret
from tenuto.model.account import Account
from tenuto.model.event import Event
from tenuto.model.notification import Backlog, Delivery, Sink
from tenuto.model.proposal import Proposal
from tenuto.model.rule import StoredRule
from tenuto.model.sealed import SealedValue
from tenuto.model.stored_table import StoredTable
from tenuto.ports.record_kinds import (
    ACCOUNT,
    LIFECYCLE,
    POLICY,
    PROPOSAL,
    RULE,
    RUNTIME_SETTING,
    SINK,
    THE_POLICY,
    USER_SECRET,
)
from tenuto.ports.records import RecordReads


class AccessReads(RecordReads, Protocol):
    """Reads of the rights of users, and of the settings that were changed while the Conductor runs."""

    def policy(self) -> PolicyText | None:
        return self.record(POLICY, THE_POLICY)

    def user_secret(self, key: str) -> UserSecret | None:
        """Return the secret with this public part; None when there is none."""
        return self.record_with(USER_SECRET, key)

    def user_secrets(self) -> tuple[UserSecret, ...]:
        """Return all secrets of users, by user."""
        return self.records(USER_SECRET)

    def runtime_settings(self) -> tuple[RuntimeSetting, ...]:
        """Return all settings that were changed, by key."""
        return self.records(RUNTIME_SETTING)

    def proposal(self, number: int) -> Proposal | None:
        """Return the proposal of this number; None when there is none."""
        return self.record(PROPOSAL, f"{number:08d}")

    def proposals(self) -> tuple[Proposal, ...]:
        """Return all proposals, in the order in which they were made."""
        return self.records(PROPOSAL)

    def living_proposals(self) -> tuple[Proposal, ...]:
        """Return the proposals that are still to be decided or executed, in the order in which they were made."""
        return self.claiming(PROPOSAL)

    def lifecycles(self) -> tuple[StoredTable, ...]:
        """Return the tables that providers brought, by name."""
        return self.records(LIFECYCLE)


class RuleReads(RecordReads, Protocol):
    """Reads of the rules that compositions are held to."""

    def rules(self) -> tuple[StoredRule, ...]:
        """Return all rules, by name."""
        return self.records(RULE)


class SealedReads(Protocol):
    """Reads of the values that a key is needed for."""

    def sealed_values(self) -> tuple[SealedValue, ...]:
        """Return all sealed values, of live processes, accounts and sinks."""
        ...


class AccountReads(RecordReads, Protocol):
    """Reads of accounts. The default one is stored only once its id is known."""

    def account(self, name: str) -> Account | None:
        return self.record(ACCOUNT, name)

    def accounts(self) -> tuple[Account, ...]:
        """Return the stored accounts, by name."""
        return self.records(ACCOUNT)


class NotificationReads(RecordReads, Protocol):
    """Reads of sinks, and of the events on their way to them."""

    def sinks(self) -> tuple[Sink, ...]:
        """Return the sinks, by name."""
        return self.records(SINK)

    def backlogs(self) -> Mapping[str, Backlog]:
        """Return the backlog of each sink for which anything is kept."""
        ...

    def deliveries(self, sink: str, *, is_dead: bool, limit: int) -> tuple[Delivery, ...]:
        """Return waiting deliveries by their next try, or dead ones by their event, oldest first."""
        ...

    def events_after(self, number: int, limit: int) -> tuple[Event, ...]:
        """The oldest `limit` events with a higher number, in rising order."""
        ...

    def last_event(self) -> int:
        """The number of the newest event; 0 when there is none."""
        ...
