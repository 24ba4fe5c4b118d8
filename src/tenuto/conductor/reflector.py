"""The reflector: what is, as far as we know, and since when.

Theory of operation. Nobody polls one object. Whoever needs to know asks for a look at a type that starts at or after
some moment; looks are done by source (one bulk describe serves several types) for a whole partition, so that a thousand
processes asking in the same seconds cost one. An answer is used only when the look began after our own last change of
the object (`touched_at`): otherwise we would take our own work for drift.

What a look says of one thing is judged in `sightings`; what it must show of a thing beyond what a bulk call shows is
said in `interests`.

Rejected: a cache with an expiry. "Not older than" belongs to the question, not to the answer.
"""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import structlog

from tenuto.conductor.interests import DETAILS_PER_LOOK, Thing, interests
from tenuto.conductor.looks import Look, Record, as_before, told
from tenuto.conductor.marked import Marked
from tenuto.conductor.masked import masked_observation
from tenuto.conductor.requests import Requests
from tenuto.conductor.sightings import NAMELESS, UNSEEN, judge, losses, misses, with_twins
from tenuto.core.timing import backoff_s
from tenuto.errors import ProviderError, StoreError
from tenuto.model.ids import Instant, ObjectId, Partition, PhysicalId, TypeName
from tenuto.model.observation import Observation, Sweep, Tracked
from tenuto.model.resource import ManagedObject, ResourceType
from tenuto.model.snapshot import Loss
from tenuto.ports.clock import Clock
from tenuto.ports.provider import Provider
from tenuto.ports.store_reads import ObjectReads

TURN_S = 2.0
"""Looks that follow each other faster (while something is made) are no turns. Shorter than any sensible period."""
REST = 2.0
"""After a look its source rests for so many times as long as it took, however many ask while much is made: a third of
the time at most is spent looking."""
WHOLE_S = 3600.0
"""So often a sweep shows everything that is there, where those between ask by id: what carries our marks and is not
known is no emergency, and in an account with twenty thousand things of others it costs twenty calls."""
LONGEST_REST_S = 5.0
"""A network that was slow for once must not keep us from seeing that it is fast again."""
WANTED_S = 60.0
"""For how long a thing that was asked for is read in detail: until it is adopted, or its reader has read."""

_NEVER = Instant(0.0)

_log = structlog.get_logger(__name__)


