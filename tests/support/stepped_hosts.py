"""A whole Conductor with real agents of hosts, in one thread, by a virtual clock.

Theory of operation. The agents are the real dialogue, the real worker and the real journal; only the network between
them and the Conductor, their threads and the clocks are replaced. A host can be cut off in both directions, or so that
its questions arrive and the answers are lost; its agent can be killed at any call and in the middle of its work; it can
lose its power; and its clock differs from that of the Conductor, which has one of its own that can be set. A phase that
waits for a report lets the hosts work meanwhile; when nobody does, the time of waiting passes for everybody's steady
clock at once.
"""

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from local_world import LocalWorld
from stepped_parts import MortalDriver, SteppedLease, Waiting

from tenuto.errors import ForbiddenError, NotAllowedError, NotFoundError, UserError
from tenuto.model.ids import Instant, JsonMap, ObjectId
from tenuto.ports.clock import Clock
from tenuto.ports.host_door import HostDoor
from tenuto.ports.provider import OpSink, Provider
from tenuto.providers.local.agent.calls import RefusedError, SilentError
from tenuto.providers.local.agent.dialogue import Dialogue, Progress
from tenuto.providers.local.agent.journal import Journal
from tenuto.providers.local.agent.worker import Worker
from tenuto.providers.local.assembly import local_provider
from tenuto.providers.local.driver import Seen, Spec
from tenuto.providers.local.drivers.memory import MemoryDriver
from tenuto.providers.local.drivers.simulated import SimulatedDriver
from tenuto.providers.local.drivers.simulated_disks import SentContents
from tenuto.providers.local.hosts.blobs import HostBlobs
from tenuto.providers.local.hosts.book import HostBook
from tenuto.providers.local.hosts.door import LocalDoor
from tenuto.providers.local.hosts.driver import RealHosts
from tenuto.providers.local.hosts.ledger import Ledger
from tenuto.providers.local.hosts.lines import Lines
from tenuto.providers.local.hosts.parts import HostParts
from tenuto.providers.local.images.folder import BlobFolder
from tenuto.providers.local.phases.images import Images
from tenuto.providers.local.reservations import Reservations
from tenuto.providers.local.rules.deadlines import Deadlines
from tenuto.providers.local.rules.machines.abilities import ABILITIES
from tenuto.providers.local.rules.replication import ReplicationRules
from tenuto.providers.local.types import INSTANCE
from tenuto.providers.local.wire.messages import VERSIONS, Register, written
from tenuto.providers.local.wire.tokens import Token, bearer, digest_of, new_secret
from tenuto_testing.mortality import Crash, mortal_store

ZONE = "us-east-1"
NEVER = 1e18
_STATUS = ((NotFoundError, 404), (ForbiddenError, 403), (NotAllowedError, 409), (UserError, 400))
_RETRY_S = 5.0


