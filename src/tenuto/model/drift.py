"""A drift that was told: the difference of one resource from its declaration, although no command asked for it."""

from dataclasses import dataclass
from enum import StrEnum

from tenuto.model.ids import Instant, LogicalId, ObjectId, PhysicalId, TypeName


class DriftKind(StrEnum):
    CHANGED = "changed"
    VANISHED = "vanished"
    """The resource is gone from the provider."""
    BROKEN = "broken"
    """The provider gave up on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """The drift of one address. `paths` are the properties that differ; `digest` is that of the found state.

    Two drifts of one address with the same digest are the same drift: it still stands.
    """

    logical_id: LogicalId
    object_id: ObjectId
    type: TypeName
    physical_id: PhysicalId | None
    kind: DriftKind
    paths: tuple[str, ...] = ()
    digest: str
    found_at: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftNews:
    """The news of a planning: new drifts, the addresses whose drift is over, and how many were repaired."""

    found: tuple[Drift, ...] = ()
    over: tuple[LogicalId, ...] = ()
    repaired: int = 0
    """The number of the addresses in `over` that were found as declared."""


NO_NEWS = DriftNews()
