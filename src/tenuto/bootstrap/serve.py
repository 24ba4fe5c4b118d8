"""`serve`: the work of the `conductor` command. Build, listen, run until stopped, end cleanly."""

import os
import signal
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from types import FrameType

import structlog

from tenuto.api.transport.connections import ConnectionLimits
from tenuto.bootstrap.auditing import opened_audit
from tenuto.bootstrap.clock import SystemClock
from tenuto.bootstrap.collector import collect_seldom
from tenuto.bootstrap.issuers import http_issuers
from tenuto.bootstrap.log import LogLevels, configure_log
from tenuto.bootstrap.processor import kept_to_one_processor
from tenuto.bootstrap.providers import ProviderMaker, named_providers
from tenuto.bootstrap.services import make_services
from tenuto.bootstrap.serving.descriptors import bounded_connections, raise_descriptor_limit
from tenuto.bootstrap.serving.front import create_front
from tenuto.bootstrap.serving.host_listener import HostListener
from tenuto.bootstrap.serving.http_server import http_server
from tenuto.bootstrap.serving.listening import listen_on
from tenuto.bootstrap.serving.server_thread import ServerThread
from tenuto.bootstrap.serving.tls import ServerTls, server_tls
from tenuto.bootstrap.system import System, build
from tenuto.conductor.leading.timekeeper import step_between
from tenuto.conductor.phases.listeners import ThreadedListeners
from tenuto.conductor.phases.plugins import installed
from tenuto.conductor.phases.reloading import PluginShelf
from tenuto.conductor.providing.accounts import StoredAccounts
from tenuto.errors import PluginError, StoreError, StoreLostError
from tenuto.kit.ids import RandomIds
from tenuto.kit.shown_urls import without_passwords
from tenuto.lifecycles.catalogue import KNOWN
from tenuto.model.clock import ClockStep
from tenuto.model.snapshot import HoldPolicy
from tenuto.plugins import ListenerPlugin
from tenuto.ports.clock import Clock
from tenuto.ports.provider import OpSink
from tenuto.ports.secrets import Secrets
from tenuto.ports.store import Store
from tenuto.provider_plugins import ProviderKit, ProviderPlugin
from tenuto.service.access.own_secret import ensure_credentials
from tenuto.service.objects.host_enrolment import HostEnrolment
from tenuto.service.operations.sink_seals import reseal_webhooks
from tenuto.service.services import Services
from tenuto.settings import Settings
from tenuto.storage.audit.audit_daemon import AuditDaemon
from tenuto.storage.audit.audit_file import AuditFile
from tenuto.storage.file.lock import DatabaseLock
from tenuto.storage.file.secrets import KeyedSecrets, new_keys
from tenuto.storage.file.starting import check_start, stored_secrets
from tenuto.storage.open import file_of, open_store
from tenuto.transports.command import CommandTransport
from tenuto.transports.oidc import HttpIssuers
from tenuto.web.guard import Door

NOTIFIER_GRACE_S = 2.0
"""Seconds that a notification under way may still take when the Conductor stops; a later one is sent again."""
LOST_GRACE_S = 30.0
"""Seconds that a Conductor without its database still answers with the reason: most probes come three times."""
STORE_PAUSE_S = 1.0
"""Seconds until a Conductor that follows another asks a store again that did not answer."""
LISTENER_GRACE_S = 5.0
"""Seconds that listeners may still take to deliver queued calls when the Conductor stops."""

_log = structlog.get_logger("tenuto.conductor")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ground:
    """The parts of the program that stay when one Conductor follows another."""

    settings: Settings
    levels: LogLevels
    listener: socket.socket
    store: Store
    secrets: Secrets
    plugins: PluginShelf
    providers: tuple[ProviderPlugin, ...]
    limits: ConnectionLimits
    tls: ServerTls | None
    hosts: HostListener | None
    issuers: HttpIssuers
    audit_log: AuditFile | AuditDaemon | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Life:
    """One Conductor, and the parts of the program that end with it."""

    clock: Clock
    system: System
    providers: ProviderMaker
    listeners: list[ThreadedListeners]
    programs: CommandTransport


