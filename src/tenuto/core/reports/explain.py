"""The explanation of each resource: its state, its reason and its wait, as lines of text.

Three sources, told in the order in which they answer a reader's question: the state and the phases of the incarnations
(the present), the operations that the next job would plan (the future), and the waits of planning.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from tenuto.core.planning.intents import command_that_goes_on
from tenuto.core.reports.explain_phases import (
    IsLoaded,
    every_phase_is_loaded,
    of_phase,
    of_upkeep,
    seconds_text,
    unloaded_message,
    unloaded_phases,
    way_without,
)
from tenuto.core.reports.unknown_things import unknown_text
from tenuto.lifecycles.roles import is_failing, is_to_stand
from tenuto.model.command import Command, ProcessState
from tenuto.model.composition import Composition, Declaration
from tenuto.model.ids import Instant, LogicalId, ObjectId, PhysicalId
from tenuto.model.marked import MarkedThing
from tenuto.model.phase_map import PhaseStatus
from tenuto.model.plan import Operation, Planning
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto.model.verb import WaitKind

_TOLD_BY_PHASES = frozenset({WaitKind.PHASE, WaitKind.FAILED})
_DONE = frozenset({PhaseStatus.COMPLETED, PhaseStatus.CANCELED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Lines about the process as a whole, and about each of its resources in the order of the composition."""

    process: tuple[str, ...]
    resources: Mapping[LogicalId, tuple[str, ...]]


def explain(
    process: Process,
    composition: Composition | None,
    objects: Sequence[ManagedObject],
    planning: Planning | None,
    now: Instant,
    is_loaded: IsLoaded = every_phase_is_loaded,
    *,
    duplicates: Mapping[ObjectId, tuple[PhysicalId, ...]] | None = None,
    unknown_things: Sequence[MarkedThing] = (),
    notes: Mapping[ObjectId, str] | None = None,
) -> Explanation:
    """Explain a process. `planning` is that of the next job, None when that is not known now. Without a `composition`,
    as of a process that ends, nothing is said about declarations.

    `duplicates` are the things that repeated creations made beside objects. `unknown_things` carry marks of the
    process, and no object is known for them. `notes` are the words of the last sweeps about objects that are ready.
    """
    noted = notes or {}
    doubled = duplicates or {}
    declared = {one.logical_id: one for one in composition.resources} if composition else {}
    incarnations = _by_address(objects)
    ready = frozenset(one.logical_id for one in objects if one.is_settled and is_to_stand(one))
    expected = _Expected(planning, _next_job(process)) if planning else None
    return Explanation(
        process=(*_of_process(process, planning, now), *_of_unknown(process, unknown_things)),
        resources={
            logical_id: (
                *(
                    _of_declaration(declared.get(logical_id), incarnations.get(logical_id, ()), ready)
                    if composition
                    else ()
                ),
                *(
                    line
                    for one in incarnations.get(logical_id, ())
                    for line in _of_object(one, process, now, is_loaded)
                ),
                *(
                    f"The last sweep says: {noted[one.object_id]}."
                    for one in incarnations.get(logical_id, ())
                    if one.object_id in noted
                ),
                *(
                    duplicate_line(one, name)
                    for one in incarnations.get(logical_id, ())
                    for name in doubled.get(one.object_id, ())
                ),
                *(expected.of(logical_id) if expected else ()),
            )
            for logical_id in dict.fromkeys([*declared, *incarnations])
        },
    )


def _of_process(process: Process, planning: Planning | None, now: Instant) -> Iterable[str]:
    yield _of_state(process, now)
    if process.last_message:
        yield f"The last job said: {process.last_message}"
    if process.intent.waiting is not None:
        yield f"The next job serves the command '{process.intent.waiting}'."
    if planning is None:
        return
    if planning.held:
        yield f"The plan is held: {planning.held}"
    counts = [f"{number} {verb}" for verb, number in planning.plan.summary.items() if number and verb != "unchanged"]
    if counts:
        yield f"{_next_job(process)} would do: {', '.join(counts)}."
    elif planning.is_converged:
        yield "There is nothing to do: no resource needs a change."
    yield from (wait.message for wait in planning.waits if wait.logical_id is None)


def _of_unknown(process: Process, things: Sequence[MarkedThing]) -> Iterable[str]:
    if things:
        name = process.alias or process.fid
        yield f"{unknown_text(len(things))} 'tenuto doctor {name}' lists them."


def duplicate_line(found: ManagedObject, duplicate: PhysicalId) -> str:
    """The sentence about a duplicate beside a resource, with the moment of its deletion."""
    then = "before the resource is next changed or deleted" if found.is_settled else "before the resource is ready"
    return f"A creation that was carried out twice made {duplicate} beside {found.physical_id}: it is deleted {then}."


def _of_state(process: Process, now: Instant) -> str:
    match process.state:
        case ProcessState.SUSPENDED if command_that_goes_on(process) is Command.KILL:
            return (
                "Suspended in the middle of its kill: nothing is deleted. 'kill' goes on with it, 'resume' cancels it."
            )
        case ProcessState.SUSPENDED:
            return "Suspended: no jobs, nothing is made, changed or deleted. 'resume' goes on, 'kill' takes it down."
        case ProcessState.KILLING:
            return "Killing: every job deletes the resources that are left. 'suspend' pauses the kill."
        case ProcessState.RUNNING if process.releasing is not None:
            return "Running, being released: every job takes its marks off resources, which stay as they are."
        case ProcessState.GONE:
            return "Gone: it was taken down or released; its history stays readable."
        case ProcessState.RUNNING if not process.is_enforced_at(now):
            until = process.enforcement_until
            back = f" It comes back in {seconds_text(until - now)}." if until is not None else ""
            return f"Running, enforcement off: updates apply, drift is reported and left alone.{back}"
        case ProcessState.RUNNING:
            return "Running: every job holds the resources to the composition."


