"""The progress of one object: its change by a plan, a run of a phase or a restart.

Everything here is a pure function from an object to `Progress`: the new object, its moves, and the parts that must be
written. How an object walks from state to state is in `walking`. Rejected: a status of the object as a whole beside its
entries. It would be a second truth; `is_phase_failed` and the activity of a phase are derived instead.
"""

from dataclasses import dataclass

from tenuto.core.phases.entries import acknowledged, canceled, is_ready, judged, retried, started
from tenuto.core.phases.phase_set import PhaseSet
from tenuto.core.phases.upkeep import after_round, taken_up, tried_now
from tenuto.core.phases.verdicts import Fail, Verdict
from tenuto.core.phases.walking import Walk, Walked, cancel, depart, enter, fail, failure_edge, go_on, returned, unblock
from tenuto.errors import BugError
from tenuto.kit.evolve import evolve
from tenuto.lifecycles.table import Lifecycle
from tenuto.model.ids import Instant, PhaseName
from tenuto.model.phase_map import IN_FLIGHT, PhaseEntry, PhaseStatus
from tenuto.model.resource import ManagedObject, Move


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The result of a change of an object. `entries` are the phases whose entries differ; `moves` are in order.

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
    def between(
        cls, before: ManagedObject, after: ManagedObject, moves: tuple[Move, ...] = (), *, keeps_message: bool = False
    ) -> "Progress":
        """Return all that must be written to get from one value to the other."""
        if before.is_phase_failed and not after.is_phase_failed and not keeps_message:
            after = evolve(after, message="")
        return cls(
            object=after,
            moves=moves,
            entries=tuple(name for name, entry in after.phases.items() if before.phases.get(name) is not entry),
            documents=after.desired is not before.desired or after.attributes is not before.attributes,
            is_change=bool(moves) or after != before,
        )


def begin_walk(
    object: ManagedObject,  # noqa: A002
    phases: PhaseSet,
    lifecycle: Lifecycle,
    now: Instant,
    actor: str,
    reason: str = "",
) -> Progress:
    """A just-born object: the entries of its state, and on through states where nothing applies.

    An object of a type that is born ready is made by the phases of that state, like a change.
    """
    walk = Walk(phases=phases, lifecycle=lifecycle, now=now, actor=actor, reason=reason)
    return _progress(object, enter(object, object.state, walk, is_change=object.state == lifecycle.change_at))


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
    lifecycle.path_to(target)
    lifecycle.next_state(object.state, target)
    walk = Walk(phases=phases, lifecycle=lifecycle, now=now, actor=actor, reason=reason)
    walked = depart(cancel(evolve(object, target=target), now), walk)
    if walked.object.message and walked.object.state not in lifecycle.errors and not walked.object.is_phase_failed:
        # The words of a failure that was acknowledged stay behind with its state.
        walked = Walked(evolve(walked.object, message=""), walked.moves)
    return _progress(object, walked)


def revisit(
    object: ManagedObject,  # noqa: A002
    state: str,
    phases: PhaseSet,
    lifecycle: Lifecycle,
    now: Instant,
    actor: str,
) -> Progress:
    """Go through `state` (again) on the way to the same target: an update in place.

    The caller has put the new desired properties on the object, and adds `documents=True` to the returned progress. An
    object whose way still leads through `state` stays on it; a phase that failed there is tried again, because the new
    properties may be the cure. Raises BugError when `state` is not on the way to the target, and IllegalTransitionError
    when it cannot be entered.
    """
    path = lifecycle.path_to(object.target)
    if state not in path:
        raise BugError(f"{object.logical_id} cannot visit {state} again: it is not on the way to {object.target}")
    if object.state in path and path.index(object.state) < path.index(state):
        return retry(object, None)
    if object.state != state:
        lifecycle.check(object.state, state, object_id=object.object_id)
    walk = Walk(phases=phases, lifecycle=lifecycle, now=now, actor=actor)
    stopped = cancel(object, now)
    return _progress(object, Walked(stopped) if stopped.is_in_flight else enter(stopped, state, walk, is_change=True))


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
    walk = Walk(phases=phases, lifecycle=lifecycle, now=now, actor=actor)
    if entry.status is PhaseStatus.CANCELING:
        return _progress(object, returned(_with_entry(object, canceled(entry, now)), walk))
    result = judged(entry, verdict, phases.get(phase), now)
    keeps_state = isinstance(verdict, Fail) and verdict.keeps_state
    stays = result.status is not PhaseStatus.FAILED or keeps_state
    if entry.is_upkeep and (stays or failure_edge(object, lifecycle) is None):
        return Progress.between(object, _with_entry(object, after_round(result, phases.get(phase), now)))
    after = _with_entry(object, result)
    if result.status is PhaseStatus.FAILED:
        words = f"{phase}: {result.message}"
        earlier = object.message if object.target == lifecycle.failed else ""
        after = evolve(after, message=f"{earlier}; then {words}" if earlier else words)
        if keeps_state:
            return Progress.between(object, after)
        walked = fail(after, phase, evolve(walk, reason=words))
        if isinstance(verdict, Fail) and verdict.is_acknowledged and walked.object.target == lifecycle.failed:
            walked = Walked(_with_entry(walked.object, acknowledged(result)), walked.moves)
        return _progress(object, walked)
    if result.status is not PhaseStatus.COMPLETED:
        return Progress.between(object, after)
    return _progress(object, go_on(unblock(after, phases), walk))


