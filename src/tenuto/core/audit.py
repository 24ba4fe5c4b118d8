"""The doctor of stored state: every invariant of objects and plans as one small check.

It runs in every stateful test, and in every history that the simulator plays: over the objects at rest, and over each
plan as it is stored. A Conductor does not run it; what it keeps from being stored is said in `storage.rules`. A check
never repairs: it says what is wrong, of what, and what that means.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

from tenuto.core.order import circles
from tenuto.lifecycles.table import Lifecycle
from tenuto.model.diagnostic import Diagnostic, Severity
from tenuto.model.ids import ObjectId
from tenuto.model.phase_map import PhaseStatus
from tenuto.model.plan import Plan, StepKind
from tenuto.model.process import Process, ProcessState
from tenuto.model.resource import ManagedObject

_OPEN = frozenset(PhaseStatus) - {PhaseStatus.COMPLETED, PhaseStatus.CANCELED}
_BIRTHS = frozenset({StepKind.MAKE, StepKind.ADOPT})
"""The steps that insert an object."""


def audit_objects(
    process: Process | None, objects: Iterable[ManagedObject], lifecycles: Mapping[str, Lifecycle]
) -> tuple[Diagnostic, ...]:
    """What is wrong with the stored objects of one process."""
    found = tuple(objects)
    problems: list[Diagnostic] = []
    for one in found:
        problems += _audit_object(one, lifecycles)
    live = [one for one in found if not lifecycles[one.lifecycle].is_final(one.state)]
    if process is not None and process.state is ProcessState.GONE and live:
        names = ", ".join(one.logical_id for one in live)
        problems.append(_problem("A001", "Resources of a process that is gone", process.fid, f"still live: {names}"))
    numbers = Counter((one.logical_id, one.incarnation) for one in found)
    for (logical_id, number), count in sorted(numbers.items()):
        if count > 1:
            detail = f"{count} objects are incarnation {number}"
            problems.append(_problem("A002", "One incarnation, several objects", logical_id, detail))
    shared = Counter((one.type, one.physical_id) for one in live if one.physical_id is not None)
    for (type_name, physical_id), count in sorted(shared.items()):
        if count > 1:
            detail = f"{count} live incarnations claim {type_name} {physical_id}"
            problems.append(_problem("A003", "One real thing, several owners", str(physical_id), detail))
    return tuple(problems)


def _audit_object(one: ManagedObject, lifecycles: Mapping[str, Lifecycle]) -> list[Diagnostic]:
    problems: list[Diagnostic] = []
    lifecycle = lifecycles[one.lifecycle]
    if one.state not in {state.value for state in lifecycle.states}:
        return [_problem("A004", "Unknown state", one.object_id, f"{one.state} is no state of {lifecycle.name}")]
    for name, entry in sorted(one.phases.items()):
        if entry.status in _OPEN and entry.state != one.state:
            detail = f"phase {name} of {entry.state} is {entry.status} although the object is in {one.state}"
            problems.append(_problem("A005", "An open phase of another state", one.object_id, detail))
        if entry.started_at is not None and entry.ended_at is not None and entry.ended_at < entry.started_at:
            detail = f"phase {name} ended before it started"
            problems.append(_problem("A006", "Time runs backwards", one.object_id, detail))
        if entry.status is PhaseStatus.SLEEPING and entry.wake_at is None:
            problems.append(_problem("A007", "Asleep for ever", one.object_id, f"phase {name} has no wake time"))
    resting = lifecycle.is_final(one.state) or one.is_settled
    if resting and any(entry.status in _OPEN for entry in one.phases.values()):
        problems.append(_problem("A008", "Work left at the end", one.object_id, f"open phases in {one.state}"))
    return problems


def audit_plan(plan: Plan, objects: Iterable[ManagedObject]) -> tuple[Diagnostic, ...]:
    """What is wrong with a plan; a plan with an error must not be accepted."""
    known = {one.object_id: one for one in objects}
    problems: list[Diagnostic] = []
    counts = Counter(step.object_id for step in plan.steps)
    for object_id, count in counts.items():
        if count > 1:
            problems.append(_problem("P001", "Two steps for one object", object_id, f"{count} steps"))
    addresses = Counter(step.logical_id for step in plan.steps if step.kind in _BIRTHS)
    for logical_id, count in addresses.items():
        if count > 1:
            problems.append(_problem("P002", "Two makes for one address", logical_id, f"{count} makes"))
    for operation in plan.operations:
        if operation.object_id not in counts:
            problems.append(_problem("P003", "An operation without a step", operation.logical_id, operation.verb))
    numbers = {wave.number for wave in plan.waves}
    for wave in plan.waves:
        if not set(wave.after) <= numbers or any(other >= wave.number for other in wave.after):
            problems.append(_problem("P004", "A wave out of order", str(wave.number), f"it comes after {wave.after}"))
    problems += _audit_steps(plan, known, counts)
    return (*problems, *_audit_removals(plan))


def _audit_steps(
    plan: Plan, known: Mapping[ObjectId, ManagedObject], counts: Mapping[ObjectId, int]
) -> list[Diagnostic]:
    problems: list[Diagnostic] = []
    for step in plan.steps:
        unknown = [other for other in step.after if other not in counts and other not in known]
        if unknown:
            problems.append(_problem("P005", "A wait for nothing", step.logical_id, f"unknown objects {unknown}"))
        if step.kind in _BIRTHS and step.object_id in known:
            problems.append(_problem("P006", "A make of what exists", step.logical_id, step.object_id))
        if step.kind not in _BIRTHS and step.object_id not in known:
            problems.append(_problem("P007", "A change of what does not exist", step.logical_id, step.object_id))
    return problems


def _audit_removals(plan: Plan) -> list[Diagnostic]:
    """A removal never comes before the removal of what was built on it, unless each was built on the other once."""
    leaving = [step for step in plan.steps if step.kind in (StepKind.REMOVE, StepKind.RELEASE)]
    at = {step.logical_id: step for step in leaving}
    built_on = {step.logical_id: [address for address in step.depends_on if address in at] for step in at.values()}
    circle_of = {address: number for number, circle in enumerate(circles(built_on)) for address in circle}
    return [
        _problem("P008", "Removed from under its dependants", address, f"{step.logical_id} stands on it")
        for step in leaving
        for address in step.depends_on
        if address in at and circle_of[address] != circle_of[step.logical_id]
        if step.object_id not in at[address].after
    ]


def _problem(code: str, summary: str, subject: str, detail: str) -> Diagnostic:
    return Diagnostic(severity=Severity.ERROR, code=code, summary=summary, detail=detail, subject=subject)
