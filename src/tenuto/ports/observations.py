"""The questions of phases and of the manager to the reflector: the latest sweep, and a newer one soon."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from tenuto.model.ids import Instant, ObjectId, Partition, TypeName
from tenuto.model.observation import Observation, Sweep
from tenuto.model.resource import ManagedObject


class Observations(Protocol):
    """The reflector's reading side. Shared by every process of a partition."""

    def latest(self, provider: str, partition: Partition, type: TypeName) -> Sweep | None:  # noqa: A002
        """The newest complete sweep of a type of a provider, or None when there was none yet."""
        ...

    def ask(
        self,
        provider: str,
        partition: Partition,
        type: TypeName,  # noqa: A002
        not_before: Instant,
        objects: Sequence[ManagedObject] = (),
        *,
        is_whole: bool = False,
    ) -> None:
        """Wish for a sweep that starts at or after `not_before`; it happens once for all who ask. Returns at once.

        `objects` are all that the sweep is for, if they are given: they may be swept alone. `is_whole` is for all that
        there is, also things of no process.
        """
        ...

    def observe(self, object: ManagedObject) -> Observation:  # noqa: A002
        """The observation of one incarnation now, by the rules of absence (two sightings or an age)."""
        ...

    def observe_all(self, objects: Sequence[ManagedObject]) -> Mapping[ObjectId, Observation]:
        """Return the observations of many incarnations, as of one moment."""
        ...
