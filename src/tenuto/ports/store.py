"""The store: everything that outlives a Conductor.

A transaction is a value. Whoever wants to write builds a sequence of changes and gives it to `commit`, which applies
all of them or none. The store, not the caller, refuses a move that the lifecycle does not list and a write whose
`expected_generation` is not the stored one; and it writes one event for every state that changes, in the same
transaction (DECISIONS 9). Rejected: a session object with a begin and an end; it invites work between the two, and it
cannot be logged, compared or replayed.

All methods are safe to call from several threads. All may raise StoreUnavailableError (disk full, locked, connection
lost): then nothing was written. Reads see every commit that returned before them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from tenuto.model.access import PolicyText, RuntimeSetting, UserSecret
from tenuto.model.account import Account
from tenuto.model.composition import Composition
from tenuto.model.event import Event
from tenuto.model.flip import Flip
from tenuto.model.ids import Fid, Instant, LogicalId, ObjectId, Partition, PhaseName, PlanId, TypeName
from tenuto.model.job import Job
from tenuto.model.lease import Lease
from tenuto.model.notification import Backlog, Delivery, Sink
from tenuto.model.outcome import Op
from tenuto.model.plan import Plan
from tenuto.model.process import CommandRecord, Process
from tenuto.model.rate import Api, Bucket
from tenuto.model.resource import ManagedObject, Move
from tenuto.model.rule import StoredRule


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateProcess:
    """Raises ConflictError when a live process has the alias. Writes a `process.state` event from `nothing`."""

    process: Process
    actor: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveProcess:
    """The whole new process row. `moves` are its state changes, checked against the process lifecycle."""

    process: Process
    expected_generation: int
    """The stored generation; the new one is this plus one, whatever `process.generation` says."""
    moves: tuple[Move, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateObject:
    """A new object, in one of its lifecycle's initial states. Writes an `object.state` event from `nothing`."""

    object: ManagedObject
    actor: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveObject:
    """The new value of an object.

    Only what is named is written, so that a transition costs O(1) bytes: the narrow row always, the phase entries
    named in `entries` (one that is named and not in the object is removed), and the documents (`desired`,
    `attributes`, `depends_on`, `kept`) only when `documents` is true. What the object was created as (its type,
    address, partition) stays.
    """

    object: ManagedObject
    expected_generation: int
    moves: tuple[Move, ...] = ()
    entries: tuple[PhaseName, ...] = ()
    documents: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveComposition:
    """Stored once by digest; the same digest again writes nothing."""

    composition: Composition


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveJob:
    """The job as it is now. Raises ConflictError when another one of its process runs; dry runs do not count."""

    job: Job


