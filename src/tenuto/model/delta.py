"""The difference between what should be and what is, resource by resource."""

from dataclasses import dataclass
from enum import StrEnum

from tenuto.model.ids import Json, LogicalId, ObjectId


class Unknown(StrEnum):
    """Stands in a change for a value that cannot be shown."""

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


class DeltaKind(StrEnum):
    MISSING = "missing"
    """Declared, and there is none."""
    VANISHED = "vanished"
    """There was one, and it is gone from the provider."""
    BROKEN = "broken"
    """The provider gave up on it."""
    CHANGED = "changed"
    FOUND = "found"
    """Declared as something that exists and is nobody's: to be adopted."""
    SURPLUS = "surplus"
    """It is ours, and not declared (any more)."""
    SAME = "same"
    MOVING = "moving"
    """On its way to its target: nothing to plan, something to wait for."""
    UNCLEAR = "unclear"
    """Not observed well enough to judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What compare found for one address: `object_id` is the incarnation it is about, when there is one."""

    kind: DeltaKind
    logical_id: LogicalId
    object_id: ObjectId | None = None
    changes: tuple[Change, ...] = ()
    kept: tuple[str, ...] = ()
    """The property paths that stay as they are found, because the declaration ignores them."""
    ignored: tuple[Change, ...] = ()
    """What differs at those paths."""
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """All differences of one process, in the order of the composition, surplus last."""

    differences: tuple[Difference, ...] = ()
