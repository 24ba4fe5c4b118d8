"""The manager: gathers the snapshot of one process and asks the pure core for its plan.

It decides nothing itself. It adds freshness: for every incarnation that has a physical id there must be a sweep that
began after our own last change of it, and after the job became due.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from tenuto.conductor.jobs.caches import Compositions, Shown
from tenuto.conductor.jobs.followers import Followers
from tenuto.conductor.observing.existing import Existing, Wanted
from tenuto.conductor.observing.marked import Marked, duplicates_of
from tenuto.conductor.observing.naming import Namings
from tenuto.conductor.observing.reflector import Reflector
from tenuto.conductor.observing.sightings import GAP_S, asked_anew
from tenuto.conductor.providing.providers import ProviderTypes
from tenuto.core.language import resolve
from tenuto.core.planning.comparing.deletion_policy import as_accepted
from tenuto.core.planning.comparing.imports import beside
from tenuto.core.planning.comparing.references import Addresses, environment
from tenuto.core.planning.comparing.secrets import secrets_in
from tenuto.core.planning.marked import by_address
from tenuto.core.planning.planner import plan
from tenuto.errors import ProviderError
from tenuto.lifecycles.roles import has_ended
from tenuto.model.composition import Composition
from tenuto.model.delta import Memory
from tenuto.model.ids import Fid, IdSource, Instant, Json, ObjectId, Partition, PhysicalId, TypeName
from tenuto.model.observation import Observation, Presence
from tenuto.model.outcome import NOWHERE, Context
from tenuto.model.plan import Planning
from tenuto.model.process import Process, ReleaseMode
from tenuto.model.resource import ManagedObject
from tenuto.model.snapshot import Candidate, HoldPolicy, Loss, Snapshot
from tenuto.model.verb import WaitKind
from tenuto.ports.clock import Clock
from tenuto.ports.provider import Provider
from tenuto.ports.store import Store

_JUST_AFTER_S = 0.001
"""A sweep of the very moment of a change may have been before it."""
_ONCE = Instant(0.0)
"""Any sweep since this Conductor began is new enough."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """A type that must be swept, at or after a moment."""

    type: TypeName
    not_before: Instant
    identifiers: frozenset[PhysicalId] = frozenset()
    """Things of the type to be read in detail."""
    objects: tuple[ManagedObject, ...] = ()
    """The process's own things of the type: nothing else needs to be seen, when these are."""


