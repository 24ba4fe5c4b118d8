"""The questions that a store answers, by subject, with the shapes of some questions and answers.

A reader asks for the face that it needs. All of it may raise StoreUnavailableError, and sees every commit that returned
before it. The faces of records say themselves which record they read, so a store implements `RecordReads` alone.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from tenuto.model.composition import Composition
from tenuto.model.drift import Drift
from tenuto.model.event import Event
from tenuto.model.flip import Flip
from tenuto.model.ids import Fid, Instant, LogicalId, ObjectId, Partition, PhaseName, PhysicalId, PlanId, TypeName
from tenuto.model.job import Job
from tenuto.model.lease import Lease
from tenuto.model.outcome import Op
from tenuto.model.phase_map import PhaseDefinition, PhaseStatus
from tenuto.model.plan import Plan
from tenuto.model.process import CommandRecord, Process
from tenuto.model.rate import Api, Bucket
from tenuto.model.resource import ManagedObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """One phase of one partition with something to do. `wake_at` is the earliest wake time when nothing waits now."""

    phase: PhaseName
    partition: Partition
    waiting: int
    wake_at: Instant | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventQuery:
    """The events that are asked for: of a process, of types, in a time window (both ends belong to it), between two
    numbers.

    The newest `limit` of them, in rising order.
    """

    fid: Fid | None = None
    object_id: ObjectId | None = None
    """The object of which the events are asked for, of a process or without one; `fid` says nothing then."""
    request: str = ""
    """The API request that caused them; then of all processes, unless `fid` says one."""
    types: tuple[str, ...] = ()
    start: Instant | None = None
    end: Instant | None = None
    after: int = 0
    before: int | None = None
    limit: int = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The history of a process, oldest first."""

    commands: tuple[CommandRecord, ...] = ()
    jobs: tuple[Job, ...] = ()
    ops: tuple[Op, ...] = ()


class ProcessReads(Protocol):
    """Reads of processes."""

    def process(self, reference: str) -> Process | None:
        """Find a process by its FID, or by the alias of a live process, else of the one that was gone last; None when
        there is none.
        """
        ...

    def processes_of(self, fids: Iterable[Fid]) -> Mapping[Fid, Process]:
        """Return those of the processes that there are, as they are at one moment."""
        ...

    def processes(self, *, live: bool = True) -> tuple[Process, ...]:
        """Return all processes (only those not Gone when `live`), by creation time and FID."""
        ...

    def process_page(self, after: str, limit: int) -> tuple[Process, ...]:
        """Return up to `limit` processes, also those that are gone, with a FID after this one; by FID. '' begins."""
        ...

    def composition(self, digest: str) -> Composition | None: ...

    def flips(self, fid: Fid) -> tuple[Flip, ...]:
        """Return the flips of a process, by logical id and path."""
        ...

    def held(self, fids: Sequence[Fid]) -> frozenset[Fid]:
        """Return those of the processes of which a property is held (`Flip.held_at`)."""
        ...

    def drifts(self, fid: Fid) -> tuple[Drift, ...]:
        """The drifts that were told and still stand, by logical id."""
        ...


class ObjectReads(Protocol):
    """Reads of managed objects."""

    def objects(self, fid: Fid) -> tuple[ManagedObject, ...]:
        """Every live incarnation, and the latest final one of each address; by logical id, then incarnation."""
        ...

    def open_objects(self, fids: Sequence[Fid]) -> tuple[ManagedObject, ...]:
        """Return, of the `objects` of each process, the first one of each kind of open entry; by FID, then in their
        order.

        The kind is the phase, the status, whether it belongs to the present state, and of a sleeper its code, or else
        the end of its message. So a list costs a few objects for each process, however many it has.
        """
        ...

    def object(self, object_id: ObjectId) -> ManagedObject | None: ...

    def selected(self, object_ids: Sequence[ObjectId]) -> tuple[ManagedObject, ...]:
        """Return those of the objects that are stored, as of one moment, in the order of their first naming."""
        ...

    def resource_states(self) -> Mapping[str, int]:
        """Return how many resources are in each state that is not final, of states that have any; by state."""
        ...

    def claimed_twice(self, limit: int) -> tuple[ManagedObject, ...]:
        """Live objects of which several have one type, partition and physical id, but not one process.

        By type, partition and physical id, then creation; those of the first `limit` things.
        """
        ...

    def tracked(self, partition: Partition, type: TypeName) -> tuple[ManagedObject, ...]:  # noqa: A002
        """Live objects of a type that have a physical id, of every process."""
        ...

    def tracked_ids(
        self, provider: str, partition: Partition, types: Sequence[TypeName]
    ) -> Mapping[TypeName, frozenset[PhysicalId]]:
        """The physical ids of the live objects of these types of a provider, of every process; by type, each named."""
        ...

    def standing_for(self, partition: Partition, physical_ids: Collection[PhysicalId]) -> tuple[ManagedObject, ...]:
        """Live objects of any type that have one of these physical ids, of every process."""
        ...