class SteppedHost:
    """One host: what is on it outlives its agent, and its agent's journal outlives both."""

    def __init__(self, name: str, folder: Path, world: "HostsWorld", *, ahead_s: float) -> None:
        self.name = name
        self._world = world
        self._ahead_s = ahead_s
        self._folder = folder / name
        self._folder.mkdir(parents=True)
        self.things = SimulatedDriver(world.clock)
        self.lease = SteppedLease(self.steady)
        memory = MemoryDriver(self.things, self.lease, SentContents(BlobFolder(self._folder / "blobs")))
        self.driver = MortalDriver(memory)
        self.is_cut = self.is_deaf = False
        self._is_silent = False
        self._secret = new_secret()
        self._token = ""
        self._boots = 1
        self._runs = 0
        self.next_at = Instant(NEVER)
        self._dialogue: Dialogue | None = None
        self._progress: Progress | None = None
        self._worker: Worker | None = None
        self._journal: Journal | None = None

    def steady(self) -> float:
        """The steady clock of this host."""
        return self._world.steady() + self._ahead_s

    @property
    def is_alive(self) -> bool:
        """Whether its agent runs."""
        return self._dialogue is not None

    def join(self) -> None:
        """Be enrolled, and start the agent with the token."""
        text = self._world.door.enroll(ZONE, self.name, url="https://c", fingerprint="0" * 64, actor="ann")["token"]
        self._token = bearer(ZONE, self.name, Token.parse(str(text)).secret)
        self.start()

    def start(self) -> None:
        """Start the agent, as a unit file does."""
        if self.is_alive:
            return
        self._runs += 1
        self._journal = Journal(self._folder)
        there = frozenset(one.object_id for one in self.driver.observe())
        self._worker = Worker(self.driver, self._journal)
        self._dialogue = Dialogue(
            register=partial(self._register, self._journal, there),
            poll=lambda message, wait_s: self._asked(lambda: self._poll(message)),
            journal=self._journal,
            extend=self.driver.hold,
            steady=self.steady,
        )
        self._progress = None
        self._is_silent = False
        self.next_at = self._world.clock.now()

    def kill(self) -> None:
        """End the agent by force."""
        if self._journal is not None:
            self._journal.close()
        self._dialogue = self._progress = self._worker = self._journal = None
        self.driver.blow = 0
        self.next_at = Instant(NEVER)

    def lose_power(self) -> None:
        """End everything that runs on the host."""
        self.kill()
        self.lease.release()
        self._boots += 1
        for machine in self.running():
            self.things.stop_machine(machine)

    def machines(self) -> dict[ObjectId, str]:
        """The power states of the machines that are there."""
        return {
            spec.object_id: str(seen.properties["PowerState"]) for spec, seen in self._all() if spec.type == INSTANCE
        }

    def running(self) -> list[ObjectId]:
        return [key for key, power in self.machines().items() if power == "on"]

    def replaced(self) -> dict[ObjectId, str]:
        """The policy of each machine that runs."""
        running = self.running()
        return {
            spec.object_id: str(spec.properties.get("Replace") or "never")
            for spec, _ in self._all()
            if spec.object_id in running
        }

    def _all(self) -> list[tuple[Spec, Seen]]:
        self.driver.observe()
        return [pair for _, things in self.things.everything().values() for pair in things]

    def step(self) -> bool:
        """Do what is due. Whether there was anything."""
        if self._world.clock.now() < self.next_at or self._dialogue is None:
            return False
        assert self._worker is not None
        dialogue, worker = self._dialogue, self._worker
        self.next_at, self._is_silent = Instant(NEVER), True
        try:
            self._progress = self._progress or dialogue.begin()
            answer, task = dialogue.ask(self._progress)
        except (SilentError, RefusedError) as failed:
            self.next_at = Instant(self._world.clock.now() + _RETRY_S)
            if isinstance(failed, RefusedError):
                self._progress = None
                if failed.status in (403, 400):
                    self.kill()
            return True
        self._is_silent = False
        self.next_at = Instant(self._world.clock.now() + (0.0 if task else dialogue.poll_s))
        try:
            if task is not None and dialogue.counts(task):
                worker.meet(dialogue.hosts)
                worker.isolate(dialogue.isolated)
                if task.orders:
                    dialogue.keep(worker.work(task.orders))
                    dialogue.send()
                if task.question:
                    dialogue.send(worker.observe(task.question))
        except Crash as crash:
            if str(crash) != "the agent":
                raise
            self.kill()
            return True
        if answer.is_dismissed:
            self._leave(dialogue)
        return True

    def _leave(self, dialogue: Dialogue) -> None:
        try:
            if dialogue.leave():
                self.driver.let_go()
        except (SilentError, RefusedError):
            pass
        self.kill()

    def wake(self) -> None:
        """There is news. A host whose last call failed does not hear of it before it tries again."""
        if self.is_alive and not self._is_silent:
            self.next_at = min(self.next_at, self._world.clock.now())

    def _register(self, journal: Journal, there: frozenset[ObjectId]) -> JsonMap:
        def message(secret_digest: str = "") -> JsonMap:
            sent = written(
                Register(
                    versions=VERSIONS,
                    boot_id=f"{self.name}-{self._boots}",
                    driver="memory",
                    cores=8,
                    memory_mib=16384,
                    disk_gib=100,
                    program="1",
                    abilities=ABILITIES,
                    run=f"{self.name}-{self._runs}",
                    secret_digest=secret_digest,
                    given=journal.given(),
                    held=tuple(sorted({*journal.held(), *there} - journal.removed())),
                )
            )
            found: JsonMap = json.loads(json.dumps(sent))  # As it would arrive.
            return found

        own = bearer(ZONE, self.name, self._secret)
        try:
            return self._asked(lambda: self._door.register(self._door.admit(own), message()))
        except RefusedError as refused:
            if refused.status != 403 or not self._token:
                raise
        with_token = self._token
        answer = self._asked(
            lambda: self._door.register(self._door.admit(with_token), message(digest_of(self._secret)))
        )
        self._token = ""
        journal.forget_epochs()
        return answer

    def _poll(self, message: JsonMap) -> JsonMap:
        bearer_ = self._door.admit(bearer(ZONE, self.name, self._secret))
        return self._door.poll(bearer_, message, self.wake).answer()

    @property
    def _door(self) -> HostDoor:
        return self._world.door

    def _asked(self, call: Callable[[], JsonMap]) -> JsonMap:
        """One call over a network that may lose the question, or the answer."""
        if self.is_cut or self._world.is_down:
            raise SilentError("no way to the Conductor")
        try:
            answer: JsonMap = json.loads(json.dumps(call()))
        except (NotFoundError, ForbiddenError, NotAllowedError, UserError) as error:
            status = next(code for kind, code in _STATUS if isinstance(error, kind))
            answer = {"refused": status, "detail": str(error)}
        if self.is_deaf:
            raise SilentError("the answer was lost")
        if "refused" in answer:
            raise RefusedError(int(answer["refused"]), str(answer["detail"]))
        return answer


