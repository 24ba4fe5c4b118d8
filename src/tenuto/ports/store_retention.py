"""The rows that may be removed from a store, and their removal.

The store alone decides which rows are still needed. It is asked twice: `expired` names rows that nothing needs now, and
the removal of those rows asks again in its own transaction, because a command may have come in between.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from tenuto.model.ids import Instant
from tenuto.model.retention import Expired, Remnant, Tally


class RetentionReads(Protocol):
    """Reads of rows that nothing needs any more."""

    def tallies(self) -> Mapping[Remnant, Tally]:
        """The stored and the removed rows of each kind. Counts rows, for people and for limits by number."""
        ...

    def removed_until(self) -> Mapping[Remnant, Tally]:
        """Return the tallies of `tallies`, without counting: `rows` and `oldest` say nothing. Cheap enough for each
        question about history.
        """
        ...

    def expired(self, kind: Remnant, before: Instant | None, limit: int) -> Expired:
        """Return up to `limit` rows of a kind that nothing needs, and that are older than a moment when one is given.

        Never removable are: a running job, the last job of a live process, and the jobs and commands that hold the
        approvals for a command that is not done; the plans of such jobs, and those that live objects name; final
        objects of a process with a running job, and those that were released with their tags; a process of which
        anything is kept; the composition of a stored process. Compositions have no age.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveExpired:
    """Remove rows that `expired` named with this `before`, for good.

    Raises ConflictError when it would name others now: a command needs one of them, or one was removed.
    """

    kind: Remnant
    before: Instant | None
    expired: Expired
    at: Instant