@dataclass(frozen=True, slots=True, kw_only=True)
class SavePlan:
    """Stored once and never changed; the same plan again writes nothing."""

    plan: Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveFlips:
    """What is remembered of properties of a process that others set back: one for each address and path."""

    fid: Fid
    saved: tuple[Flip, ...] = ()
    removed: tuple[tuple[LogicalId, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Append:
    """Facts for the history: commands, events, provider operations."""

    commands: tuple[CommandRecord, ...] = ()
    events: tuple[Event, ...] = ()
    ops: tuple[Op, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SavePolicy:
    """The policy that holds from now on; None is none. The one before is not kept."""

    policy: PolicyText | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveUserSecrets:
    """What is known of secrets: one for a user, in place of any earlier one. `removed` are users who have none now.

    Raises ConflictError when another user's secret has the same key.
    """

    secrets: tuple[UserSecret, ...] = ()
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveRuntime:
    """Settings that were changed, in place of earlier ones of the same key; `removed` have their default again."""

    settings: tuple[RuntimeSetting, ...] = ()
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveRates:
    """What is left in buckets of the rate ledger. The last word about each API counts."""

    buckets: Mapping[Api, Bucket]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessVersion:
    """Which composition a process runs since which command."""

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
    """Raises ConflictError when there is none of that name."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectRules:
    """Writes nothing. Raises ConflictError when the rules are others than those with this fingerprint."""

    fingerprint: str


RuleChange = SaveRule | RemoveRule | ExpectRules


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveLease:
    """The lease, renewed under its epoch or taken under the next one. Any other epoch raises LeaseLostError."""

    lease: Lease


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectLease:
    """Nothing changes unless the lease has this epoch: LeaseLostError, and nothing of the commit is written."""

    epoch: int


LeaseChange = SaveLease | ExpectLease

AccessChange = SavePolicy | SaveUserSecrets | SaveRuntime


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
    """Raises ConflictError while a live process is there, or another account is entered from it."""

    name: str
    expected_generation: int


AccountChange = SaveAccount | RemoveAccount


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
    """With all its deliveries. Raises ConflictError when there is none of that name."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveDelivery:
    """A delivery as it is now; one for each sink and event. Raises ConflictError when there is no such sink."""

    delivery: Delivery


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveDelivery:
    """It has arrived, or is not wanted any more. One that is not there is no error."""

    sink: str
    number: int


NotificationChange = CreateSink | SaveSink | RemoveSink | SaveDelivery | RemoveDelivery
StoreChange = (
    CreateProcess
    | SaveProcess
    | CreateObject
    | SaveObject
    | SaveComposition
    | SaveJob
    | SavePlan
    | SaveFlips
    | Append
    | AccessChange
    | SaveRates
    | RuleChange
    | AccountChange
    | NotificationChange
    | LeaseChange
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """One phase of one partition with something to do. `wake_at` is the earliest wake time when nothing waits now."""

    phase: PhaseName
    partition: Partition
    waiting: int
    wake_at: Instant | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventQuery:
    """Which events: of a process, of types, in a time window (both ends belong to it), after a number.

    The newest `limit` of them, in rising order.
    """

    fid: Fid | None = None
    types: tuple[str, ...] = ()
    start: Instant | None = None
    end: Instant | None = None
    after: int = 0
    limit: int = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """What happened to a process, oldest first."""

    commands: tuple[CommandRecord, ...] = ()
    jobs: tuple[Job, ...] = ()
    ops: tuple[Op, ...] = field(default=())


class ProcessReads(Protocol):
    """Reads of processes."""

    def process(self, reference: str) -> Process | None:
        """By FID, alias of a live process, else alias of the process that was gone last; None when there is none."""
        ...

    def processes(self, *, live: bool = True) -> tuple[Process, ...]:
        """All processes (only those not Gone when `live`), by creation time and FID."""
        ...

    def composition(self, digest: str) -> Composition | None: ...

    def flips(self, fid: Fid) -> tuple[Flip, ...]:
        """By logical id and path."""
        ...


class ObjectReads(Protocol):
    """Reads of managed objects."""

    def objects(self, fid: Fid) -> tuple[ManagedObject, ...]:
        """Every live incarnation, and the latest final one of each address; by logical id, then incarnation."""
        ...

    def object(self, object_id: ObjectId) -> ManagedObject | None: ...

    def selected(self, object_ids: Sequence[ObjectId]) -> tuple[ManagedObject, ...]:
        """Those of the objects that are stored, as of one moment, in the order of their first naming."""
        ...

    def ready(self, now: Instant) -> tuple[Ready, ...]:
        """Every phase and partition that has a Waiting, or Sleeping, entry of an object that may be worked on.

        Objects of a Suspended or Gone process may not; objects without a process always may. Ordered by phase,
        partition.
        """
        ...

    def waiting(self, phase: PhaseName, partition: Partition, now: Instant, limit: int) -> tuple[ManagedObject, ...]:
        """Objects whose entry in the phase is Waiting, or Sleeping with its wake time reached; oldest first."""
        ...

    def interrupted(self) -> tuple[ManagedObject, ...]:
        """Objects with a Running or Canceling entry: what a Conductor that died leaves behind."""
        ...

    def resource_states(self) -> Mapping[str, int]:
        """How many resources are in each state that is not final, of states that have any; by state."""
        ...

    def tracked(self, partition: Partition, type: TypeName) -> tuple[ManagedObject, ...]:  # noqa: A002
        """Live objects of a type that have a physical id, of every process."""
        ...


class HistoryReads(Protocol):
    """Reads of what was."""

    def plan(self, plan_id: PlanId) -> Plan | None: ...

    def job(self, job_id: str) -> Job | None: ...

    def history(
        self, fid: Fid, *, start: Instant | None = None, end: Instant | None = None, limit: int = 1000
    ) -> History:
        """Commands, jobs and ops that began in the window (both ends belong to it), oldest first; the newest `limit`.

        The limit counts for each of the three. An op belongs to every process whose objects it was about.
        """
        ...

    def events(self, query: EventQuery) -> tuple[Event, ...]: ...


class AccessReads(Protocol):
    """Reads of who may do what, and of what was changed while the Conductor runs."""

    def policy(self) -> PolicyText | None: ...

    def user_secret(self, key: str) -> UserSecret | None:
        """By the public part of a secret."""
        ...

    def user_secrets(self) -> tuple[UserSecret, ...]:
        """All, by user."""
        ...

    def runtime_settings(self) -> tuple[RuntimeSetting, ...]:
        """All that were changed, by key."""
        ...


class LeaseReads(Protocol):
    """Reads of who leads."""

    def lease(self) -> Lease | None:
        """None before anybody took it."""
        ...


class RateReads(Protocol):
    """Reads of the rate ledger."""

    def rates(self) -> Mapping[Api, Bucket]:
        """The last word about every API, as it was at the bucket's own moment."""
        ...


class RuleReads(Protocol):
    """Reads of what compositions are held to."""

    def rules(self) -> tuple[StoredRule, ...]:
        """All, by name."""
        ...


class AccountReads(Protocol):
    """Reads of accounts. The default one is stored only once its id is known."""

    def account(self, name: str) -> Account | None: ...

    def accounts(self) -> tuple[Account, ...]:
        """By name."""
        ...


class NotificationReads(Protocol):
    """Reads of who is told what."""

    def sinks(self) -> tuple[Sink, ...]:
        """By name."""
        ...

    def backlogs(self) -> Mapping[str, Backlog]:
        """Of each sink for which anything is kept."""
        ...

    def deliveries(self, sink: str, *, is_dead: bool, limit: int) -> tuple[Delivery, ...]:
        """Waiting ones by their next try, dead ones by their event, oldest first."""
        ...

    def events_after(self, number: int, limit: int) -> tuple[Event, ...]:
        """The oldest `limit` events with a higher number, in rising order."""
        ...

    def last_event(self) -> int:
        """The number of the newest event; 0 when there is none."""
        ...


class Store(
    ProcessReads,
    ObjectReads,
    HistoryReads,
    AccessReads,
    RateReads,
    LeaseReads,
    RuleReads,
    AccountReads,
    NotificationReads,
    Protocol,
):
    """The whole store. Each face above has at most eight methods; a reader should ask for the face it needs."""

    def commit(self, changes: Sequence[StoreChange]) -> None:
        """Apply all changes in order, or none.

        Raises ConflictError (a generation, a unique alias, an address or id given twice, a second running job),
        IllegalTransitionError (a move), BugError (what must not be stored), StoreUnavailableError.
        Not idempotent: after a StoreUnavailableError the caller reads before it tries again.
        """
        ...

    def close(self) -> None:
        """Release files and connections. Twice is fine."""
        ...
