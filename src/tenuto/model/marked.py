"""A real thing that carries our ownership marks and that the store does not know."""

from dataclasses import dataclass
from enum import StrEnum

from tenuto.model.ids import Instant, Partition, PhysicalId, TypeName
from tenuto.model.observation import Owner


class Unknown(StrEnum):
    """The reason why the store does not know the object that the marks name."""

    NO_OBJECT = "no object"
    """The id is that of no object: the database is older than the thing, or another Tenuto made it."""
    ENDED = "ended object"
    """The object was deleted, or was found gone, and the thing is there all the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedThing:
    """One such thing. `owner` is the content of its marks; `first_seen` is when this Conductor's first sweep showed
    it."""

    provider: str
    partition: Partition
    type: TypeName
    physical_id: PhysicalId
    owner: Owner
    why: Unknown
    first_seen: Instant
