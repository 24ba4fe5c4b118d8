"""The service's questions about the results of the last sweeps. Makes no call to a provider. Safe for several
threads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from tenuto.model.ids import Instant, ObjectId, Partition
from tenuto.model.observation import Observation
from tenuto.model.resource import ManagedObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """One incarnation as the last sweep for it showed it. `at` is the moment when that sweep began, None without one.

    No text in it tells a secret of its process.
    """

    observation: Observation
    at: Instant | None = None
    drifted: frozenset[str] = frozenset()
    """The properties with a secret that surely do not show it any more, judged before the secret was masked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepRecord:
    """The last sweep of one source in one partition, and the failure since, where there was one.

    `is_idle` is true while nothing asks for it, as when the process that needed it was killed or is Suspended: its age
    is no fault.
    """

    provider: str
    partition: Partition
    source: str
    things: int
    at: Instant | None = None
    failure: str = ""
    failed_at: Instant | None = None
    is_idle: bool = False


class Sights(Protocol):
    """The results of the last sweeps."""

    def sight(self, found: ManagedObject) -> Sight:
        """Return the knowledge about one incarnation now."""
        ...

    def notes(self, objects: Sequence[ManagedObject]) -> Mapping[ObjectId, str]:
        """Return the words of the last sweeps about objects that are settled and ready, for those that have some: facts
        that are no drift, such as a machine that stays off. No word tells a secret."""
        ...

    def sweeps(self) -> tuple[SweepRecord, ...]:
        """Return the last sweep of every source, by provider, partition and source."""
        ...
