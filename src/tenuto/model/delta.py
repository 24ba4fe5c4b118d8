"""The difference between the declared and the real state, resource by resource."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from tenuto.model.composition import Composition, Declaration
from tenuto.model.ids import Fid, Json, JsonMap, LogicalId, ObjectId, Partition
from tenuto.model.naming import Names
from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Context
from tenuto.model.resource import ManagedObject


class Unknown(StrEnum):
    """The text that stands in a change for a value that cannot be shown."""

    AFTER_APPLY = "(known after apply)"
    SECRET = "****"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One property that differs. `before` and `after` are absent as `None` with the matching `has_` flag false."""

    path: str
    before: Json
    after: Json
    has_before: bool = True
    has_after: bool = True
    forces_replacement: bool = False
    may_interrupt: bool = False
    """True when the change is made in place, and the resource may not serve meanwhile."""
    stays: bool = False
    """True when the property is no longer declared, and the provider's default is not known: it stays as it is."""


class DeltaKind(StrEnum):
    MISSING = "missing"
    """Declared, and there is none."""
    VANISHED = "vanished"
    """The resource is gone from the provider."""
    BROKEN = "broken"
    """The provider gave up on it."""
    FAILED = "failed"
    """The resource is in its state of failures, and no person has acknowledged that yet."""
    CHANGED = "changed"
    FOUND = "found"
    """Declared as something that exists and has no owner: to be adopted."""
    SURPLUS = "surplus"
    """The resource is managed, and not declared (any more)."""
    SAME = "same"
    MOVING = "moving"
    """The resource is on its way to its target: nothing to plan, something to wait for."""
    UNCLEAR = "unclear"
    """The resource is not observed well enough to judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The result of compare for one address: `object_id` is the incarnation it is about, when there is one."""

    kind: DeltaKind
    logical_id: LogicalId
    object_id: ObjectId | None = None
    changes: tuple[Change, ...] = ()
    kept: tuple[str, ...] = ()
    """The property paths that stay as they are found, because the declaration ignores them."""
    ignored: tuple[Change, ...] = ()
    """The differences at those paths."""
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """All differences of one process, in the order of the composition, surplus last."""

    differences: tuple[Difference, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """The inputs of a comparison beside the resources: the same for all of them."""

    composition: Composition | None
    fid: Fid
    name: str
    partition: Partition
    lookups: JsonMap
    context: Context
    exports: Mapping[str, Json]
    names: Names


@dataclass(frozen=True, slots=True, kw_only=True)
class Same:
    """A resource that was found as declared, with the two values that this was read off."""

    found: ManagedObject
    item: ObservedItem
    difference: Difference


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """The memory that a comparison leaves to the next one (`core.planning.comparing.delta`).

    `answering` are those that stood for their addresses, `order` is the order of dependency.
    """

    frame: Frame
    order: tuple[Declaration, ...]
    answering: Mapping[LogicalId, ManagedObject] = field(default_factory=dict)
    same: Mapping[LogicalId, Same] = field(default_factory=dict)
