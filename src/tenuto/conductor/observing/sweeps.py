"""Sweeps: the memory of each, the words of its result, and near sweeps beside the sweeps of everything.

A thing that looks as it did in the sweep before is kept as the very same value, so that a reader can tell by identity
that nothing changed (`core.planning.comparing.delta`).

*Near sweeps* ask for a few things that a command waits for by their ids. The cost of a full sweep grows with the
account, and all processes share it; a command to a process of five resources waits for these five alone. So a job that
waits for a few things names them, and where the last sweep was for many more, they alone are asked for. A near sweep
answers for the things that it was asked for and no more: it shows no unknown things, nothing that was made twice, and
not whether everything else is gone as well. So a plan is made on near sweeps only while they show all that the process
has. A missing thing is looked for in a sweep of everything, and so the loss of a whole account is seen as such.
"""

from collections.abc import Container, Iterable, Mapping, Set
from dataclasses import dataclass, field, replace

from tenuto.conductor.observing.sightings import DETAILS_PER_SWEEP, Misses, Thing, misses, with_duplicates
from tenuto.conductor.providing.sound_items import UnsoundItemError, sound_item
from tenuto.errors import PermanentError, ProviderError, StoreError, TenutoError, TransientError
from tenuto.kit.well_formed import all_well_formed, well_formed
from tenuto.model.ids import Instant, Partition, PhysicalId, TypeName
from tenuto.model.observation import Interest, ObservedItem, Sweep, Tracked
from tenuto.model.resource import ManagedObject
from tenuto.model.snapshot import Loss

_NEVER = Instant(0.0)


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class SweepKey:
    """One bulk sweep to be done: a source of one provider in one partition."""

    provider: str
    partition: Partition
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """The result of a near sweep for one thing: `sweep` is of all that was asked for with it, and of nothing else."""

    sweep: Sweep
    is_full: bool


@dataclass(slots=True, kw_only=True)
class Record:
    """The reflector's record of one sweep."""

    asked: set[Instant] = field(default_factory=set)
    asked_at: Instant = _NEVER
    """The moment of the last question of a job."""
    is_in_flight: bool = False
    failures: int = 0
    failure: ProviderError | None = None
    failed_at: Instant | None = None
    blocked_until: Instant = _NEVER
    sweeps: Mapping[TypeName, Sweep] = field(default_factory=dict)
    wanted: dict[Thing, Instant] = field(default_factory=dict)
    """Things that a reader asked for in detail, with when that was."""
    shown: frozenset[Thing] = frozenset()
    """The things that the last sweep was for."""
    full: frozenset[Thing] = frozenset()
    """The part of it that was read in every detail."""
    missed: Misses = field(default_factory=dict)
    turn: int = 0
    """The number of things of each type that were read in detail in their turn."""
    turned_at: Instant = _NEVER
    """The moment of the last such turn."""
    whole_at: Instant = _NEVER
    """The moment at which the last sweep of everything began."""
    is_whole_wanted: bool = False
    """True when a person asked for everything of a type whose things are read one by one; no sweep does by itself."""
    near: dict[Thing, Near] = field(default_factory=dict)
    """The things that near sweeps showed that began after the last sweep of everything."""
    near_wishes: dict[Thing, dict[Instant, ManagedObject]] = field(default_factory=dict)
    """The waiting ones, by the moment at or after which a sweep must begin."""
    is_near_in_flight: bool = False
    near_blocked_until: Instant = _NEVER
    near_barred_until: Instant = _NEVER
    losses: Mapping[TypeName, Loss] | None = None
    """The losses that the last sweep found, by type, once a reader asked."""


def told(key: SweepKey, error: Exception, words: str) -> ProviderError:
    """The failure of a sweep, as transient or final as it was. `words` are those of the error without secrets."""
    passes = isinstance(error, TransientError | StoreError)
    kind = TransientError if passes else PermanentError if isinstance(error, PermanentError) else ProviderError
    if not isinstance(error, TenutoError):
        words = f"the provider {key.provider} has a fault ({type(error).__name__}: {words}); see the Conductor's log"
    text = f"cannot observe {key.source} in {key.partition}: {words}"
    if not isinstance(error, ProviderError):
        return kind(text)
    return kind(text, code=error.code, request_id=error.request_id, is_throttled=error.is_throttled)


