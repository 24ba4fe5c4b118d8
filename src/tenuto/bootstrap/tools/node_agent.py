"""`run_agent`: the work of `tenuto node agent`. Join, or come back, and work until stopped.

Nothing of a Conductor is imported here: an agent is a small program on every host.
"""

import os
import shutil
import signal
import socket
import threading
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from importlib import import_module
from pathlib import Path
from types import FrameType

import structlog

import tenuto
from tenuto.bootstrap.log import LogLevels, configure_log
from tenuto.bootstrap.tools.agent_identity import identity_of
from tenuto.errors import UserError
from tenuto.kit.rights import become
from tenuto.model.agent_driver import DRIVERS, PRIVILEGED, VIRTUAL
from tenuto.model.ids import JsonMap, ObjectId
from tenuto.providers.local.agent import identity as identities
from tenuto.providers.local.agent.calls import Calls, RefusedError
from tenuto.providers.local.agent.identity import Identity
from tenuto.providers.local.agent.journal import Journal
from tenuto.providers.local.agent.loop import Agent
from tenuto.providers.local.agent.own_address import OwnAddress, address_towards, addresses_of, has_address
from tenuto.providers.local.agent.peers import PeerServer
from tenuto.providers.local.agent.sending import Sender
from tenuto.providers.local.agent.staging_driver import staged
from tenuto.providers.local.agent.troubles import COPIES, FIREWALL, Troubles
from tenuto.providers.local.agent.worker import Worker
from tenuto.providers.local.driver import HostDriver
from tenuto.providers.local.drivers.ns import firewall
from tenuto.providers.local.executor.kernel.processes import boot_id
from tenuto.providers.local.images.folder import BLOBS, BlobFolder
from tenuto.providers.local.probe import measured_kvm
from tenuto.providers.local.rules.machines.abilities import ABILITIES
from tenuto.providers.local.rules.machines.acceleration import accelerator_in_words
from tenuto.providers.local.wire.messages import VERSIONS, Register, written
from tenuto.providers.local.wire.tokens import digest_of

_log = structlog.get_logger("tenuto.hosts")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentOptions:
    """The options of an agent. `join` is the file with its token, or - for standard input. It becomes `user` once the
    driver runs; empty to keep its own user. `address` is where the zone's other hosts reach this one; empty for the one
    towards the Conductor. `cores`, `memory_mib` and `disk_gib` are the amounts that it offers; None for all that the
    machine has."""

    state: Path
    driver: str
    join: str | None = None
    user: str = ""
    address: str = ""
    cores: int | None = None
    memory_mib: int | None = None
    disk_gib: int | None = None
    debug: bool = False


def run_agent(options: AgentOptions, *, announce: Callable[[str], None] = print) -> None:
    """Run an agent in the foreground until SIGTERM or SIGINT. The things that run on the host run on.

    Raises UserError when it cannot start, or the Conductor will not have it.
    """
    configure_log(LogLevels("DEBUG" if options.debug else "INFO"))
    stop = threading.Event()

    def ask(number: int, frame: FrameType | None) -> None:
        stop.set()

    with identities.held(options.state):
        journal = Journal(options.state)
        identity, is_joining = identity_of(options.state, options.join)
        troubles = Troubles()
        own = OwnAddress(
            options.address, partial(address_towards, identity.url), is_here=has_address, troubles=troubles
        )
        address = own.now()
        driver = _driver(options, identity.name, address, addresses_of(identity.url))
        # Before it gives up root: the device may be for root alone.
        accelerator = accelerator_in_words(measured_kvm()) if options.driver in VIRTUAL else ""
        if options.driver in PRIVILEGED and (closed := firewall.warning()):
            _log.warning("host.closed", reason=closed)
            troubles.tell(FIREWALL, closed)
        if options.user:
            _become(options.user, options.state)
        calls = Calls(url=identity.url, fingerprint=identity.fingerprint, zone=identity.zone, name=identity.name)
        peers = _peers(options, identity, address, troubles)
        with_blobs = staged(driver, options.state, partial(calls.blob, identity.secret), peers)
        with_blobs.send_by(
            Sender(partial(calls.part_size, identity.secret), partial(calls.append_part, identity.secret))
        )
        joining = _Joining(
            options,
            identity,
            calls,
            journal,
            own=own,
            accelerator=accelerator,
            is_joining=is_joining,
            peers=peers,
            there=_things_of(driver),
            troubles=troubles,
        )
        agent = Agent(
            register=joining.register,
            poll=joining.poll,
            worker=Worker(with_blobs, journal),
            journal=journal,
            troubles=troubles,
        )
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, ask)
        announce(f"Tenuto agent of the host {identity.name} ({identity.zone}): {identity.url}, driver {driver.name}")
        agent.run(stop)


