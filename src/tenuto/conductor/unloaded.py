"""Records of the phases that objects wait in although their plugin is not loaded."""

from collections.abc import Iterable, Mapping

from tenuto.core.entries import phase_activity
from tenuto.core.unloaded import IsLoaded, unloaded_phases
from tenuto.model.ids import Fid, PhaseName
from tenuto.model.phase_map import PhaseActivity, PhaseDefinition
from tenuto.model.resource import ManagedObject
from tenuto.ports.conductor import PhaseRecord


def unloaded_records(
    objects: Iterable[ManagedObject], is_loaded: IsLoaded, names: Mapping[Fid, str]
) -> tuple[PhaseRecord, ...]:
    """One record for each such phase, by name. `names` are those of the processes."""
    waiting: dict[PhaseName, list[ManagedObject]] = {}
    for found in objects:
        for phase in unloaded_phases(found, is_loaded):
            waiting.setdefault(phase, []).append(found)
    return tuple(_record(phase, waiting[phase], names) for phase in sorted(waiting))


def _record(phase: PhaseName, waiting: list[ManagedObject], names: Mapping[Fid, str]) -> PhaseRecord:
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
        processes=tuple(sorted({names[found.fid] for found in waiting if found.fid is not None})),
    )
