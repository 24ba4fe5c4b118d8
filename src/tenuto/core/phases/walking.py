"""The walk of an object through its states, and the entries of its phase map that open and close on the way.

Theory of operation. An object has a state and a target. On entering a state it gets one fresh entry for each phase
that applies there (Waiting, or Blocked while a dependency of the same state is not Completed); which phases apply is
decided then and stored by the existence of the entry, so that a plugin loaded later, or a constraint that changes its
mind, cannot make a state complete or incomplete half-way. A state is done when no entry is open; the object then walks
to the next state of the path that its lifecycle gives for the target, and straight through states where nothing
applies. On the target it rests.

A new target never interrupts a run. Entries in flight become Canceling, the other open ones are Canceled at once, and
the object leaves when the last run has returned, whatever the runs said. An object is *departing* exactly while it has
a Canceling entry; nothing else is stored about it. It leaves for the first state of the new path; or, when its present
state is on that path too (the new target turned back again), the state was left half done and is begun again, from the
earliest state of the path that the table lets it go back to.
"""

from dataclasses import dataclass

from tenuto.core.phases.attempts import carried
from tenuto.core.phases.entries import canceled
from tenuto.core.phases.phase_set import PhaseSet
from tenuto.kit.evolve import evolve
from tenuto.lifecycles.table import Lifecycle
from tenuto.model.attempt import UNTRIED, Attempt
from tenuto.model.ids import Instant, PhaseName
from tenuto.model.phase_map import CLOSED, IN_FLIGHT, PhaseEntry, PhaseStatus
from tenuto.model.resource import ManagedObject, Move


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """What every step of a walk needs."""

    phases: PhaseSet
    lifecycle: Lifecycle
    now: Instant
    actor: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Walked:
    """Where a walk has led to, and by which moves."""

    object: ManagedObject
    moves: tuple[Move, ...] = ()


def enter(object: ManagedObject, state: str, walk: Walk) -> Walked:  # noqa: A002
    """Enter `state` with fresh entries, and walk on while nothing is open. The same state again is no move."""
    moved = state != object.state
    move = Move(before=object.state, after=state, at=walk.now, actor=walk.actor, reason=walk.reason)
    entered = evolve(
        object,
        state=state,
        physical_id=None if state == walk.lifecycle.rested else object.physical_id,
        moved_at=walk.now if moved else object.moved_at,
        phases={**object.phases, **_fresh_entries(object, state, walk.phases)},
    )
    onwards = go_on(entered, walk)
    return Walked(onwards.object, ((move,) if moved else ()) + onwards.moves)


def go_on(object: ManagedObject, walk: Walk) -> Walked:  # noqa: A002
    """On to the next state if this one is done, else stay."""
    is_open = any(entry.status not in CLOSED for entry in object.phases.values())
    if is_open or object.state == object.target:
        return Walked(object)
    return enter(object, walk.lifecycle.next_state(object.state, object.target), walk)


def depart(object: ManagedObject, walk: Walk) -> Walked:  # noqa: A002
    """Leave a state whose entries were cancelled, once every run has returned (theory of operation)."""
    if object.is_in_flight:
        return Walked(object)
    path = walk.lifecycle.path_to(object.target)
    if object.state == object.target or object.state not in path:
        return enter(object, walk.lifecycle.next_state(object.state, object.target), walk)
    earlier = path[: path.index(object.state)]
    again = next((state for state in earlier if walk.lifecycle.allows(object.state, state)), object.state)
    return enter(object, again, walk)


def _fresh_entries(object: ManagedObject, state: str, phases: PhaseSet) -> dict[PhaseName, PhaseEntry]:  # noqa: A002
    if state == object.target:
        return {}
    definitions = phases.applicable(object, state)
    names = {definition.name for definition in definitions}
    return {
        definition.name: PhaseEntry(
            phase=definition.name,
            state=state,
            status=PhaseStatus.WAITING if names.isdisjoint(definition.dependencies) else PhaseStatus.BLOCKED,
            act=_known_of(object.phases.get(definition.name)),
        )
        for definition in definitions
    }


def _known_of(earlier: PhaseEntry | None) -> Attempt:
    """The attempt of the fresh entry of a phase, from the entry of an earlier visit."""
    return UNTRIED if earlier is None else carried(earlier.act)


def unblock(object: ManagedObject, phases: PhaseSet) -> ManagedObject:  # noqa: A002
    """Blocked entries whose dependencies are all satisfied wait from now on.

    A dependency without an open entry does not apply to this object, or is Completed: both satisfy.
    """
    freed: dict[PhaseName, PhaseEntry] = {}
    for name, entry in object.phases.items():
        definition = phases.get(name)
        if entry.status is not PhaseStatus.BLOCKED or definition is None:
            continue
        needed = [object.phases[dependency] for dependency in definition.dependencies if dependency in object.phases]
        if all(dependency.status in CLOSED for dependency in needed):
            freed[name] = evolve(entry, status=PhaseStatus.WAITING)
    return evolve(object, phases={**object.phases, **freed}) if freed else object


def cancel(object: ManagedObject, now: Instant) -> ManagedObject:  # noqa: A002
    """Every open entry is cancelled; those in flight when their run has returned."""
    entries = {
        name: evolve(entry, status=PhaseStatus.CANCELING) if entry.status in IN_FLIGHT else canceled(entry, now)
        for name, entry in object.phases.items()
        if entry.status not in CLOSED and entry.status is not PhaseStatus.CANCELING
    }
    return evolve(object, phases={**object.phases, **entries}) if entries else object
