"""Every change that a store can be asked to write. A transaction is a sequence of them (`store`)."""

from collections.abc import Mapping
from dataclasses import dataclass

from tenuto.model.composition import Composition
from tenuto.model.drift import Drift
from tenuto.model.event import Event
from tenuto.model.flip import Flip
from tenuto.model.ids import Fid, LogicalId, ObjectId, PhaseName
from tenuto.model.job import Job
from tenuto.model.outcome import Op
from tenuto.model.plan import Plan
from tenuto.model.process import CommandRecord, Process
from tenuto.model.rate import Api, Bucket
from tenuto.model.resource import ManagedObject, Move
from tenuto.ports.store_administration import Administration
from tenuto.ports.store_claims import ClaimChange


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateProcess:
    """Raises ConflictError when a live process has the alias. Writes a `process.state` event from `nothing`."""

    process: Process
    actor: str
    request: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveProcess:
    """The whole new process row. `moves` are its state changes, checked against the process lifecycle."""

    process: Process
    expected_generation: int
    """The stored generation; the new one is this plus one, independent of `process.generation`."""
    moves: tuple[Move, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateObject:
    """A new object, in one of its lifecycle's initial states. Writes an `object.state` event from `nothing`."""

    object: ManagedObject
    actor: str
    reason: str = ""
    by: str = ""
    """The plan that made it, if one did."""
    request: str = ""
    """The API request that it is made for, if one is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveObject:
    """The new value of an object.

    Only the named parts are written, so that a transition costs O(1) bytes: the narrow row always, the phase entries
    named in `entries` (one that is named and not in the object is removed), and the documents (`desired`, `attributes`,
    `depends_on`, `kept`) only when `documents` is true. The facts of its creation (its type, address, partition) stay.
    """

    object: ManagedObject
    expected_generation: int
    moves: tuple[Move, ...] = ()
    entries: tuple[PhaseName, ...] = ()
    documents: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectMandate:
    """Require that something may be done now for these objects; writes nothing. Raises ConflictError when nothing may
    be for any of them (`WorkReads.without_mandate`).
    """

    object_ids: tuple[ObjectId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveComposition:
    """Store a composition by its digest; the same digest again writes nothing."""

    composition: Composition


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveJob:
    """The job as it is now. Raises ConflictError when another one of its process runs; dry runs do not count."""

    job: Job


@dataclass(frozen=True, slots=True, kw_only=True)
class SavePlan:
    """Store a plan, which never changes; the same plan again writes nothing."""

    plan: Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveFlips:
    """The flips to remember of properties of a process that others set back: one for each address and path."""

    fid: Fid
    saved: tuple[Flip, ...] = ()
    removed: tuple[tuple[LogicalId, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveDrifts:
    """The drifts of a process that were told and still stand: one for each address."""

    fid: Fid
    saved: tuple[Drift, ...] = ()
    removed: tuple[LogicalId, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Append:
    """Facts for the history: commands, events, provider operations."""

    commands: tuple[CommandRecord, ...] = ()
    events: tuple[Event, ...] = ()
    ops: tuple[Op, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveRates:
    """The levels that are left in buckets of the rate ledger. The last word about each API counts."""

    buckets: Mapping[Api, Bucket]


StoreChange = (
    CreateProcess
    | SaveProcess
    | CreateObject
    | SaveObject
    | ExpectMandate
    | ClaimChange
    | SaveComposition
    | SaveJob
    | SavePlan
    | SaveFlips
    | SaveDrifts
    | Append
    | SaveRates
    | Administration
)
