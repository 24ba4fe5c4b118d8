"""The reason why a process is not converged, and since when: one word and one sentence.

Several things may be in the way at once. The one is told that a person must act on first: a failure before a hold, a
hold before a state that passes by itself. Of several objects in the same way the first is told, so the first of each
kind (`ObjectReads.open_objects`) says as much as all of them: a list of processes reads no more than these.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from tenuto.core.planning.comparing.messages import progress_message
from tenuto.core.planning.plan_progress import is_busy
from tenuto.core.reports.explain_phases import (
    IsLoaded,
    every_phase_is_loaded,
    unloaded_message,
    unloaded_phases,
    way_without,
)
from tenuto.model.command import ProcessState
from tenuto.model.ids import Instant
from tenuto.model.job import JobStatus
from tenuto.model.phase_map import PhaseEntry, PhaseStatus
from tenuto.model.plan import Wait
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject

_MOST_NAMES = 3
"""The number of names in a message; `status` and `explain` tell of each."""


class Why(StrEnum):
    FAILED = "failed"
    HELD = "held"
    SUSPENDED = "suspended"
    NO_PLUGIN = "no-plugin"
    DRIFT = "drift"
    THROTTLED = "throttled"
    WAITING = "waiting"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unconverged:
    since: Instant
    why: Why
    message: str


def unconverged(
    process: Process,
    objects: Sequence[ManagedObject],
    *,
    is_held: bool,
    has_drift: bool = False,
    is_loaded: IsLoaded = every_phase_is_loaded,
) -> Unconverged | None:
    """Return since when and why a process is not as declared; None when it is, or is gone. `is_held`: whether another
    writer sets any of its resources back. `has_drift`: whether a drift of any of them stands, set back or left alone.
    """
    if process.state is ProcessState.GONE:
        return None
    if process.converged_at is not None and process.intent.waiting is None and process.state is ProcessState.RUNNING:
        return None
    why, message = _why(process, objects, is_held=is_held, is_loaded=is_loaded)
    if why is Why.WAITING and has_drift:
        why, message = Why.DRIFT, message.removeprefix("for ")
    return Unconverged(since=_since(process), why=why, message=message)


def _since(process: Process) -> Instant:
    """A process that was converged when a command suspended it is unconverged from then on."""
    if process.unconverged_at is not None:
        return process.unconverged_at
    if process.state is ProcessState.SUSPENDED and process.suspended_at is not None:
        return process.suspended_at
    return process.updated_at


def waits_message(waits: Sequence[Wait]) -> str:
    """The reasons why planning waits, each once, with the resources that it is about."""
    names: dict[str, list[str]] = {}
    for wait in waits:
        about = names.setdefault(wait.message, [])
        if wait.logical_id is not None and not wait.message.startswith(wait.logical_id):
            about.append(wait.logical_id)
    return "; ".join(f"{_some(about)}: {message}" if about else message for message, about in names.items())


def _some(names: Sequence[str]) -> str:
    rest = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"{', '.join(names[:_MOST_NAMES])}{rest}"


def _why(process: Process, objects: Sequence[ManagedObject], *, is_held: bool, is_loaded: IsLoaded) -> tuple[Why, str]:
    failed = [found for found in objects if found.is_phase_failed]
    if failed:
        return Why.FAILED, _told(failed[0])
    if process.state is ProcessState.SUSPENDED:
        is_halted = process.last_job is not None and process.last_job.status is JobStatus.HALTED
        return (Why.HELD, process.last_message) if is_halted else (Why.SUSPENDED, "by command")
    for found in objects:
        for phase in unloaded_phases(found, is_loaded):
            return Why.NO_PLUGIN, f"{found.logical_id}: {unloaded_message(phase)}. {way_without(process, found)}"
    busy = [found for found in objects if is_busy(found)]
    throttled = [found for found in busy if any(_is_throttled(found, entry) for entry in found.phases.values())]
    if throttled:
        return Why.THROTTLED, _told(throttled[0])
    if busy:
        return Why.WAITING, f"for {_told(busy[0])}"
    if is_held:
        return Why.HELD, process.last_message
    if process.last_job is not None and process.last_job.status is JobStatus.FAILED:
        return (Why.THROTTLED if process.last_job.is_throttled else Why.FAILED), process.last_message
    return Why.WAITING, process.last_message or "for its next job"


def _told(found: ManagedObject) -> str:
    return f"{found.logical_id}: {progress_message(found)}"


def _is_throttled(found: ManagedObject, entry: PhaseEntry) -> bool:
    """Whether the provider put the call off because it takes no more of them: the provider says so itself."""
    is_asleep = entry.status is PhaseStatus.SLEEPING and entry.state == found.state
    return is_asleep and entry.act.is_throttled
