"""The reading side of the reflector: the last sweeps, since when their answers are known, and wishes for newer ones.

An answer is used only when the sweep began after our own last change of the object (`touched_at`): otherwise we would
take our own work for drift. The judgement of one thing in a sweep is in `sightings`.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from tenuto.conductor.observing.sightings import NAMELESS, as_declared, judge, losses, unseen
from tenuto.conductor.observing.sweeps import (
    Record,
    SweepKey,
    are_few,
    is_lacking_near,
    is_seen_near,
    near_wish,
    newest,
    widen,
)
from tenuto.conductor.providing.providers import Place, ProviderTypes, place_of
from tenuto.conductor.providing.requests import Requests, masked_observation
from tenuto.errors import ProviderError
from tenuto.model.cloud_node import is_made_by_plugins
from tenuto.model.ids import Instant, ObjectId, Partition, PhysicalId, TypeName
from tenuto.model.observation import Observation, Sweep
from tenuto.model.resource import ManagedObject
from tenuto.model.snapshot import Loss
from tenuto.ports.clock import Clock
from tenuto.ports.sights import SweepRecord

_NEVER = Instant(0.0)
_IDLE_S = 600.0
"""A source is idle when it was asked for so much earlier than another one. Where nothing is asked for, none is: a
person must see then how old everything is."""


class Seen:
    """The records of all sweeps. Thread-safe."""

    def __init__(self, *, types: ProviderTypes, requests: Callable[[], Requests], clock: Clock, near_from: int) -> None:
        """`requests` knows which secrets a provider may tell in its words; where fewer than `near_from` things are
        swept, none is swept alone."""
        self._clock = clock
        self._near_from = near_from
        self._requests = requests
        self._types = types
        self._records: dict[SweepKey, Record] = {}
        self._changed = threading.Condition()

    def is_seen(
        self,
        provider: str,
        partition: Partition,
        type: TypeName,  # noqa: A002
        not_before: Instant,
        identifiers: Iterable[PhysicalId] = (),
        own: Iterable[PhysicalId] = (),
    ) -> bool:
        """Whether there is a sweep that began at or after `not_before`, and that showed these things in detail.

        Who needs nothing of the type but its `own` things is content with near sweeps that show all of them.
        """
        identifiers = frozenset(identifiers)
        with self._changed:
            record = self._record(provider, partition, type)
            sweep = record.sweeps.get(type)
            is_seen = (
                sweep is not None
                and sweep.started_at >= not_before
                and record.full.issuperset((type, one) for one in identifiers)
            )
            return is_seen or is_seen_near(record, type, not_before, identifiers, own)

    def is_lacking(
        self,
        provider: str,
        partition: Partition,
        type: TypeName,  # noqa: A002
        not_before: Instant,
        own: Iterable[PhysicalId],
    ) -> bool:
        """Whether a near sweep since then did not show one of these things: everything must be swept."""
        with self._changed:
            return is_lacking_near(self._record(provider, partition, type), type, not_before, own)

    def ask(
        self,
        provider: str,
        partition: Partition,
        type: TypeName,  # noqa: A002
        not_before: Instant,
        objects: Sequence[ManagedObject] = (),
        *,
        is_whole: bool = False,
        is_once: bool = False,
    ) -> None:
        """Wish for a sweep. `is_once`: a person looks at it now, and no job will ask again; the source stays idle."""
        with self._changed:
            record = self._record(provider, partition, type)
            if not is_once:
                record.asked_at = self._clock.now()
            if is_whole and record.whole_at < not_before:
                record.whole_at = _NEVER
                record.asked.add(not_before)
                return
            own = [one.physical_id for one in objects if one.physical_id is not None and not is_made_by_plugins(one)]
            # A sweep of everything looks for the things that a near sweep did not show: near sweeps alone do not prove
            # absence.
            if own:
                waited_for = record.near_wishes.keys() | {(type, one) for one in own}
                if not self._are_few(record, len(waited_for)):
                    widen(record, record.near_wishes)
                elif not is_lacking_near(record, type, _NEVER, own):
                    near_wish(record, objects, not_before)
                    return
            sweep = record.sweeps.get(type)
            if sweep is None or sweep.started_at < not_before:
                record.asked.add(not_before)

    def ask_all(self, provider: str, partition: Partition, not_before: Instant) -> None:
        """Wish for such a sweep of every type of a provider. The first sweep of a source is whole."""
        for name in self._types.of(provider):
            self.ask(provider, partition, name, not_before, is_once=True)

    def want(
        self,
        provider: str,
        partition: Partition,
        type: TypeName,  # noqa: A002
        identifiers: Iterable[PhysicalId],
        objects: Sequence[ManagedObject] = (),
    ) -> None:
        """Let the sweeps of the next minute read these things in detail, whether or not a process tracks them."""
        now = self._clock.now()
        with self._changed:
            record = self._record(provider, partition, type)
            wanted = {(type, one): now for one in identifiers}
            record.wanted.update(wanted)
            if not record.full.issuperset(wanted):
                self.ask(provider, partition, type, now, objects)

    def latest(self, provider: str, partition: Partition, type: TypeName) -> Sweep | None:  # noqa: A002
        with self._changed:
            return self._record(provider, partition, type).sweeps.get(type)

    def failure(
        self,
        provider: str,
        partition: Partition,
        type: TypeName,  # noqa: A002
        since: Instant,
    ) -> ProviderError | None:
        """Return why the last sweep failed, when it did so at or after `since`; None otherwise."""
        with self._changed:
            record = self._record(provider, partition, type)
            is_recent = record.failed_at is not None and record.failed_at >= since
            return record.failure if is_recent else None

    def observe(self, object: ManagedObject) -> Observation:  # noqa: A002
        return self.observe_all([object])[object.object_id]

    def observe_all(self, objects: Sequence[ManagedObject]) -> dict[ObjectId, Observation]:
        """Return the observations of `observe`, for many objects at one moment."""
        records: dict[Place, Record] = {}
        sweeps: dict[ObjectId, Sweep | None] = {}
        with self._changed:
            for one in objects:
                if one.physical_id is not None and not is_made_by_plugins(one):
                    sweeps[one.object_id] = self._newest(one, one.physical_id, records)
            records = {place: replace(record) for place, record in records.items()}
        found: dict[ObjectId, Observation] = {}
        requests = self._requests()
        for one in objects:
            if one.physical_id is None:
                found[one.object_id] = NAMELESS
                continue
            if is_made_by_plugins(one):
                found[one.object_id] = as_declared(one, one.physical_id)
                continue
            record, sweep = records[place_of(one)], sweeps[one.object_id]
            if sweep is None and (one.type, one.physical_id) not in record.shown:
                # Its id was stored while the sweep was under way, which read no details of it.
                waiting = unseen(record.failure)
                found[one.object_id] = masked_observation(waiting, one, requests) if record.failure else waiting
                continue
            consistency = self._types.facts(one).consistency
            observation = judge(one, one.physical_id, sweep, record.missed, record.failure, consistency)
            is_unsure = sweep is not None and one.physical_id in sweep.unsure
            is_told = record.failure is not None or (observation.item is not None and observation.item.message)
            found[one.object_id] = (
                masked_observation(observation, one, requests) if is_told or is_unsure else observation
            )
        return found

    def noted(self, objects: Iterable[ManagedObject]) -> list[ManagedObject]:
        """Return the objects whose things carry a message in the last sweep that was for them. It is asked about all
        resources of a process, of which hardly any does: the others are not judged."""
        found: list[ManagedObject] = []
        records: dict[Place, Record] = {}
        with self._changed:
            for one in objects:
                # The provider of an object may be away, or bring its type no more.
                if one.physical_id is None or not self._types.manages(one):
                    continue
                sweep = self._newest(one, one.physical_id, records)
                item = sweep.items.get(one.physical_id) if sweep else None
                if item is not None and item.message:
                    found.append(one)
        return found

    def _newest(self, found: ManagedObject, physical_id: PhysicalId, records: dict[Place, Record]) -> Sweep | None:
        """Return the last sweep that was for the thing of an object; `records` keeps the records of the objects before
        it."""
        place = place_of(found)
        if place not in records:
            records[place] = self._record(*place)
        return newest(records[place], (found.type, physical_id))

    def swept_at(self, found: ManagedObject) -> Instant | None:
        """Return when the last sweep began that was for this incarnation; None when none was."""
        if found.physical_id is None or is_made_by_plugins(found):
            return None
        with self._changed:
            sweep = newest(self._record(*place_of(found)), (found.type, found.physical_id))
        return None if sweep is None else sweep.started_at

    def swept(self) -> tuple[SweepRecord, ...]:
        """Return the last sweep of everything of each source, by provider, partition and source."""
        with self._changed:
            records = [(key, replace(record)) for key, record in sorted(self._records.items())]
        asked_at = max((record.asked_at for _, record in records), default=_NEVER)
        return tuple(
            SweepRecord(
                provider=key.provider,
                partition=key.partition,
                source=key.source,
                things=sum(len(sweep.items) for sweep in record.sweeps.values()),
                at=max((sweep.started_at for sweep in record.sweeps.values()), default=None),
                failure=str(record.failure) if record.failure else "",
                failed_at=record.failed_at,
                is_idle=asked_at - record.asked_at > _IDLE_S,
            )
            for key, record in records
            if record.sweeps or record.failure
        )

    def loss(self, provider: str, partition: Partition, types: Iterable[TypeName]) -> Loss:
        """Return how many things of these types the last sweeps found gone, in all processes, and of how many."""
        found: list[Loss] = []
        with self._changed:
            for name in sorted(set(types)):
                record = self._record(provider, partition, name)
                if record.losses is None:
                    record.losses = losses(record.shown, record.sweeps, record.missed, self._types.of(provider))
                found.append(record.losses.get(name, Loss()))
        return Loss(gone=sum(one.gone for one in found), known=sum(one.known for one in found))

    def key_of(self, provider: str, partition: Partition, name: TypeName) -> SweepKey:
        """The sweep that shows a type of a provider in a partition."""
        found = self._types.of(provider)[name]
        return SweepKey(provider=provider, partition=partition, source=found.source)

    def _are_few(self, record: Record, things: int) -> bool:
        return are_few(record, things, self._near_from, self._clock.now())

    def _record(self, provider: str, partition: Partition, name: TypeName) -> Record:
        return self._records.setdefault(self.key_of(provider, partition, name), Record())
