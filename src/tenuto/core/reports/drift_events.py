"""The event that tells of a drift: what was found, and what Tenuto does about it.

It is stored in the commit that acts on the planning, together with the drift itself. So a drift is told exactly once,
whenever a Conductor dies, and a planning that nothing comes of (a dry run, one that lost against a command) tells
nothing.
"""

from tenuto.model.drift import Drift, DriftKind
from tenuto.model.event import Event, EventType
from tenuto.model.ids import Instant
from tenuto.model.job import CONDUCTOR
from tenuto.model.plan import Planning, WaitKind
from tenuto.model.process import Process

_HOLDS = frozenset({WaitKind.FIGHT, WaitKind.IGNORED})


def drift_events(process: Process, planning: Planning, now: Instant) -> tuple[Event, ...]:
    """One event for each drift of which a planning has news."""
    return tuple(_event(process, planning, drift, now) for drift in planning.news.found)


def _event(process: Process, planning: Planning, drift: Drift, now: Instant) -> Event:
    is_corrected, what_follows = _what_follows(process, planning, drift)
    return Event(
        at=now,
        type=EventType.DRIFT_FOUND,
        fid=process.fid,
        object_id=drift.object_id,
        subject=drift.logical_id,
        actor=CONDUCTOR,
        reason=f"{_what_was_found(drift)}, and no command asked for that. {what_follows}",
        data={
            "kind": drift.kind.value,
            "type": drift.type,
            "id": drift.physical_id,
            "paths": list(drift.paths),
            "corrected": is_corrected,
        },
    )


def _what_was_found(drift: Drift) -> str:
    """Names of properties and no values: one of them may be a secret."""
    name = drift.physical_id or drift.logical_id
    match drift.kind:
        case DriftKind.VANISHED:
            return f"{name} is gone from the provider"
        case DriftKind.BROKEN:
            return f"The provider reports {name} as failed"
        case DriftKind.CHANGED:
            return f"The provider shows {', '.join(drift.paths)} of {name} otherwise than declared"


def _what_follows(process: Process, planning: Planning, drift: Drift) -> tuple[bool, str]:
    """Whether the job of this planning corrects it, and what Tenuto does, as a sentence."""
    name = process.alias or process.fid
    if planning.held:
        return False, f"Tenuto holds the plan: 'tenuto plan {name}' shows it, 'tenuto resume {name}' approves it."
    waits = {wait.kind for wait in planning.waits if wait.logical_id == drift.logical_id}
    if WaitKind.ENFORCEMENT in waits:
        on = f"'tenuto property {name} enforcement --set on'"
        return False, f"Tenuto leaves it as it is, because enforcement is off: {on} corrects it."
    if waits & _HOLDS:
        return False, f"Tenuto holds the resource: 'tenuto explain {name} {drift.logical_id}' tells why."
    if any(operation.logical_id == drift.logical_id for operation in planning.plan.operations):
        return True, "Tenuto corrects it."
    return False, f"Its correction waits: 'tenuto explain {name} {drift.logical_id}' tells for what."
