"""The walk of an object through its states, and the entries of its phase map that open and close on the way.

Theory of operation. An object has a state and a target. On entering a state it gets one fresh entry for each phase
that applies there (Waiting, or Blocked while a dependency of the same state is not Completed); which phases apply is
decided then and stored by the existence of the entry, so that a plugin loaded later, or a constraint that changes its
mind, cannot make a state complete or incomplete half-way. An entry whose constraint raised has the code UNDECIDED. A
state is done when no entry is open; the object then walks to the next state of the path that its lifecycle gives for
the target, and straight through states where nothing applies. On the target it rests.

A new target never interrupts a run. Entries in flight become Canceling, the other open ones are Canceled at once, and
the object leaves when the last run has returned, with any verdict. An object is *departing* exactly while it has a
Canceling entry; nothing else is stored about it. It leaves for the first state of the new path; or, when its present
state is on that path too (the new target turned back again), the state was left half done and is begun again, from the
earliest state of the path that the table lets it go back to. A phase that names the heading of the new target runs in
the state that the object is in, before it leaves.

An object that has come to rest gets the entries of its upkeep (`core.phases.upkeep`), which hold up nothing.

A failure waits for a person in the state where it happened, unless the table has an edge for it. Then the object takes
this edge in the write of the verdict, heads for the state of failures, and passes through the phases that clean up. The
failed entry stays as it is: it says that no person has acknowledged the failure yet.
"""

from dataclasses import dataclass

from tenuto.core.phases.attempts import carried
from tenuto.core.phases.entries import UNDECIDED, canceled
from tenuto.core.phases.phase_set import PhaseSet
from tenuto.core.phases.upkeep import taken_up
from tenuto.kit.evolve import evolve
from tenuto.lifecycles.table import Lifecycle
from tenuto.model.attempt import UNTRIED, Attempt
from tenuto.model.ids import Instant, PhaseName
from tenuto.model.phase_map import CLOSED, IN_FLIGHT, PhaseEntry, PhaseStatus
from tenuto.model.resource import ManagedObject, Move


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """The values that every step of a walk needs."""

    phases: PhaseSet
    lifecycle: Lifecycle
    now: Instant
    actor: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Walked:
    """The result of a walk: the object in its new state, and the moves that led there."""

    object: ManagedObject
    moves: tuple[Move, ...] = ()


def enter(object: ManagedObject, state: str, walk: Walk, *, is_change: bool = False) -> Walked:  # noqa: A002
    """Enter `state` with fresh entries, and walk on while nothing is open. The same state again is no move.

    A target is entered without entries: the object rests there, unless a change enters it (`is_change`).
    """
    moved = state != object.state
    move = Move(before=object.state, after=state, at=walk.now, actor=walk.actor, reason=walk.reason)
    fresh = {} if state == object.target and not is_change else _fresh_entries(object, state, walk)
    entered = evolve(
        object,
        state=state,
        physical_id=None if state == walk.lifecycle.rested else object.physical_id,
        moved_at=walk.now if moved else object.moved_at,
        has_stood=object.has_stood or state == walk.lifecycle.ready,
        phases={**object.phases, **fresh},
    )
    onwards = go_on(entered, walk)
    return Walked(onwards.object, ((move,) if moved else ()) + onwards.moves)


def go_on(object: ManagedObject, walk: Walk) -> Walked:  # noqa: A002
    """Move the object to its next state if this one is done; else leave it where it is."""
    if any(_is_open(entry, object.state) for entry in object.phases.values()):
        return Walked(object)
    if object.state == object.target:
        return Walked(taken_up(object, walk.phases, walk.now))
    return enter(object, _following(object, walk), walk)


def depart(object: ManagedObject, walk: Walk) -> Walked:  # noqa: A002
    """Leave a state whose entries were cancelled, once every run has returned (theory of operation)."""
    if object.is_in_flight:
        return Walked(object)
    path = walk.lifecycle.path_to(object.target)
    if object.state == object.target:
        return enter(object, object.state, walk, is_change=object.state == walk.lifecycle.change_at)
    if object.state not in path:
        leaving = _fresh_entries(object, object.state, walk, is_leaving=True)
        return go_on(evolve(object, phases={**object.phases, **leaving}) if leaving else object, walk)
    earlier = path[: path.index(object.state)]
    again = next((state for state in earlier if walk.lifecycle.allows(object.state, state)), object.state)
    return enter(object, again, walk)


