"""Marked things that are not known: remembered from sweep to sweep, looked for on demand, deleted by command.

Theory of operation. The reflector hands every sweep over. Only a whole one (`Sweep.is_whole`) shows the things that no
object is recorded with, and only such a sweep can add or take away; one by id leaves the remembered things as they are,
but for those that are recorded by now. As a rule nothing that carries marks is unrecorded, and then the store is not
asked. Nothing of this is stored: the first sweep after a start is a whole one.

`ConductorMarks` answers questions about marks. A deletion on command is no part of a plan, since no object stands for
the thing. It is one bulk call with one request, made like those of plans: through the provider's client, and only while
this Conductor leads.
"""

import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import structlog

from tenuto.conductor.providing.providers import Place, ProviderTypes, place_of
from tenuto.core.planning.marked import judge, marked_items
from tenuto.errors import ProviderError, StoreError
from tenuto.model.ids import Fid, IdSource, Instant, ObjectId, Partition, PhysicalId, TypeName
from tenuto.model.marked import MarkedThing
from tenuto.model.observation import ObservedItem, Sweep
from tenuto.model.outcome import Done, Outcome, Request
from tenuto.model.resource import ManagedObject
from tenuto.ports.clock import Clock
from tenuto.ports.provider import Provider
from tenuto.ports.store_reads import ObjectReads

MOST = 1000
"""Remembered of one type and partition. Where there are more, another Tenuto lives in the account."""

_log = structlog.get_logger("tenuto.reflector")


class Marked:
    """The findings of the last whole sweeps. Thread-safe."""

    def __init__(self, store: ObjectReads) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._found: dict[Place, Mapping[PhysicalId, MarkedThing]] = {}

    def note(
        self,
        provider: str,
        sweeps: Mapping[TypeName, Sweep],
        tracked: Mapping[TypeName, Mapping[PhysicalId, ManagedObject]],
    ) -> None:
        """Take in the sweeps; `tracked` are the live objects with a physical id. Never raises."""
        for name, sweep in sweeps.items():
            recorded = tracked.get(name, {}).keys()
            with self._lock:
                before = self._found.get((provider, sweep.partition, name), {})
            if not sweep.is_whole:
                now = {one: thing for one, thing in before.items() if one not in recorded}
            else:
                items = marked_items(sweep, recorded)
                ids = sorted({item.owner.object_id for item in items if item.owner is not None})
                try:
                    known = {one.object_id: one for one in self._store.selected(ids)} if ids else {}
                except StoreError as error:
                    _log.warning("marks.not_judged", type=name, reason=str(error))
                    continue
                now = judge(sweep, provider, items, known, before)
            self._remember((provider, sweep.partition, name), before, now)

    def _remember(
        self,
        place: Place,
        before: Mapping[PhysicalId, MarkedThing],
        now: Mapping[PhysicalId, MarkedThing],
    ) -> None:
        kept = {one: now[one] for one in sorted(now)[:MOST]}
        with self._lock:
            self._found[place] = kept
        new = [one for one in kept if one not in before]
        if new:
            _, partition, name = place
            _log.warning("marks.unknown", type=name, partition=str(partition), count=len(new), first=new[0])

    def things(self, fid: Fid | None = None) -> tuple[MarkedThing, ...]:
        """Return all remembered things, or those that name one process; by provider, partition, type and id."""
        with self._lock:
            found = [thing for place in sorted(self._found) for thing in self._found[place].values()]
        return tuple(thing for thing in found if fid is None or thing.owner.fid == fid)

    def forget(self, thing: MarkedThing) -> None:
        """Forget a thing that is deleted, or managed again."""
        place = (thing.provider, thing.partition, thing.type)
        with self._lock:
            found = self._found.get(place, {})
            self._found[place] = {one: other for one, other in found.items() if one != thing.physical_id}


def duplicates_of(
    objects: Iterable[ManagedObject], reflector: "Sweeps", types: ProviderTypes
) -> dict[ObjectId, tuple[PhysicalId, ...]]:
    """The things that carry the mark of an object beside the one that it is recorded with, as the sweeps noted them."""
    found: dict[ObjectId, tuple[PhysicalId, ...]] = {}
    for one in objects:
        sweep = reflector.latest(*place_of(one)) if types.manages(one) else None
        if sweep is None or not sweep.duplicates:
            continue
        duplicates = sorted(
            item.physical_id
            for item in sweep.marked.get(one.object_id, ())
            if item.physical_id in sweep.duplicates and item.physical_id != one.physical_id and not item.is_ending
        )
        if duplicates:
            found[one.object_id] = tuple(duplicates)
    return found


class Sweeps(Protocol):
    """The part of the reflector that looks for marked things. The reflector itself hands its sweeps to `Marked`."""

    def latest(self, provider: str, partition: Partition, type_name: TypeName, /) -> Sweep | None:
        """The newest complete sweep of a type."""
        ...

    def refresh(
        self, provider: str, partition: Partition, types: Iterable[TypeName], not_before: Instant, /, *, is_whole: bool
    ) -> None:
        """Sweep the types now, on this thread. Raises ProviderError."""
        ...


class ConductorMarks:
    """Implements `ports.marks.Marks`."""

    def __init__(
        self,
        *,
        marked: Marked,
        reflector: Sweeps,
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

    def sweep(
        self, partition: Partition, types: Sequence[TypeName] = (), *, also: Sequence[TypeName] = ()
    ) -> tuple[str, ...]:
        now = self._clock.now()
        failures: dict[str, None] = {}
        listed = () if types else tuple((one.provider, one.name) for one in self._types)
        named = ((provider, name) for name in (*types, *also) for provider in self._types.bringing(name))
        wanted = sorted({*listed, *named})
        failed: set[tuple[str, str]] = set()
        for provider, name in wanted:
            # Types of one source are swept together, so that it has failed for all of them.
            facts = self._types.of(provider).get(name)
            source = (provider, facts.source if facts is not None else name)
            if source in failed:
                continue
            try:
                self._reflector.refresh(provider, partition, [name], now, is_whole=True)
            except ProviderError as error:
                failures[str(error)] = None
                failed.add(source)
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
        return duplicates_of(objects, self._reflector, self._types)