def retry(object: ManagedObject, phase: PhaseName | None) -> Progress:  # noqa: A002
    """Clear the failed phases (or the one named): they start over. Failing upkeep has its next round now.

    A phase that failed in a state that the object left by this failure cannot start over: there, a retry says that a
    person has seen the failure, and the object may be replaced.
    """
    fresh = {
        name: retried(entry) if entry.state == object.state else acknowledged(entry)
        for name, entry in object.phases.items()
        if entry.status is PhaseStatus.FAILED and phase in (None, name)
    }
    fresh |= {
        entry.phase: tried_now(entry)
        for entry in object.failing_upkeep
        if entry.status is PhaseStatus.SLEEPING and phase in (None, entry.phase)
    }
    keeps_message = any(entry.status is PhaseStatus.CANCELED for entry in fresh.values())
    after = evolve(object, phases={**object.phases, **fresh}) if fresh else object
    return Progress.between(object, after, keeps_message=keeps_message)


def hasten(object: ManagedObject, now: Instant) -> Progress:  # noqa: A002
    """The object with every Sleeping entry due now, because the event that it waits for has come. Nothing else
    changes."""
    due = {
        name: evolve(entry, wake_at=now)
        for name, entry in object.phases.items()
        if entry.status is PhaseStatus.SLEEPING and entry.wake_at is not None and entry.wake_at > now
    }
    return Progress.between(object, evolve(object, phases={**object.phases, **due}) if due else object)


def recover(
    object: ManagedObject,  # noqa: A002
    phases: PhaseSet,
    lifecycle: Lifecycle,
    now: Instant,
    actor: str,
) -> Progress:
    """Take up objects after a restart: their runs are gone. They wait again, or leave if they were departing."""
    walk = Walk(phases=phases, lifecycle=lifecycle, now=now, actor=actor)
    was_departing = any(entry.status is PhaseStatus.CANCELING for entry in object.phases.values())
    entries = {
        name: canceled(entry, now)
        if entry.status is PhaseStatus.CANCELING
        else evolve(entry, status=PhaseStatus.WAITING)
        for name, entry in object.phases.items()
        if entry.status in IN_FLIGHT
    }
    after = evolve(object, phases={**object.phases, **entries}) if entries else object
    return _progress(object, returned(after, walk) if was_departing else Walked(after))


def take_up(object: ManagedObject, phases: PhaseSet, now: Instant) -> Progress:  # noqa: A002
    """An object that rests gets the upkeep that was loaded after it came to rest."""
    return Progress.between(object, taken_up(object, phases, now) if object.is_settled else object)


def vanish(
    object: ManagedObject,  # noqa: A002
    phases: PhaseSet,
    lifecycle: Lifecycle,
    now: Instant,
    actor: str,
) -> Progress:
    """The real thing is gone: straight to the end of a deletion.

    While a run is in flight the object only gets the target: the run may just be making the thing, and that thing must
    then be taken down. An object in a state that the end cannot be reached from at once walks there.
    """
    gone = lifecycle.gone
    if object.state == gone or (object.target == gone and object.is_in_flight):
        return Progress(object=object, is_change=False)
    if not lifecycle.allows(object.state, gone):
        return retarget(object, gone, phases, lifecycle, now, actor, "Vanished")
    after = cancel(evolve(object, target=gone), now)
    if after.is_in_flight:
        return Progress.between(object, after)
    move = Move(before=object.state, after=gone, at=now, actor=actor, reason="Vanished")
    return Progress.between(object, evolve(after, state=gone, moved_at=now), (move,))


def lose(
    object: ManagedObject,  # noqa: A002
    cause: PhaseEntry,
    phases: PhaseSet,
    lifecycle: Lifecycle,
    now: Instant,
    actor: str,
) -> Progress:
    """The object has failed for a reason outside of its phases: `cause` is an entry that says so in its phase map.

    One that is canceled says that the failure is acknowledged already. An object on its way out, or without an edge of
    failure where it is, only keeps the entry.
    """
    after = evolve(_with_entry(object, cause), message=cause.message)
    walk = Walk(phases=phases, lifecycle=lifecycle, now=now, actor=actor, reason=cause.message)
    lost = _progress(object, fail(after, cause.phase, walk))
    return evolve(lost, object=evolve(lost.object, message=cause.message))


def _progress(before: ManagedObject, walked: Walked) -> Progress:
    return Progress.between(before, walked.object, walked.moves)


def _with_entry(object: ManagedObject, entry: PhaseEntry) -> ManagedObject:  # noqa: A002
    return evolve(object, phases={**object.phases, entry.phase: entry})
