"""A process as people and programs see it: in a list, and in detail with its resources and outputs."""

import shlex
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from tenuto.core.planning.comparing.references import Addresses
from tenuto.core.planning.failures import failed_entries, resumable_causes, upkeep_words, words_of
from tenuto.core.planning.intents import command_that_goes_on
from tenuto.core.reports.explain_phases import IsLoaded, every_phase_is_loaded, unloaded_message, unloaded_phases
from tenuto.core.reports.unconverged import Unconverged
from tenuto.lifecycles.roles import has_ended, is_failing, is_to_rest
from tenuto.model.command import Command, ProcessState
from tenuto.model.composition import Composition
from tenuto.model.ids import Json, JsonMap, LogicalId, ObjectId, PhaseName, PhysicalId, TypeName
from tenuto.model.job import Job
from tenuto.model.phase_map import PhaseEntry, PhaseStatus, kept_data
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto.service.common.values import masked, parameters_of, secret_names, shown_attributes, time_text

_TELLING = (
    PhaseStatus.FAILED,
    PhaseStatus.CANCELING,
    PhaseStatus.RUNNING,
    PhaseStatus.SLEEPING,
    PhaseStatus.WAITING,
    PhaseStatus.BLOCKED,
)
"""The statuses of phases in the order in which one of several stands for the resource: a failure, which needs a person,
comes first, and mere waiting last."""

