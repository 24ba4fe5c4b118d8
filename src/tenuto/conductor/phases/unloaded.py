"""Records of the phases that objects wait in although their plugin is not loaded."""

from collections.abc import Iterable

from tenuto.core.phases.entries import phase_activity
from tenuto.core.reports.unloaded import IsLoaded, unloaded_phases
from tenuto.model.ids import PhaseName
from tenuto.model.phase_map import PhaseActivity, PhaseDefinition
from tenuto.model.resource import ManagedObject
from tenuto.ports.conductor import PhaseRecord


def unloaded_records(objects: Iterable[ManagedObject], is_loaded: IsLoaded) -> tuple[PhaseRecord, ...]:
    """One record for each such phase, by name."""
    waiting: dict[PhaseName, list[ManagedObject]] = {}
    for found in objects:
        for phase in unloaded_phases(found, is_loaded):
            waiting.setdefault(phase, []).append(found)
    return tuple(_record(phase, waiting[phase]) for phase in sorted(waiting))


def _record(phase: PhaseName, waiting: list[ManagedObject]) -> PhaseRecord:
    entries = [found.phases[phase] for found in waiting]
    _, counts = phase_activity(entries)
    definition = PhaseDefinition(
        name=phase,
        states=tuple(sorted({entry.state for entry in entries})),
        types=tuple(sorted({found.type for found in waiting})),
    )
    return PhaseRecord(
        definition=definition,
        activity=PhaseActivity.INACTIVE,
        counts=counts,
        is_loaded=False,
        processes=tuple(dict.fromkeys(found.fid for found in waiting if found.fid is not None)),
    )
