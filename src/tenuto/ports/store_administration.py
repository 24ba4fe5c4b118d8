"""Changes that are about no single process: rules, accounts, notifications, the lease, and the removal of old rows.

The records that need no rule of their own (the policy, secrets of users, settings) are changed by `records`.
"""

from dataclasses import dataclass

from tenuto.model.account import Account
from tenuto.model.ids import Fid, Instant, ObjectId
from tenuto.model.lease import Lease
from tenuto.model.notification import Delivery, Sink
from tenuto.model.process import Process
from tenuto.model.rule import StoredRule
from tenuto.ports.records import RecordChange
from tenuto.ports.store_retention import RemoveExpired


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessVersion:
    """The composition of a process, and the command since which it runs it."""

    fid: Fid
    composition_digest: str
    updated_at: Instant

    @staticmethod
    def of(process: Process) -> "ProcessVersion":
        return ProcessVersion(
            fid=process.fid, composition_digest=process.composition_digest, updated_at=process.updated_at
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveRule:
    """A rule, in place of any earlier one of its name. `held` are the live processes that were held against it.

    Raises ConflictError when another process is live, or one of them runs something else by now.
    """

    rule: StoredRule
    held: frozenset[ProcessVersion]


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveRule:
    """Remove a rule. Raises ConflictError when there is none of that name."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectRules:
    """Require that the rules are those with this fingerprint; writes nothing. Raises ConflictError when they are
    others.
    """

    fingerprint: str


RuleChange = SaveRule | RemoveRule | ExpectRules


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveLease:
    """The lease, renewed under its epoch or taken under the next one. Any other epoch raises LeaseLostError."""

    lease: Lease


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectLease:
    """Require that the lease has this epoch. With another one LeaseLostError is raised, and nothing of the commit is
    written.
    """

    epoch: int


LeaseChange = SaveLease | ExpectLease


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveAccount:
    """The whole account, new or changed. Raises ConflictError when another name has its account id, and BugError when
    an id that was known is another one now.
    """

    account: Account
    expected_generation: int
    """The stored generation, 0 when there is none; the new one is this plus one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveAccount:
    """Raises ConflictError while a live process or object is there, or another account is entered from it."""

    name: str
    expected_generation: int
    object_id: ObjectId | None = None
    """The object that the account belongs to and ends with: it does not count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectAccount:
    """Require that the account which was looked up is still there; writes nothing. Raises ConflictError when it was
    removed, also when another one has its name since.
    """

    name: str
    created_at: Instant | None


AccountChange = SaveAccount | RemoveAccount | ExpectAccount


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateSink:
    """A new sink of notifications. Raises ConflictError when there is one of that name."""

    sink: Sink


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveSink:
    """The sink as it is now. Raises ConflictError when it was removed, also when another one has its name since."""

    sink: Sink


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveSink:
    """Remove a sink with all its deliveries. Raises ConflictError when there is none of that name."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveDelivery:
    """A delivery as it is now; one for each sink and event. Raises ConflictError when there is no such sink."""

    delivery: Delivery


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveDelivery:
    """Remove a delivery that has arrived, or is not wanted any more. One that is not there is no error."""

    sink: str
    number: int


NotificationChange = CreateSink | SaveSink | RemoveSink | SaveDelivery | RemoveDelivery

Administration = RecordChange | RuleChange | AccountChange | NotificationChange | LeaseChange | RemoveExpired
