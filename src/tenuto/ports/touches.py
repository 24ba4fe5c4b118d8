"""The service's question about the subjects of this Conductor's commits: a word to look again, and no news itself."""

from dataclasses import dataclass
from typing import Protocol

from tenuto.model.ids import Fid


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched:
    """The commits after a number: `fids` are the processes that they were about. `is_estate` says that something else
    changed as well: an account, a rule, the policy. `is_whole` is false when there were too many commits since to name
    their subjects.
    """

    number: int
    fids: frozenset[Fid] = frozenset()
    is_estate: bool = False
    is_whole: bool = True


class Touches(Protocol):
    """The subjects of commits, kept in memory. Safe to call from several threads, and quick."""

    def since(self, number: int) -> Touched:
        """Return all commits after this number; 0 is before all of them."""
        ...
