"""A whole Conductor on a virtual clock, a simulated cloud and any store, driven on the calling thread."""

from collections.abc import Callable
from dataclasses import replace

from tenuto.bootstrap.system import System, build
from tenuto.model.composition import Composition, Declaration, DeletionPolicy
from tenuto.model.ids import Fid, LogicalId, Partition, TypeName
from tenuto.model.process import Command, Process, ProcessState
from tenuto.model.resource import ManagedObject, Move
from tenuto.ports.store import Store
from tenuto.ports.store_changes import CreateProcess, SaveComposition, SaveProcess
from tenuto.providers.simulated.cloud import Behaviour, Cloud
from tenuto.providers.simulated.faults import Faults
from tenuto.providers.simulated.provider import SimulatedProvider
from tenuto.storage.memory import MemoryStore
from tenuto.storage.secrets import FernetSecrets, new_key
from tenuto.testing.clock import VirtualClock
from tenuto.testing.ids import SeededIds

HOME = Partition(account="default", region="us-east-1")
FID = Fid("f-1")


def declare(name: str, type_name: str, needs: tuple[str, ...] = (), **properties: object) -> Declaration:
    return Declaration(
        logical_id=LogicalId(name),
        type=TypeName(f"Simulated::{type_name}"),
        properties=properties,
        depends_on=tuple(sorted(LogicalId(need) for need in needs)),
        deletion_policy=DeletionPolicy.DELETE,
    )


def web() -> Composition:
    """A network with two subnets, a server in one of them, and a bucket of a fixed name."""
    return Composition(
        name="web",
        digest="web-1",
        region=HOME.region,
        resources=(
            declare("Net", "Network", CidrBlock="10.0.0.0/16", Label="one"),
            declare("Left", "Subnet", ("Net",), NetworkId={"Ref": "Net"}, CidrBlock="10.0.1.0/24"),
            declare("Right", "Subnet", ("Net",), NetworkId={"Ref": "Net"}, CidrBlock="10.0.2.0/24"),
            declare("Server", "Server", ("Left",), SubnetId={"Ref": "Left"}, Image="img", Size="small"),
            declare("Store", "Bucket", Name="a-name"),
        ),
    )


class Simulation:
    """One process in one simulated world. `reborn` is what a restart of the Conductor is."""

    def __init__(
        self,
        *,
        store: Store | None = None,
        wrap: Callable[[Store], Store] = lambda store: store,
        behaviour: Behaviour | None = None,
        seed: int = 1,
    ) -> None:
        self.clock = VirtualClock()
        self.store = store or MemoryStore()
        self.cloud = Cloud(self.clock, behaviour)
        self.faults = Faults()
        self.ids = SeededIds(seed)
        self.secrets = FernetSecrets(new_key())
        self.provider: SimulatedProvider
        self.system = self.reborn(wrap(self.store))

    def reborn(self, store: Store) -> System:
        """A new Conductor on a store, beside the same cloud. The one before is simply not called any more."""

        def providers(ops: object, clock: object) -> list[SimulatedProvider]:
            self.provider = SimulatedProvider(self.cloud, clock=self.clock, ops=ops, faults=self.faults)  # type: ignore
            return [self.provider]

        self.system = build(
            store=store, providers=providers, clock=self.clock, ids=self.ids, secrets=self.secrets, period_s=30.0
        )
        return self.system

    def begin(self, composition: Composition) -> None:
        now = self.clock.now()
        process = Process(
            fid=FID,
            alias="web",
            name="web",
            partition=HOME,
            provider="simulated",
            state=ProcessState.RUNNING,
            composition_digest=composition.digest,
            composition_name=composition.name,
            created_at=now,
            updated_at=now,
            next_job_at=now,
            next_command=Command.RUN,
        )
        self.store.commit([SaveComposition(composition=composition), CreateProcess(process=process, actor="test")])

    def command(self, state: ProcessState, command: Command) -> None:
        """What the service stores for a state change, without its checks."""
        process = self.process()
        now = self.clock.now()
        move = Move(before=process.state, after=state, at=now, actor="test")
        after = replace(process, state=state, commanded=True, next_command=command, next_job_at=now, converged_at=None)
        self.store.commit([SaveProcess(process=after, expected_generation=process.generation, moves=(move,))])
        if command is Command.RESUME:
            self.system.conductor.retry(FID, ())
        self.system.conductor.wake(FID)

    def update(self, composition: Composition) -> None:
        process = self.process()
        after = replace(
            process,
            composition_digest=composition.digest,
            commanded=True,
            next_command=Command.UPDATE,
            next_job_at=self.clock.now(),
            converged_at=None,
        )
        changes = [
            SaveComposition(composition=composition),
            SaveProcess(process=after, expected_generation=process.generation),
        ]
        self.store.commit(changes)
        self.system.conductor.wake(FID)

    def process(self) -> Process:
        found = self.store.process(FID)
        assert found is not None
        return found

    def settle(self, seconds: float = 600.0) -> Process:
        """Let time pass until the process has converged, is Suspended or gone. Fails when that takes too long."""
        until = self.clock.now() + seconds
        self.system.conductor.start()
        while self.clock.now() <= until:
            self.system.conductor.step()
            process = self.process()
            if process.state in (ProcessState.SUSPENDED, ProcessState.GONE) or process.converged_at is not None:
                return process
            wake = self.system.conductor.next_wake()
            assert wake is not None, f"nothing will ever happen again: {self.picture()}"
            self.clock.set(wake)
        raise AssertionError(f"not settled within {seconds} s: {self.picture()}")

    def turn(self, seconds: float) -> None:
        """Let this much time pass, doing what is due."""
        until = self.clock.now() + seconds
        while True:
            self.system.conductor.step()
            wake = self.system.conductor.next_wake()
            if wake is None or wake > until:
                break
            self.clock.set(wake)
        self.clock.advance(max(0.0, until - self.clock.now()))

    def live(self) -> dict[str, ManagedObject]:
        return {
            found.logical_id: found
            for found in self.store.objects(FID)
            if found.state not in ("Terminated", "Released")
        }

    def picture(self) -> str:
        process = self.process()
        objects = [f"{found.logical_id}#{found.incarnation}={found.state}" for found in self.store.objects(FID)]
        return f"{process.state} {process.last_message!r} {objects}"
