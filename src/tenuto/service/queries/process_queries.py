"""The questions of people about processes. Nothing here changes anything."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from tenuto.compositions.checks.managed import others_of, through_of
from tenuto.core.access.accounts import check_listed, check_region
from tenuto.core.pacing.retention import complete_since
from tenuto.core.planning.bill import bill_of
from tenuto.core.planning.comparing.ignores import ignored_paths
from tenuto.core.planning.failures import blocked_message
from tenuto.core.reports.explain import Explanation, explain
from tenuto.core.reports.unconverged import Unconverged
from tenuto.errors import NotFoundError, ProviderError, UserError
from tenuto.kit.nearest import meant
from tenuto.kit.regions import LISTED, Regions, names_aws
from tenuto.model.account import DEFAULT_ACCOUNT
from tenuto.model.command import Command, ProcessState
from tenuto.model.composition import Composition
from tenuto.model.event import Event, EventType
from tenuto.model.ids import Fid, Instant, Json, JsonMap, LogicalId, ObjectId, Partition, PlanId, TypeName
from tenuto.model.node import NODE_PLACE, NODE_TYPE
from tenuto.model.outcome import Context
from tenuto.model.plan import IgnoredDrift, Operation, Planning
from tenuto.model.process import Intent, Process
from tenuto.model.resource import ManagedObject, ResourceType
from tenuto.model.retention import Remnant
from tenuto.ports.clock import Clock
from tenuto.ports.conductor import Conductor, PhaseRecord
from tenuto.ports.marks import Marks
from tenuto.ports.sights import Sights
from tenuto.ports.store import Store
from tenuto.ports.store_reads import EventQuery
from tenuto.service.accounts.accounts import known_account
from tenuto.service.commands.plan_view import PlanView, facts_of, operations_document
from tenuto.service.commands.taken_values import taken_values
from tenuto.service.common.finding import (
    any_process,
    check_event_types,
    live_process,
    no_plan,
    no_property,
    process_names,
)
from tenuto.service.common.values import secret_names
from tenuto.service.existing.described import existing_template
from tenuto.service.intake.looking_up import look_up_parameters
from tenuto.service.objects.declared_objects import DeclaredObject, declared_objects, needing, users_of
from tenuto.service.queries.evaluated import evaluated_outputs, has_importing_outputs, surroundings
from tenuto.service.queries.unconverged import unconverged_among
from tenuto.service.views.catalogue_view import nodes_document
from tenuto.service.views.history_view import HistoryView
from tenuto.service.views.process_view import ProcessView, resource_views
from tenuto.service.views.progress_view import ProgressView, progress_view

_REFUSALS = (EventType.COMMAND_REFUSED, EventType.COMMAND_DENIED)


class Queries:
    """Every method may raise NotFoundError and StoreError; those that look at the provider say so."""

    def __init__(
        self,
        *,
        store: Store,
        clock: Clock,
        conductor: Conductor,
        marks: Marks,
        sights: Sights,
        regions: Regions = LISTED,
    ) -> None:
        self._store = store
        self._sights = sights
        self._marks = marks
        self._regions = regions
        self._clock = clock
        self._conductor = conductor

    def processes(self, *, account: str | None = None) -> tuple[Process, ...]:
        """Return all live processes, oldest first; or those of an account, by its name or id."""
        name = None if account is None else known_account(self._store, account).name
        return tuple(one for one in self._store.processes(live=True) if name in (None, one.partition.account))

    def declared(
        self, types: Sequence[str], *, account: str | None = None, is_seen: Callable[[Fid], bool]
    ) -> tuple[DeclaredObject, ...]:
        """Return the live objects of these types that processes declare which are seen."""
        name = "" if account is None else known_account(self._store, account).name
        return declared_objects(self._store, self._sights, types, account=name, is_seen=is_seen)

    def needing(self, target: ObjectId, known: Sequence[DeclaredObject]) -> tuple[DeclaredObject, ...]:
        """Return those of the known objects that need another one."""
        return needing(self._store, target, known)

    def users_of(self, one: DeclaredObject, *, is_seen: Callable[[Fid], bool]) -> list[str]:
        """Return the names of the seen objects that need a declared one."""
        return users_of(self._store, one, is_seen)

    def process(self, reference: str, *, sweep: bool = False) -> ProcessView:
        """A live process in detail. `sweep` asks the provider for the drift that enforcement leaves alone."""
        process = live_process(self._store, reference)
        composition = self._composition(process)
        objects = self._store.objects(process.fid)
        drift, ignored = self._drift(process, composition, objects, sweep=sweep)
        return ProcessView(
            process=process,
            composition=composition,
            resources=resource_views(
                composition,
                objects,
                drift,
                ignored=ignored,
                is_killing=process.is_leaving,
                is_loaded=self._conductor.is_loaded,
                duplicates=self._marks.duplicates(objects),
                notes=self._sights.notes(objects),
            ),
            unknown_things=len(self._marks.things(process.fid)),
            outputs=self._outputs(process, composition, objects),
            unconverged=self.unconverged([process]).get(process.fid),
        )

    def resource_names(self, reference: str) -> tuple[str, ...]:
        """The logical ids of the resources of a live process."""
        process = live_process(self._store, reference)
        composition = self._composition(process)
        declared = [one.logical_id for one in composition.resources] if composition else []
        return tuple(dict.fromkeys([*declared, *(one.logical_id for one in self._store.objects(process.fid))]))

    def progress(self, reference: str, most: int) -> ProgressView:
        """Return how far a live process is, with at most `most` of its resources."""
        process = live_process(self._store, reference)
        objects = self._store.objects(process.fid)
        views = resource_views(
            self._composition(process),
            objects,
            {},
            is_killing=process.is_leaving,
            is_loaded=self._conductor.is_loaded,
            duplicates=self._marks.duplicates(objects),
        )
        return progress_view(process, views, most)

    def unconverged(self, processes: Sequence[Process]) -> Mapping[Fid, Unconverged]:
        """Return, for the processes that are not as declared, since when and why."""
        return unconverged_among(processes, self._store, self._marks, self._conductor.is_loaded)

    def unknown_things(self) -> Mapping[Fid, int]:
        """Return how many things carry the marks of each process and are not known, where there are any."""
        return Counter(one.owner.fid for one in self._marks.things())

    def plan(self, reference: str) -> PlanView:
        """The plan of the next job; for a Suspended process, of the job after `resume`.

        Raises TransientError or PermanentError when the provider cannot be observed.
        """
        process = live_process(self._store, reference)
        composition = self._composition(process)
        planning = self._preview(process, composition)
        types = self._conductor.types(process.provider)
        return PlanView(
            planning=planning,
            process=process,
            composition=composition,
            bill=bill_of(planning.plan, types, self._store.objects(process.fid)),
            through=through_of(composition.resources, types) if composition is not None else (),
            facts=facts_of(planning.plan, types),
            taken=taken_values(self._store, planning.plan, types),
        )

    def stored_plan(self, plan_id: PlanId) -> JsonMap:
        """A plan of the history, as it was made."""
        plan = self._store.plan(plan_id)
        if plan is None:
            raise no_plan(plan_id, self._store.removed_until()[Remnant.PLAN].removed_until)
        process = self._store.process(plan.fid)
        return operations_document(plan, secret_names(self._composition(process) if process else None))

    def explain(self, reference: str, logical_ids: Sequence[LogicalId] = ()) -> tuple[Process, Explanation]:
        """Return why each resource is as it is. Works without the provider, and then says that it could
        not be asked.
        """
        process = any_process(self._store, reference)
        composition = self._composition(process)
        objects = self._store.objects(process.fid)
        planning: Planning | None = None
        unseen: tuple[str, ...] = ()
        if process.state is not ProcessState.GONE:
            try:
                planning = self._preview(process, composition)
            except (ProviderError, UserError) as failed:
                why = blocked_message(process, failed) if isinstance(failed, ProviderError) else str(failed)
                unseen = (f"What the next job would do is not known: {why}",)
        wanted = None if process.is_leaving or process.state is ProcessState.GONE else composition
        told = explain(
            process,
            wanted,
            objects,
            planning,
            self._clock.now(),
            self._conductor.is_loaded,
            duplicates=self._marks.duplicates(objects),
            unknown_things=self._marks.things(process.fid),
            notes=self._sights.notes(objects),
        )
        missing = [name for name in logical_ids if name not in told.resources]
        if missing:
            guess = meant(missing[0], told.resources)
            raise NotFoundError(
                f"Process {reference} has no resource {', '.join(missing)}.{guess} "
                f"'tenuto status {reference}' lists its resources."
            )
        chosen = {name: lines for name, lines in told.resources.items() if not logical_ids or name in logical_ids}
        return process, Explanation(process=(*told.process, *unseen), resources=chosen)

    def history(
        self,
        reference: str,
        *,
        start: Instant | None = None,
        end: Instant | None = None,
        limit: int = 1000,
        kinds: Sequence[Remnant] = (Remnant.COMMAND, Remnant.JOB, Remnant.DRY_RUN),
    ) -> HistoryView:
        """Commands, jobs and provider operations; also of a process that is gone. `kinds` are those that the caller
        shows: it is told when some of them were removed.
        """
        process = any_process(self._store, reference)
        history = self._store.history(process.fid, start=start, end=end, limit=limit)
        # Older incarnations too, which the objects of the process do not include.
        acted_on = dict.fromkeys(object_id for op in history.ops for object_id in op.object_ids)
        return HistoryView(
            process=process,
            history=history,
            names=self._store.names(process.fid, tuple(acted_on)),
            refusals=self._store.events(
                EventQuery(fid=process.fid, types=_REFUSALS, start=start, end=end, limit=limit)
            ),
            complete_since=complete_since(self._store.removed_until(), kinds, start, process.created_at),
        )

    def events(
        self,
        reference: str | None = None,
        *,
        object_id: str | None = None,
        request: str = "",
        types: Sequence[str] = (),
        start: Instant | None = None,
        end: Instant | None = None,
        after: int = 0,
        before: int | None = None,
        limit: int = 1000,
    ) -> tuple[Event, ...]:
        """Events in rising order, the newest `limit`: those of one process, also one that is gone, of one object, and
        of one API request, where these are given. Raises UserError for a type of which there are no events."""
        check_event_types(types)
        fid = any_process(self._store, reference).fid if reference is not None else None
        return self._store.events(
            EventQuery(
                fid=fid,
                object_id=None if object_id is None else ObjectId(object_id),
                request=request,
                types=tuple(types),
                start=start,
                end=end,
                after=after,
                before=before,
                limit=limit,
            )
        )

    def process_names(self, events: Iterable[Event]) -> Mapping[Fid, str]:
        """The names of the processes of these events, also of those that are gone: aliases, or FIDs without one."""
        return process_names(self._store, events)

    def check_store(self) -> None:
        """Raise StoreLostError when the database was taken away. Quick, and without a transaction."""
        self._store.check()

    def events_complete_since(self, start: Instant | None) -> Instant | None:
        """The moment after which no event was removed, when a question from `start` on goes further back."""
        return complete_since(self._store.removed_until(), (Remnant.EVENT, Remnant.DENIED), start, None)

    def property(self, reference: str, key: str) -> Json:
        """The value of `alias`, `lock` or `enforcement`."""
        process = live_process(self._store, reference)
        match key:
            case "alias":
                return process.alias
            case "lock":
                return process.is_locked
            case "enforcement":
                return process.is_enforced
            case _:
                raise no_property(key)

    def existing(self, wanted: Sequence[str], *, region: str, account: str = DEFAULT_ACCOUNT) -> JsonMap:
        """A template of things that exist, each said as `TYPE ID`. Raises NotThereError, ManagedElsewhereError,
        MismatchError, UserError, and ProviderError when they cannot be observed."""
        check_region(region)
        if names_aws(wanted):
            check_listed(region, self._regions)
        partition = Partition(account=known_account(self._store, account).name, region=region)
        return existing_template(self._conductor, wanted, partition)

    def lookups(self, keys: Sequence[str], *, region: str, account: str = DEFAULT_ACCOUNT) -> Mapping[str, Json]:
        """Values of the parameter store by key. Raises UserError for a key without one, and ProviderError."""
        check_region(region)
        partition = Partition(account=known_account(self._store, account).name, region=region)
        return look_up_parameters(self._conductor, partition, keys)

    def phases(self, is_seen: Callable[[Fid | None], bool] | None = None) -> tuple[PhaseRecord, ...]:
        """All phases, with the counts of their objects: with `is_seen`, in the processes that a reader may see."""
        return self._conductor.phases(is_seen)

    def nodes(self) -> JsonMap:
        """Every Conductor that ever checked in on this store, oldest first, and which one leads."""
        return nodes_document(self._store.tracked(NODE_PLACE, NODE_TYPE), self._store.lease(), self._clock.now())

    def types(self) -> Mapping[TypeName, ResourceType]:
        return self._conductor.types()

    def type(self, name: TypeName) -> ResourceType:
        """One resource type, also one without a block of its own. Raises NotFoundError."""
        types = self._conductor.types()
        if name not in types:
            raise NotFoundError(f"This Conductor does not manage {name}.{others_of(name, types)}")
        return types[name]

    def _composition(self, process: Process) -> Composition | None:
        return self._store.composition(process.composition_digest)

    def _preview(self, process: Process, composition: Composition | None) -> Planning:
        if process.state is ProcessState.KILLING:
            return self._conductor.preview(process, None)
        if process.state is ProcessState.SUSPENDED:
            # The plan of 'resume': a user's command stands behind it, so the plan is not held.
            resumed = Intent(command=Command.RESUME, given_at=process.updated_at, by=process.intent.by)
            process = replace(process, state=ProcessState.RUNNING, intent=resumed)
        return self._conductor.preview(process, None if process.is_leaving else composition)

    def _drift(
        self, process: Process, composition: Composition | None, objects: Sequence[ManagedObject], *, sweep: bool
    ) -> tuple[dict[LogicalId, tuple[str, ...]], dict[LogicalId, tuple[str, ...]]]:
        """The known differences: those that the running job corrects or enforcement leaves alone, and ignored ones."""
        moving = {one.object_id for one in objects if not one.is_settled}
        job = self._store.job(process.job_id) if process.job_id else None
        plan = self._store.plan(job.plan_id) if job and job.plan_id else None
        found: list[Operation] = [one for one in plan.operations if one.object_id in moving] if plan else []
        ignored: tuple[IgnoredDrift, ...] = ()
        leaves = (
            not process.is_enforced
            or any(ignored_paths(one) for one in (composition.resources if composition else ()))
            or any(flip.held_at is not None for flip in self._store.flips(process.fid))
        )
        if sweep and process.state is ProcessState.RUNNING and leaves and not process.is_leaving:
            # The status of a process must be readable while its provider is not.
            with suppress(ProviderError):
                planning = self._conductor.preview(process, composition)
                found += planning.drift
                ignored = planning.ignored
        return _paths(found), _paths(ignored)

    def _outputs(
        self, process: Process, composition: Composition | None, objects: Sequence[ManagedObject]
    ) -> dict[str, Json]:
        if composition is None or not composition.outputs:
            return {}
        context: Context | None = None
        exports: Mapping[str, Json] = {}
        with suppress(ProviderError):
            context = self._conductor.context(process.provider, process.partition)
            exports = self._conductor.exports(process) if has_importing_outputs(composition) else {}
        return evaluated_outputs(composition, surroundings(process, objects, context, exports))


def _paths(found: Iterable[Operation | IgnoredDrift]) -> dict[LogicalId, tuple[str, ...]]:
    return {one.logical_id: tuple(dict.fromkeys(change.path for change in one.changes)) for one in found if one.changes}
