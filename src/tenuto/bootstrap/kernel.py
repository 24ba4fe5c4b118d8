"""`build_kernel`: the part of a Conductor that acts by itself, from the adapters it is given."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain

from tenuto import __version__
from tenuto.bootstrap.object_types import checked_types, offered_types
from tenuto.bootstrap.tables import admit_stored, tables_to_keep
from tenuto.conductor.cleaner import Cleaner
from tenuto.conductor.jobs.broker import Broker
from tenuto.conductor.jobs.job import Jobs
from tenuto.conductor.jobs.manager import Manager
from tenuto.conductor.jobs.scheduler import Scheduler
from tenuto.conductor.leading.leadership import Leadership
from tenuto.conductor.leading.tempo import Tempo
from tenuto.conductor.leading.timekeeper import Timekeeper
from tenuto.conductor.observing.marked import ConductorMarks, Marked
from tenuto.conductor.observing.reflector import Reflector
from tenuto.conductor.phases.engine import PhaseEngine
from tenuto.conductor.phases.listeners import Listeners
from tenuto.conductor.phases.object_work import PhasedObjects
from tenuto.conductor.phases.reloading import LoadedPlugins, PluginShelf
from tenuto.conductor.phases.tally import PhaseTally
from tenuto.conductor.phases.unmet import KnownWords, warnings
from tenuto.conductor.provider_phases.calls import ProviderCalls
from tenuto.conductor.provider_phases.create_conflicts import Resumed
from tenuto.conductor.provider_phases.node import NodePhases
from tenuto.conductor.provider_phases.ownership import OwnershipPhases
from tenuto.conductor.provider_phases.resource import ResourcePhases
from tenuto.conductor.providing.op_log import OpLog
from tenuto.conductor.providing.providers import ProviderTypes, with_absent
from tenuto.conductor.providing.requests import Requests
from tenuto.conductor.stores.requested import requested
from tenuto.conductor.stores.touched import CommitMemory, remembered
from tenuto.conductor.supervisor import Supervisor
from tenuto.errors import PluginError, StoreError
from tenuto.kit.current_request import CurrentRequest
from tenuto.kit.metrics import Meter
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.clock import ClockStep
from tenuto.model.ids import Fid, IdSource
from tenuto.model.metrics import QUEUE_AGE, QUEUE_LENGTH
from tenuto.model.object_type import ObjectType
from tenuto.model.retention import KeepRules
from tenuto.model.snapshot import HoldPolicy
from tenuto.plugins import ListenerPlugin, PhasePlugin
from tenuto.ports.chores import HasChores
from tenuto.ports.clock import Clock
from tenuto.ports.marks import Marks
from tenuto.ports.objects import ObjectWork, OffersObjects, RunsPrograms
from tenuto.ports.provider import OpSink, Provider
from tenuto.ports.secrets import Secrets
from tenuto.ports.store import Store
from tenuto.ports.touches import Touches

MakeProviders = Callable[[OpSink, Clock], Iterable[Provider]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kernel:
    """The loop of a Conductor, with the parts of it that services speak to."""

    store: Store
    """The store as everything of this Conductor uses it: fenced by its lease, with the ids of requests, remembered."""
    current: CurrentRequest
    touches: Touches
    tempo: Tempo
    meter: Meter
    present: Mapping[str, Provider]
    """The providers that are installed, by name; those that only the store knows are not among them."""
    reflector: Reflector
    marks: Marks
    object_types: tuple[ObjectType, ...]
    work: ObjectWork
    conductor: Supervisor
    refused: tuple[PluginError, ...]
    """Plugins, types of objects and tables that were not loaded."""
    warnings: tuple[str, ...]
    """The words of plugins that were loaded, and that are not known here."""


def build_kernel(
    *,
    store: Store,
    providers: MakeProviders,
    clock: Clock,
    ids: IdSource,
    secrets: Secrets,
    tempo: Tempo,
    hold: HoldPolicy,
    kept: KeepRules,
    plugins: PluginShelf,
    listeners: Callable[[Iterable[ListenerPlugin]], Listeners],
    node: str,
    is_alone: bool,
    step: ClockStep | None,
    is_followed: bool,
    near_from: int,
) -> Kernel:
    """The loop, at rest. The parameters are those of `bootstrap.system.build`."""
    leadership = Leadership(store=store, clock=clock, node=node, is_alone=is_alone, facts={"version": __version__})
    touches, current = CommitMemory(), CurrentRequest()
    store = remembered(requested(leadership.fenced(), current), touches)
    timekeeper = Timekeeper(
        store=store, clock=clock, leadership=leadership, tempo=tempo, step=step, is_followed=is_followed
    )
    meter = Meter()
    ops = OpLog(store, leadership, meter)
    present = {provider.name: provider for provider in providers(ops, clock)}
    refused_tables = admit_stored(store)
    leadership.bring(tables_to_keep(present, store))
    known = with_absent(present, store)
    types = ProviderTypes({name: provider.types() for name, provider in known.items()})
    marked = Marked(store)
    reflector = Reflector(
        store=store,
        providers=known,
        types=types,
        clock=clock,
        marked=marked,
        requests=lambda: Requests(store, secrets),
        near_from=near_from,
    )
    marks = ConductorMarks(marked=marked, reflector=reflector, providers=known, types=types, clock=clock, ids=ids)
    calls = ProviderCalls(
        providers=known, types=types, observations=reflector, store=store, secrets=secrets, tempo=tempo
    )
    resumed = Resumed(store=store, observations=reflector, began_at=clock.now())
    own = (
        *ResourcePhases(calls=calls, types=types, resumed=resumed).phases(),
        *OwnershipPhases(calls=calls, store=store, types=types).phases(),
        *NodePhases(phases=lambda: loaded.phases).phases(),
        *(phase for one in known.values() if isinstance(one, OffersObjects) for phase in one.object_phases()),
    )
    loaded = LoadedPlugins(
        own=[PhasePlugin(definition=one, handler=handler) for one, handler in own],
        shelf=plugins,
        listeners=listeners,
        name_of=lambda fid: _name_of(store, fid),
    )
    object_types, refused_types = checked_types(offered_types(known.values(), loaded.types), CATALOGUE)
    provided, requested_types = types.by_name(), tuple(one.name for one in object_types)
    words = KnownWords(
        is_offered=lambda name: name in provided or name in requested_types,
        listed=(*provided, *requested_types),
        providers=frozenset(known),
    )

    def wake() -> None:
        conductor.notify()

    work = PhasedObjects(store=store, plugins=loaded, lifecycles=CATALOGUE, clock=clock, wake=wake)
    programs = {name: one.programs(work) for name, one in present.items() if isinstance(one, RunsPrograms)}
    engine = PhaseEngine(
        store=store,
        plugins=loaded,
        clock=clock,
        lifecycles=CATALOGUE,
        tempo=tempo,
        programs=lambda machine: programs.get(machine.provider or ""),
    )
    manager = Manager(
        store=store,
        reflector=reflector,
        providers=known,
        types=types,
        clock=clock,
        ids=ids,
        hold=hold,
        marked=marked,
    )
    jobs = Jobs(
        store=store,
        manager=manager,
        reflector=reflector,
        broker=Broker(store=store, plugins=loaded),
        clock=clock,
        ids=ids,
        tempo=tempo,
        meter=meter,
        marked=marked,
    )
    scheduler = Scheduler()
    meter.watch(QUEUE_LENGTH, lambda: scheduler.waiting(clock.now())[0])
    meter.watch(QUEUE_AGE, lambda: scheduler.waiting(clock.now())[1])
    conductor = Supervisor(
        store=store,
        clock=clock,
        reflector=reflector,
        engine=engine,
        tally=PhaseTally(store=store, plugins=loaded, touches=touches, known=words),
        plugins=loaded,
        leadership=leadership,
        timekeeper=timekeeper,
        scheduler=scheduler,
        jobs=jobs,
        cleaner=Cleaner(store=store, clock=clock, rules=kept, keeps_until=lambda: timekeeper.keeps_until),
        manager=manager,
        ops=ops,
        providers=known,
        types=ProviderTypes({name: types.of(name) for name in present}),
        tempo=tempo,
        chores=[chore for one in present.values() if isinstance(one, HasChores) for chore in one.chores(work)],
    )
    return Kernel(
        store=store,
        current=current,
        touches=touches,
        tempo=tempo,
        meter=meter,
        present=present,
        reflector=reflector,
        marks=marks,
        object_types=object_types,
        work=work,
        conductor=conductor,
        refused=(*loaded.assembly.errors, *refused_types, *refused_tables),
        warnings=tuple(chain.from_iterable(warnings(loaded.phases.definitions.values(), words).values())),
    )


def _name_of(store: Store, fid: Fid) -> str:
    """The alias of a process, for listeners; its id when it has none, or the store does not answer."""
    try:
        process = store.process(fid)
    except StoreError:
        return fid
    return (process.alias if process else None) or fid
