"""The progress of a stored plan, seen from the objects alone.

The broker keeps no progress of its own. A step has begun when its object names the plan as the one that gave it its
target; it is done when the object is there. So a Conductor that died between two steps goes on where the world is, and
advancing twice is the same as advancing once.

*The wake-ups.* A pass over an executing plan costs as much as the plan is long. Of ten thousand resources of one
type, which rest a thousand at a time, only the last lets the next wave begin; a pass at each run's end would make the
cost of a plan grow with the square of its length. So a pass leaves behind which objects move in each wave, and which
are waited for inside a wave by name. Only the last of a wave, an object that is waited for by name, and one that is
unknown here are worth the next pass. This is a hint and no truth: a pass too many finds nothing to do, and one too few
comes with the next period.

*The proof of a change.* A provider may answer that a change was made and not make it. So a job that changed something
in place ends well only after a sweep that began after the change; a change that this sweep does not show is unproven.
It is tried again by the next jobs, a few times (`core.planning.fights`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tenuto.core.planning.comparing.order import reached
from tenuto.lifecycles import roles
from tenuto.model.ids import ObjectId
from tenuto.model.phase_map import IN_FLIGHT, PhaseStatus
from tenuto.model.plan import Operation, Plan, Planning, Step, StepKind
from tenuto.model.resource import ManagedObject

_BUSY = frozenset({PhaseStatus.RUNNING, PhaseStatus.CANCELING, PhaseStatus.WAITING, PhaseStatus.SLEEPING})


class StepStatus(StrEnum):
    OPEN = "open"
    MOVING = "moving"
    FAILED = "failed"
    LOST = "lost"
    """The object ended somewhere else: it vanished, or it failed and a person has seen that."""
    DONE = "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class Advance:
    """The steps to begin now, and the results of the steps so far."""

    begin: tuple[Step, ...]
    moving: tuple[ManagedObject, ...]
    failed: tuple[ManagedObject, ...]
    lost: tuple[ManagedObject, ...]
    done: int
    total: int
    status: Mapping[ObjectId, StepStatus]
    """The status of each step, by its object."""
    open_waves: frozenset[int]
    """The waves whose steps may begin: everything before them is done, and they are not."""

    @property
    def is_finished(self) -> bool:
        return self.done == self.total


def advance(plan: Plan, objects: Mapping[ObjectId, ManagedObject]) -> Advance:
    """Return how far the plan is. After a failure nothing new begins: a human will look first (DECISIONS 4).

    An object that failed before, and that the plan is yet to turn elsewhere, is no failure of the plan: so a process
    whose creation was refused can be killed, and an update may be the cure. An object that rests in its state of
    failures beside the plan holds up only the steps that come after it: of the machines of a lost host, one may be made
    elsewhere at once, and another waits for a person.
    """
    status = {step.object_id: status_of(step, plan, objects.get(step.object_id)) for step in plan.steps}
    unfinished_waves = {step.wave for step in plan.steps if status[step.object_id] is not StepStatus.DONE}
    after = {wave.number: wave.after for wave in plan.waves}
    before = {number: reached(after[number], after) for number in unfinished_waves}
    open_waves = frozenset(number for number, others in before.items() if unfinished_waves.isdisjoint(others))
    failures = [
        found
        for found in objects.values()
        if found.is_phase_failed and status.get(found.object_id) is not StepStatus.OPEN
    ]
    failed = tuple(found for found in failures if found.object_id in status or not roles.is_failing(found))
    may_begin = not failed and StepStatus.LOST not in status.values()
    begin = tuple(
        step
        for step in plan.steps
        if may_begin
        and status[step.object_id] is StepStatus.OPEN
        and step.wave in open_waves
        and all(_is_there(other, status, objects) for other in step.after)
    )
    moving = tuple(found for found in objects.values() if is_busy(found))
    done = sum(1 for found in status.values() if found is StepStatus.DONE)
    if not begin and not moving and done < len(plan.steps):
        failed = tuple(failures)
    return Advance(
        begin=begin,
        moving=moving,
        failed=failed,
        lost=tuple(objects[step.object_id] for step in plan.steps if status[step.object_id] is StepStatus.LOST),
        done=done,
        total=len(plan.steps),
        status=status,
        open_waves=open_waves,
    )


def status_of(step: Step, plan: Plan, found: ManagedObject | None) -> StepStatus:
    """Return how far one step has come.

    An object that should be there and is not listed any more has ended, and so has a newer one at its address since. An
    object that ended before its step began was on its way there already: a deletion that came to its end a moment
    before this plan would have turned it back, or a thing that vanished before it was removed.
    """
    if found is None:
        return StepStatus.OPEN if step.kind in (StepKind.MAKE, StepKind.ADOPT) else StepStatus.DONE
    has_ended = roles.has_ended(found)
    if found.plan_id != plan.plan_id and not has_ended:
        return StepStatus.OPEN
    if found.is_phase_failed:
        return StepStatus.FAILED
    if roles.is_failing(found):
        return StepStatus.LOST
    if found.state == step.target:
        return StepStatus.DONE
    return StepStatus.LOST if has_ended else StepStatus.MOVING


def not_under_way(
    operations: Sequence[Operation], plan: Plan, objects: Mapping[ObjectId, ManagedObject]
) -> tuple[Operation, ...]:
    """Return the operations that a later sweep asks for and that are no part of the unfinished work of `plan`.

    A resource that the plan has finished may drift like any other: an opened port must not wait for a slow neighbour.
    """
    status = {step.object_id: status_of(step, plan, objects.get(step.object_id)) for step in plan.steps}
    unfinished = {object_id for object_id, found in status.items() if found is not StepStatus.DONE}
    # A begun operation is known by its object: another one at its address means that it was lost on its way.
    known = {
        (found.verb, found.logical_id) for found in plan.operations if status.get(found.object_id) is StepStatus.OPEN
    }
    return tuple(
        found
        for found in operations
        if (found.verb, found.logical_id) not in known and found.object_id not in unfinished
    )


def is_busy(found: ManagedObject) -> bool:
    """Whether any phase of the object still runs, waits or sleeps; also one of the state that it left by a failure."""
    return any(
        entry.status in _BUSY
        for entry in found.phases.values()
        if entry.is_open and (entry.state == found.state or entry.status in IN_FLIGHT)
    )


def _is_there(
    object_id: ObjectId, status: Mapping[ObjectId, StepStatus], objects: Mapping[ObjectId, ManagedObject]
) -> bool:
    """Whether an object that a step comes after has reached its target (or is no more)."""
    if object_id in status:
        return status[object_id] is StepStatus.DONE
    found = objects.get(object_id)
    return found is None or (found.is_settled and not roles.is_failing(found))


class WakeFilter:
    """The part of a plan that one pass of a job has left. Not thread-safe."""

    def __init__(self, plan: Plan, where: Advance) -> None:
        self._wave_of = {step.object_id: step.wave for step in plan.steps}
        self._moving: dict[int, set[ObjectId]] = {}
        self._by_name: set[ObjectId] = set()
        for step in plan.steps:
            status = where.status[step.object_id]
            if status is StepStatus.MOVING:
                self._moving.setdefault(step.wave, set()).add(step.object_id)
            elif status is StepStatus.OPEN and step.wave in where.open_waves:
                self._by_name.update(other for other in step.after if where.status.get(other) is not StepStatus.DONE)

    def should_wake(self, object_ids: Iterable[ObjectId]) -> bool:
        """Whether a pass over the job is worth it, now that these objects have reached their targets, or failed."""
        is_worth_it = False
        for object_id in object_ids:
            wave = self._wave_of.get(object_id)
            if wave is None or object_id in self._by_name:
                is_worth_it = True
            moving = self._moving.get(wave, set()) if wave is not None else set()
            if object_id in moving:
                moving.remove(object_id)
                is_worth_it = is_worth_it or not moving
        return is_worth_it


def unproven_changes(plan: Plan, planning: Planning) -> tuple[Operation, ...]:
    """The operations of a plan whose changes a later planning asks for again."""
    changed = {step.object_id for step in plan.steps if step.kind is StepKind.CHANGE}
    asked_again: dict[str, set[str]] = {}
    for operation in (*planning.plan.operations, *planning.drift):
        asked_again.setdefault(operation.object_id, set()).update(change.path for change in operation.changes)
    return tuple(
        operation
        for operation in plan.operations
        if operation.object_id in changed
        and any(change.path in asked_again.get(operation.object_id, ()) for change in operation.changes)
    )


def unproven_message(unproven: Sequence[Operation]) -> str:
    """The message about changes that the provider accepted and does not show; empty without any."""
    if not unproven:
        return ""
    told = ", ".join(
        f"{operation.logical_id} ({', '.join(change.path for change in operation.changes)})" for operation in unproven
    )
    return f"the provider accepted the change of {told} and does not show it"
