"""The service's questions about real things that carry our marks and that the store does not know."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from tenuto.model.ids import Fid, ObjectId, Partition, PhysicalId, TypeName
from tenuto.model.marked import MarkedThing
from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Outcome
from tenuto.model.resource import ManagedObject


class Marks(Protocol):
    """The marked things that no record names, from the last whole sweeps. Safe to call from several threads."""

    def things(self, fid: Fid | None = None) -> tuple[MarkedThing, ...]:
        """The things of the last whole sweeps, of one process or of all; by partition, type and id. Makes no call."""
        ...

    def sweep(
        self, partition: Partition, types: Sequence[TypeName] = (), *, also: Sequence[TypeName] = ()
    ) -> tuple[str, ...]:
        """Sweep everything of these types now, of all listed types when none is named, and of `also` those beside;
        why some could not be, in words."""
        ...

    def item(self, thing: MarkedThing) -> ObservedItem | None:
        """The thing as the last sweep showed it; None when it did not."""
        ...

    def delete(self, thing: MarkedThing) -> Outcome:
        """Have the provider delete it. The caller has made sure that it is the shown thing. May be repeated."""
        ...

    def duplicates(self, objects: Sequence[ManagedObject]) -> Mapping[ObjectId, tuple[PhysicalId, ...]]:
        """The duplicates of each of the objects: its creation was carried out twice. Makes no call."""
        ...
