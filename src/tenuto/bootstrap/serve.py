"""`serve`: what the `conductor` command does. Build, listen, run until stopped, end cleanly."""

import errno
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType

import structlog
import uvicorn
from botocore.session import Session

from tenuto.api import create_app
from tenuto.bootstrap.clock import SystemClock
from tenuto.bootstrap.collector import collect_seldom
from tenuto.bootstrap.log import LogLevels, configure_log
from tenuto.bootstrap.processor import keep_to_one_processor
from tenuto.bootstrap.services import make_services
from tenuto.bootstrap.system import MakeProviders, System, build
from tenuto.conductor.account_book import StoredAccounts
from tenuto.conductor.listeners import ThreadedListeners
from tenuto.conductor.plugins import find_plugins, installed
from tenuto.couriers.command import CommandCourier
from tenuto.errors import UserError
from tenuto.kit.address import Address
from tenuto.kit.ids import RandomIds
from tenuto.model.snapshot import HoldPolicy
from tenuto.plugins import ListenerPlugin
from tenuto.ports.accounts import AccountBook
from tenuto.ports.clock import Clock
from tenuto.ports.provider import OpSink, Provider
from tenuto.ports.secrets import Secrets
from tenuto.ports.store import Store
from tenuto.providers.aws.ledger import RateLedger
from tenuto.providers.aws.provider import AwsProvider
from tenuto.service.access import ensure_credentials
from tenuto.service.services import Services
from tenuto.settings import Settings
from tenuto.storage.lock import DatabaseLock
from tenuto.storage.open import file_of, open_store
from tenuto.storage.secrets import FernetSecrets, load_key, new_key

API_GRACE_S = 3
"""How long open requests (followers of events) may go on when the Conductor stops."""
NOTIFIER_GRACE_S = 2.0
"""How long a notification that is on its way may still arrive when the Conductor stops; else it is sent again."""
LISTENER_GRACE_S = 5.0
"""How long listeners may still deliver what is queued when the Conductor stops."""

_log = structlog.get_logger("tenuto.conductor")


def aws(accounts: AccountBook, ledger: RateLedger) -> MakeProviders:
    """The providers of a production Conductor. The default account is that of the SDK's own settings."""

    def make(ops: OpSink, clock: Clock) -> Iterable[Provider]:
        return [AwsProvider(session=Session(), ops=ops, clock=clock, accounts=accounts, ledger=ledger)]

    return make


def serve(settings: Settings, *, announce: Callable[[str], None] = print) -> None:
    """Run a Conductor with its API in the foreground until SIGTERM, SIGINT or SIGHUP, then end cleanly.

    Raises UserError when it cannot start: the address or the database is in use, a file cannot be written.
    """
    levels = LogLevels("DEBUG" if settings.debug else "INFO")
    configure_log(levels)
    collect_seldom()
    database = file_of(settings.database)
    with ExitStack() as held:
        if database is not None:
            held.callback(DatabaseLock(database).release)
        listener = held.enter_context(_listen(settings.listen))
        store = open_store(settings.database)
        held.callback(store.close)
        secrets = FernetSecrets(load_key(database.with_name(f"{database.name}.key")) if database else new_key())
        clock = SystemClock()
        threads: list[ThreadedListeners] = []
        system = _system(settings, store, secrets, clock, threads)
        system.conductor.start()
        system.notifications.configure({one.name: one.types for one in settings.notify_commands})
        for refused in system.refused:
            _log.error("plugin.refused", reason=str(refused))
        secret = ensure_credentials(settings.credentials, settings.listen.url)
        services = make_services(system, clock=clock, secret=secret, levels=levels)
        services.runtime.start()
        _log.debug("conductor.started", database=settings.database, plugins=[str(one) for one in settings.plugins])
        announce(
            f"Tenuto Conductor: {settings.listen.url}, a job every {system.tempo.period_s:g} s, {settings.database}"
        )
        _run(system, services, listener)
        for found in threads:
            found.stop(LISTENER_GRACE_S)


def _system(
    settings: Settings, store: Store, secrets: Secrets, clock: Clock, threads: list[ThreadedListeners]
) -> System:
    """Everything that the settings ask for. The listeners are added to `threads`, for whoever ends them."""
    accounts = StoredAccounts(store=store, secrets=secrets, clock=clock)

    def listen(found: Iterable[ListenerPlugin]) -> ThreadedListeners:
        threads.append(ThreadedListeners(found))
        return threads[-1]

    return build(
        store=store,
        providers=aws(accounts, RateLedger(store, settings.api_share)),
        clock=clock,
        ids=RandomIds(),
        secrets=secrets,
        period_s=settings.period_s,
        patience_s=settings.patience_s,
        plugins=find_plugins(settings.plugins, installed()),
        listeners=listen,
        hold=HoldPolicy(flips=settings.fight_limit),
        programs=CommandCourier({one.name: one.words for one in settings.notify_commands}, os.environ),
        node=f"{socket.gethostname()}:{settings.listen.port}",
    )


def _run(system: System, services: Services, listener: socket.socket) -> None:
    """The Conductor on this thread, which gets the signals, and the API on another; the end of either ends both."""
    stop = threading.Event()
    app = create_app(services, is_stopping=lambda: server.should_exit)
    server = uvicorn.Server(
        uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=API_GRACE_S, lifespan="off")
    )

    def answer() -> None:
        try:
            server.run(sockets=[listener])
        except Exception:  # noqa: BLE001 - logged, and the Conductor ends with it
            _log.exception("api.crashed")
        finally:
            stop.set()

    api = threading.Thread(target=answer, name="api")
    notifier = threading.Thread(target=system.notifier.run, args=(stop,), name="notifier", daemon=True)
    with _stopped_by_signals(stop):
        api.start()
        notifier.start()
        try:
            keep_to_one_processor()
            system.conductor.run(stop)
        finally:
            server.should_exit = True
            api.join()
            # What a sink has not taken by then waits in the store for the next start.
            stop.set()
            notifier.join(NOTIFIER_GRACE_S)


@contextmanager
def _stopped_by_signals(stop: threading.Event) -> Iterator[None]:
    """The first of these signals asks for a clean end; a second one of the same kind does not ask.

    SIGHUP is the end of the terminal. `nohup` has it ignored, and so it stays.
    """

    def ask(number: int, frame: FrameType | None) -> None:
        stop.set()
        signal.signal(number, signal.SIG_DFL)

    heard = [signal.SIGTERM, signal.SIGINT]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        heard.append(signal.SIGHUP)
    before = {number: signal.signal(number, ask) for number in heard}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _listen(address: Address) -> socket.socket:
    """Bind before anything else, so that a second Conductor fails at once and changes nothing."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((address.host, address.port))
    except OSError as error:
        listener.close()
        is_taken = error.errno == errno.EADDRINUSE
        raise UserError(
            f"cannot listen on {address.host}:{address.port}: {error.strerror}. "
            f"{'Is a Conductor running already? ' if is_taken else ''}Give another address with --listen."
        ) from error
    return listener
