"""`build`: the object graph of one Conductor, from the adapters it is given."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from tenuto.bootstrap.kernel import MakeProviders, build_kernel
from tenuto.conductor.leading.tempo import Tempo
from tenuto.conductor.notifier import Notifier
from tenuto.conductor.observing.sights import ReflectorSights
from tenuto.conductor.observing.sweeps import NEAR_FROM
from tenuto.conductor.phases.listeners import InlineListeners, Listeners
from tenuto.conductor.phases.reloading import PluginShelf
from tenuto.conductor.providing.requests import Requests
from tenuto.conductor.supervisor import Supervisor
from tenuto.core.pacing.retention import DEFAULT_KEPT
from tenuto.errors import PluginError
from tenuto.kit.current_request import CurrentRequest
from tenuto.kit.metrics import Meter
from tenuto.kit.reach import Reach
from tenuto.kit.regions import LISTED, Regions
from tenuto.model.clock import ClockStep
from tenuto.model.ids import IdSource
from tenuto.model.notification import SinkKind
from tenuto.model.retention import KeepRules
from tenuto.model.snapshot import HoldPolicy
from tenuto.plugins import ListenerPlugin
from tenuto.ports.clock import Clock
from tenuto.ports.host_keeper import host_keeper_of
from tenuto.ports.images import keeper_of
from tenuto.ports.judging import JudgesRequests
from tenuto.ports.machines import counter_of
from tenuto.ports.marks import Marks
from tenuto.ports.notices import TopicPublisher, Transports
from tenuto.ports.objects import ObjectWork
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
    limits: Limits
    """The limits of namespaces."""
    doctor: Doctor
    marks: Marks
    unknown_things: UnknownThings
    tempo: Tempo
    """The delays that may change while it runs."""
    stacks: Mapping[str, StackBook]
    """The stacks of other tools, by the provider whose accounts they are in."""
    refused: tuple[PluginError, ...]
    """Plugins that were not loaded."""
    warnings: tuple[str, ...]
    """The words of plugins that were loaded, and that are not known here."""


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
    public_url: str = "",
) -> System:
    """The object graph of one Conductor. Nothing runs yet: `conductor.run` or `conductor.step` does that.

    `programs` runs those that may be told of events. `reach` is where webhooks may lead besides public addresses.
    `regions` are those that may be named.
    `is_alone` says that no other process can have the store open; `node`
    is the Conductor's name among others. `is_followed` says that another Conductor, with a new clock, follows this one
    when it `is_outdated`; `step` is the step of the clock between the one before and this one. `near_from` is how many
    things a sweep must be for before a few of them are swept alone. `public_url` is that of the dashboard, for links in
    notifications.
    """
    kernel = build_kernel(
        store=store,
        providers=providers,
        clock=clock,
        ids=ids,
        secrets=secrets,
        tempo=Tempo(period_s=period_s, patience_s=patience_s),
        hold=hold or HoldPolicy(),
        kept=kept,
        plugins=plugins or PluginShelf(),
        listeners=listeners,
        node=node,
        is_alone=is_alone,
        step=step,
        is_followed=is_followed,
        near_from=near_from,
    )
    store, conductor, marks, work, present = kernel.store, kernel.conductor, kernel.marks, kernel.work, kernel.present
    transports = _transports(
        TopicTransport(
            {name: one for name, one in present.items() if isinstance(one, TopicPublisher)},
            lambda account: found.provider if (found := store.account(account)) else "",
        ),
        WebhookTransport(secrets=secrets, clock=clock, reach=reach or Reach()),
        programs or CommandTransport({}, {}),
    )
    keeper = keeper_of(tuple(present.values()))
    stock = ImageStock.of(keeper, store=store, clock=clock, ids=ids, work=work, types=kernel.object_types)
    machines = counter_of(tuple(present.values()))
    limits = Limits(store, stock.blob_for if stock is not None else None, machines)
    commands = Commands(
        store=store,
        clock=clock,
        ids=ids,
        secrets=secrets,
        conductor=conductor,
        limits=limits,
        regions=regions,
        current=kernel.current,
    )
    if keeper is not None and stock is not None:
        keeper.take_shelf(Shelf(stock, limits))
    sights = ReflectorSights(seen=kernel.reflector, requests=lambda: Requests(store, secrets))
    return System(
        store=store,
        current=kernel.current,
        conductor=conductor,
        notifier=Notifier(store=store, transports=transports, clock=clock, public_url=public_url),
        metrics=Metrics(store=store, meter=kernel.meter),
        meter=kernel.meter,
        notifications=Notifications(store=store, clock=clock, secrets=secrets, transports=transports, regions=regions),
        commands=commands,
        queries=Queries(store=store, clock=clock, conductor=conductor, marks=marks, sights=sights, regions=regions),
        board=Board(store=store, marks=marks, clock=clock, touches=kernel.touches, is_loaded=conductor.is_loaded),
        insights=Insights(
            store=store,
            clock=clock,
            conductor=conductor,
            marks=marks,
            sights=sights,
        ),
        touches=kernel.touches,
        objects=ManagedObjects(
            store=store,
            clock=clock,
            ids=ids,
            types=kernel.object_types,
            judges={name: one for name, one in present.items() if isinstance(one, JudgesRequests)},
            work=work,
        ),
        work=work,
        stock=stock,
        limits=limits,
        doctor=Doctor(store=store, clock=clock, keeper=host_keeper_of(tuple(present.values()), work)),
        marks=marks,
        unknown_things=UnknownThings(
            store=store, clock=clock, conductor=conductor, marks=marks, commands=commands, regions=regions
        ),
        tempo=kernel.tempo,
        stacks={name: one.stacks for name, one in present.items() if isinstance(one, HasStacks)},
        refused=kernel.refused,
        warnings=kernel.warnings,
    )


def _transports(topics: TopicTransport, webhooks: WebhookTransport, programs: CommandTransport) -> Transports:
    return {SinkKind.WEBHOOK: webhooks, SinkKind.COMMAND: programs, SinkKind.SNS: topics}
