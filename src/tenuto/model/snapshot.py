"""The snapshot: everything that planning may read, gathered at one moment."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tenuto.model.composition import Composition
from tenuto.model.delta import Memory
from tenuto.model.drift import Drift
from tenuto.model.flip import Flip
from tenuto.model.ids import Instant, Json, LogicalId, ObjectId, PhysicalId, TypeName
from tenuto.model.marked import MarkedThing
from tenuto.model.naming import ANYTHING, Names
from tenuto.model.observation import Observation, ObservedItem
from tenuto.model.outcome import Context
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject, ResourceType


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldPolicy:
    """The limits beyond which a plan without a user's command is held instead of executed (DECISIONS 27).

    More than `minimum` destructive operations and more than `share` of the process; for recreations of vanished
    resources, more than `vanished_minimum` and more than `vanished_share`, of the process or of all that is held in its
    account and region: wrong credentials look just like that.
    """

    minimum: int = 1
    share: float = 0.2
    vanished_minimum: int = 5
    vanished_share: float = 0.5
    flips: int = 5
    """The number of times that the same two values may take turns within the window before their resource is held; 0 is
    never."""
    flip_window_s: float = 6 * 3600.0
    """Six hours: a writer that sets something back once an hour is found within a day's work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """The part of an account and region that seems to be gone: of all processes, as far as it is of the types swept."""

    gone: int = 0
    known: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """The thing that was found under the identifier of a declaration that is to be adopted.

    `item` is None when there is no such thing of the declared type; `seen_as` is then the type under which the id was
    seen, if any. `holder` says who manages the thing already, `unread` why it could not be read, and `is_denied`
    whether that is because it is not permitted.
    """

    physical_id: PhysicalId
    item: ObservedItem | None
    holder: str = ""
    seen_as: TypeName | None = None
    unread: str = ""
    is_denied: bool = False
    own_as: LogicalId | None = None
    """The logical id under which the process that would adopt it manages it already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The whole input of planning. `composition` is None when the process is Killing: the null composition.

    `objects` are the live incarnations and the latest final one of each address. `exports` are the exported outputs
    of the other processes of the same account and region.
    """

    process: Process
    composition: Composition | None
    objects: tuple[ManagedObject, ...]
    observations: Mapping[ObjectId, Observation]
    types: Mapping[TypeName, ResourceType]
    context: Context
    now: Instant
    exports: Mapping[str, Json] = field(default_factory=dict)
    secret_exports: frozenset[str] = frozenset()
    """The exports of those processes that hold a secret: they are given to no other process."""
    hold: HoldPolicy = HoldPolicy()
    names: Names = ANYTHING
    """The answers of the provider about names that can be pointed elsewhere. A name without an answer is not wrong."""
    candidates: Mapping[LogicalId, Candidate] = field(default_factory=dict)
    """The candidates for adoption, for each declaration that names something and never had an incarnation."""
    memory: Memory | None = None
    """The memory of the last comparison. It saves work, and changes no answer."""
    flips: tuple[Flip, ...] = ()
    """The properties that were set back again and again."""
    drifts: tuple[Drift, ...] = ()
    """The drifts that were told, and stood at the last planning."""
    shown: frozenset[tuple[LogicalId, PhysicalId]] = frozenset()
    """The things that the plans of the present command replace or delete up to now: a person could see that."""
    marked: Mapping[LogicalId, tuple[MarkedThing, ...]] = field(default_factory=dict)
    """Things that carry the marks of an address of the process, and that the store does not know."""
    taken: Mapping[ObjectId, str] = field(default_factory=dict)
    """The objects under whose ids another process made things since, each with that process in words."""
    followed: Mapping[ObjectId, str] = field(default_factory=dict)
    """The objects that stay until importers in other processes have followed, each with these in words."""
    loss: Loss = Loss()
    """The loss around the process, itself included: many small processes lose little each when all is lost."""