class HostsWorld(LocalWorld):
    """A Conductor whose zone has real agents."""

    def __init__(self, folder: Path, *, hosts: int, missing_s: float, ahead_s: Sequence[float]) -> None:
        self.is_down = False
        self._waited_s = 0.0
        self._is_turning = False
        self.racks: dict[str, SteppedHost] = {}
        self.after_each: Callable[[], None] = lambda: None
        """What is looked at whenever all that is due at one moment is done."""
        super().__init__(Deadlines(missing_s=missing_s), ReplicationRules(factor=0))
        for number, ahead in zip(range(hosts), ahead_s, strict=False):
            name = f"h{number + 1}"
            self.racks[name] = SteppedHost(name, folder, self, ahead_s=ahead)
            self.racks[name].join()
        self.advance(missing_s)

    def steady(self) -> float:
        """The steady clock of the Conductor."""
        return self.clock.now() - self.began_at + self._waited_s + 1000.0

    def _providers(self, ops: OpSink, clock: Clock) -> list[Provider]:
        store = mortal_store(self.store, self.fate)
        book = HostBook(store, clock)
        lines = Lines(self._epoch, self.steady, deadlines=self.deadlines)
        lines._changed = Waiting(self.turn, self._wait)
        reservations = Reservations(store, clock)
        self.door = LocalDoor(
            book=book,
            lines=lines,
            epoch=self._epoch,
            is_simulated=lambda zone: False,
            blobs=HostBlobs(store, self.files),
            parts=HostParts(store, self.files, clock),
        )
        self.provider_of_hosts = local_provider(
            RealHosts(book=book, lines=lines, ledger=Ledger(store)),
            store=store,
            clock=clock,
            reservations=reservations,
            images=Images(self.files, self.sources, reservations),
            deadlines=self.deadlines,
            replication=self.replication,
            door=self.door,
        )
        return [self.provider_of_hosts]

    def _epoch(self) -> int:
        lease = self.store.lease()
        return lease.epoch if lease else 0

    def _wait(self, seconds: float) -> None:
        self._waited_s += seconds

    def turn(self) -> bool:
        """Let each host do what is due, once. Whether there was anything."""
        if self._is_turning:
            return False
        self._is_turning = True
        try:
            had_work = [one.step() for one in self.racks.values()]
            return any(had_work)
        finally:
            self._is_turning = False

    def work(self) -> None:
        for _ in range(1000):
            if not self.is_down:
                super().work()
            try:
                if not self.turn():
                    self.after_each()
                    return
            except Crash as crash:
                self.crash(str(crash))
        raise AssertionError("the hosts and the Conductor never come to an end of what is due at one moment")

    def crash(self, why: str = "killed") -> None:
        self._is_turning = False
        super().crash(why)

    def go_down(self) -> None:
        """The Conductor ends, and nobody starts another one."""
        self.is_down = True

    def stand_still(self, seconds: float) -> None:
        """Let time pass in which nobody hears anybody: as a pause of days, of which nothing but its length counts."""
        self.clock.advance(seconds)
        for one in self.racks.values():
            if one.is_alive:
                one.next_at = self.clock.now()

    def come_back(self) -> None:
        if self.is_down:
            self.is_down = False
            self.crash("it was down")

    def _next_wake(self) -> Instant:
        soonest = Instant(self.clock.now() + 0.1)
        hosts = min((one.next_at for one in self.racks.values()), default=Instant(NEVER))
        conductor = Instant(NEVER) if self.is_down else super()._next_wake()
        return Instant(max(soonest, min(hosts, conductor)))
