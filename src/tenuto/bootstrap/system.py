"""`build`: the object graph of one Conductor, from the adapters it is given."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

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
from tenuto.conductor.notifier import Notifier
from tenuto.conductor.observing.marked import ConductorMarks, Marked
from tenuto.conductor.observing.reflector import Reflector
from tenuto.conductor.observing.sights import ReflectorSights
from tenuto.conductor.observing.sweeps import NEAR_FROM
from tenuto.conductor.phases.engine import PhaseEngine
from tenuto.conductor.phases.listeners import InlineListeners, Listeners
from tenuto.conductor.phases.object_work import PhasedObjects
from tenuto.conductor.phases.reloading import LoadedPlugins, PluginShelf
from tenuto.conductor.phases.tally import PhaseTally
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
from tenuto.core.pacing.retention import DEFAULT_KEPT
from tenuto.errors import PluginError, StoreError
from tenuto.kit.current_request import CurrentRequest
from tenuto.kit.metrics import Meter
from tenuto.kit.reach import Reach
from tenuto.kit.regions import LISTED, Regions
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.clock import ClockStep
from tenuto.model.ids import Fid, IdSource
from tenuto.model.metrics import QUEUE_AGE, QUEUE_LENGTH
from tenuto.model.notification import SinkKind
from tenuto.model.retention import KeepRules
from tenuto.model.snapshot import HoldPolicy
from tenuto.plugins import ListenerPlugin, PhasePlugin
from tenuto.ports.chores import HasChores
from tenuto.ports.clock import Clock
from tenuto.ports.images import keeper_of
from tenuto.ports.judging import JudgesRequests
from tenuto.ports.marks import Marks
from tenuto.ports.notices import TopicPublisher, Transports
from tenuto.ports.objects import ObjectWork, OffersObjects
from tenuto.ports.provider import OpSink, Provider
from tenuto.ports.secrets import Secrets
from tenuto.ports.stacks import HasStacks, StackBook
from tenuto.ports.store import Store
from tenuto.ports.touches import Touches
from tenuto.service.commands.process_commands import Commands
from tenuto.service.existing.unknown_things import UnknownThings
from tenuto.service.images.image_shelf import Shelf
from tenuto.service.images.image_stock import ImageStock
from tenuto.service.objects.limits import Limits
from tenuto.service.objects.managed_objects import ManagedObjects
from tenuto.service.operations.doctor import Doctor
from tenuto.service.operations.metrics import Metrics
from tenuto.service.operations.notifications import Notifications
from tenuto.service.queries.board import Board
from tenuto.service.queries.insights import Insights
from tenuto.service.queries.process_queries import Queries
from tenuto.settings import DEFAULT_PATIENCE_S
from tenuto.transports.command import CommandTransport
from tenuto.transports.topic import TopicTransport
from tenuto.transports.webhook import WebhookTransport

MakeProviders = Callable[[OpSink, Clock], Iterable[Provider]]


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """One Conductor and the faces that front ends use."""

    store: Store
    current: CurrentRequest
    """The request that is answered, for front ends to set."""
    conductor: Supervisor
    notifier: Notifier
    notifications: Notifications
    metrics: Metrics
    meter: Meter
    """The meter of the metrics, for services that count."""
    commands: Commands
    queries: Queries
    board: Board
    insights: Insights
    touches: Touches
    objects: ManagedObjects
    work: ObjectWork
    """The work on objects that no composition declares, for services that a provider brings."""
    stock: ImageStock | None
    """The stock of images; None where no provider keeps images."""
    doctor: Doctor
    marks: Marks
    unknown_things: UnknownThings
    tempo: Tempo
    """The delays that may change while it runs."""
    stacks: Mapping[str, StackBook]
    """The stacks of other tools, by the provider whose accounts they are in."""
    refused: tuple[PluginError, ...]
    """Plugins that were not loaded."""


def build(
    *,
    store: Store,
    providers: MakeProviders,
    clock: Clock,
    ids: IdSource,
    secrets: Secrets,
    period_s: float,
    patience_s: float = DEFAULT_PATIENCE_S,
    hold: HoldPolicy | None = None,
    kept: KeepRules = DEFAULT_KEPT,
    plugins: PluginShelf | None = None,
    listeners: Callable[[Iterable[ListenerPlugin]], Listeners] = InlineListeners,
    programs: CommandTransport | None = None,
    reach: Reach | None = None,
    regions: Regions = LISTED,
    node: str = "conductor",
    is_alone: bool = True,
    step: ClockStep | None = None,
    is_followed: bool = False,
    near_from: int = NEAR_FROM,
) -> System:
    """The object graph of one Conductor. Nothing runs yet: `conductor.run` or `conductor.step` does that.

    `programs` runs those that may be told of events. `reach` is where webhooks may lead besides public addresses.
    `regions` are those that may be named.
    `is_alone` says that no other process can have the store open; `node`
    is the Conductor's name among others. `is_followed` says that another Conductor, with a new clock, follows this one
    when it `is_outdated`; `step` is the step of the clock between the one before and this one. `near_from` is how many
    things a sweep must be for before a few of them are swept alone.
    """
    leadership = Leadership(store=store, clock=clock, node=node, is_alone=is_alone, facts={"version": __version__})
    touches, current = CommitMemory(), CurrentRequest()
    store = remembered(requested(leadership.fenced(), current), touches)
    tempo = Tempo(period_s=period_s, patience_s=patience_s)
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
        shelf=plugins or PluginShelf(),
        listeners=listeners,
        name_of=lambda fid: _name_of(store, fid),
    )
    object_types, refused_types = checked_types(offered_types(known.values(), loaded.types), CATALOGUE)
    engine = PhaseEngine(
        store=store,
        plugins=loaded,
        clock=clock,
        lifecycles=CATALOGUE,
        tempo=tempo,
    )
    manager = Manager(
        store=store,
        reflector=reflector,
        providers=known,
        types=types,
        clock=clock,
        ids=ids,
        hold=hold or HoldPolicy(),
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

    def wake() -> None:
        conductor.notify()

    work = PhasedObjects(store=store, plugins=loaded, lifecycles=CATALOGUE, clock=clock, wake=wake)
    conductor = Supervisor(
        store=store,
        clock=clock,
        reflector=reflector,
        engine=engine,
        tally=PhaseTally(store=store, plugins=loaded, touches=touches),
        plugins=loaded,
        leadership=leadership,
        timekeeper=timekeeper,
        scheduler=scheduler,
        jobs=jobs,
        cleaner=Cleaner(store=store, clock=clock, rules=kept),
        manager=manager,
        ops=ops,
        providers=known,
        types=ProviderTypes({name: types.of(name) for name in present}),
        tempo=tempo,
        chores=[chore for one in present.values() if isinstance(one, HasChores) for chore in one.chores(work)],
    )
    transports = _transports(
        TopicTransport(
            {name: one for name, one in present.items() if isinstance(one, TopicPublisher)},
            lambda account: found.provider if (found := store.account(account)) else "",
        ),
        WebhookTransport(secrets=secrets, clock=clock, reach=reach or Reach()),
        programs or CommandTransport({}, {}),
    )
    keeper = keeper_of(tuple(present.values()))
    stock = ImageStock.of(keeper, store=store, clock=clock, ids=ids, work=work, types=object_types)
    limits = Limits(store, stock.blob_for if stock is not None else None)
    commands = Commands(
        store=store,
        clock=clock,
        ids=ids,
        secrets=secrets,
        conductor=conductor,
        limits=limits,
        regions=regions,
        current=current,
    )
    if keeper is not None and stock is not None:
        keeper.take_shelf(Shelf(stock, limits))
    return System(
        store=store,
        current=current,
        conductor=conductor,
        notifier=Notifier(store=store, transports=transports, clock=clock),
        metrics=Metrics(store=store, meter=meter),
        meter=meter,
        notifications=Notifications(store=store, clock=clock, secrets=secrets, transports=transports, regions=regions),
        commands=commands,
        queries=Queries(store=store, clock=clock, conductor=conductor, marks=marks, regions=regions),
        board=Board(store=store, marks=marks, clock=clock, touches=touches, is_loaded=conductor.is_loaded),
        insights=Insights(
            store=store,
            clock=clock,
            conductor=conductor,
            marks=marks,
            sights=ReflectorSights(seen=reflector, requests=lambda: Requests(store, secrets)),
        ),
        touches=touches,
        objects=ManagedObjects(
            store=store,
            clock=clock,
            ids=ids,
            types=object_types,
            judges={name: one for name, one in present.items() if isinstance(one, JudgesRequests)},
            work=work,
        ),
        work=work,
        stock=stock,
        doctor=Doctor(store=store, clock=clock),
        marks=marks,
        unknown_things=UnknownThings(
            store=store, clock=clock, conductor=conductor, marks=marks, commands=commands, regions=regions
        ),
        tempo=tempo,
        stacks={name: one.stacks for name, one in present.items() if isinstance(one, HasStacks)},
        refused=(*loaded.assembly.errors, *refused_types, *refused_tables),
    )


def _name_of(store: Store, fid: Fid) -> str:
    """The alias of a process, for listeners; its id when it has none, or the store does not answer."""
    try:
        process = store.process(fid)
    except StoreError:
        return fid
    return (process.alias if process else None) or fid


def _transports(topics: TopicTransport, webhooks: WebhookTransport, programs: CommandTransport) -> Transports:
    return {SinkKind.WEBHOOK: webhooks, SinkKind.COMMAND: programs, SinkKind.SNS: topics}
