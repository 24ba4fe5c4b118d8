"""A flip: something that we set and another writer set back, again and again."""

from dataclasses import dataclass

from tenuto.model.ids import Instant, LogicalId

EXISTENCE = ""
"""The path of a resource as a whole: it is deleted again and again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """The memory of one property of one address: that it was not as declared, and when it last was not.

    `found` and `declared` are for people, shortened; `digest` tells whether the two values are still the same ones.
    `times` are those of the same two values, `turns` those of any found value. Both are as few as it takes to decide,
    so that a flip that goes on for years is not larger than one of today.
    """

    logical_id: LogicalId
    path: str
    found: str
    declared: str
    digest: str
    times: tuple[Instant, ...]
    since: Instant
    """The moment when it was first found otherwise."""
    count: int
    """The number of times that it was found otherwise than declared since then."""
    turns: tuple[Instant, ...] = ()
    is_confirmed: bool = False
    """True when a sweep showed it as declared since it was last set."""
    ignored: int = 0
    """The number of times in a row that it was set, and the next sweep showed the value from before."""
    held_at: Instant | None = None
    """The moment since which it is not set back any more."""

    @property
    def key(self) -> tuple[LogicalId, str]:
        return (self.logical_id, self.path)