class Manager:
    """The maker of snapshots and plans. Thread-safe."""

    def __init__(
        self,
        *,
        store: Store,
        reflector: Reflector,
        providers: Mapping[str, Provider],
        types: ProviderTypes,
        clock: Clock,
        ids: IdSource,
        hold: HoldPolicy,
        marked: Marked,
    ) -> None:
        self._store = store
        self._marked = marked
        self._began_at = clock.now()
        self._reflector = reflector
        self._providers = providers
        self._types = types
        self._clock = clock
        self._existing = Existing(store=store, reflector=reflector, types=types)
        self._namings = Namings(providers, types)
        self._compositions = Compositions(store)
        self._followers = Followers(store, self._compositions, lambda one: self.exports(one)[0], self._context_known)
        self._shown = Shown(store, types)
        self._ids = ids
        self._hold = hold
        self._memories: dict[Fid, Memory] = {}

    def composition(self, process: Process) -> Composition | None:
        """The composition that should be: None when the process is killed or released."""
        if process.is_leaving:
            return None
        return self._compositions.of(process.composition_digest)

    def needs(
        self,
        process: Process,
        composition: Composition | None,
        objects: Sequence[ManagedObject],
        not_before: Instant,
        *,
        in_detail: bool = False,
    ) -> tuple[Need, ...]:
        """Return the sweeps that a plan made now depends on. A kill depends on none: deleting a thing that is gone is
        harmless.

        A job reads the details of things in turns, and first of all those that were never declared before; a person who
        asks (`in_detail`) is shown all as they are now.
        """
        if composition is None:
            return ()
        latest: dict[TypeName, Instant] = {}
        detailed: dict[TypeName, set[PhysicalId]] = {}
        own: dict[TypeName, list[ManagedObject]] = {}
        anew = asked_anew(composition, objects, self._types.of(process.provider))
        for found in objects:
            if found.physical_id is None or has_ended(found):
                continue
            moment = max(not_before, Instant(found.touched_at + _JUST_AFTER_S))
            latest[found.type] = max(moment, latest.get(found.type, moment))
            own.setdefault(found.type, []).append(found)
            if in_detail or found.object_id in anew:
                detailed.setdefault(found.type, set()).add(found.physical_id)
        for name in self._unseen(process, composition, objects):
            latest.setdefault(name, _ONCE)
        wanted = self._existing.wanted(process, composition, objects)
        nothing: frozenset[PhysicalId] = frozenset()
        return tuple(
            Need(
                type=name,
                not_before=latest.get(name, not_before),
                identifiers=wanted.get(name, nothing).union(detailed.get(name, ())),
                objects=tuple(own.get(name, ())),
            )
            for name in sorted(latest.keys() | wanted.keys())
            if name in self._types.of(process.provider)
        )

    def _unseen(
        self, process: Process, composition: Composition, objects: Sequence[ManagedObject]
    ) -> frozenset[TypeName]:
        """The types of resources that may be made for a process that is older than this Conductor: they are swept once.

        Its database may be a copy from before they were made.
        """
        if process.created_at >= self._began_at:
            return frozenset()
        standing = {found.logical_id for found in objects if not has_ended(found)}
        return frozenset(one.type for one in composition.resources if one.logical_id not in standing)

    def plan(self, process: Process, composition: Composition | None, objects: tuple[ManagedObject, ...]) -> Planning:
        """Make the plan of a job, from the facts that are known now. Raises ProviderError when the context is not
        known."""
        planning = self._plan(process, composition, objects)
        if composition is None or planning.memory is None:
            self._memories.pop(process.fid, None)
        else:
            self._memories[process.fid] = planning.memory
        return planning

    def _plan(self, process: Process, composition: Composition | None, objects: tuple[ManagedObject, ...]) -> Planning:
        if process.is_killed:
            objects = as_accepted(objects, self._compositions.of(process.composition_digest))
        # Nothing that stands is nothing to delete: such a process can be killed wherever it was to run.
        standing = any(not has_ended(found) for found in objects)
        observations = self._reflector.observe_all(objects)
        taken = self._existing.taken(process, objects, observations)
        if taken:
            observations = {**observations, **{one: _left_to(name) for one, name in taken.items()}}
        is_importing = composition is not None and self._compositions.is_importing(composition)
        exports, secret_exports = self.exports(process) if is_importing else ({}, frozenset[str]())
        candidates = self._existing.candidates(process, composition, objects)
        snapshot = Snapshot(
            process=self._as_promised(process),
            composition=composition,
            objects=objects,
            observations=observations,
            types=self._types.of(process.provider),
            context=NOWHERE if composition is None and not standing else self.context(process),
            now=self._clock.now(),
            exports=exports,
            secret_exports=secret_exports,
            hold=self._hold,
            names=self._namings.of(process, composition, objects, observations, candidates),
            flips=self._store.flips(process.fid),
            drifts=self._store.drifts(process.fid),
            taken=taken,
            loss=self._loss(process, objects, observations),
            candidates=candidates,
            shown=self._shown.of(process, objects),
            memory=self._memories.get(process.fid),
            marked={} if composition is None else by_address(self._marked.things(process.fid), process.fid),
        )
        planning = plan(snapshot, self._ids)
        awaited = self._followers.awaited(snapshot, planning.plan)
        return plan(replace(snapshot, followed=awaited), self._ids) if awaited else planning

    def users(
        self, process: Process, objects: Sequence[ManagedObject], going: Collection[ObjectId], context: Context
    ) -> Mapping[ObjectId, str]:
        """The objects that are `going`, and that importers in other processes use by now, each with these in words."""
        return self._followers.users(process, self.composition(process), objects, going, context)

    def _context_known(self, process: Process) -> Context:
        """The context of a process; nothing is known of it while its provider cannot be asked."""
        try:
            return self.context(process)
        except ProviderError:
            return NOWHERE

    def _as_promised(self, process: Process) -> Process:
        """The process, with the end of `enforcement off` judged by the system clock: it was promised by that."""
        if process.enforcement_until is None:
            return process
        return replace(process, is_enforced=process.is_enforced_at(self._clock.wall()), enforcement_until=None)

    def _loss(
        self, process: Process, objects: Sequence[ManagedObject], observations: Mapping[ObjectId, Observation]
    ) -> Loss:
        """The loss around the process; it is only counted when something of its own is gone."""
        standing = [found for found in objects if not has_ended(found)]
        if not any(observations[found.object_id].presence is Presence.ABSENT for found in standing):
            return Loss()
        return self._reflector.loss(process.provider, process.partition, {found.type for found in standing})

    def preview(self, process: Process, composition: Composition | None) -> Planning:
        """The plan after a fresh sweep, and a second one where the first left a doubt. Raises ProviderError."""
        for _ in range(2):
            objects = self._store.objects(process.fid)
            for need in self.needs(process, composition, objects, self._clock.now(), in_detail=True):
                self._reflector.refresh(
                    process.provider,
                    process.partition,
                    [need.type],
                    need.not_before,
                    need.identifiers,
                    objects=need.objects,
                )
            wanted = self._existing.wanted(process, composition, objects)
            if wanted:
                pairs = [(name, one) for name, ids in wanted.items() for one in sorted(ids)]
                self._existing.read(process.provider, process.partition, pairs, self._clock.now())
            planning = self._plan(process, composition, objects)
            if not any(wait.kind is WaitKind.OBSERVATION for wait in planning.waits):
                break
            self._clock.sleep(GAP_S)
        return planning

    def duplicates(self, objects: Sequence[ManagedObject]) -> Mapping[ObjectId, tuple[PhysicalId, ...]]:
        """The duplicates of each of the objects, as of the last sweeps."""
        return duplicates_of(objects, self._reflector, self._types)

    def existing(self, partition: Partition, wanted: Sequence[Wanted]) -> tuple[Candidate, ...]:
        """Things that no process need track, after a fresh sweep. Raises ProviderError."""
        found: dict[Wanted, Candidate] = {}
        now = self._clock.now()
        for provider, pairs in self._by_provider(wanted).items():
            found.update(zip(pairs, self._existing.read(provider, partition, pairs, now), strict=True))
        return tuple(found[one] for one in wanted)

    def _by_provider(self, wanted: Sequence[Wanted]) -> dict[str, list[Wanted]]:
        """Things by the first provider that brings their type. Raises KeyError for one that none brings."""
        facts = self._types.by_name()
        found: dict[str, list[Wanted]] = {}
        for one in wanted:
            found.setdefault(facts[one[0]].provider, []).append(one)
        return found

    def context(self, process: Process) -> Context:
        """The provider's facts about the partition of the process. A release that keeps the tags asks for none."""
        if process.releasing is ReleaseMode.KEEP_TAGS:
            return NOWHERE
        return self._providers[process.provider].context(process.partition)

    def exports(self, process: Process) -> tuple[dict[str, Json], frozenset[str]]:
        """The exported outputs of every other live process of the partition that have a value now, and the names of
        those that hold a secret."""
        found: dict[str, Json] = {}
        secret: set[str] = set()
        for other, composition in beside(process, self._store.processes(), self._compositions.of):
            if not composition.is_exporting:
                continue
            answering = Addresses.of(self._store.objects(other.fid)).all_answering
            surroundings = environment(other, answering, self._context_of(other, process), {})
            for output in composition.outputs:
                try:
                    name = resolve.resolve(output.export, surroundings)
                    value = resolve.resolve(output.value, surroundings)
                except resolve.ResolveError:
                    continue  # It has none, and `status` of its process says why.
                if isinstance(name, str) and resolve.is_resolved(value):
                    found[name] = value
                elif isinstance(name, str) and secrets_in(value, composition):
                    secret.add(name)
        return found, frozenset(secret)

    def _context_of(self, exporter: Process, importer: Process) -> Context:
        """The facts that an export may need. They stay open when another provider cannot be asked for them now."""
        is_own = exporter.provider == importer.provider
        return self.context(exporter) if is_own else self._context_known(exporter)


def _left_to(process: str) -> Observation:
    """The observation of a thing of ours that is gone, and under whose id another process made one."""
    return Observation(presence=Presence.ABSENT, message=f"{process} manages what has its id now")
