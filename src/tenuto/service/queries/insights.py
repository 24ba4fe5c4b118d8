"""The detailed views: one resource property by property, a process as a graph and as a timeline, the objects in a
phase, rates, sweeps, and the meaning of an id. Nothing here changes anything or calls a provider.
"""

from collections.abc import Callable
from dataclasses import dataclass

from tenuto.core.planning.comparing.references import Addresses
from tenuto.core.reports.explain import explain
from tenuto.errors import NotFoundError
from tenuto.kit.nearest import meant
from tenuto.model.composition import Composition, Declaration
from tenuto.model.ids import Fid, Instant, JsonMap, LogicalId
from tenuto.model.phase_map import PhaseStatus
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto.ports.clock import Clock
from tenuto.ports.conductor import Conductor
from tenuto.ports.marks import Marks
from tenuto.ports.sights import Sights
from tenuto.ports.store import Store
from tenuto.service.common.finding import any_process, live_process
from tenuto.service.queries.evaluated import evaluated_properties, surroundings
from tenuto.service.queries.findings import findings_document
from tenuto.service.queries.phase_page import PhasePageQuery, phase_document
from tenuto.service.queries.resource_page import ResourceQuery, resources_document
from tenuto.service.views.graph_view import GraphQuery, graph_document
from tenuto.service.views.process_view import ResourceView, resource_views
from tenuto.service.views.properties_view import PropertiesView, properties_document
from tenuto.service.views.rates_view import rates_document, sweeps_document
from tenuto.service.views.request_view import DEFAULT_FACTS, request_document
from tenuto.service.views.timeline_view import timeline_document

DEFAULT_ENTRIES = 50
MOST_ENTRIES = 1000
_OVER = (PhaseStatus.COMPLETED, PhaseStatus.CANCELED)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Whole:
    """A process with its composition and its objects."""

    process: Process
    composition: Composition | None
    objects: tuple[ManagedObject, ...]


