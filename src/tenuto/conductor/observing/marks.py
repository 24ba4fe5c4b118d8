"""The Conductor's answers about marks: implements `ports.marks.Marks` on the reflector and the providers.

A deletion on command is no part of a plan, since no object stands for the thing. It is one bulk call with one request,
made like those of plans: through the provider's client, and only while this Conductor leads.
"""

from collections.abc import Mapping, Sequence

from tenuto.conductor.observing.marked import Marked, duplicates_of
from tenuto.conductor.observing.reflector import Reflector
from tenuto.conductor.provider_types import ProviderTypes, place_of
from tenuto.errors import ProviderError
from tenuto.model.ids import Fid, IdSource, ObjectId, Partition, PhysicalId, TypeName
from tenuto.model.marked import MarkedThing
from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Done, Outcome, Request
from tenuto.model.resource import ManagedObject
from tenuto.ports.clock import Clock
from tenuto.ports.provider import Provider


class ConductorMarks:
    """Implements `ports.marks.Marks`."""

    def __init__(
        self,
        *,
        marked: Marked,
        reflector: Reflector,
        providers: Mapping[str, Provider],
        types: ProviderTypes,
        clock: Clock,
        ids: IdSource,
    ) -> None:
        self._marked = marked
        self._reflector = reflector
        self._providers = providers
        self._types = types
        self._clock = clock
        self._ids = ids

    def things(self, fid: Fid | None = None) -> tuple[MarkedThing, ...]:
        return self._marked.things(fid)

    def look(self, partition: Partition, types: Sequence[TypeName] = ()) -> tuple[str, ...]:
        now = self._clock.now()
        failures: dict[str, None] = {}
        wanted = sorted({(one.provider, one.name) for one in self._types if not types or one.name in types})
        for provider, name in wanted:
            try:
                self._reflector.refresh(provider, partition, [name], now, is_whole=True)
            except ProviderError as error:
                failures[str(error)] = None
        return tuple(failures)

    def item(self, thing: MarkedThing) -> ObservedItem | None:
        sweep = self._reflector.latest(thing.provider, thing.partition, thing.type)
        return sweep.items.get(thing.physical_id) if sweep is not None else None

    def delete(self, thing: MarkedThing) -> Outcome:
        item = self.item(thing)
        if item is None:
            return Done(physical_id=thing.physical_id, was_absent=True)
        # An id of its own: the object that the marks name may be stored, and would have no mandate.
        object_id = ObjectId(self._ids.new("object"))
        request = Request(
            object_id=object_id,
            fid=thing.owner.fid,
            process_name="",
            logical_id=thing.owner.logical_id,
            type=thing.type,
            token=object_id,
            properties=item.properties,
            physical_id=thing.physical_id,
            observed=item.properties,
            attributes=item.attributes,
        )
        [outcome] = self._providers[thing.provider].delete(thing.partition, [request])
        if isinstance(outcome, Done):
            self._marked.forget(thing)
        return outcome

    def duplicates(self, objects: Sequence[ManagedObject]) -> Mapping[ObjectId, tuple[PhysicalId, ...]]:
        places = {place_of(one) for one in objects if self._types.manages(one)}
        return duplicates_of(objects, {place: self._reflector.latest(*place) for place in places})
