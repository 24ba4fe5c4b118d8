"""Interests: the details that the next sweep must show.

Theory of operation. Some properties are in no bulk call, so each of them costs a call for each thing: the switches of a
VPC, the configurations of a bucket. One that nobody compares is not read. The others are read anew after our own
last change of the thing, when somebody wants to see it, and else in turns: `DETAILS_PER_LOOK` things of a type at each
look.
"""

from collections.abc import Iterable, Mapping, Sequence

from tenuto.model.composition import Composition
from tenuto.model.ids import Instant, ObjectId, PhysicalId, TypeName
from tenuto.model.observation import Interest, Tracked
from tenuto.model.resource import ManagedObject, ResourceType

DETAILS_PER_LOOK = 10
"""Of so many things of a type, every look shows every detail; of more, each has its turn. It costs up to 13 calls for
each thing (a bucket), and with a look every 30 s a drift of a detail is found in 5 minutes where there are a hundred.
"""
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

    `turn` is how many things of each type have had their turn; None when this look is none.
    """
    found = {name: _compared(ids, types[name], now, turn) for name, ids in tracked.items()}
    for (name, one), at in wanted.items():
        if name in found:
            since = max(at, found[name].get(one, _SEEN).since)
            found[name][one] = Interest(names=types[name].costly, since=since)
    return found


def asked_anew(
    composition: Composition, objects: Iterable[ManagedObject], types: Mapping[TypeName, ResourceType]
) -> frozenset[ObjectId]:
    """The objects that are declared with a costly property that they were not given yet: nobody has read it."""
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
    """The next few of them, all in a circle."""
    start = turn % len(ids) if ids else 0
    return [*ids[start : start + DETAILS_PER_LOOK], *ids[: max(0, start + DETAILS_PER_LOOK - len(ids))]]