class WorkReads(Protocol):
    """Reads of the work of phases."""

    def ready(self, now: Instant) -> tuple[Ready, ...]:
        """Every phase and partition that has a Waiting, or Sleeping, entry of an object with a mandate.

        An object has one while its process is neither Suspended nor Gone, and its target was planned for the process's
        last command (`core.planning.intents`); an object without a process always has. Ordered by phase, partition.
        For upkeep the state of the process alone counts. Of upkeep phases only the partitions with something due are
        told, and for each phase the one that is next.
        """
        ...

    def waiting(self, phase: PhaseName, partition: Partition, now: Instant, limit: int) -> tuple[ManagedObject, ...]:
        """Objects with a mandate whose entry in the phase is Waiting, or Sleeping with its wake time reached; oldest
        first."""
        ...

    def without_upkeep(self, phase: PhaseDefinition, after: str, limit: int) -> tuple[ManagedObject, ...]:
        """Objects of the types and states of an upkeep phase that rest and have no open entry of it.

        Ordered by id, those after an id. Asked when plugins are loaded, so it may read every object.
        """
        ...

    def interrupted(self) -> tuple[ManagedObject, ...]:
        """Objects with a Running or Canceling entry: a Conductor that died leaves them behind."""
        ...

    def without_mandate(self, object_ids: Sequence[ObjectId]) -> tuple[ObjectId, ...]:
        """Return those of the objects for which nothing may be done now: they are under way without a mandate, or leave
        their state, or their process is Suspended or Gone."""
        ...


class TimeReads(Protocol):
    """Reads by when something was written."""

    def dated_after(self, moment: Instant) -> tuple[ManagedObject, ...]:
        """Live objects that moved or were touched, or have an entry that began, ended or is due, after a moment.

        Of every process and of none, oldest first.
        """
        ...


class HistoryReads(Protocol):
    """Reads of the history of processes."""

    def plan(self, plan_id: PlanId) -> Plan | None: ...

    def job(self, job_id: str) -> Job | None: ...

    def history(
        self, fid: Fid, *, start: Instant | None = None, end: Instant | None = None, limit: int = 1000
    ) -> History:
        """Commands, jobs and ops that began in the window (both ends belong to it), oldest first; the newest `limit`.

        Commands of one instant come as they were appended; jobs of one instant by their end, one that runs last.
        The limit counts for each of the three. An op belongs to every process whose objects it was about.
        """
        ...

    def history_of_request(self, request: str, limit: int) -> History:
        """The commands and jobs of an API request, oldest first, at most `limit` of each."""
        ...

    def events(self, query: EventQuery) -> tuple[Event, ...]: ...

    def names(self, fid: Fid, object_ids: Sequence[ObjectId]) -> Mapping[ObjectId, LogicalId]:
        """The logical ids of objects of a process, also of those that were removed, while an event of their birth is
        kept."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectCounts:
    """The live objects of a process, by how they are. `failed` have a failed phase; the rest are under way."""

    total: int = 0
    ready: int = 0
    failed: int = 0

    @property
    def working(self) -> int:
        return self.total - self.ready - self.failed


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """An object or a provider operation that a text names. `kind` says which, `text` is the part that matched."""

    kind: str
    text: str
    fid: Fid | None
    account: str = ""
    logical_id: str = ""
    type: str = ""
    physical_id: str = ""
    state: str = ""
    at: Instant | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseReason:
    """Objects of one process that a phase still has to do with for one reason: their number, the message of the oldest
    of them, and since when it waits."""

    fid: Fid | None
    status: PhaseStatus
    code: str
    message: str
    count: int
    since: Instant

    @property
    def key(self) -> str:
        """The status, with the code or, where there is none, the message: `PhaseQuery` names a reason by it."""
        return f"{self.status.value}:{self.code or self.message}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseQuery:
    """The objects that are asked for: of one status, and with or without these reasons (`PhaseReason.key`).

    `after` is the place of an object in the order: whether it has not failed, when it moved, and its id. `fids` are the
    processes that are looked through, beside the objects of none; None looks through all.
    """

    phase: PhaseName
    fids: tuple[Fid, ...] | None = None
    status: str = ""
    only: tuple[str, ...] | None = None
    without: tuple[str, ...] = ()
    after: tuple[bool, float, str] | None = None
    limit: int = 500


class BoardReads(Protocol):
    """Reads for readers who watch many processes at once. Each is one question, for any number of processes."""

    def object_counts(self, fids: Sequence[Fid] | None = None) -> Mapping[Fid, ObjectCounts]:
        """Return the counts of live objects of these processes, of all when none are named; without those that have
        none."""
        ...

    def drift_counts(self, fids: Sequence[Fid] | None = None) -> Mapping[Fid, int]:
        """Return how many addresses of these processes, or of all, have a drift that stands, where there are any."""
        ...

    def drift_times(self, start: Instant, limit: int) -> tuple[tuple[str, Fid | None, Instant], ...]:
        """Return type, process and time of the newest `limit` events that say of drift that it was found, or is held,
        since then, in rising order."""
        ...

    def in_phase(self, query: PhaseQuery) -> tuple[ManagedObject, ...]:
        """Return live objects with an open entry in a phase: failed ones first, then by when they moved and their
        ids."""
        ...

    def reasons_in_phase(
        self, phase: PhaseName, limit: int, fids: Sequence[Fid] | None = None
    ) -> tuple[PhaseReason, ...]:
        """Return up to `limit` reasons of such objects: failures first, then the most frequent. `fids` as in a query of
        objects."""
        ...

    def find(self, text: str, limit: int) -> tuple[Finding, ...]:
        """Return up to `limit` objects and operations with this physical id, logical id, id of ours or request id. An
        id of an object may be cut short, one of ours to eight characters."""
        ...


class LeaseReads(Protocol):
    """Reads of who leads."""

    def lease(self) -> Lease | None:
        """Return the lease; None before any Conductor took it."""
        ...


class RateReads(Protocol):
    """Reads of the rate ledger."""

    def rates(self) -> Mapping[Api, Bucket]:
        """The last word about every API, as it was at the bucket's own moment."""
        ...