def as_before(before: Mapping[TypeName, Sweep], now: Mapping[TypeName, Sweep]) -> dict[TypeName, Sweep]:
    """The sweeps of now, with the item of the sweep before wherever the two are equal, and else in texts that can be
    stored and told. A thing that cannot be read is unsure."""
    kept: dict[TypeName, Sweep] = {}
    for name, sweep in now.items():
        known = before[name].items if name in before else {}
        items: dict[PhysicalId, ObservedItem] = {}
        unsure = {**all_well_formed(sweep.unsure)}
        for key, item in sweep.items.items():
            if (one := known.get(key)) is not None and (one is item or one == item):
                items[key] = one
                continue
            physical_id = PhysicalId(well_formed(key))
            try:
                items[physical_id] = sound_item(key, item)
            except UnsoundItemError as error:
                unsure[physical_id] = str(error)
        denied = frozenset(PhysicalId(well_formed(one)) for one in sweep.denied)
        kept[name] = replace(sweep, items=items, unsure=unsure, denied=denied)
    return kept


NEAR_FROM = 20
"""Near sweeps begin once the last one was for so many things. With fewer, all of them cost little more than a few."""
AGAIN_S = 600.0
"""After a near sweep that failed, everything of its source is swept for so long: an endpoint that imitates
a provider may not know the filters by which things are asked for."""
MOST = 200
"""Things that are waited for at one time: providers take so many ids in one call. Each turn goes
through all of them."""
TURN_S = 2.0
"""Looks that follow each other faster (while something is made) are no turns. Shorter than any sensible period."""
_ASIDE = Interest(is_aside=True)
_SHARE = 2
"""A sweep is near while it is for no more than one in so many of the things that the last sweep was for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NearSweep:
    """A near sweep that is to be done."""

    key: SweepKey
    things: Mapping[Thing, ManagedObject]

    def tracked(self) -> dict[TypeName, dict[PhysicalId, ManagedObject]]:
        """The things as a sweep takes them: by type and id."""
        found: dict[TypeName, dict[PhysicalId, ManagedObject]] = {}
        for (name, one), known in sorted(self.things.items(), key=lambda item: item[0]):
            found.setdefault(name, {})[one] = known
        return found


def asides(
    known: Mapping[TypeName, Set[PhysicalId]], things: Container[Thing] = ()
) -> dict[TypeName, dict[PhysicalId, Interest]]:
    """All known things but these, as a sweep takes them that need not show them."""
    return {name: {one: _ASIDE for one in ids if (name, one) not in things} for name, ids in known.items()}


def are_few(record: Record, things: int, near_from: int, now: Instant) -> bool:
    """Whether so many things are better swept alone."""
    known = len(record.shown)
    is_few = 0 < things <= MOST and things * _SHARE <= known
    return is_few and known >= near_from and record.near_barred_until <= now


def near_wish(record: Record, objects: Iterable[ManagedObject], not_before: Instant) -> None:
    """Note who is waited for."""
    for found in objects:
        if found.physical_id is not None:
            wish = record.near_wishes.setdefault((found.type, found.physical_id), {})
            wish[not_before] = found


def due(key: SweepKey, record: Record, now: Instant, near_from: int) -> NearSweep | None:
    """The near sweep that is due now, marked as under way. Where too many things are, everything is swept."""
    if record.is_near_in_flight or record.near_blocked_until > now:
        return None
    things = {
        thing: wishes[max(wishes)] for thing, wishes in record.near_wishes.items() if wishes and min(wishes) <= now
    }
    if not things:
        return None
    if not are_few(record, len(things), near_from, now):
        widen(record, things)
        return None
    record.is_near_in_flight = True
    return NearSweep(key=key, things=things)


def next_near(record: Record) -> Instant | None:
    """The time when a near sweep is due next; None when no one waits for one, or one is under way."""
    if record.is_near_in_flight or not record.near_wishes:
        return None
    return max(min(min(wishes) for wishes in record.near_wishes.values()), record.near_blocked_until)


def bar(record: Record, near: NearSweep, now: Instant) -> None:
    """A near sweep has failed: its waiters wait for everything, and so do all others for a while."""
    widen(record, near.things)
    record.is_near_in_flight = False
    record.near_barred_until = Instant(now + AGAIN_S)


def widen(record: Record, things: Iterable[Thing]) -> None:
    """Have these things swept as part of everything."""
    for thing in list(things):
        record.asked.update(record.near_wishes.pop(thing, ()))


def note_near(record: Record, near: NearSweep, sweeps: Mapping[TypeName, Sweep], full: frozenset[Thing]) -> None:
    """Note the things that a near sweep showed, `as_before`."""
    tracked = near.tracked()
    shown = {
        name: replace(sweep, items={one: item for one, item in sweep.items.items() if one in tracked[name]})
        for name, sweep in sweeps.items()
        if name in tracked
    }
    missed = misses(record.missed, tracked, shown)
    record.missed = {thing: at for thing, at in record.missed.items() if thing not in near.things} | missed
    for thing in near.things:
        sweep = shown[thing[0]]
        record.near[thing] = Near(sweep=sweep, is_full=thing in full)
        _served(record, thing, sweep.started_at)


def forget_near(record: Record, started_at: Instant) -> None:
    """A sweep of everything began then: earlier near sweeps are forgotten, and so are the wishes for them."""
    record.near = {thing: near for thing, near in record.near.items() if near.sweep.started_at > started_at}
    shown = {thing for thing, near in record.near.items() if thing[1] in near.sweep.items}
    record.missed = {thing: at for thing, at in record.missed.items() if thing not in shown}
    for thing in list(record.near_wishes):
        _served(record, thing, started_at)


def newest(record: Record, thing: Thing) -> Sweep | None:
    """The last sweep that was for a thing; None when none was."""
    whole = record.sweeps.get(thing[0]) if thing in record.shown else None
    near = record.near.get(thing)
    if near is None or (whole is not None and whole.started_at >= near.sweep.started_at):
        return whole
    return near.sweep


def is_seen_near(
    record: Record,
    type: TypeName,  # noqa: A002
    not_before: Instant,
    identifiers: Iterable[PhysicalId],
    own: Iterable[PhysicalId],
) -> bool:
    """Whether near sweeps since then showed all these things of a process, those with `identifiers` in detail."""
    found = {one: record.near.get((type, one)) for one in own}
    detailed = frozenset(identifiers)
    return (
        bool(found)
        and detailed.issubset(found)
        and all(
            near is not None
            and near.sweep.started_at >= not_before
            and (near.is_full or one not in detailed)
            and _shows(near, one)
            for one, near in found.items()
        )
    )


def is_lacking_near(record: Record, type: TypeName, not_before: Instant, own: Iterable[PhysicalId]) -> bool:  # noqa: A002
    """Whether near sweeps since then did not show one of these things as standing."""
    found = ((one, record.near.get((type, one))) for one in own)
    return any(
        near is not None and near.sweep.started_at >= not_before and not _shows(near, one) for one, near in found
    )


def _shows(near: Near, one: PhysicalId) -> bool:
    item = near.sweep.items.get(one)
    return item is not None and not item.is_ending


def _served(record: Record, thing: Thing, at: Instant) -> None:
    left = {moment: found for moment, found in record.near_wishes.get(thing, {}).items() if moment > at}
    if left:
        record.near_wishes[thing] = left
    else:
        record.near_wishes.pop(thing, None)


def note_whole(
    record: Record,
    sweeps: Mapping[TypeName, Sweep],
    tracked: Mapping[TypeName, Mapping[PhysicalId, ManagedObject]],
    asked: Tracked,
    started_at: Instant,
) -> None:
    """Note the things that a sweep of everything showed, `as_before`. `asked` are the things that it was for."""
    before = record.sweeps
    record.sweeps = {**before, **with_duplicates(sweeps, before, tracked)}
    record.shown = frozenset((name, one) for name, ids in asked.items() for one in ids)
    if started_at - record.turned_at >= TURN_S:
        record.turn += DETAILS_PER_SWEEP
        record.turned_at = started_at
    record.missed = misses(record.missed, tracked, sweeps)
    record.losses = None
    if all(sweep.is_whole for sweep in sweeps.values()):
        record.whole_at = started_at
    record.asked = {moment for moment in record.asked if moment > started_at}
    forget_near(record, started_at)
    record.failures = 0
    record.failure = None
    record.failed_at = None
    record.is_in_flight = False
