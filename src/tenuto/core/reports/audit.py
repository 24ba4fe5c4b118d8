"""The doctor of stored state: every invariant of objects and plans as one small check.

It runs over the objects that a plan is about and over the plan itself before the plan is accepted, over the objects at
rest in every stateful test and simulated history, and over the whole store behind `tenuto doctor`. A check never
repairs: it names the fault and the object that has it, and tells what to do (`audit_codes`).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from tenuto.core.phases.attempts import contradiction
from tenuto.core.planning.comparing.order import circles
from tenuto.core.reports import audit_codes as codes
from tenuto.lifecycles.table import Lifecycle
from tenuto.model.command import ProcessState
from tenuto.model.diagnostic import Diagnostic, Severity
from tenuto.model.ids import Instant, LogicalId, ObjectId
from tenuto.model.phase_map import PhaseStatus
from tenuto.model.plan import Plan, StepKind
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject, is_told_by_service

_OPEN = frozenset(PhaseStatus) - {PhaseStatus.COMPLETED, PhaseStatus.CANCELED}
_BIRTHS = frozenset({StepKind.MAKE, StepKind.ADOPT})
"""The steps that insert an object."""
_Waiting = ObjectId | tuple[str, int]
"""The step of an object, or the beginning or the end of a wave."""
AHEAD_S = 300.0
"""Times this far ahead are wrong. Less is the difference between the clocks of two machines."""


def refusals(
    process: Process, plan: Plan, objects: Iterable[ManagedObject], lifecycles: Mapping[str, Lifecycle]
) -> tuple[Diagnostic, ...]:
    """The errors for which a plan must not be accepted: its own, and those of the objects at its addresses.

    A fault elsewhere in the process does not keep the rest of it from being repaired.
    """
    known = tuple(objects)
    addresses = {step.logical_id for step in plan.steps}
    concerned = [one for one in known if one.logical_id in addresses]
    found = (*audit_plan(plan, known, name_of(process)), *audit_objects(process, concerned, lifecycles))
    return tuple(one for one in found if one.severity is Severity.ERROR)


def refused_message(found: Sequence[Diagnostic]) -> str:
    """The last message of a process whose plan was refused."""
    first = found[0]
    more = f" {len(found) - 1} more like that." if len(found) > 1 else ""
    return (
        f"Tenuto refuses its own plan and changes nothing. {first.code} {first.summary}: {first.subject}: "
        f"{first.detail.rstrip('.')}.{more} {first.hint}"
    )


def name_of(process: Process | None) -> str:
    """The name of a process in commands."""
    return (process.alias or process.fid) if process is not None else "PROCESS"


def audit_objects(
    process: Process | None, objects: Iterable[ManagedObject], lifecycles: Mapping[str, Lifecycle]
) -> tuple[Diagnostic, ...]:
    """The faults of the stored objects of one process."""
    found = tuple(objects)
    name = name_of(process)
    problems: list[Diagnostic] = []
    for one in found:
        problems += _audit_object(one, lifecycles, name)
    live = [one for one in found if not _is_final(one, lifecycles)]
    if process is not None and process.state is ProcessState.GONE and live:
        names = ", ".join(one.logical_id for one in live)
        problems.append(codes.LIVE_WITHOUT_PROCESS.found(process.fid, f"still live: {names}", process=process.fid))
    numbers = Counter((one.logical_id, one.incarnation) for one in found)
    for (logical_id, number), count in sorted(numbers.items()):
        if count > 1:
            detail = f"{count} objects are incarnation {number}"
            problems.append(codes.DOUBLE_INCARNATION.found(logical_id, detail, process=name))
    named = [one for one in live if one.physical_id is not None and not is_told_by_service(one)]
    shared = Counter((one.type, one.physical_id) for one in named)
    for (type_name, physical_id), count in sorted(shared.items()):
        if count > 1:
            addresses = sorted({one.logical_id for one in live if one.physical_id == physical_id})
            detail = f"{count} live incarnations claim {type_name} {physical_id}"
            problems.append(codes.DOUBLE_OWNER.found(", ".join(addresses), detail, process=name))
    return tuple(problems)


def audit_times(process: Process, objects: Iterable[ManagedObject], now: Instant) -> tuple[Diagnostic, ...]:
    """The times of a process and its objects that are ahead of the clock."""
    name = name_of(process)
    latest = now + AHEAD_S
    problems: list[Diagnostic] = []
    # The creation is part of the identity of a process, so no start corrects it, and nothing waits for it.
    for field in ("updated_at", "converged_at", "unconverged_at", "suspended_at", "unenforced_at"):
        moment = getattr(process, field)
        if moment is not None and moment > latest:
            detail = f"{field} of the process is {moment - now:.0f} s ahead of the clock"
            problems.append(codes.FUTURE_TIME.found(name, detail, process=name))
    for one in objects:
        ahead = max(one.moved_at, one.touched_at)
        if ahead > latest:
            detail = f"incarnation {one.incarnation} was changed {ahead - now:.0f} s ahead of the clock"
            problems.append(codes.FUTURE_TIME.found(one.logical_id, detail, process=name))
    return tuple(problems)


def _is_final(one: ManagedObject, lifecycles: Mapping[str, Lifecycle]) -> bool:
    lifecycle = lifecycles.get(one.lifecycle)
    return lifecycle is not None and lifecycle.is_final(one.state)


def _audit_object(one: ManagedObject, lifecycles: Mapping[str, Lifecycle], process: str) -> list[Diagnostic]:
    lifecycle = lifecycles.get(one.lifecycle)
    if lifecycle is None or one.state not in {state.value for state in lifecycle.states}:
        detail = f"{one.state} of object {one.object_id} is no state of the lifecycle {one.lifecycle}"
        return [codes.UNKNOWN_STATE.found(one.logical_id, detail, process=process)]
    problems: list[Diagnostic] = []

    def note(check: codes.Check, detail: str) -> None:
        problems.append(check.found(one.logical_id, f"{detail} (object {one.object_id})", process=process))

    # An object that took the edge of a failure leaves failed phases behind, and runs that have not returned.
    left_behind = {PhaseStatus.FAILED, PhaseStatus.CANCELING} if one.target == lifecycle.failed else set()
    for name, entry in sorted(one.phases.items()):
        if entry.status in _OPEN - left_behind and entry.state != one.state:
            note(
                codes.PHASE_OF_OTHER_STATE,
                f"phase {name} of {entry.state} is {entry.status} although the object is in {one.state}",
            )
        if entry.started_at is not None and entry.ended_at is not None and entry.ended_at < entry.started_at:
            note(codes.ENDED_BEFORE_START, f"phase {name} ended before it started")
        if entry.status is PhaseStatus.SLEEPING and entry.wake_at is None:
            note(codes.NO_WAKE_TIME, f"phase {name} has no wake time")
        if wrong := contradiction(entry.act):
            note(codes.CONTRADICTORY_ATTEMPT, f"of the act of phase {name} the database tells that {wrong}")
    changes_there = one.state == lifecycle.change_at  # A change of it runs phases in the state where it rests.
    resting = lifecycle.is_final(one.state) or (one.state == one.target and not changes_there)
    if resting and any(entry.is_open and entry.status not in left_behind for entry in one.phases.values()):
        note(codes.OPEN_AT_REST, f"open phases in {one.state}")
    return problems


def audit_plan(plan: Plan, objects: Iterable[ManagedObject] | None, process: str = "") -> tuple[Diagnostic, ...]:
    """The problems of a plan; a plan with an error must not be accepted. `process` is its name in commands.

    `objects` are those that it was made from, None when that was some time ago: then only the plan itself is judged.
    """
    name = process or plan.fid
    problems: list[Diagnostic] = []
    counts = Counter(step.object_id for step in plan.steps)
    addresses_of = {step.object_id: step.logical_id for step in plan.steps}
    for object_id, count in counts.items():
        if count > 1:
            detail = f"{count} steps for object {object_id}"
            problems.append(codes.TWO_STEPS.found(addresses_of[object_id], detail, process=name))
    addresses = Counter(step.logical_id for step in plan.steps if step.kind in _BIRTHS)
    for logical_id, count in addresses.items():
        if count > 1:
            problems.append(codes.TWO_MAKES.found(logical_id, f"{count} creations", process=name))
    for operation in plan.operations:
        if operation.object_id not in counts:
            problems.append(codes.NO_STEP.found(operation.logical_id, operation.verb, process=name))
    numbers = {wave.number for wave in plan.waves}
    for wave in plan.waves:
        if not set(wave.after) <= numbers or any(other >= wave.number for other in wave.after):
            detail = f"wave {wave.number} comes after {', '.join(map(str, wave.after))}"
            problems.append(codes.WAVE_ORDER.found(f"wave {wave.number}", detail, process=name))
    for step in plan.steps:
        if step.wave not in numbers:
            problems.append(codes.NO_WAVE.found(step.logical_id, f"there is no wave {step.wave}", process=name))
    if objects is not None:
        problems += _audit_steps(plan, {one.object_id: one for one in objects}, counts, name)
    return (*problems, *_audit_removals(plan, name), *_audit_waits(plan, name))


def _audit_steps(
    plan: Plan, known: Mapping[ObjectId, ManagedObject], counts: Mapping[ObjectId, int], process: str
) -> list[Diagnostic]:
    problems: list[Diagnostic] = []
    for step in plan.steps:
        unknown = [other for other in step.after if other not in counts and other not in known]
        if unknown:
            detail = f"no object and no step has the id {', '.join(unknown)}"
            problems.append(codes.WAIT_FOR_NOTHING.found(step.logical_id, detail, process=process))
        if step.kind in _BIRTHS and step.object_id in known:
            detail = f"object {step.object_id} is stored already"
            problems.append(codes.MAKE_OF_EXISTING.found(step.logical_id, detail, process=process))
        if step.kind not in _BIRTHS and step.object_id not in known:
            detail = f"no object {step.object_id} is stored"
            problems.append(codes.CHANGE_OF_UNKNOWN.found(step.logical_id, detail, process=process))
    return problems


def _audit_waits(plan: Plan, process: str) -> list[Diagnostic]:
    """The steps that wait for themselves, round about: by name, or for a wave that is to be over first."""
    names = {step.object_id: step.logical_id for step in plan.steps}
    waits: dict[_Waiting, list[_Waiting]] = {}
    for wave in plan.waves:
        waits["begin", wave.number] = [("end", other) for other in wave.after]
        waits["end", wave.number] = [("begin", wave.number)]
    for step in plan.steps:
        waits[step.object_id] = [("begin", step.wave), *(other for other in step.after if other in names)]
        waits.setdefault(("end", step.wave), []).append(step.object_id)
    found: list[Diagnostic] = []
    for circle in circles(waits):
        told = sorted({names[one] for one in circle if not isinstance(one, tuple)})
        if told and (len(circle) > 1 or circle[0] in waits[circle[0]]):
            found.append(
                codes.ENDLESS_WAIT.found(told[0], f"each waits for another: {', '.join(told)}", process=process)
            )
    return found


def _audit_removals(plan: Plan, process: str) -> list[Diagnostic]:
    """A removal never comes before the removal of the things that were built on it, unless each was built on the other
    once.

    Several incarnations of one address may leave, and each was built on other things.
    """
    leaving = {step.object_id: step for step in plan.steps if step.kind in (StepKind.REMOVE, StepKind.RELEASE)}
    at: dict[LogicalId, list[ObjectId]] = {}
    for step in leaving.values():
        at.setdefault(step.logical_id, []).append(step.object_id)
    below = {
        step.object_id: [other for address in step.depends_on for other in at.get(address, ())]
        for step in leaving.values()
    }
    circle_of = {object_id: number for number, circle in enumerate(circles(below)) for object_id in circle}
    return [
        codes.REMOVED_TOO_EARLY.found(leaving[other].logical_id, f"{step.logical_id} stands on it", process=process)
        for step in leaving.values()
        for other in below[step.object_id]
        if circle_of[other] != circle_of[step.object_id]
        if step.object_id not in leaving[other].after
    ]