class _Joining:
    """The calls of an agent from the address that its host has. The first one is made with the agent's own secret, and
    with the token only where that is not known yet."""

    def __init__(
        self,
        options: AgentOptions,
        identity: Identity,
        calls: Calls,
        journal: Journal,
        *,
        own: OwnAddress,
        accelerator: str,
        is_joining: bool,
        peers: PeerServer | None,
        there: frozenset[ObjectId],
        troubles: Troubles,
    ) -> None:
        """`there` are the things that the host had when the agent started: its journal may be a new one."""
        self._there = there
        self._troubles = troubles
        self._run = uuid.uuid4().hex
        self._peers = peers
        self._own = own
        self._address = own.now()
        self._accelerator = accelerator
        self._options = options
        self._identity = identity
        self._calls = calls
        self._journal = journal
        self._is_joining = is_joining

    def poll(self, message: JsonMap, wait_s: float) -> JsonMap:
        """Raises RefusedError, as one who is not known, when the Conductor knows the host by another address."""
        if (now := self._own.now()) != self._address:
            raise RefusedError(HTTPStatus.NOT_FOUND, f"the address of this host was {self._address} and is {now} now")
        return self._calls.poll(self._identity.secret, message, wait_s)

    def register(self) -> JsonMap:
        self._move(self._own.now())
        try:
            answer = self._calls.register(self._identity.secret, self._message())
        except RefusedError as refused:
            if not self._is_joining or refused.status != 403:
                raise
            answer = self._calls.register(self._identity.token, self._message(digest_of(self._identity.secret)))
        if self._is_joining:
            # A person let the host join: the database that leads from now on may be an older copy.
            self._journal.forget_epochs()
            identities.joined(self._options.state)
            self._is_joining = False
        return answer

    def _move(self, address: str) -> None:
        """Be reached at an address from now on."""
        if self._peers is not None and address != self._peers.address:
            try:
                self._peers.move(address)
                self._troubles.tell(COPIES, "")
            except OSError as failed:
                _give_no_copies(self._troubles, address, failed)
        self._address = address

    def _message(self, secret_digest: str = "") -> JsonMap:
        options = self._options
        return written(
            Register(
                versions=VERSIONS,
                boot_id=_boot_id(),
                driver=options.driver,
                address=self._address,
                cores=options.cores or os.cpu_count() or 1,
                memory_mib=options.memory_mib or _memory_mib(),
                disk_gib=options.disk_gib or _disk_gib(options.state),
                program=tenuto.__version__,
                run=self._run,
                secret_digest=secret_digest,
                peer_port=self._peers.port if self._peers else 0,
                peer_fingerprint=self._peers.fingerprint if self._peers else "",
                abilities=ABILITIES,
                accelerator=self._accelerator,
                given=self._journal.given(),
                held=tuple(sorted({*self._journal.held(), *self._there} - self._journal.removed())),
            )
        )


def _peers(options: AgentOptions, identity: Identity, address: str, troubles: Troubles) -> PeerServer | None:
    """The server for copies to other hosts; None where its address cannot be listened at, and copies come by way of the
    Conductor then."""
    try:
        return PeerServer(
            address=address,
            name=identity.name,
            secret_digest=digest_of(identity.secret),
            blobs=BlobFolder(options.state / BLOBS),
            state=options.state,
        )
    except (OSError, ValueError) as failed:
        _give_no_copies(troubles, address, failed)
        return None


def _give_no_copies(troubles: Troubles, address: str, failed: Exception) -> None:
    """Tell that the server for copies cannot listen at the address, in the log and to the Conductor."""
    _log.warning("agent.gives_no_copies", address=address, reason=str(failed))
    told = f"the host gives no copies of images to others at {address}, so these come from the Conductor: {failed}"
    troubles.tell(COPIES, told)


def _things_of(driver: HostDriver) -> frozenset[ObjectId]:
    """The things that are on the host; none where it cannot tell now."""
    try:
        return frozenset(one.object_id for one in driver.observe())
    except Exception as error:  # noqa: BLE001 - each observation fails in the same way, and tells the Conductor why
        _log.warning("agent.cannot_tell_what_is_here", reason=repr(error))
        return frozenset()


def _driver(options: AgentOptions, host: str, address: str, conductor: Sequence[str]) -> HostDriver:
    """The driver that was chosen, with the addresses of the Conductor. Raises UserError that names the part that the
    machine lacks.
    """
    name = options.driver
    try:
        module = import_module(f"tenuto.providers.local.drivers.{name}")
    except ImportError as missing:
        raise UserError(
            f"The driver {name} cannot be used on this machine: {missing}. Choose another with --driver: "
            f"{', '.join(one for one in DRIVERS if one != name)}."
        ) from missing
    made: HostDriver = module.make_driver(options.state, host=host, address=address, conductor=conductor)
    return made


def _become(user: str, state: Path) -> None:
    """Give up root for a user. Raises UserError."""
    try:
        become(user, state)
    except KeyError as missing:
        raise UserError(
            f"The agent gives up root once its driver runs, and there is no user {user} on this machine. Make it "
            f"(useradd --system --no-create-home {user}), or name another with --user; --user root keeps root."
        ) from missing
    except OSError as failed:
        raise UserError(f"The agent cannot become the user {user}: {failed.strerror}.") from failed
    if closed := next((one for one in (os.__file__, tenuto.__file__) if not os.access(one, os.R_OK)), None):
        raise UserError(
            f"The agent became the user {user}, who cannot read {closed}: install Python and Tenuto where all users "
            "can read them, or keep root with --user root."
        )


def _boot_id() -> str:
    """The name of this start of the machine; without one, that of the machine."""
    try:
        return boot_id()
    except OSError:
        return socket.gethostname()


def _memory_mib() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20


def _disk_gib(state: Path) -> int:
    return shutil.disk_usage(state).total // 2**30