AT_WORK = tuple(status.lower() for status in _TELLING[1:])
"""The status words of a resource that is under way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceView:
    """One address. `current` is the incarnation that stands there or was the last to, None before the first; `leaving`
    are the others that are not gone yet."""

    logical_id: LogicalId
    type: TypeName
    current: ManagedObject | None
    leaving: tuple[ManagedObject, ...] = ()
    drift: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    """Paths that differ and that the composition ignores."""
    unloaded: tuple[PhaseName, ...] = ()
    """Open phases of `current` whose plugin is not loaded."""
    duplicates: tuple[PhysicalId, ...] = ()
    """The things that a repeated creation made beside `current`, as long as it stands."""
    note: str = ""
    """The words of the last sweep about `current`, where it is ready and there are some."""

    @property
    def status(self) -> str:
        """One word: `ready`, `gone`, `planned`, or the most telling status of its phases, in lower case."""
        return status_of(self.current)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessView:
    """A process in detail."""

    process: Process
    composition: Composition | None = None
    resources: tuple[ResourceView, ...] = ()
    outputs: Mapping[str, Json] = field(default_factory=dict)
    unconverged: Unconverged | None = None
    unknown_things: int = 0
    """The number of real things carry its marks and are not known."""


def status_of(found: ManagedObject | None) -> str:
    """The status word of one incarnation."""
    if found is None:
        return "planned"
    statuses = {
        entry.status
        for entry in found.phases.values()
        if entry.state == found.state or entry.status is PhaseStatus.FAILED
    }
    if PhaseStatus.FAILED in statuses or is_failing(found):
        return "failed"
    if found.is_settled:
        return "gone" if has_ended(found) else "resting" if is_to_rest(found) else "ready"
    return next((status.lower() for status in _TELLING if status in statuses), "waiting")


def is_converged(process: Process) -> bool:
    """Whether the last job found nothing left to do, and no command came since."""
    return process.state is ProcessState.RUNNING and process.converged_at is not None and process.intent.waiting is None


def resource_views(
    composition: Composition | None,
    objects: Collection[ManagedObject],
    drift: Mapping[LogicalId, tuple[str, ...]],
    *,
    ignored: Mapping[LogicalId, tuple[str, ...]] | None = None,
    is_killing: bool = False,
    is_loaded: IsLoaded = every_phase_is_loaded,
    duplicates: Mapping[ObjectId, tuple[PhysicalId, ...]] | None = None,
    notes: Mapping[ObjectId, str] | None = None,
) -> tuple[ResourceView, ...]:
    """Every declared address in the order of the composition, then those that are only still there.

    Of a process that is killed: every address that ever had an incarnation, so that the gone ones can be counted.
    """
    declared = {one.logical_id: one.type for one in composition.resources} if composition else {}
    addresses = Addresses.of(objects)
    views = []
    for logical_id in dict.fromkeys([*declared, *addresses.by_logical_id]):
        incarnations = addresses.by_logical_id.get(logical_id, ())
        current = addresses.shown(logical_id)
        if current is None and is_killing:
            continue
        if current is not None and logical_id not in declared and has_ended(current):
            continue
        views.append(
            ResourceView(
                logical_id=logical_id,
                type=current.type if current else declared[logical_id],
                current=current,
                leaving=tuple(one for one in incarnations if one is not current and not has_ended(one)),
                drift=drift.get(logical_id, ()),
                ignored=(ignored or {}).get(logical_id, ()),
                unloaded=unloaded_phases(current, is_loaded) if current else (),
                duplicates=(duplicates or {}).get(current.object_id, ()) if current else (),
                note=(notes or {}).get(current.object_id, "") if current else "",
            )
        )
    return tuple(views)


def process_document(process: Process, unconverged: Unconverged | None = None, unknown_things: int = 0) -> JsonMap:
    """A process as one entry of a list. The answer to a command does not tell yet how the process is doing."""
    return {
        "fid": process.fid,
        "alias": process.alias,
        "account": process.partition.account,
        "region": process.partition.region,
        "state": process.state.value,
        "enforcement": process.is_enforced,
        "enforcement_until": time_text(process.enforcement_until),
        "lock": process.is_locked,
        "composition": {"name": process.composition_name, "digest": process.composition_digest},
        "created": time_text(process.created_at),
        "updated": time_text(process.updated_at),
        "ended": time_text(process.ended_at),
        "last_job": job_document(process.last_job) if process.last_job else None,
        "last_message": process.last_message or None,
        "next_command": _next_command(process),
        "goes_on_with": goes_on_with(process),
        "causes": list(process.causes),
        "resume_by_cause": resume_by_cause(process) or None,
        "converged": is_converged(process),
        "unconverged": _unconverged_document(unconverged) if unconverged else None,
        "unknown_things": unknown_things,
    }


def _unconverged_document(found: Unconverged) -> JsonMap:
    return {"since": time_text(found.since), "why": found.why.value, "message": found.message or None}


def _output_descriptions(composition: Composition | None) -> dict[str, str]:
    """The descriptions of the outputs that have one, by name."""
    return {one.name: one.description for one in (composition.outputs if composition else ()) if one.description}


def retried_document(process: Process, cleared: Mapping[LogicalId, int]) -> JsonMap:
    """The answer to a retry: the process, and how many phases were cleared of each resource."""
    return {**process_document(process), "cleared": {name: cleared[name] for name in sorted(cleared)}}


def goes_on_with(process: Process) -> str | None:
    """The command that goes on with the work of a Suspended process; None of any other."""
    return command_that_goes_on(process).value if process.state is ProcessState.SUSPENDED else None


def _next_command(process: Process) -> str | None:
    """The command that waits to be served; a release is served until the process is gone."""
    if process.intent.waiting is not None:
        return process.intent.waiting.value
    return Command.RELEASE.value if process.releasing is not None else None


def process_detail_document(view: ProcessView) -> JsonMap:
    """A process in detail."""
    secrets = secret_names(view.composition)
    return dict(process_document(view.process, view.unconverged, view.unknown_things)) | {
        "resources": {one.logical_id: _resource_document(one, secrets) for one in view.resources},
        "parameters": parameters_of(view.composition),
        "outputs": dict(view.outputs),
        "output_descriptions": _output_descriptions(view.composition),
    }


def job_document(job: Job) -> JsonMap:
    return {
        "id": job.job_id,
        "kind": job.kind.value,
        "command": job.command,
        "actor": job.actor or None,
        "request": job.request or None,
        "status": job.status.value,
        "message": job.message or None,
        "started": time_text(job.started_at),
        "finished": time_text(job.finished_at),
        "plan_id": job.plan_id,
        "plan_summary": dict(job.plan_summary),
    }


def _resource_document(view: ResourceView, secrets: Collection[str]) -> JsonMap:
    found = view.current
    if found is None:
        return {
            "type": view.type,
            "id": None,
            "incarnation": 0,
            "state": None,
            "target": None,
            "status": view.status,
            "message": None,
            "drift": [],
            "ignored_drift": [],
            "phase_failed": False,
            "phases": {},
            "attributes": {},
            "leaving": [],
            "duplicates": [],
        }
    return {
        "type": view.type,
        "id": found.physical_id,
        "incarnation": found.incarnation,
        "state": found.state,
        "target": found.target,
        "status": view.status,
        "message": view_message(view) or None,
        "drift": list(view.drift),
        "ignored_drift": list(view.ignored),
        "phase_failed": found.is_phase_failed,
        "phases": {
            name: _entry_document(found.phases[name], secrets, is_loaded=name not in view.unloaded)
            for name in sorted(found.phases)
        },
        "attributes": shown_attributes(found, secrets),
        "leaving": [
            {"id": one.physical_id, "incarnation": one.incarnation, "state": one.state, "status": status_of(one)}
            for one in view.leaving
        ],
        "duplicates": list(view.duplicates),
    }


def view_message(view: ResourceView) -> str:
    """The text that tells most about an address now: a missing plugin, the message of its incarnation, and the note of
    the last sweep."""
    said = resource_message(view.current) if view.current else ""
    return "; ".join(part for part in (*map(unloaded_message, view.unloaded), said, view.note) if part)


def resource_message(found: ManagedObject) -> str:
    """The text that tells most about an incarnation now: of its failed phase, of its state's phases, its own."""
    failed = failed_entries(found)
    if failed:
        return words_of(failed[0])
    if found.is_settled:
        return "; ".join(part for part in (found.message, upkeep_words(found)) if part)
    active = [
        one
        for one in found.phases.values()
        if one.state == found.state and one.message and one.status is not PhaseStatus.COMPLETED
    ]
    ordered = sorted(active, key=lambda one: (_rank(one.status), one.phase))
    return ordered[0].message if ordered else found.message


def _rank(status: PhaseStatus) -> int:
    return _TELLING.index(status) if status in _TELLING else len(_TELLING)


def _entry_document(entry: PhaseEntry, secrets: Collection[str], *, is_loaded: bool) -> JsonMap:
    return {
        "status": entry.status.value,
        "loaded": is_loaded,
        "state": entry.state,
        "message": entry.message or None,
        "code": entry.code or None,
        "request_id": entry.request_id or None,
        "started": time_text(entry.started_at),
        "ended": time_text(entry.ended_at),
        "wake": time_text(entry.wake_at),
        "attempt": entry.attempt,
        "runs": entry.runs,
        "upkeep": entry.is_upkeep,
        "failures": entry.failures,
        "data": masked(kept_data(entry), secrets),
    }


def resume_by_cause(process: Process) -> str:
    """The command that resumes the process with all others that its causes suspended; empty when none does."""
    options = " ".join(f"--cause {shlex.quote(cause)}" for cause in resumable_causes(process))
    return f"tenuto resume {options}" if options else ""