def serve(settings: Settings, *, announce: Callable[[str], None] = print) -> None:
    """Run a Conductor with its API in the foreground until SIGTERM, SIGINT or SIGHUP, then end cleanly.

    When the system clock was set, another Conductor follows in the same program, and goes by it
    (`conductor.leading.timekeeper`). Connections that are made in between wait.

    Raises UserError when it cannot start: the address or the database is in use, a file cannot be written.
    """
    levels = LogLevels("DEBUG" if settings.debug else "INFO")
    configure_log(levels)
    collect_seldom()
    tls = server_tls(settings)
    providers, refused = named_providers(settings.providers)
    limits = ConnectionLimits(connections=bounded_connections(settings.connections, raise_descriptor_limit()))
    database = file_of(settings.database)
    with ExitStack() as held:
        if database is not None:
            check_start(database)
            held.callback(DatabaseLock(database).release)
        listener = held.enter_context(listen_on(settings.listen, "--listen"))
        store = open_store(settings.database)
        held.callback(store.close)
        audit_log = opened_audit(settings)
        if audit_log is not None:
            held.callback(audit_log.close)
        ground = _Ground(
            settings=settings,
            levels=levels,
            listener=listener,
            store=store,
            secrets=KeyedSecrets(new_keys()) if database is None else stored_secrets(database, store.sealed_values()),
            plugins=PluginShelf(settings.plugins, installed()),
            providers=providers,
            limits=limits,
            tls=tls,
            issuers=http_issuers(settings),
            audit_log=audit_log,
            hosts=held.enter_context(HostListener(there, database, limits))
            if (there := settings.listen_nodes)
            else None,
        )
        life = _life(ground, SystemClock())
        KNOWN.close()
        _start(life, settings, refused)
        reseal_webhooks(life.system.store, ground.secrets)
        url = tls.url(settings.listen) if tls else settings.listen.url
        secret = ensure_credentials(settings.credentials, url)
        services = _services(ground, life, secret)
        with suppress(OSError):  # Like a line of the log: nothing may read it, or its disk may be full.
            place = without_passwords(settings.database)
            announce(f"Tenuto Conductor: {url}, a job every {life.system.tempo.period_s:g} s, {place}")
            if ground.hosts:
                announce(f"Hosts join at {ground.hosts.place.url}: 'tenuto node enroll NAME' makes a token for each.")
        with _stopped_by_signals() as stop:
            _run(life, services, ground, stop)
            while (following := _follow(life, ground, secret, stop)) is not None:
                life, services = following
                _run(life, services, ground, stop)


def _start(life: _Life, settings: Settings, refused: Iterable[PluginError]) -> None:
    """Lead for the first time, and log the parts that could not be set up."""
    life.system.conductor.start()
    troubles = life.system.notifications.configure({one.name: one.types for one in settings.notify_commands})
    for name, trouble in sorted(troubles.items()):
        _log.warning(
            "notification.program_missing", sink=name, reason=trouble, hint="Install it, or restart without it."
        )
    for plugin in life.system.refused:
        _log.error("plugin.refused", reason=str(plugin))
    for text in life.system.warnings:
        _log.warning("plugin.unmet", reason=text)
    for provider in (*refused, *life.providers.errors):
        _log.error("provider.refused", reason=str(provider))


def _follow(before: _Life, ground: _Ground, secret: str, stop: threading.Event) -> tuple[_Life, Services] | None:
    """The Conductor that follows another one, and leads; None when the program is to end.

    A store that does not answer right then does not end the program: the start is tried again.
    """
    clock = SystemClock()
    step = step_between(before.clock, clock)
    life: _Life | None = None
    while not stop.is_set():
        try:
            life = life or _life(ground, clock, step)
            life.system.conductor.start()
            return life, _services(ground, life, secret)
        except StoreError as error:
            is_over = life is not None and life.system.conductor.is_deposed
            if is_over or isinstance(error, StoreLostError):
                raise
            _log.error("store.unavailable", reason=str(error))
            stop.wait(STORE_PAUSE_S)
    return None


def _services(ground: _Ground, life: _Life, secret: str) -> Services:
    hosts = HostEnrolment(life.providers.door(), ground.hosts.place if ground.hosts else None)
    services = make_services(
        life.system,
        clock=life.clock,
        secret=secret,
        levels=ground.levels,
        hosts=hosts,
        keeper=life.providers.keeper(life.system.work),
        issuers=ground.issuers,
        audit_log=ground.audit_log,
        quotas=ground.settings.limits,
    )
    services.runtime.start()
    services.namespaces.ensure_system()
    if life.system.stock is not None and (unknown := life.system.stock.tidy()):
        _log.warning("images.unknown", blobs=len(unknown), first=unknown[0], hint="The database does not know them.")
    settings = ground.settings
    _log.debug("conductor.started", database=settings.database, plugins=[str(one) for one in settings.plugins])
    return services


