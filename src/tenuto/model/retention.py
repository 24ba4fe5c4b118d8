"""Retention as values: which kinds of history are kept, and for how long."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from tenuto.model.ids import Instant


class Remnant(StrEnum):
    """The kinds of stored rows that nothing needs any more after a while, in the order in which they are removed.

    A kind that others name comes after those that name it: a plan after the jobs, a process after everything of its
    own.
    """

    DENIED = "denied"
    """Events of commands whose giver may not give them."""
    EVENT = "events"
    """All other events."""
    OP = "ops"
    """Provider calls that changed something, or tried to."""
    COMMAND = "commands"
    JOB = "jobs"
    DRY_RUN = "dry-runs"
    """Jobs of dry runs: they only showed their plans."""
    PLAN = "plans"
    OBJECT = "objects"
    """Objects in a final state: resources that were deleted, or given back."""
    PROCESS = "processes"
    """Processes that are gone, once nothing of theirs is kept."""
    COMPOSITION = "compositions"
    """Compositions that no process was run from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepRule:
    """The time for which rows of one kind are kept, and their number. None is no limit."""

    seconds: float | None = None
    most: int | None = None


KeepRules = Mapping[Remnant, KeepRule]
"""The rule of each kind. A kind without one is not removed, but for compositions: they have no age."""


LONG_AGO = Instant(0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expired:
    """Rows of one kind that may be removed, oldest first. A key means something to the store only."""

    keys: tuple[str, ...] = ()
    until: Instant = LONG_AGO
    """The time of the newest of them."""
    own: int = 0
    """The number of them that are events which only tell of earlier removals."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """The number of stored rows of one kind, and of those that were removed since the store was made."""

    kind: Remnant
    rows: int = 0
    oldest: Instant | None = None
    removed: int = 0
    removed_until: Instant | None = None
    """The time of the newest row that was ever removed: further back, history is not complete. None: nothing was."""
