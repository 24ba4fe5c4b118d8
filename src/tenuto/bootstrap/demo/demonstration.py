"""`demo`: a whole Tenuto with an emulated AWS or a local cloud, and a story that shows its purpose.

Nothing here is special: the Conductor, the store and the providers are those of production, given a temporary
directory, and an endpoint on loopback or simulated hosts in memory. Every end of the story, also by Ctrl-C, ends all of
it; nothing stays behind. After `kill -9` its keeper removes the things that it made on this machine, or else the next
demonstration.
"""

import logging
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import structlog

from tenuto.api.transport.connections import ConnectionLimits
from tenuto.bootstrap.clock import SystemClock
from tenuto.bootstrap.demo.folder import demo_folder
from tenuto.bootstrap.demo.keeper import Keeper
from tenuto.bootstrap.demo.linux_host import LinuxHost, check_machine
from tenuto.bootstrap.demo.linux_story import LinuxStory, VirtualStory
from tenuto.bootstrap.demo.local_story import LocalStory
from tenuto.bootstrap.demo.story import REGION, Story
from tenuto.bootstrap.demo.telling import Say
from tenuto.bootstrap.kernel import MakeProviders
from tenuto.bootstrap.providers import ProviderMaker
from tenuto.bootstrap.serving.host_listener import HostListener
from tenuto.bootstrap.system import System, build
from tenuto.bootstrap.tools.emulator import Emulator
from tenuto.bootstrap.tools.image_builder import build_tiny
from tenuto.conductor.providing.accounts import StoredAccounts
from tenuto.kit.address import Address
from tenuto.kit.ids import RandomIds
from tenuto.kit.reach import Reach
from tenuto.ports.clock import Clock
from tenuto.ports.provider import OpSink, Provider
from tenuto.ports.store import Store
from tenuto.provider_plugins import ProviderKit
from tenuto.providers.aws.demo import EmulatedSession, Outsider
from tenuto.providers.aws.provider import AwsProvider
from tenuto.providers.local.assembly import local_provider
from tenuto.providers.local.drivers.simulated import SimulatedDriver
from tenuto.providers.local.images.fetching import Downloads
from tenuto.providers.local.images.folder import BlobFolder
from tenuto.providers.local.phases.images import Images
from tenuto.providers.local.plugin import PLUGIN as LOCAL
from tenuto.providers.local.reservations import Reservations
from tenuto.service.objects.host_enrolment import HostEnrolment
from tenuto.storage.file.secrets import KeyedSecrets, new_keys
from tenuto.storage.open import open_store

_PASSABLE = 0o711
"""The mode of a folder that all users may pass: machines have users of their own."""
_CONNECTIONS = 16


def demonstrate(*, period_s: float, say: Say) -> None:
    """Tell the story. Raises UserError when the emulator is not installed, TenutoError when the story goes wrong."""
    quiet()
    say(f"An emulated AWS, a Conductor and a store, all temporary. A job every {period_s:g} s (30 s is normal).")
    with Emulator() as emulator, demo_folder() as folder:
        session = EmulatedSession(emulator.url)
        store = open_store(str(folder / "tenuto.db"))
        with running(
            lambda ops, clock: [AwsProvider(session=session, ops=ops, clock=clock)], store, period_s
        ) as system:
            Story(system, Outsider(session, REGION), say).tell()


def demonstrate_local(*, period_s: float, say: Say) -> None:
    """Tell the story of the local cloud, on simulated hosts. Raises TenutoError when the story goes wrong."""
    quiet()
    say(f"Two simulated hosts, a Conductor and a store, all temporary. A job every {period_s:g} s (30 s is normal).")
    with demo_folder() as folder:
        hosts = SimulatedDriver(SystemClock())
        store = open_store(str(folder / "tenuto.db"))

        def providers(ops: OpSink, clock: Clock) -> list[Provider]:
            reservations, files = Reservations(store, clock), BlobFolder(folder / "blobs")
            images = Images(files, Downloads(files, clock, Reach()), reservations)
            return [local_provider(hosts, store=store, clock=clock, reservations=reservations, images=images)]

        with running(providers, store, period_s) as system:
            LocalStory(system, hosts, say).tell()


def demonstrate_on_linux(*, period_s: float, say: Say, driver: str = "ns") -> None:
    """Tell the story of a driver on this machine. Raises UserError when it cannot be a host, TenutoError when the story
    goes wrong."""
    quiet()
    check_machine(driver)
    say(f"This machine as a host, a Conductor and a store, all temporary. A job every {period_s:g} s (30 s is normal).")
    with demo_folder() as folder, ExitStack() as held:
        folder.chmod(_PASSABLE)
        held.enter_context(Keeper(folder))
        database = folder / "tenuto.db"
        store = open_store(str(database))
        secrets = KeyedSecrets(new_keys())

        def kit(ops: OpSink, clock: Clock) -> ProviderKit:
            accounts = StoredAccounts(store=store, secrets=secrets, clock=clock)
            return ProviderKit(
                ops=ops, clock=clock, accounts=accounts, store=store, identity_interval_s=0.0, takes_hosts=True
            )

        providers = ProviderMaker([LOCAL], kit)
        limits = ConnectionLimits(connections=_CONNECTIONS)
        listener = held.enter_context(HostListener(Address(host="127.0.0.1", port=0), database, limits))
        system = held.enter_context(running(providers, store, period_s))
        door = providers.door()
        assert door is not None, "the local cloud has hosts of its own"
        held.callback(listener.start(door).stop)
        host = held.enter_context(LinuxHost(folder, driver))
        if driver == "qemu":
            host.images.mkdir()
            say("$ tenuto image build tiny -o h1.images/tiny.qcow2")
            build_tiny(host.images / "tiny.qcow2", say)
        story = VirtualStory if driver == "qemu" else LinuxStory
        story(system, host, HostEnrolment(door, listener.place), say).tell()


def quiet() -> None:
    """Log nothing of less than a crash."""
    # The story is told by its own words; an error in it is raised.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))


@contextmanager
def running(providers: MakeProviders, store: Store, period_s: float) -> Iterator[System]:
    """A Conductor at work, until the end of the context. The store is closed then."""
    system = build(
        store=store,
        providers=providers,
        clock=SystemClock(),
        ids=RandomIds(),
        secrets=KeyedSecrets(new_keys()),
        period_s=period_s,
    )
    stop = threading.Event()
    conductor = threading.Thread(target=system.conductor.run, args=(stop,), name="conductor")
    conductor.start()
    try:
        yield system
    finally:
        stop.set()
        system.conductor.notify()
        conductor.join()
        store.close()