def _life(ground: _Ground, clock: Clock, step: ClockStep | None = None) -> _Life:
    """A Conductor as the settings ask for it. `step` is the step of the clock after the Conductor before it."""
    settings, store, secrets = ground.settings, ground.store, ground.secrets
    accounts = StoredAccounts(store=store, secrets=secrets, clock=clock)
    listeners: list[ThreadedListeners] = []

    def listen(found: Iterable[ListenerPlugin]) -> ThreadedListeners:
        listeners.append(ThreadedListeners(found))
        return listeners[-1]

    def kit(ops: OpSink, its_clock: Clock) -> ProviderKit:
        return ProviderKit(
            ops=ops,
            clock=its_clock,
            accounts=accounts,
            store=store,
            database=file_of(settings.database),
            identity_interval_s=settings.identity_interval_s,
            api_share=settings.api_share,
            ignored_tags=settings.ignored_tags,
            takes_hosts=settings.listen_nodes is not None,
            node_deadline_s=settings.node_deadline_s,
            image_reach=settings.image_allow,
            floating_pool=settings.floating_pool,
        )

    providers = ProviderMaker(ground.providers, kit)
    programs = CommandTransport({one.name: one.words for one in settings.notify_commands}, os.environ)
    system = build(
        store=store,
        providers=providers,
        clock=clock,
        ids=RandomIds(),
        secrets=secrets,
        period_s=settings.period_s,
        patience_s=settings.patience_s,
        plugins=ground.plugins,
        listeners=listen,
        hold=HoldPolicy(flips=settings.fight_limit),
        kept=settings.keep,
        programs=programs,
        reach=settings.webhook_allow,
        regions=settings.more_regions,
        node=f"{socket.gethostname()}:{settings.listen.port}",
        step=step,
        is_followed=True,
        public_url=settings.public_url,
    )
    return _Life(clock=clock, system=system, providers=providers, listeners=listeners, programs=programs)


def _run(life: _Life, services: Services, ground: _Ground, stop: threading.Event) -> None:
    """The Conductor on this thread, which gets the signals, and the API on another; the end of either ends both.

    An API that ends by itself ends the program. The listener stays open.
    """
    ending = threading.Event()
    settings = ground.settings
    door = Door(
        host=settings.listen.host,
        port=settings.listen.port,
        is_encrypted=ground.tls is not None,
        public_url=settings.public_url,
    )
    app = create_front(services, door, lambda: server.should_exit)
    server = http_server(app, ground.limits, ground.tls, settings.trusted_proxies)

    def ended() -> None:
        if not ending.is_set():
            stop.set()

    api = ServerThread(
        server, ground.listener.dup(), name="api", crashed=lambda: _log.exception("api.crashed"), ended=ended
    )
    notifier = threading.Thread(target=life.system.notifier.run, args=(ending,), name="notifier", daemon=True)
    notifier.start()
    hosts_door = life.providers.door()
    hosts = ground.hosts.start(hosts_door) if ground.hosts and hosts_door else None
    try:
        with kept_to_one_processor():
            life.system.conductor.run(stop)
    except StoreLostError:
        # The API, and the probe of the machine's supervisor, answer 503 with the reason for a while.
        ending.set()
        stop.wait(LOST_GRACE_S)
        raise
    finally:
        # A notification that no sink has taken by then waits in the store for the next start.
        ending.set()
        server.should_exit = True
        if hosts is not None:
            hosts.stop()
        api.stop()
        notifier.join(NOTIFIER_GRACE_S)
        life.programs.close()
        for found in life.listeners:
            found.stop(LISTENER_GRACE_S)


@contextmanager
def _stopped_by_signals() -> Iterator[threading.Event]:
    """The event that the first of these signals sets, to ask for a clean end; a second one of its kind does not ask.

    SIGHUP is the end of the terminal. `nohup` has it ignored, and so it stays.
    """
    stop = threading.Event()

    def ask(number: int, frame: FrameType | None) -> None:
        stop.set()
        signal.signal(number, signal.SIG_DFL)

    heard = [signal.SIGTERM, signal.SIGINT]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        heard.append(signal.SIGHUP)
    before = {number: signal.signal(number, ask) for number in heard}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