class Insights:
    """Every method may raise NotFoundError and StoreError. Thread-safe."""

    def __init__(self, *, store: Store, clock: Clock, conductor: Conductor, marks: Marks, sights: Sights) -> None:
        self._store = store
        self._clock = clock
        self._conductor = conductor
        self._marks = marks
        self._sights = sights

    def properties(self, reference: str, logical_id: str) -> JsonMap:
        """Return one resource property by property: declared, live, last applied, and the verdict of Tenuto."""
        whole = self._whole(reference)
        declared = {one.logical_id: one for one in whole.composition.resources} if whole.composition else {}
        addresses = Addresses.of(whole.objects)
        name = LogicalId(logical_id)
        if name not in declared and not addresses.by_logical_id.get(name):
            known = sorted({*declared, *addresses.by_logical_id})
            shown = whole.process.alias or whole.process.fid
            raise NotFoundError(
                f"Process {shown} has no resource {logical_id}.{meant(logical_id, known)} "
                f"'tenuto status {shown}' lists its resources."
            )
        current = addresses.shown(name)
        type_name = current.type if current else declared[name].type
        declaration = declared.get(name)
        return properties_document(
            PropertiesView(
                process=whole.process,
                composition=whole.composition,
                declaration=declaration,
                evaluated=_evaluated(whole, declaration) if declaration else {},
                current=current,
                incarnations=tuple(addresses.by_logical_id.get(name, ())),
                sight=self._sights.sight(current) if current else None,
                type=self._conductor.types(whole.process.provider).get(type_name),
                type_name=type_name,
                now=self._clock.now(),
            )
        )

    def resources(self, reference: str, query: ResourceQuery) -> JsonMap:
        """Return the resources of a process a page at a time. Raises UserError for a sort that there is not."""
        whole = self._whole(reference)
        document = resources_document(self._views(whole), whole.composition, self._marked(whole), query)
        return {"fid": whole.process.fid, "alias": whole.process.alias, **document}

    def explained(self, reference: str, logical_id: str) -> tuple[str, ...]:
        """Return why a resource is as it is, from the store alone. Unlike `Queries.explain` it makes no plan, and so
        calls no provider: a page that is open asks again and again."""
        whole = self._whole(reference)
        told = explain(
            whole.process,
            None if whole.process.is_leaving else whole.composition,
            whole.objects,
            None,
            self._clock.now(),
            self._conductor.is_loaded,
            duplicates=self._marks.duplicates(whole.objects),
            notes=self._sights.notes(whole.objects),
        )
        return told.resources.get(LogicalId(logical_id), ())

    def graph(self, reference: str, query: GraphQuery) -> JsonMap:
        """Return the resources of a process as boxes in layers, with the edges between them."""
        whole = self._whole(reference)
        return graph_document(whole.process, whole.composition, self._views(whole), self._marked(whole), query)

    def timeline(self, reference: str, *, before: Instant | None = None, limit: int = DEFAULT_ENTRIES) -> JsonMap:
        """Return commands, jobs and drift of a process in one list, the newest first; also of one that is gone."""
        process = any_process(self._store, reference)
        return timeline_document(self._store, process, before=before, limit=max(1, min(limit, MOST_ENTRIES)))

    def rates(self, is_seen: Callable[[str], bool] = lambda _: True) -> JsonMap:
        """Return the level and the pace of every API that was called, in accounts that the reader may see."""
        return rates_document(self._store.rates(), self._conductor.types(), self._clock.now(), is_seen)

    def sweeps(self, is_seen: Callable[[str], bool] = lambda _: True) -> JsonMap:
        """Return how old the last sweep of each source is, in accounts that the reader may see."""
        return sweeps_document(self._sights.sweeps(), self._clock.now(), is_seen)

    def phase_objects(self, query: PhasePageQuery, is_seen: Callable[[Fid | None], bool] = lambda _: True) -> JsonMap:
        """Return the objects that a phase still has to do with, a page at a time: the failed ones first, then the
        oldest. Raises UserError."""
        name = query.phase
        records = self._conductor.phases()
        record = next((one for one in records if one.definition.name == name), None)
        if record is None:
            guess = meant(name, [one.definition.name for one in records])
            raise NotFoundError(f"There is no phase {name}.{guess} 'tenuto phases' lists them.")
        is_open = any(record_count for status, record_count in record.counts.items() if status not in _OVER)
        return phase_document(self._store, query, is_seen, is_empty=not is_open, fids=record.processes)

    def request(
        self,
        request: str,
        *,
        limit: int = DEFAULT_FACTS,
        is_seen: Callable[[Fid | None], bool] = lambda _: True,
        sees_object: Callable[[ManagedObject], bool] = lambda _: True,
    ) -> JsonMap:
        """Return the effects of an API request, by its id."""
        return request_document(self._store, request, limit=limit, is_seen=is_seen, sees_object=sees_object)

    def find(self, text: str, is_seen: Callable[[Fid | None], bool] = lambda _: True) -> JsonMap:
        """Return the meaning of a name or an id: a process, a resource, an operation; or that nothing here has it."""
        return findings_document(self._store, self._marks, text.strip(), is_seen)

    def _views(self, whole: _Whole) -> tuple[ResourceView, ...]:
        return resource_views(
            whole.composition,
            whole.objects,
            {},
            is_killing=whole.process.is_leaving,
            is_loaded=self._conductor.is_loaded,
            duplicates=self._marks.duplicates(whole.objects),
            notes=self._sights.notes(whole.objects),
        )

    def _marked(self, whole: _Whole) -> dict[str, str]:
        """The resources that drifted or are held: no phase of theirs tells that, while none is open."""
        fid = whole.process.fid
        busy = {one.logical_id for one in whole.objects if one.is_phase_failed or not one.is_settled}
        drifted = {str(one.logical_id): "drift" for one in self._store.drifts(fid) if one.logical_id not in busy}
        return drifted | {str(one.logical_id): "held" for one in self._store.flips(fid) if one.held_at is not None}

    def _whole(self, reference: str) -> _Whole:
        process = live_process(self._store, reference)
        return _Whole(
            process=process,
            composition=self._store.composition(process.composition_digest),
            objects=self._store.objects(process.fid),
        )


def _evaluated(whole: _Whole, declaration: Declaration) -> JsonMap:
    """The declared properties, from the store alone: an open page asks again and again, and calls no provider."""
    return evaluated_properties(declaration, surroundings(whole.process, whole.objects, context=None))
