"""The tally of phases: the work of each phase on all objects, told to people.

Theory of operation. The pages and commands that show phases are asked again and again while many objects stand still,
and reading a hundred thousand of them takes a second. So each process has a tally of its own, which is made again when
a commit was about the process (`ports.touches`), and the answer is the sum of the tallies. Objects that belong to no
process are read each time that anything changed. A reload of the plugins throws everything away.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from threading import Lock

from tenuto.conductor.phases.plugins import Assembly
from tenuto.conductor.phases.reloading import LoadedPlugins
from tenuto.conductor.phases.unmet import KnownWords, warnings
from tenuto.core.phases.entries import activity_of
from tenuto.core.phases.phase_set import PhaseSet
from tenuto.core.reports.explain_phases import IsLoaded, unloaded_phases
from tenuto.model.ids import Fid, PhaseName
from tenuto.model.phase_map import PhaseActivity, PhaseDefinition
from tenuto.model.resource import ManagedObject
from tenuto.ports.conductor import PhaseRecord
from tenuto.ports.store import Store
from tenuto.ports.store_claims import ObjectQuery
from tenuto.ports.touches import Touches

_ALL = 10**9
_MOST_READ_ALONE = 200
"""More processes than this changed since the last question: everything is read again."""


class PhaseTally:
    """The records of all phases, with warnings where `known` words are given. Thread-safe. Raises StoreError when the
    store is away."""

    def __init__(
        self, *, store: Store, plugins: LoadedPlugins, touches: Touches, known: KnownWords | None = None
    ) -> None:
        self._store = store
        self._plugins = plugins
        self._touches = touches
        self._known = known
        self._lock = Lock()
        self._number = -1
        self._assembly: Assembly | None = None
        self._tallies: dict[Fid, tuple[PhaseRecord, ...]] = {}
        self._others: tuple[PhaseRecord, ...] = ()
        self._records: tuple[PhaseRecord, ...] = ()

    def records(self, is_seen: Callable[[Fid | None], bool] | None = None) -> tuple[PhaseRecord, ...]:
        """Every loaded phase as a whole, from the objects of all live processes and of none, and those not loaded.

        With `is_seen`, from the objects of those processes alone that a reader may see; None stands for no process.
        """
        with self._lock:
            everything = self._fresh()
            if is_seen is None:
                return self._warned(everything)
            tallies, others = dict(self._tallies), self._others
        seen = [one for fid, one in tallies.items() if is_seen(fid)]
        return self._warned(summed(self._plugins.phases, (*seen, others) if is_seen(None) else seen))

    def _warned(self, records: Sequence[PhaseRecord]) -> tuple[PhaseRecord, ...]:
        """The records with the warnings about the phases that are loaded."""
        if (known := self._known) is None:
            return tuple(records)
        told = warnings([one.definition for one in records if one.is_loaded], known)
        return tuple(replace(one, warnings=told.get(one.definition.name, ())) for one in records)

    def _fresh(self) -> tuple[PhaseRecord, ...]:
        touched = self._touches.since(max(self._number, 0))
        assembly = self._plugins.assembly
        is_anew = self._number < 0 or assembly is not self._assembly or not touched.is_whole
        if not is_anew and touched.number == self._number:
            return self._records
        live = {process.fid for process in self._store.processes()}
        if is_anew or len(touched.fids) > _MOST_READ_ALONE:
            self._tallies = {}
        fids = [fid for fid in sorted(live) if fid not in self._tallies or fid in touched.fids]
        found = {fid: self._tally(self._store.objects(fid)) for fid in fids}
        self._tallies = {fid: one for fid, one in {**self._tallies, **found}.items() if fid in live}
        self._others = self._tally(self._store.object_page(ObjectQuery(live=True, limit=_ALL)))
        self._records = summed(self._plugins.phases, (*self._tallies.values(), self._others))
        self._number, self._assembly = touched.number, assembly
        return self._records

    def _tally(self, objects: Sequence[ManagedObject]) -> tuple[PhaseRecord, ...]:
        def is_loaded(phase: PhaseName) -> bool:
            return self._plugins.handler(phase) is not None

        return (*loaded_records(self._plugins.phases, objects), *unloaded_records(objects, is_loaded))


def loaded_records(phases: PhaseSet, objects: Sequence[ManagedObject]) -> tuple[PhaseRecord, ...]:
    """One record for each loaded phase that objects have to do with, by name."""
    entries: dict[PhaseName, list[tuple[str, bool]]] = {}
    open_in: dict[PhaseName, list[Fid]] = {}
    for found in objects:
        for name, entry in found.phases.items():
            entries.setdefault(name, []).append((entry.status.value, bool(entry.failures)))
            if entry.is_open and found.fid is not None:
                open_in.setdefault(name, []).append(found.fid)
    return tuple(
        _record(
            phases.definitions[name],
            Counter(status for status, _ in entries[name]),
            sum(bad for _, bad in entries[name]),
            processes=open_in.get(name, ()),
        )
        for name in phases.definitions
        if name in entries
    )


def unloaded_records(objects: Iterable[ManagedObject], is_loaded: IsLoaded) -> tuple[PhaseRecord, ...]:
    """One record for each phase whose plugin is not loaded and that is not over for an object, by name."""
    waiting: dict[PhaseName, list[ManagedObject]] = {}
    for found in objects:
        for phase in sorted({*unloaded_phases(found, is_loaded), *(one.phase for one in found.upkeep)}):
            if not is_loaded(phase):
                waiting.setdefault(phase, []).append(found)
    return tuple(_unloaded(phase, waiting[phase]) for phase in sorted(waiting))


def _unloaded(phase: PhaseName, waiting: Sequence[ManagedObject]) -> PhaseRecord:
    entries = [found.phases[phase] for found in waiting]
    definition = PhaseDefinition(
        name=phase,
        states=tuple(sorted({entry.state for entry in entries})),
        types=tuple(sorted({found.type for found in waiting})),
    )
    fids = (found.fid for found in waiting if found.fid is not None and found.phases[phase].is_open)
    return _record(definition, Counter(entry.status.value for entry in entries), is_loaded=False, processes=fids)


def summed(phases: PhaseSet, tallies: Iterable[Sequence[PhaseRecord]]) -> tuple[PhaseRecord, ...]:
    """The records of all tallies together: every loaded phase, also one that no object is in, and then the others."""
    found: dict[tuple[bool, PhaseName], list[PhaseRecord]] = {}
    for tally in tallies:
        for record in tally:
            found.setdefault((record.is_loaded, record.definition.name), []).append(record)
    loaded = [_sum(one, found.get((True, name), ())) for name, one in phases.definitions.items()]
    missing = [
        _sum(
            PhaseDefinition(
                name=name,
                states=tuple(sorted({state for one in found[False, name] for state in one.definition.states})),
                types=tuple(sorted({type_ for one in found[False, name] for type_ in one.definition.types})),
            ),
            found[False, name],
            is_loaded=False,
        )
        for name in sorted(name for is_loaded, name in found if not is_loaded)
    ]
    return (*loaded, *missing)


def _sum(definition: PhaseDefinition, records: Sequence[PhaseRecord], *, is_loaded: bool = True) -> PhaseRecord:
    counts: Counter[str] = Counter()
    for one in records:
        counts.update(one.counts)
    return _record(
        definition,
        counts,
        sum(one.failing for one in records),
        is_loaded=is_loaded,
        processes=(fid for one in records for fid in one.processes),
    )


def _record(
    definition: PhaseDefinition,
    counts: Mapping[str, int],
    failing: int = 0,
    *,
    is_loaded: bool = True,
    processes: Iterable[Fid] = (),
) -> PhaseRecord:
    activity, ordered = activity_of(counts)
    return PhaseRecord(
        definition=definition,
        activity=activity if is_loaded else PhaseActivity.INACTIVE,
        counts=ordered,
        is_loaded=is_loaded,
        failing=failing,
        processes=tuple(dict.fromkeys(processes)),
    )