def _next_job(process: Process) -> str:
    """The name of the job whose plan is told: a Suspended process has no next job before a user resumes it."""
    return "'resume'" if process.state is ProcessState.SUSPENDED else "The next job"


def _of_declaration(
    declaration: Declaration | None, incarnations: Sequence[ManagedObject], ready: frozenset[LogicalId]
) -> Iterable[str]:
    if declaration is None:
        yield "Not declared by the composition (any more)."
        return
    if not incarnations:
        yield "Declared, and not made yet."
    missing = [name for name in declaration.depends_on if name not in ready]
    if missing and not any(one.is_settled for one in incarnations):
        yield f"It depends on {', '.join(missing)}, not ready yet."


def _of_object(one: ManagedObject, process: Process, now: Instant, is_loaded: IsLoaded) -> Iterable[str]:
    name = f"{one.physical_id or 'no id yet'}, incarnation {one.incarnation}"
    told = [
        entry
        for entry in sorted(one.phases.values(), key=lambda entry: entry.phase)
        if entry.status is PhaseStatus.FAILED
        or (entry.state == one.state and entry.status not in _DONE and entry not in one.upkeep)
    ]
    is_there = one.state == one.target
    way = "" if one.is_settled else " with phases to run" if is_there else f" on the way to {one.target}"
    # The message of an object on its way is that of a phase, and told with it.
    message = f" {one.message}" if one.message and not told else ""
    yield f"{one.state}{way} ({name}).{message}"
    for entry in told:
        yield from of_phase(entry, process, now, one.state, is_loaded)
    for entry in one.upkeep:
        yield of_upkeep(entry, process, now, is_loaded)
    if is_failing(one):
        yield _of_failure(one, process)
    for phase in unloaded_phases(one, is_loaded):
        yield f"{unloaded_message(phase)}. {way_without(process, one)}"
    if told and one.mandate != process.mandate and process.intent.waiting is not None:
        yield f"It rests until '{process.intent.waiting}' is planned: that may take back what it was doing."


def _of_failure(one: ManagedObject, process: Process) -> str:
    """The sentence about an object that took the edge of a failure, and the next step."""
    if not one.is_settled:
        return f"It failed, and its type cleans up after that before it goes to {one.target}."
    if not one.is_phase_failed:
        return f"It failed, and its failure is acknowledged: {_planned(process)} replaces or deletes it."
    return f"It failed, and is kept so that you can examine it. {_acknowledgement(one, process)}"


def _planned(process: Process) -> str:
    """The plan that speaks of it next: a Suspended process has none before a command."""
    if process.state is not ProcessState.SUSPENDED:
        return "the next plan"
    return f"'tenuto {command_that_goes_on(process)} {process.alias or process.fid}'"


def _acknowledgement(one: ManagedObject, process: Process) -> str:
    """The commands that acknowledge the failure, and the effect of each."""
    name = process.alias or process.fid
    if command_that_goes_on(process) is not Command.KILL:
        is_planned = process.state is not ProcessState.SUSPENDED
        retry = f"'tenuto retry {name} {one.logical_id}' or " if is_planned else ""
        return f"{retry}'tenuto resume {name}' acknowledges that: then it is replaced. 'tenuto kill {name}' deletes it."
    if process.state is ProcessState.KILLING:
        return f"Once the process is Suspended, 'tenuto kill {name}' acknowledges that: then it is deleted."
    return (
        f"'tenuto kill {name}' acknowledges that: then it is deleted. 'tenuto resume {name}' cancels the kill: then it "
        "is replaced."
    )


class _Expected:
    """The expectations of planning by address: the operations and the waits of the next job there."""

    def __init__(self, planning: Planning, next_job: str) -> None:
        self._operations = _by_address(planning.plan.operations)
        self._drift = _by_address(planning.drift)
        self._ignored = _by_address(planning.ignored)
        self._waits = _by_address(planning.waits)
        self._next_job = next_job

    def of(self, logical_id: LogicalId) -> Iterable[str]:
        waits = self._waits.get(logical_id, ())
        for operation in self._operations.get(logical_id, ()):
            yield f"{self._next_job} would {_of_operation(operation)}."
        is_fought = any(wait.kind in (WaitKind.FIGHT, WaitKind.IGNORED) for wait in waits)
        for operation in self._drift.get(logical_id, ()):
            why = "Held; otherwise" if is_fought else "Enforcement is off; with it on,"
            yield f"{why} the next job would {_of_operation(operation)}."
        for left in self._ignored.get(logical_id, ()):
            paths = ", ".join(change.path for change in left.changes)
            movers = ", ".join(left.moved_by)
            why = f"which {movers} may move" if movers else "which the composition ignores"
            yield f"It differs in {paths}, {why}: left as it is."
        for wait in waits:
            if wait.kind not in _TOLD_BY_PHASES:
                yield wait.message


class _Addressed(Protocol):
    @property
    def logical_id(self) -> LogicalId | None: ...


_A = TypeVar("_A", bound=_Addressed)


def _by_address(several: Iterable[_A]) -> dict[LogicalId, list[_A]]:
    """The given values by the address that they are about."""
    found: dict[LogicalId, list[_A]] = {}
    for one in several:
        if one.logical_id is not None:
            found.setdefault(one.logical_id, []).append(one)
    return found


def _of_operation(operation: Operation) -> str:
    paths = ", ".join(change.path for change in operation.changes)
    reason = operation.reason.rstrip(".")
    what = f"{operation.verb} it" + (f" ({paths})" if paths else "")
    return f"{what}: {reason}" if reason else what