def fail(object: ManagedObject, phase: PhaseName, walk: Walk) -> Walked:  # noqa: A002
    """Take the edge of the failure of `phase`, where the table has one; else stay, and wait for a person.

    The move is made at once. Other runs of the object are cancelled, and the phases that clean up are Blocked until
    they returned.
    """
    edge = failure_edge(object, walk.lifecycle)
    if edge is None or walk.lifecycle.failed is None:
        return Walked(object)
    stopped = cancel(object, walk.now, but=phase)
    return enter(evolve(stopped, target=walk.lifecycle.failed), edge, walk)


def failure_edge(object: ManagedObject, lifecycle: Lifecycle) -> str | None:  # noqa: A002
    """The state that a failure in the present state leads to; None where failures stay in the phase."""
    return next((after for state, after in lifecycle.failure.items() if state == object.state), None)


def returned(object: ManagedObject, walk: Walk) -> Walked:  # noqa: A002
    """A cancelled run has returned: depart; or begin to clean up, where the object left by a failure already."""
    freed = unblock(object, walk.phases)
    if any(_is_open(entry, freed.state) and entry.status not in IN_FLIGHT for entry in freed.phases.values()):
        return Walked(freed)
    return depart(freed, walk)


def _is_open(entry: PhaseEntry, state: str) -> bool:
    """Whether an object in `state` waits for the entry. An entry that failed in another state is over: the object left
    that state by the failure."""
    return entry.is_open and (entry.state == state or entry.status in IN_FLIGHT)


def _following(object: ManagedObject, walk: Walk) -> str:  # noqa: A002
    """The next state on the way; one that is optional only where a phase applies."""
    following = walk.lifecycle.next_state(object.state, object.target)
    while following in walk.lifecycle.optional and following != object.target:
        beyond = walk.lifecycle.next_state(following, object.target)
        is_shorter = walk.lifecycle.allows(object.state, beyond)
        if not is_shorter or walk.phases.applicable(object, following, walk.lifecycle.headings[object.target]):
            break
        following = beyond
    return following


def _fresh_entries(
    object: ManagedObject,  # noqa: A002
    state: str,
    walk: Walk,
    *,
    is_leaving: bool = False,
) -> dict[PhaseName, PhaseEntry]:
    heading = walk.lifecycle.headings[object.target]
    applicable = walk.phases.applicable(object, state, heading, is_leaving=is_leaving)
    names = {one.definition.name for one in applicable}
    is_held = object.is_in_flight
    return {
        one.definition.name: PhaseEntry(
            phase=one.definition.name,
            state=state,
            status=PhaseStatus.BLOCKED
            if is_held or not names.isdisjoint(one.definition.dependencies)
            else PhaseStatus.WAITING,
            code=UNDECIDED if one.is_undecided else "",
            act=_known_of(object.phases.get(one.definition.name)),
        )
        for one in applicable
    }


def _known_of(earlier: PhaseEntry | None) -> Attempt:
    """The attempt of the fresh entry of a phase, from the entry of an earlier visit."""
    return UNTRIED if earlier is None else carried(earlier.act)


def unblock(object: ManagedObject, phases: PhaseSet) -> ManagedObject:  # noqa: A002
    """Let blocked entries whose dependencies are all satisfied wait from now on.

    A dependency without an open entry does not apply to this object, or is Completed: both satisfy.
    """
    if any(entry.status in IN_FLIGHT and entry.state != object.state for entry in object.phases.values()):
        return object  # It left by a failure, and a run of the state before has not returned yet.
    freed: dict[PhaseName, PhaseEntry] = {}
    for name, entry in object.phases.items():
        definition = phases.get(name)
        if entry.status is not PhaseStatus.BLOCKED or definition is None:
            continue
        needed = [object.phases[dependency] for dependency in definition.dependencies if dependency in object.phases]
        if all(dependency.status in CLOSED for dependency in needed):
            freed[name] = evolve(entry, status=PhaseStatus.WAITING)
    return evolve(object, phases={**object.phases, **freed}) if freed else object


def cancel(object: ManagedObject, now: Instant, but: PhaseName | None = None) -> ManagedObject:  # noqa: A002
    """Every open entry `but` one is cancelled; those in flight when their run has returned."""
    entries = {
        name: evolve(entry, status=PhaseStatus.CANCELING) if entry.status in IN_FLIGHT else canceled(entry, now)
        for name, entry in object.phases.items()
        if entry.status not in CLOSED and entry.status is not PhaseStatus.CANCELING and name != but
    }
    return evolve(object, phases={**object.phases, **entries}) if entries else object
