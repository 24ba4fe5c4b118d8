"""The reflector: the real things as far as we know them, and the moments since which we do.

Theory of operation. No one polls one object. A reader asks for a sweep of a type that starts at or after
some moment; looks are done by source (one bulk describe serves several types) for a whole partition, so that a thousand
processes asking in the same seconds cost one. An answer is used only when the sweep began after our own last change of
the object (`touched_at`): otherwise we would take our own work for drift.

The judgement of one thing in a sweep is in `sightings`; the details that a sweep must show beyond those of a bulk call
are in `interests`.

Rejected: a cache with an expiry. "Not older than" belongs to the question, not to the answer.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

import structlog

from tenuto.conductor.observing.marked import Marked
from tenuto.conductor.observing.seen import Seen
from tenuto.conductor.observing.sightings import Thing, interests
from tenuto.conductor.observing.sweeps import (
    NEAR_FROM,
    TURN_S,
    NearSweep,
    SweepKey,
    as_before,
    asides,
    bar,
    due,
    next_near,
    note_near,
    note_whole,
    told,
)
from tenuto.conductor.providing.providers import ProviderTypes
from tenuto.conductor.providing.requests import Requests
from tenuto.core.pacing.cadence import backoff_s
from tenuto.errors import ProviderError, StoreError
from tenuto.kit.contained import contained
from tenuto.kit.well_formed import well_formed
from tenuto.model.cloud_node import is_made_by_plugins
from tenuto.model.ids import Instant, Partition, PhysicalId, TypeName
from tenuto.model.observation import Sweep, Tracked
from tenuto.model.resource import ManagedObject, Watch
from tenuto.ports.clock import Clock
from tenuto.ports.provider import Provider
from tenuto.ports.store import Store

REST = 2.0
"""After a sweep its source rests for so many times as long as it took, however many ask while much is made: a third of
the time at most is spent looking."""
WHOLE_S = 3600.0
"""The time between two sweeps that show everything, where those between ask by id: a thing that carries our marks and
is not known is no emergency, and in an account with twenty thousand things of others it costs twenty calls."""
LONGEST_REST_S = 5.0
"""A network that was slow for once must not keep us from seeing that it is fast again."""
WANTED_S = 60.0
"""The time for which a thing that was asked for is read in detail: until it is adopted, or its reader has read."""

_NEVER = Instant(0.0)

_log = structlog.get_logger(__name__)


class Reflector(Seen):
    """Implements `ports.observations.Observations`. Thread-safe."""

    def __init__(
        self,
        *,
        store: Store,
        providers: Mapping[str, Provider],
        types: ProviderTypes,
        clock: Clock,
        marked: Marked,
        requests: Callable[[], Requests],
        near_from: int = NEAR_FROM,
    ) -> None:
        """`marked` is told of every sweep of everything; `requests` knows which secrets a provider may tell in its
        words; where fewer than `near_from` things are swept, none is swept alone."""
        super().__init__(types=types, requests=requests, clock=clock, near_from=near_from)
        self._store = store
        self._marked = marked
        self._providers = providers

    def collect(self, now: Instant) -> tuple[SweepKey | NearSweep, ...]:
        """The sweeps that are due and not under way, marked as under way. Every one must be given to `perform`."""
        with self._changed:
            near = [due(key, record, now, self._near_from) for key, record in sorted(self._records.items())]
            whole = [
                key
                for key, record in sorted(self._records.items())
                if not record.is_in_flight and record.asked and min(record.asked) <= now and record.blocked_until <= now
            ]
            for key in whole:
                self._records[key].is_in_flight = True
            return (*(one for one in near if one is not None), *whole)

    def perform(self, key: SweepKey | NearSweep) -> None:
        """Do one sweep. A failure is kept, tried again later with back-off, and told to a reader that asks why."""
        if isinstance(key, NearSweep):
            self._sweep_near(key)
        else:
            self._sweep(key)

    def _sweep_near(self, near: NearSweep) -> None:
        """Do a near sweep. If it fails, its readers wait for the sweep of everything, whose failure is told."""
        key, started_at = near.key, self._clock.now()
        try:
            with self._changed:
                record = self._records[key]
                wanted = {thing: at for thing, at in record.wanted.items() if thing in near.things}
            asked = interests(near.tracked(), wanted, self._types.of(key.provider), started_at, None)
            shown = self._names_of(key)
            names = [*shown, *self._heeded(key, shown)]
            aside = asides(self._store.tracked_ids(key.provider, key.partition, names), near.things)
            asked = {name: {**aside.get(name, {}), **asked.get(name, {})} for name in aside.keys() | asked.keys()}
            sweeps = self._swept(key, asked, is_near=True)
        except Exception as error:  # noqa: BLE001 - as for a sweep of everything
            failure = self._told(key, error, near.things.values())
            with self._changed:
                bar(record, near, self._clock.now())
                self._changed.notify_all()
            _log.info("sweep.near_failed", source=key.source, partition=str(key.partition), error=str(failure))
            return
        with self._changed:
            note_near(record, near, sweeps, frozenset(wanted))
            record.is_near_in_flight = False
            record.near_blocked_until = self._rested(started_at)
            self._changed.notify_all()

    def _swept(
        self, key: SweepKey, asked: Tracked, *, is_whole: bool = False, is_near: bool = False
    ) -> dict[TypeName, Sweep]:
        """Return the sweeps of the provider, compared with the sweeps before."""
        provider, before = self._providers[key.provider], self._records[key].sweeps
        with contained(f"the provider {key.provider}"):
            sweeps = provider.sweep(key.partition, key.source, asked, is_whole=is_whole, is_near=is_near)
        return as_before(before, sweeps)

    def _rested(self, started_at: Instant) -> Instant:
        """Return the moment until which a source rests after the sweep that began then and ends now."""
        now = self._clock.now()
        return Instant(now + min((now - started_at) * REST, LONGEST_REST_S))

    def _sweep(self, key: SweepKey) -> None:
        started_at = self._clock.now()
        tracked: dict[TypeName, dict[PhysicalId, ManagedObject]] | None = None
        try:
            tracked = self._tracked(key)
            asked, full = self._interests(key, tracked, started_at)
            heeded = self._heeded(key, tracked)
            aside = asides(self._store.tracked_ids(key.provider, key.partition, heeded)) if heeded else {}
            is_whole = self._is_whole(key, started_at)
            sweeps = self._swept(key, {**aside, **asked}, is_whole=is_whole)
            self._marked.note(key.provider, sweeps, tracked)
        except Exception as error:  # noqa: BLE001 - a bug of one provider must not end the sweeps of the others
            objects = [found for ids in (tracked or {}).values() for found in ids.values()]
            is_needed = tracked is None or bool(objects)
            self._failed(key, started_at, self._told(key, error, objects), is_needed=is_needed)
            return
        with self._changed:
            record = self._records[key]
            note_whole(record, sweeps, tracked, asked, started_at)
            record.is_whole_wanted = record.is_whole_wanted and not is_whole
            record.full = full
            seconds = self._clock.now() - started_at
            record.blocked_until = self._rested(started_at)
            self._changed.notify_all()
        _log.debug("sweep.done", source=key.source, partition=str(key.partition), seconds=round(seconds, 3))

    def refresh(
        self,
        provider: str,
        partition: Partition,
        types: Iterable[TypeName],
        not_before: Instant,
        identifiers: Iterable[PhysicalId] = (),
        *,
        objects: Sequence[ManagedObject] = (),
        is_whole: bool = False,
    ) -> None:
        """Sweep now, on this thread, each type not swept since `not_before`, and read `identifiers` in detail.

        Where nothing but these `objects` is asked about, and they are few, they alone are swept. `is_whole` sweeps
        everything that is there, as far as the provider can list it. Raises TransientError or PermanentError when a
        sweep fails.
        """
        for name in sorted(types):
            facts = self._types.of(provider).get(name)
            # Where things are read one by one, everything is read for a person alone: it costs a call for each.
            is_single = facts is None or facts.watch is Watch.SINGLE
            if is_whole and is_single:
                with self._changed:
                    self._record(provider, partition, name).is_whole_wanted = True
            own = [found for found in objects if found.type == name]
            if not is_whole and self._refresh_near(provider, partition, name, not_before, identifiers, own):
                continue
            self.want(provider, partition, name, identifiers)
            self.ask(provider, partition, name, not_before, is_once=True)
            key = self.key_of(provider, partition, name)
            while True:
                with self._changed:
                    record = self._record(provider, partition, name)
                    is_missed = record.is_whole_wanted if is_single else is_whole and record.whole_at < not_before
                    if self.is_seen(provider, partition, name, not_before, identifiers) and not is_missed:
                        break
                    if is_missed:
                        record.whole_at = _NEVER
                    if record.is_in_flight:
                        self._changed.wait(timeout=1.0)
                        continue
                    record.is_in_flight = True
                # Right after our own change the moment asked for is still to come.
                self._clock.sleep(max(0.0, not_before - self._clock.now()))
                self.perform(key)
                with self._changed:
                    failure = self._records[key].failure
                if failure is not None:
                    raise failure

    def _refresh_near(
        self,
        provider: str,
        partition: Partition,
        name: TypeName,
        not_before: Instant,
        identifiers: Iterable[PhysicalId],
        objects: Sequence[ManagedObject],
    ) -> bool:
        """Sweep a few things alone. Whether all of them were seen: if not, everything is swept."""
        things = {(name, one.physical_id): one for one in objects if one.physical_id is not None}
        own = [one for _, one in things]
        key = self.key_of(provider, partition, name)
        while True:
            with self._changed:
                record = self._record(provider, partition, name)
                if self.is_seen(provider, partition, name, not_before, identifiers, own):
                    return True
                if not self._are_few(record, len(own)):
                    return False
                if record.is_near_in_flight:
                    self._changed.wait(timeout=1.0)
                    continue
                record.is_near_in_flight = True
                record.wanted.update({(name, one): self._clock.now() for one in identifiers})
            self._clock.sleep(max(0.0, not_before - self._clock.now()))
            self._sweep_near(NearSweep(key=key, things=things))
            return self.is_seen(provider, partition, name, not_before, identifiers, own)

    def next_wake(self) -> Instant | None:
        """The time when the next sweep is due; None when no one asked."""
        with self._changed:
            near = [at for record in self._records.values() if (at := next_near(record)) is not None]
            times = near + [
                max(min(record.asked), record.blocked_until)
                for record in self._records.values()
                if record.asked and not record.is_in_flight
            ]
        return Instant(min(times)) if times else None

    def _is_whole(self, key: SweepKey, now: Instant) -> bool:
        alone = self._types.of(key.provider).get(TypeName(key.source))
        with self._changed:
            record = self._records[key]
            if alone is not None and alone.watch is Watch.SINGLE:
                return record.is_whole_wanted
            return now - record.whole_at >= WHOLE_S

    def _tracked(self, key: SweepKey) -> dict[TypeName, dict[PhysicalId, ManagedObject]]:
        return {
            name: {
                found.physical_id: found
                for found in self._store.tracked(key.partition, name)
                if found.physical_id and found.provider == key.provider and not is_made_by_plugins(found)
            }
            for name in self._names_of(key)
        }

    def _names_of(self, key: SweepKey) -> list[TypeName]:
        """The types that a sweep shows."""
        types = self._types.of(key.provider)
        alone = types.get(TypeName(key.source))
        if alone is not None and alone.source == key.source:
            return [alone.name]
        return sorted(name for name, found in types.items() if found.source == key.source)

    def _heeded(self, key: SweepKey, names: Collection[TypeName]) -> list[TypeName]:
        """The types that a sweep must not show as parts of others, beside the `names` that it shows."""
        types = self._types.of(key.provider)
        return sorted(frozenset[TypeName]().union(*(types[name].heeds for name in names)).difference(names))

    def _interests(
        self, key: SweepKey, tracked: Mapping[TypeName, Mapping[PhysicalId, ManagedObject]], now: Instant
    ) -> tuple[Tracked, frozenset[Thing]]:
        """The details to show, and the things of which everything is shown. Old wishes are forgotten."""
        with self._changed:
            record = self._records[key]
            record.wanted = {one: at for one, at in record.wanted.items() if now - at < WANTED_S}
            turn = record.turn if now - record.turned_at >= TURN_S else None
            return interests(tracked, record.wanted, self._types.of(key.provider), now, turn), frozenset(record.wanted)

    def _told(self, key: SweepKey, error: Exception, objects: Iterable[ManagedObject]) -> ProviderError:
        """The failure of a sweep in our words, without the secrets of the swept objects; of things that no process has,
        without those of all processes there."""
        plain = well_formed(str(error))
        try:
            words = self._requests().masker_of_all(tuple(objects) or self._all(key)).mask(plain)
        except StoreError as unread:
            words = f"its words may hold secrets, which are not known: {unread}"
        if not isinstance(error, ProviderError | StoreError):
            # A traceback would tell the words themselves.
            is_plain = words == plain
            where = {"source": key.source, "partition": str(key.partition)}
            _log.error(
                "sweep.crashed", **where, error=words, kind=type(error).__name__, exc_info=error if is_plain else None
            )
        return told(key, error, words)

    def _all(self, key: SweepKey) -> Iterator[ManagedObject]:
        """The objects of all processes in a place."""
        for process in self._store.processes():
            if (process.provider, process.partition) == (key.provider, key.partition):
                yield from self._store.objects(process.fid)

    def _failed(self, key: SweepKey, at: Instant, failure: ProviderError, *, is_needed: bool) -> None:
        with self._changed:
            record = self._records[key]
            if not is_needed:
                # Nothing is held there. A job that needs the sweep asks again; a wish for everything that there is does
                # not try for ever to read things that an account may not read.
                record.asked.clear()
            record.failures += 1
            record.failure = failure
            record.failed_at = at
            record.blocked_until = Instant(at + backoff_s(record.failures, key.source))
            record.is_in_flight = False
            self._changed.notify_all()
        _log.warning("sweep.failed", source=key.source, partition=str(key.partition), error=str(failure))
