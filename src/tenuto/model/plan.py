"""The plan: an immutable, complete value that leaves no choice to its execution.

Two views of one thing. *Operations* are for people: create, modify, replace, delete, adopt, release, refresh; one per
resource (two for one that is adopted and changed). *Steps* are for the broker: give this object that target. An
operation has one step, a replacement has two (make the new incarnation, remove the old one). Steps belong to waves; a
step may begin when every wave that its wave comes after is done and every object in `after` has reached its target.
"""

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum

from tenuto.model.composition import DeletionPolicy
from tenuto.model.delta import Change, Memory
from tenuto.model.diagnostic import Position
from tenuto.model.drift import NO_NEWS, DriftNews
from tenuto.model.flip import Flip
from tenuto.model.ids import Fid, Instant, JsonMap, LogicalId, ObjectId, Partition, PhysicalId, PlanId, TypeName
from tenuto.model.resource import ManagedObject
from tenuto.model.verb import Verb, WaitKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """The work that a plan does on one resource, for people."""

    verb: Verb
    type: TypeName
    logical_id: LogicalId
    object_id: ObjectId
    physical_id: PhysicalId | None = None
    reason: str = ""
    changes: tuple[Change, ...] = ()
    depends_on: tuple[LogicalId, ...] = ()
    position: Position | None = None

    @property
    def is_destructive(self) -> bool:
        return self.verb in (Verb.REPLACE, Verb.DELETE)

    @property
    def may_interrupt(self) -> bool:
        """Whether the resource keeps its place, and may not serve while it is changed."""
        return self.verb is Verb.MODIFY and any(one.may_interrupt and not one.stays for one in self.changes)


class StepKind(StrEnum):
    MAKE = "make"
    """Insert a new incarnation."""
    ADOPT = "adopt"
    """Insert an incarnation of something that exists."""
    CHANGE = "change"
    """New desired properties for an existing incarnation."""
    REMOVE = "remove"
    """Delete it."""
    FORGET = "forget"
    """The thing is gone already: straight to Terminated, reason Vanished."""
    RELEASE = "release"
    """Ours no longer; stays in the provider."""
    RETRY = "retry"
    """Clear the failed phases of an object, which goes on towards the target that it has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One object and the target it gets.

    `properties` may hold references: every one of them is resolvable once `after` is done.
    """

    kind: StepKind
    object_id: ObjectId
    logical_id: LogicalId
    type: TypeName
    lifecycle: str = "resource"
    """The table of the object."""
    target: str
    """The state that the object is to reach."""
    wave: int
    after: tuple[ObjectId, ...] = ()
    properties: JsonMap = field(default_factory=dict)
    incarnation: int = 1
    physical_id: PhysicalId | None = None
    """The id of the thing that an adoption takes over."""
    depends_on: tuple[LogicalId, ...] = ()
    deletion_policy: DeletionPolicy = DeletionPolicy.DELETE
    kept: tuple[str, ...] = ()
    """The property paths that a change or an adoption leaves as they are found."""
    reason: str = ""
    is_original: bool = False
    """True for the removal of a replaced thing of a process with exports: an importer of another process may have come
    to use it since the plan was made, and is asked for again when the step is to begin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wave:
    """The steps of these types; begins when the waves numbered in `after` are done."""

    number: int
    types: tuple[TypeName, ...]
    after: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, weakref_slot=True)
class Plan:
    """A whole plan of one process."""

    plan_id: PlanId
    fid: Fid
    partition: Partition
    command: str
    observed_at: Instant
    operations: tuple[Operation, ...] = ()
    steps: tuple[Step, ...] = ()
    waves: tuple[Wave, ...] = ()
    unchanged: int = 0

    @property
    def is_empty(self) -> bool:
        return not self.operations

    @property
    def is_first_half(self) -> bool:
        """Whether the plan adopts a thing that the next plan is to replace."""
        adopted = {step.object_id for step in self.steps if step.kind is StepKind.ADOPT}
        return any(one.verb is Verb.REPLACE and one.object_id in adopted for one in self.operations)

    @property
    def summary(self) -> dict[str, int]:
        """The number of operations of each verb, every verb named, and the number of resources that stay
        as they are.
        """
        counts = Counter(operation.verb for operation in self.operations)
        return {verb.value: counts[verb] for verb in Verb} | {"unchanged": self.unchanged}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """One thing that a plan does not do, and why: every silence explains itself."""

    kind: WaitKind
    logical_id: LogicalId | None
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IgnoredDrift:
    """The differences of one resource at property paths that its declaration ignores.

    `moved_by` are the resources of the composition that move these properties, where the compiler left them to those.
    """

    type: TypeName
    logical_id: LogicalId
    object_id: ObjectId
    physical_id: PhysicalId | None
    changes: tuple[Change, ...]
    moved_by: tuple[LogicalId, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Planning:
    """A plan, its waits with their reasons, and the reason when it is held."""

    plan: Plan
    waits: tuple[Wait, ...] = ()
    held: str = ""
    drift: tuple[Operation, ...] = ()
    """Differences seen and left alone because enforcement is off, or because another writer sets them back."""
    ignored: tuple[IgnoredDrift, ...] = ()
    """Differences seen and left alone because the composition ignores them. They are no lack of convergence."""
    memory: Memory | None = None
    """The comparison, for the snapshot of the next plan."""
    flips: tuple[Flip, ...] = ()
    """The flips to be remembered of properties that are set back, once the plan is acted on."""
    forgotten_flips: tuple[tuple[LogicalId, str], ...] = ()
    """The flips that need not be remembered any more."""
    news: DriftNews = NO_NEWS
    """The news of drift that are to be told, once the plan is acted on."""
    agreed: frozenset[ObjectId] = frozenset()
    """The objects under way that go on as they are (`core.planning.intents`)."""
    redeclared: tuple[ManagedObject, ...] = ()
    """The objects that stand as a new declaration says, with that declaration (`core.planning.redeclared`)."""

    @property
    def is_converged(self) -> bool:
        return self.plan.is_empty and not self.waits and not self.drift
