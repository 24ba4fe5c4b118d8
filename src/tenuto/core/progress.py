"""How one object gets on: its walk through the states, and which entries of its phase map open and close.

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

Everything here is a pure function from an object to `Progress`: the new object, its moves, and what must be written.
Rejected: a status of the object as a whole beside its entries. It would be a second truth; `is_phase_failed` and the
activity of a phase are derived instead.
"""

from dataclasses import dataclass, field

from tenuto.core.entries import CLOSED, IN_FLIGHT, canceled, intent_of, is_ready, judged, retried, started
from tenuto.core.phase_set import PhaseSet
from tenuto.core.verdicts import Verdict
from tenuto.errors import BugError
from tenuto.kit.evolve import evolve
from tenuto.lifecycles.resource import ResourceState
from tenuto.lifecycles.table import Lifecycle
from tenuto.model.ids import Instant, PhaseName
from tenuto.model.phase_map import PhaseEntry, PhaseStatus
from tenuto.model.resource import ManagedObject, Move


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What became of an object. `entries` are the phases whose entries differ; `moves` are in order.

    `documents` says that `desired` or `attributes` differ. The object's generation is still the one that was read: it
    is the one to expect in the store.
    """

    object: ManagedObject
    moves: tuple[Move, ...] = ()
    entries: tuple[PhaseName, ...] = ()
    documents: bool = False
    is_change: bool = True
    """False when there is nothing to write."""

    @classmethod
    def between(cls, before: ManagedObject, after: ManagedObject, moves: tuple[Move, ...] = ()) -> "Progress":
        """Everything that must be written to get from one value to the other."""
        if before.is_phase_failed and not after.is_phase_failed:
            after = evolve(after, message="")
        return cls(
            object=after,
            moves=moves,
            entries=tuple(name for name, entry in after.phases.items() if before.phases.get(name) is not entry),
            documents=after.desired is not before.desired or after.attributes is not before.attributes,
            is_change=bool(moves) or after != before,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Walk:
    """What every step of a walk needs."""

    phases: PhaseSet
    lifecycle: Lifecycle
    now: Instant
    actor: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Walked:
    object: ManagedObject
    moves: tuple[Move, ...] = field(default=())


def begin_walk(
    object: ManagedObject,  # noqa: A002
    phases: PhaseSet,
    lifecycle: Lifecycle,
    now: Instant,
    actor: str,
    reason: str = "",
) -> Progress:
    """A just-born object: the entries of its state, and on through states where nothing applies."""
    walk = _Walk(phases=phases, lifecycle=lifecycle, now=now, actor=actor, reason=reason)
    return _progress(object, _enter(object, object.state, walk))


def retarget(
    object: ManagedObject,  # noqa: A002
    target: str,
    phases: PhaseSet,
    lifecycle: Lifecycle,
    now: Instant,
    actor: str,
    reason: str = "",
) -> Progress:
    """Head for another target. The same target again changes nothing.

    Raises BugError when the lifecycle knows no way from the present state to `target`.
    """
    if target == object.target:
        return Progress(object=object, is_change=False)
    _check_way(object, target, lifecycle)
    walk = _Walk(phases=phases, lifecycle=lifecycle, now=now, actor=actor, reason=reason)
    return _progress(object, _depart(_cancel(evolve(object, target=target), now), walk))


def revisit(
    object: ManagedObject,  # noqa: A002
    state: str,
    phases: PhaseSet,
    lifecycle: Lifecycle,
    now: Instant,
    actor: str,
    reason: str = "",
) -> Progress:
    """Go through `state` (again) on the way to the same target: an update in place.

    The caller has put the new desired properties on the object, and adds `documents=True` to what is returned. An
    object whose way still leads through `state` stays on it; what failed there is tried again, because the new
    properties may be the cure. Raises BugError when `state` is not on the way to the target, or cannot be entered.
    """
    path = lifecycle.paths.get(lifecycle.states(object.target), ())
    if state not in path:
        raise BugError(f"{object.logical_id} cannot visit {state} again: it is not on the way to {object.target}")
    if object.state in path and path.index(lifecycle.states(object.state)) < path.index(lifecycle.states(state)):
        return retry(object, None, now)
    if object.state != state:
        lifecycle.check(object.state, state, object_id=object.object_id)
    walk = _Walk(phases=phases, lifecycle=lifecycle, now=now, actor=actor, reason=reason)
    stopped = _cancel(object, now)
    return _progress(object, _Walked(stopped) if is_in_flight(stopped) else _enter(stopped, state, walk))


def start_run(object: ManagedObject, phase: PhaseName, now: Instant) -> Progress:  # noqa: A002
    """A run of the phase has collected the object. Raises BugError when the entry is not ready."""
    entry = object.phases.get(phase)
    if entry is None or not is_ready(entry, now):
        found = entry.status if entry else "no entry"
        raise BugError(f"{object.logical_id} was collected by phase {phase} with {found}; only ready objects may be")
    return Progress.between(object, _with_entry(object, started(entry, now)))


def apply_verdict(
    object: ManagedObject,  # noqa: A002
    phase: PhaseName,
    verdict: Verdict,
    phases: PhaseSet,
    lifecycle: Lifecycle,
    now: Instant,
    actor: str,
) -> Progress:
    """The run has returned. A verdict on an entry that is not in flight any more changes nothing."""
    entry = object.phases.get(phase)
    if entry is None or entry.status not in IN_FLIGHT:
        return Progress(object=object, is_change=False)
    walk = _Walk(phases=phases, lifecycle=lifecycle, now=now, actor=actor)
    if entry.status is PhaseStatus.CANCELING:
        return _progress(object, _depart(_with_entry(object, canceled(entry, now)), walk))
    result = judged(entry, verdict, phases.get(phase), now)
    after = _with_entry(object, result)
    if result.status is PhaseStatus.FAILED:
        after = evolve(after, message=f"{phase}: {result.message}")
    if result.status is not PhaseStatus.COMPLETED:
        return Progress.between(object, after)
    return _progress(object, _go_on(_unblock(after, phases), walk))


def retry(object: ManagedObject, phase: PhaseName | None, now: Instant) -> Progress:  # noqa: A002
    """Clear the failed phases (or the one named): they start over. Nothing else is touched."""
    fresh = {
        name: retried(entry)
        for name, entry in object.phases.items()
        if entry.status is PhaseStatus.FAILED and phase in (None, name)
    }
    return Progress.between(object, evolve(object, phases={**object.phases, **fresh}) if fresh else object)


def recover(
    object: ManagedObject,  # noqa: A002
    phases: PhaseSet,
    lifecycle: Lifecycle,
    now: Instant,
    actor: str,
) -> Progress:
    """After a restart: runs that were in flight are gone. Their objects wait again, or leave if they were departing."""
    walk = _Walk(phases=phases, lifecycle=lifecycle, now=now, actor=actor)
    was_departing = any(entry.status is PhaseStatus.CANCELING for entry in object.phases.values())
    entries = {
        name: canceled(entry, now)
        if entry.status is PhaseStatus.CANCELING
        else evolve(entry, status=PhaseStatus.WAITING)
        for name, entry in object.phases.items()
        if entry.status in IN_FLIGHT
    }
    after = evolve(object, phases={**object.phases, **entries}) if entries else object
    return _progress(object, _depart(after, walk) if was_departing else _Walked(after))


def vanish(object: ManagedObject, now: Instant, actor: str, reason: str = "Vanished") -> Progress:  # noqa: A002
    """The real thing is gone: straight to Terminated.

    While a run is in flight the object only gets the target: the run may just be making the thing, and what it made
    must then be taken down.
    """
    gone = ResourceState.TERMINATED
    if object.state == gone or (object.target == gone and is_in_flight(object)):
        return Progress(object=object, is_change=False)
    after = _cancel(evolve(object, target=gone), now)
    if is_in_flight(after):
        return Progress.between(object, after)
    move = Move(before=object.state, after=gone, at=now, actor=actor, reason=reason)
    return Progress.between(object, evolve(after, state=gone, moved_at=now), (move,))


def is_in_flight(object: ManagedObject) -> bool:  # noqa: A002
    """Whether any plugin has the object in its hands now."""
    return any(entry.status in IN_FLIGHT for entry in object.phases.values())


def _progress(before: ManagedObject, walked: _Walked) -> Progress:
    return Progress.between(before, walked.object, walked.moves)


def _enter(object: ManagedObject, state: str, walk: _Walk) -> _Walked:  # noqa: A002
    """Enter `state` with fresh entries, and walk on while nothing is open. The same state again is no move."""
    moved = state != object.state
    move = Move(before=object.state, after=state, at=walk.now, actor=walk.actor, reason=walk.reason)
    entered = evolve(
        object,
        state=state,
        moved_at=walk.now if moved else object.moved_at,
        phases={**object.phases, **_fresh_entries(object, state, walk.phases)},
    )
    onwards = _go_on(entered, walk)
    return _Walked(onwards.object, ((move,) if moved else ()) + onwards.moves)


def _go_on(object: ManagedObject, walk: _Walk) -> _Walked:  # noqa: A002
    """On to the next state if this one is done, else stay."""
    is_open = any(entry.status not in CLOSED for entry in object.phases.values())
    if is_open or object.state == object.target:
        return _Walked(object)
    return _enter(object, walk.lifecycle.next_state(object.state, object.target), walk)


def _depart(object: ManagedObject, walk: _Walk) -> _Walked:  # noqa: A002
    """Leave a state whose entries were cancelled, once every run has returned (theory of operation)."""
    if is_in_flight(object):
        return _Walked(object)
    path = walk.lifecycle.paths[walk.lifecycle.states(object.target)]
    if object.state == object.target or object.state not in path:
        return _enter(object, walk.lifecycle.next_state(object.state, object.target), walk)
    earlier = path[: path.index(walk.lifecycle.states(object.state))]
    again = next((state for state in earlier if walk.lifecycle.allows(object.state, state)), object.state)
    return _enter(object, again, walk)


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
            data=intent_of(object.phases.get(definition.name)),
        )
        for definition in definitions
    }


def _unblock(object: ManagedObject, phases: PhaseSet) -> ManagedObject:  # noqa: A002
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


def _cancel(object: ManagedObject, now: Instant) -> ManagedObject:  # noqa: A002
    """Every open entry is cancelled; those in flight when their run has returned."""
    entries = {
        name: evolve(entry, status=PhaseStatus.CANCELING) if entry.status in IN_FLIGHT else canceled(entry, now)
        for name, entry in object.phases.items()
        if entry.status not in CLOSED and entry.status is not PhaseStatus.CANCELING
    }
    return evolve(object, phases={**object.phases, **entries}) if entries else object


def _with_entry(object: ManagedObject, entry: PhaseEntry) -> ManagedObject:  # noqa: A002
    return evolve(object, phases={**object.phases, entry.phase: entry})


def _check_way(object: ManagedObject, target: str, lifecycle: Lifecycle) -> None:  # noqa: A002
    if target not in lifecycle.paths:
        targets = ", ".join(sorted(lifecycle.paths))
        raise BugError(f"{object.logical_id} cannot head for {target}; targets of {lifecycle.name} are {targets}")
    lifecycle.next_state(object.state, target)
