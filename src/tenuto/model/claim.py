"""Claims and relations: the values that only one object may have, and the objects that one object needs.

A claim is unique: a name in its namespace, an address in its network. A relation says which object is the parent of
another, or is used by it. Both are rows of their own beside the object (`ports.store_claims`).
"""

from dataclasses import dataclass

from tenuto.model.ids import Instant, ObjectId


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A key that one object has within a space. `halo_s` is how long it stays reserved after the object lets it go."""

    space: str
    key: str
    halo_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldClaim:
    """A stored claim. `free_at` is None while its object has it, and the end of its reservation afterwards."""

    claim: Claim
    object_id: ObjectId
    free_at: Instant | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """One object needs another one: in the role `parent`, or another role such as `uses`."""

    from_id: ObjectId
    role: str
    to_id: ObjectId
