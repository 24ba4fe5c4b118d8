"""The roll of phases: a record of each loaded phase, and of those that are not loaded and that objects are in."""

from collections.abc import Iterable, Sequence

from tenuto.core.phases.entries import phase_activity
from tenuto.core.phases.phase_set import PhaseSet
from tenuto.core.reports.explain_phases import IsLoaded, unloaded_phases
from tenuto.model.ids import PhaseName
from tenuto.model.phase_map import PhaseActivity, PhaseDefinition
from tenuto.model.resource import ManagedObject
from tenuto.ports.conductor import PhaseRecord


def loaded_records(phases: PhaseSet, objects: Sequence[ManagedObject]) -> tuple[PhaseRecord, ...]:
    """One record for each loaded phase, by name."""
    records: list[PhaseRecord] = []
    for name, definition in phases.definitions.items():
        entries = [found.phases[name] for found in objects if name in found.phases]
        activity, counts = phase_activity(entries)
        failing = sum(1 for entry in entries if entry.failures)
        records.append(PhaseRecord(definition=definition, activity=activity, counts=counts, failing=failing))
    return tuple(records)


def unloaded_records(objects: Iterable[ManagedObject], is_loaded: IsLoaded) -> tuple[PhaseRecord, ...]:
    """One record for each phase whose plugin is not loaded and that is not over for an object, by name."""
    waiting: dict[PhaseName, list[ManagedObject]] = {}
    for found in objects:
        for phase in sorted({*unloaded_phases(found, is_loaded), *(one.phase for one in found.upkeep)}):
            if not is_loaded(phase):
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
        processes=tuple(
            dict.fromkeys(found.fid for found in waiting if found.fid is not None and found.phases[phase].is_open)
        ),
    )