class Reflector:
    """Implements `ports.observations.Observations`. Thread-safe."""

    def __init__(
        self,
        *,
        store: ObjectReads,
        providers: Mapping[str, Provider],
        types: Mapping[TypeName, ResourceType],
        clock: Clock,
        marked: Marked,
        requests: Callable[[], Requests],
    ) -> None:
        """`marked` is told of every sweep; `requests` knows which secrets a provider may tell in its words."""
        self._requests = requests
        self._store = store
        self._marked = marked
        self._providers = providers
        self._types = types
        self._clock = clock
        self._records: dict[Look, Record] = {}
        self._changed = threading.Condition()

    def ask(self, partition: Partition, type: TypeName, not_before: Instant) -> None:  # noqa: A002
        with self._changed:
            record = self._record(partition, type)
            sweep = record.sweeps.get(type)
            if sweep is None or sweep.started_at < not_before:
                record.asked.add(not_before)

    def ask_all(self, provider: str, partition: Partition, not_before: Instant) -> None:
        """Wish for such a look at every type of a provider. The first look at a source is whole."""
        for name, facts in self._types.items():
            if facts.provider == provider:
                self.ask(partition, name, not_before)

    def want(self, partition: Partition, type: TypeName, identifiers: Iterable[PhysicalId]) -> None:  # noqa: A002
        """Let the looks of the next minute read these things in detail, whether or not somebody tracks them."""
        now = self._clock.now()
        with self._changed:
            record = self._record(partition, type)
            wanted = {(type, one): now for one in identifiers}
            record.wanted.update(wanted)
            if not record.full.issuperset(wanted):
                record.asked.add(now)

    def is_seen(
        self,
        partition: Partition,
        type: TypeName,  # noqa: A002
        not_before: Instant,
        identifiers: Iterable[PhysicalId] = (),
    ) -> bool:
        """Whether there is a look that began at or after `not_before`, and that showed these things in detail."""
        with self._changed:
            record = self._record(partition, type)
            sweep = record.sweeps.get(type)
            return (
                sweep is not None
                and sweep.started_at >= not_before
                and record.full.issuperset((type, one) for one in identifiers)
            )

    def latest(self, partition: Partition, type: TypeName) -> Sweep | None:  # noqa: A002
        with self._changed:
            return self._record(partition, type).sweeps.get(type)

    def failure(self, partition: Partition, type: TypeName, since: Instant) -> ProviderError | None:  # noqa: A002
        """Why the last look failed, when it did so at or after `since`; None otherwise."""
        with self._changed:
            record = self._record(partition, type)
            is_recent = record.failed_at is not None and record.failed_at >= since
            return record.failure if is_recent else None

    def observe(self, object: ManagedObject) -> Observation:  # noqa: A002
        return self.observe_all([object])[object.object_id]

    def observe_all(self, objects: Sequence[ManagedObject]) -> dict[ObjectId, Observation]:
        """`observe` of many at one moment."""
        records: dict[tuple[Partition, TypeName], Record] = {}
        with self._changed:
            for partition, name in {(one.partition, one.type) for one in objects if one.physical_id is not None}:
                records[partition, name] = replace(self._record(partition, name))
        found: dict[ObjectId, Observation] = {}
        requests = self._requests()
        for one in objects:
            if one.physical_id is None:
                found[one.object_id] = NAMELESS
                continue
            record = records[one.partition, one.type]
            if (one.type, one.physical_id) not in record.shown:
                # Its id was stored while the look was under way, which read no details of it.
                found[one.object_id] = UNSEEN
                continue
            observation = judge(one, one.physical_id, record.sweeps.get(one.type), record.missed, record.failure)
            is_told = record.failure is not None or (observation.item is not None and observation.item.message)
            found[one.object_id] = masked_observation(observation, one, requests) if is_told else observation
        return found

    def loss(self, partition: Partition, types: Iterable[TypeName]) -> Loss:
        """How many things of these types the last looks found gone, whosever they are, and of how many."""
        found: list[Loss] = []
        with self._changed:
            for name in sorted(set(types)):
                record = self._record(partition, name)
                if record.losses is None:
                    record.losses = losses(record.shown, record.sweeps, record.missed)
                found.append(record.losses.get(name, Loss()))
        return Loss(gone=sum(one.gone for one in found), known=sum(one.known for one in found))

    def collect(self, now: Instant) -> tuple[Look, ...]:
        """The looks that are due and not under way, marked as under way. Every one must be given to `perform`."""
        with self._changed:
            due = [
                look
                for look, record in sorted(self._records.items())
                if not record.is_in_flight and record.asked and min(record.asked) <= now and record.blocked_until <= now
            ]
            for look in due:
                self._records[look].is_in_flight = True
            return tuple(due)

    def perform(self, look: Look) -> None:
        """Do one look. A failure is kept, tried again later with back-off, and told to whoever asks why."""
        started_at = self._clock.now()
        try:
            tracked = self._tracked(look)
            asked, full = self._interests(look, tracked, started_at)
            is_whole = self._is_whole(look, started_at)
            sweeps = self._providers[look.provider].sweep(look.partition, look.source, asked, is_whole=is_whole)
            self._marked.note(look.provider, sweeps, tracked)
        except (ProviderError, StoreError) as error:
            self._failed(look, started_at, error)
            return
        except Exception as error:  # noqa: BLE001 - a bug of one provider must not end the looks of the others
            _log.exception("look.crashed", source=look.source, partition=str(look.partition))
            self._failed(look, started_at, error)
            return
        with self._changed:
            record = self._records[look]
            record.sweeps = {**record.sweeps, **with_twins(as_before(record.sweeps, sweeps), record.sweeps, tracked)}
            record.shown = frozenset((name, one) for name, ids in asked.items() for one in ids)
            record.full = full
            if started_at - record.turned_at >= TURN_S:
                record.turn += DETAILS_PER_LOOK
                record.turned_at = started_at
            record.missed = misses(record.missed, tracked, sweeps)
            record.losses = None
            if all(sweep.is_whole for sweep in sweeps.values()):
                record.whole_at = started_at
            record.asked = {moment for moment in record.asked if moment > started_at}
            record.failures = 0
            record.failure = None
            record.failed_at = None
            record.is_in_flight = False
            seconds = self._clock.now() - started_at
            record.blocked_until = Instant(self._clock.now() + min(seconds * REST, LONGEST_REST_S))
            self._changed.notify_all()
        _log.debug("look.done", source=look.source, partition=str(look.partition), seconds=round(seconds, 3))

    def refresh(
        self,
        partition: Partition,
        types: Iterable[TypeName],
        not_before: Instant,
        identifiers: Iterable[PhysicalId] = (),
        *,
        is_whole: bool = False,
    ) -> None:
        """Look now, on this thread, at whatever was not looked at since `not_before`, and in detail at `identifiers`.

        `is_whole` looks at everything that is there. Raises TransientError or PermanentError when a look fails.
        """
        for name in sorted(types):
            self.want(partition, name, identifiers)
            self.ask(partition, name, not_before)
            look = self.look_at(partition, name)
            while True:
                with self._changed:
                    record = self._record(partition, name)
                    is_missed = is_whole and record.whole_at < not_before
                    if self.is_seen(partition, name, not_before, identifiers) and not is_missed:
                        break
                    if is_missed:
                        record.whole_at = _NEVER
                    if record.is_in_flight:
                        self._changed.wait(timeout=1.0)
                        continue
                    record.is_in_flight = True
                # Right after our own change the moment asked for is still to come.
                self._clock.sleep(max(0.0, not_before - self._clock.now()))
                self.perform(look)
                with self._changed:
                    failure = self._records[look].failure
                if failure is not None:
                    raise failure

    def next_wake(self) -> Instant | None:
        """When the next look is due; None when nobody asked."""
        with self._changed:
            times = [
                max(min(record.asked), record.blocked_until)
                for record in self._records.values()
                if record.asked and not record.is_in_flight
            ]
        return Instant(min(times)) if times else None

    def _is_whole(self, look: Look, now: Instant) -> bool:
        with self._changed:
            return now - self._records[look].whole_at >= WHOLE_S

    def look_at(self, partition: Partition, name: TypeName) -> Look:
        """The look that shows a type in a partition."""
        found = self._types[name]
        return Look(provider=found.provider, partition=partition, source=found.source)

    def _record(self, partition: Partition, name: TypeName) -> Record:
        return self._records.setdefault(self.look_at(partition, name), Record())

    def _tracked(self, look: Look) -> dict[TypeName, dict[PhysicalId, ManagedObject]]:
        names = [
            name
            for name, found in self._types.items()
            if found.source == look.source and found.provider == look.provider
        ]
        return {
            name: {found.physical_id: found for found in self._store.tracked(look.partition, name) if found.physical_id}
            for name in sorted(names)
        }

    def _interests(
        self, look: Look, tracked: Mapping[TypeName, Mapping[PhysicalId, ManagedObject]], now: Instant
    ) -> tuple[Tracked, frozenset[Thing]]:
        """What to show in detail, and of which things everything. Old wishes are forgotten."""
        with self._changed:
            record = self._records[look]
            record.wanted = {one: at for one, at in record.wanted.items() if now - at < WANTED_S}
            turn = record.turn if now - record.turned_at >= TURN_S else None
            return interests(tracked, record.wanted, self._types, now, turn), frozenset(record.wanted)

    def _failed(self, look: Look, at: Instant, error: Exception) -> None:
        with self._changed:
            record = self._records[look]
            record.failures += 1
            record.failure = told(look, error)
            record.failed_at = at
            record.blocked_until = Instant(at + backoff_s(record.failures, look.source))
            record.is_in_flight = False
            self._changed.notify_all()
        _log.warning("look.failed", source=look.source, partition=str(look.partition), error=str(error))
