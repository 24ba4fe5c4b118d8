"""Sightings: the meaning of a sweep that saw a thing, or did not see it.

Absence is a judgement, not a reading. Clouds are eventually consistent, so a thing is absent only when two sweeps at
least `gap_s` apart did not see it, and never while it is new (`model.consistency`): a thing that one replica has shown
can be unknown to the next. A tombstone (a terminated instance) is certain at once. A sweep that began before our own
last change of a thing (`touched_at`) says nothing of it: otherwise we would take our own work for drift. One that began
right after it may come from a replica that does not know the change, and is no proof of drift either.

*Interests* are the details that the next sweep must show. Some properties are in no bulk call, so each of them costs a
call for each thing: the switches of a network, the configurations of a bucket. One that no comparison needs is not
read. The others are read anew after our own last change of the thing, when a user wants to see it, and else in turns:
`DETAILS_PER_SWEEP` things of a type at each sweep.

*Duplicates* are things that carry the mark of one incarnation beside the one that is recorded for it. A creation that
arrives twice makes two things where the provider knows no token for it, and so does one that is carried out after we
stopped looking for it. Both carry our mark, which is written by the creation itself. While the incarnation is young
only we can have put it there, so the one that is not recorded is deleted again: before the resource counts as made, or,
where a sweep shows it only after that, before the resource itself is deleted. It is noted with the creation, so that a
Conductor which starts later knows it too. Later a mark may have been copied along with other tags (to a backup, say),
and every thing that carries it is left alone.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace

from tenuto.conductor.providing.providers import place_of
from tenuto.conductor.providing.requests import Requests
from tenuto.core.pacing.visibility import is_new, is_young, may_be_stale
from tenuto.errors import ProviderError
from tenuto.model.composition import Composition
from tenuto.model.consistency import EVENTUAL, Consistency
from tenuto.model.ids import Instant, ObjectId, PhysicalId, TypeName
from tenuto.model.observation import Interest, Observation, ObservedItem, Presence, Sweep, Tracked
from tenuto.model.outcome import Request
from tenuto.model.resource import ManagedObject, ResourceType
from tenuto.model.snapshot import Loss
from tenuto.ports.observations import Observations
from tenuto.ports.phase import PhaseResource, PhaseRun

DETAILS_PER_SWEEP = 10
"""The number of things of a type of which every sweep shows every detail; where there are more, each has its turn. It
costs up to 13 calls for each thing (a bucket), and with a sweep every 30 s a drift of a detail is found in 5 minutes
where there are a hundred."""
_SEEN = Interest()

Thing = tuple[TypeName, PhysicalId]


def interests(
    tracked: Mapping[TypeName, Mapping[PhysicalId, ManagedObject]],
    wanted: Mapping[Thing, Instant],
    types: Mapping[TypeName, ResourceType],
    now: Instant,
    turn: int | None,
) -> Tracked:
    """The interest in each thing that is tracked, or wanted in full since some moment.

    `turn` is how many things of each type have had their turn; None when this sweep is none.
    """
    found = {name: _compared(ids, types[name], now, turn) for name, ids in tracked.items()}
    for (name, one), at in wanted.items():
        if name in found:
            since = max(at, found[name].get(one, _SEEN).since)
            known, costly = tracked[name].get(one), types[name].costly
            compared = types[name].costly_among(known.desired) if known is not None else costly
            found[name][one] = Interest(names=costly | compared, since=since, spared=costly - compared)
    return found


def asked_anew(
    composition: Composition, objects: Iterable[ManagedObject], types: Mapping[TypeName, ResourceType]
) -> frozenset[ObjectId]:
    """The objects that are declared with a costly property that they were not given yet: it was never read."""
    declared = {
        declaration.logical_id: names
        for declaration in composition.resources
        if (facts := types.get(declaration.type)) and (names := facts.costly_among(declaration.properties))
    }
    return frozenset(
        found.object_id
        for found in (objects if declared else ())
        if found.logical_id in declared
        and (given := types.get(found.type))
        and not declared[found.logical_id] <= given.costly_among(found.desired)
    )


def _compared(
    ids: Mapping[PhysicalId, ManagedObject], facts: ResourceType, now: Instant, turn: int | None
) -> dict[PhysicalId, Interest]:
    if not facts.costly:
        return dict.fromkeys(ids, _SEEN)
    found = {
        one: Interest(names=facts.costly_among(known.desired), since=known.touched_at) for one, known in ids.items()
    }
    if turn is not None:
        asked = [one for one, interest in found.items() if interest.names]
        found.update({one: Interest(names=found[one].names, since=now) for one in _in_turn(asked, turn)})
    return found


def _in_turn(ids: Sequence[PhysicalId], turn: int) -> list[PhysicalId]:
    """Return the next things in turn; after the last one the first comes again."""
    start = turn % len(ids) if ids else 0
    return [*ids[start : start + DETAILS_PER_SWEEP], *ids[: max(0, start + DETAILS_PER_SWEEP - len(ids))]]


GAP_S = EVENTUAL.gap_s
"""The gap for types of which nothing better is known."""
_MISSED_ONCE = "the last sweep did not show it; one more sweep must miss it before it counts as gone"
NAMELESS = Observation(presence=Presence.UNSEEN, message="it has no physical id yet")
UNSURE = "no change until a sweep can read the state"
"""The begin of a message that is told once for several things."""
UNSEEN = Observation(presence=Presence.UNSEEN, message="waiting for the next sweep")


def unseen(failure: ProviderError | None) -> Observation:
    """The observation of a thing that no sweep was for yet. `failure` is why, where the last one failed."""
    if failure is None:
        return UNSEEN
    return Observation(presence=Presence.UNSEEN, message=f"{UNSEEN.message}: {failure}")


Misses = Mapping[Thing, Instant]
"""The moment when each tracked thing was first not seen, if no sweep has shown it since."""


def judge(
    found: ManagedObject,
    physical_id: PhysicalId,
    sweep: Sweep | None,
    missed: Misses,
    failure: ProviderError | None = None,
    consistency: Consistency = EVENTUAL,
) -> Observation:
    """The observation of a thing from the last sweep of its type. `failure` is why there has been none since."""
    if sweep is None or sweep.started_at <= found.touched_at:
        return unseen(failure)
    item = sweep.items.get(physical_id)
    if item is None and physical_id in sweep.unsure:
        return Observation(presence=Presence.DOUBTFUL, message=f"{UNSURE}: {sweep.unsure[physical_id]}")
    if item is None:
        return _judge_absence(found, sweep.started_at, missed.get((found.type, physical_id)), consistency)
    return Observation(
        presence=Presence.ABSENT if item.is_ending else Presence.PRESENT,
        item=item,
        message=item.message,
        may_be_stale=may_be_stale(found, sweep.started_at, consistency),
    )


def as_declared(found: ManagedObject, physical_id: PhysicalId) -> Observation:
    """The sighting of a thing that no provider shows: a thing that plugins have made stands as it was declared."""
    item = ObservedItem(physical_id=physical_id, properties=found.desired, attributes=found.attributes)
    return Observation(presence=Presence.PRESENT, item=item)


def _judge_absence(
    found: ManagedObject, swept_at: Instant, missed_at: Instant | None, consistency: Consistency
) -> Observation:
    may_hide = is_new(found, swept_at, consistency)
    is_proven = not consistency.gap_s or (missed_at is not None and swept_at - missed_at >= consistency.gap_s)
    if may_hide or not is_proven:
        message = "not visible yet" if may_hide else _MISSED_ONCE
        return Observation(presence=Presence.DOUBTFUL, message=message)
    return Observation(
        presence=Presence.ABSENT, message=f"{'two sweeps' if consistency.gap_s else 'a sweep'} did not show it"
    )


def misses(
    before: Misses, tracked: Mapping[TypeName, Mapping[PhysicalId, ManagedObject]], sweeps: Mapping[TypeName, Sweep]
) -> dict[Thing, Instant]:
    """The tracked things that were not seen, with the first time of that since our own last change of each."""
    missed: dict[Thing, Instant] = {}
    for name, found in tracked.items():
        sweep = sweeps.get(name)
        for physical_id, tracked_object in found.items():
            if sweep is None or physical_id in sweep.items or physical_id in sweep.unsure:
                continue
            first = before.get((name, physical_id), sweep.started_at)
            missed[name, physical_id] = first if first > tracked_object.touched_at else sweep.started_at
    return missed


def with_duplicates(
    sweeps: Mapping[TypeName, Sweep],
    before: Mapping[TypeName, Sweep],
    tracked: Mapping[TypeName, Mapping[PhysicalId, ManagedObject]],
) -> dict[TypeName, Sweep]:
    """The sweeps with the duplicates that they show."""
    told: dict[TypeName, Sweep] = {}
    for name, sweep in sweeps.items():
        known = before[name].duplicates if name in before else frozenset()
        duplicates = frozenset(
            item.physical_id
            for physical_id, one in tracked.get(name, {}).items()
            for item in duplicates_in(sweep, one, physical_id, known | noted_duplicates(one), sweep.started_at)
        )
        told[name] = replace(sweep, duplicates=duplicates) if duplicates else sweep
    return told


def duplicates_in(
    sweep: Sweep, found: ManagedObject, physical_id: PhysicalId, known: Set[PhysicalId], now: Instant
) -> Sequence[ObservedItem]:
    """The duplicates: things with the mark of an incarnation beside the recorded one (this id). A mark that comes
    up later than its incarnation, and is not known to be of a duplicate, may be a copy.
    """
    is_ours_alone = is_young(found, now)
    if not is_ours_alone and not known:
        return ()
    marked = sweep.marked.get(found.object_id, ())
    others = [item for item in marked if item.physical_id != physical_id]
    return others if is_ours_alone else [item for item in others if item.physical_id in known]


def noted_duplicates(found: ManagedObject) -> frozenset[PhysicalId]:
    """The duplicates that are noted with the attempts of an object."""
    return frozenset(name for entry in found.phases.values() for name in entry.act.duplicates)


def losses(
    looked_for: Iterable[Thing],
    sweeps: Mapping[TypeName, Sweep],
    missed: Misses,
    types: Mapping[TypeName, ResourceType],
) -> dict[TypeName, Loss]:
    """Return, by type, how many of the things that the last sweep was for are gone."""
    gone: Counter[TypeName] = Counter()
    known: Counter[TypeName] = Counter()
    for name, one in looked_for:
        sweep = sweeps.get(name)
        if sweep is None:
            continue
        item = sweep.items.get(one)
        missed_at = missed.get((name, one))
        gap_s = types[name].consistency.gap_s
        known[name] += 1
        is_missing = missed_at is not None and sweep.started_at - missed_at >= gap_s
        gone[name] += item.is_ending if item is not None else is_missing
    return {name: Loss(gone=gone[name], known=count) for name, count in known.items()}


def duplicates_of(
    run: PhaseRun, resources: Sequence[PhaseResource], observations: Observations
) -> dict[ObjectId, list[ObservedItem]]:
    """The duplicates of each that has any, as of the last sweep."""
    found: dict[ObjectId, list[ObservedItem]] = {}
    for one in resources:
        sweep = observations.latest(*place_of(one.object))
        if one.physical_id is None or sweep is None:
            continue
        known = sweep.duplicates | noted_duplicates(one.object)
        shown = duplicates_in(sweep, one.object, one.physical_id, known, run.now)
        duplicates = [item for item in shown if not item.is_ending]
        if duplicates:
            found[one.object.object_id] = duplicates
    return found


def are_told(run: PhaseRun, one: PhaseResource, observations: Observations) -> bool:
    """Whether a sweep of everything has shown the resource since it was made, and with it any duplicate of it.

    A near sweep shows the resource alone. One that is not young any more waits for nothing: a thing that a sweep finds
    beside it now is left alone.
    """
    if one.physical_id is None or not is_young(one.object, run.now):
        return True
    sweep = observations.latest(*place_of(one.object))
    return sweep is not None and sweep.is_whole and one.physical_id in sweep.items


def to_delete(one: PhaseResource, duplicates: Sequence[ObservedItem], requests: Requests) -> list[Request]:
    """The requests that delete them."""
    return [
        replace(
            requests.of(one.object, duplicate.properties),
            physical_id=duplicate.physical_id,
            attributes=dict(duplicate.attributes),
            keeps_snapshot=False,
        )
        for duplicate in duplicates
    ]
