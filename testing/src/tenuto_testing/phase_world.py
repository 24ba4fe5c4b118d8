"""A small world to try phases in: the real phase engine on a virtual clock, over a store in memory, on one thread.

    world = PhaseWorld(create_instance)
    world.add("node-1", provider="acme")
    world.settle()
    assert world.get("node-1").state == "Started"

`turn` performs all runs that are due at this moment; `settle` also lets time pass until nothing is left to wait for. A
test that wants a run to *last* calls `collect`, lets something happen, and calls `perform` with the collected runs.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress

from tenuto.conductor.leading.tempo import Tempo
from tenuto.conductor.phases.engine import PhaseEngine
from tenuto.conductor.phases.flights import ActiveRun
from tenuto.conductor.phases.listeners import InlineListeners
from tenuto.conductor.phases.plugins import Found
from tenuto.conductor.phases.reloading import LoadedPlugins, PluginShelf
from tenuto.conductor.phases.saves import save_of
from tenuto.conductor.phases.tally import PhaseTally
from tenuto.core.phases import progress
from tenuto.core.phases.phase_set import PhaseSet
from tenuto.core.phases.progress import Progress
from tenuto.errors import BugError, StoreUnavailableError
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.lifecycles.table import Lifecycle
from tenuto.model.command import Command, ProcessState
from tenuto.model.ids import Fid, Instant, Json, LogicalId, ObjectId, Partition, PhaseName, TypeName
from tenuto.model.phase_map import PhaseEntry
from tenuto.model.process import Intent, IntentStage, Process
from tenuto.model.resource import ManagedObject
from tenuto.plugins import ListenerPlugin, PhasePlugin
from tenuto.ports.conductor import PhaseRecord
from tenuto.ports.store import Store
from tenuto.ports.store_changes import CreateObject, CreateProcess, StoreChange
from tenuto.ports.touches import Touched
from tenuto.storage.sqlite.memory import MemoryStore
from tenuto_testing.clock import VirtualClock

HERE = Partition(account="test", region="here")
ACTOR = "test"
LONGEST_S = 24 * 3600.0
"""After this much virtual time a world that does not come to rest is called stuck."""


class _Anew:
    """The touches of a world whose store is read anew for each question."""

    def since(self, number: int) -> Touched:
        return Touched(number=number + 1, is_whole=False)


class PhaseWorld:
    """Objects, phases and time. `errors` are the plugins that were refused."""

    def __init__(
        self,
        *plugins: PhasePlugin | ListenerPlugin,
        store: Store | None = None,
        clock: VirtualClock | None = None,
        shelf: PluginShelf | None = None,
    ) -> None:
        self.store: Store = store or MemoryStore()
        self.clock = clock or VirtualClock()
        self._began_at = self.clock.now()
        found = Found(
            phases=tuple(plugin for plugin in plugins if isinstance(plugin, PhasePlugin)),
            listeners=tuple(plugin for plugin in plugins if isinstance(plugin, ListenerPlugin)),
        )
        self.plugins = LoadedPlugins(shelf=shelf or PluginShelf(found=found), listeners=InlineListeners)
        self.errors = self.plugins.assembly.errors
        self.tempo = Tempo(period_s=30.0, patience_s=60.0)
        self.engine = PhaseEngine(
            store=self.store,
            plugins=self.plugins,
            clock=self.clock,
            lifecycles=CATALOGUE,
            tempo=self.tempo,
        )
        self._tally = PhaseTally(store=self.store, plugins=self.plugins, touches=_Anew())

    @property
    def phases(self) -> PhaseSet:
        return self.plugins.phases

    @property
    def seconds(self) -> float:
        """Virtual seconds since the world began."""
        return self.clock.now() - self._began_at

    def add(
        self,
        *names: str,
        provider: str | None = None,
        type: str = "Cloud.Node",  # noqa: A002
        lifecycle: str = "resource",
        partition: Partition = HERE,
        process: str = "world",
        desired: Mapping[str, Json] | None = None,
        attributes: Mapping[str, Json] | None = None,
    ) -> None:
        """Objects that head for the ready state of their table, all born in one commit. A name is also the object's id.

        `process` is the FID of the process that they belong to; it is made when it is first named.
        """
        if self.store.process(process) is None:
            self._commit([CreateProcess(process=self._process(process), actor=ACTOR)])
        changes: list[StoreChange] = []
        table = CATALOGUE[lifecycle]
        for name in names:
            born = ManagedObject(
                object_id=ObjectId(name),
                lifecycle=lifecycle,
                type=TypeName(type),
                provider=provider,
                partition=partition,
                fid=Fid(process),
                logical_id=LogicalId(name),
                state=table.born,
                target=table.ready,
                created_at=self.clock.now(),
                moved_at=self.clock.now(),
                touched_at=self.clock.now(),
                desired=desired or {},
                attributes=attributes or {},
            )
            walked = progress.begin_walk(born, self.phases, table, self.clock.now(), ACTOR)
            changes += [CreateObject(object=born, actor=ACTOR), save_of(walked)]
        self._commit(changes)

    def get(self, name: str) -> ManagedObject:
        found = self.store.object(ObjectId(name))
        if found is None:
            raise BugError(f"there is no object {name} in this world; add it first")
        return found

    def entry(self, name: str, phase: str) -> PhaseEntry:
        return self.get(name).phases[PhaseName(phase)]

    def record(self, phase: str) -> PhaseRecord:
        return next(record for record in self._tally.records() if record.definition.name == phase)

    def head_for(self, target: str, *names: str) -> None:
        """Give the objects another target, in one commit."""
        self._commit(
            [
                save_of(progress.retarget(one, target, self.phases, self._table(one), self.clock.now(), ACTOR))
                for one in map(self.get, names)
            ]
        )

    def visit_again(self, state: str, *names: str) -> None:
        """Send the objects through `state` again, as an update in place does."""
        self._commit(
            [
                save_of(progress.revisit(one, state, self.phases, self._table(one), self.clock.now(), ACTOR))
                for one in map(self.get, names)
            ]
        )

    def save_object(self, changed: ManagedObject) -> None:
        """Store an object as a test wants it to be."""
        self._commit([save_of(Progress.between(self.get(changed.object_id), changed))])

    def retry(self, *names: str, phase: str | None = None) -> Mapping[ObjectId, int]:
        return self.engine.retry(
            [ObjectId(name) for name in names],
            self.clock.now(),
            actor=ACTOR,
            phase=PhaseName(phase) if phase else None,
        )

    def collect(self) -> dict[str, ActiveRun]:
        """Start the runs that are due now; return them by the names of their phases (of one partition)."""
        return {run.phase: run for run in self.engine.collect(self.clock.now())}

    def perform(self, runs: Iterable[ActiveRun]) -> None:
        for run in runs:
            self.engine.perform(run)

    def turn(self) -> list[ActiveRun]:
        """Perform all runs that are due at this moment, and those that become due by them. Returns the runs, in
        order."""
        performed: list[ActiveRun] = []
        while runs := self.engine.collect(self.clock.now()):
            self.perform(runs)
            performed += runs
            if len(performed) > 100_000:
                raise BugError(f"phase {runs[0].phase} runs again and again without letting time pass")
        return performed

    def settle(self) -> None:
        """Let time pass from one wake time to the next until nothing waits or sleeps but upkeep (see `advance`)."""
        deadline = self.clock.now() + LONGEST_S
        self.turn()
        while (wake := self.engine.next_wake()) is not None and self._is_anything_under_way():
            if wake > deadline:
                raise BugError(f"the world does not come to rest within {LONGEST_S:g} s: a phase never ends")
            self.clock.set(wake)
            self.turn()

    def advance(self, seconds: float) -> list[ActiveRun]:
        """Let time pass, stopping at every wake time on the way, and perform the runs that are due."""
        end = Instant(self.clock.now() + seconds)
        performed = self.turn()
        while (wake := self.engine.next_wake()) is not None and wake <= end:
            self.clock.set(wake)
            performed += self.turn()
        self.clock.set(end)
        return performed + self.turn()

    def restart(self, *plugins: PhasePlugin | ListenerPlugin) -> "PhaseWorld":
        """The world that a new Conductor finds after a crash: the same store and clock, nothing else."""
        fresh = PhaseWorld(*plugins, store=self.store, clock=self.clock)
        with suppress(StoreUnavailableError):
            fresh.engine.recover(self.clock.now())
        return fresh

    def _process(self, fid: str) -> Process:
        now = self.clock.now()
        return Process(
            intent=Intent(command=Command.RUN, given_at=now, stage=IntentStage.SERVED),
            fid=Fid(fid),
            alias=None,
            name=fid,
            partition=HERE,
            provider="test",
            state=ProcessState.RUNNING,
            composition_digest="",
            composition_name=fid,
            created_at=now,
            updated_at=now,
            next_job_at=now,
        )

    def _is_anything_under_way(self) -> bool:
        if all(one.every_s is None for one in self.phases.definitions.values()):
            return True  # Every wake is of a phase that has an end.
        objects = [found for process in self.store.processes() for found in self.store.objects(process.fid)]
        return not all(found.is_settled or found.is_phase_failed for found in objects)

    def _table(self, one: ManagedObject) -> Lifecycle:
        return CATALOGUE[one.lifecycle]

    def _commit(self, changes: list[StoreChange]) -> None:
        self.store.commit(changes)
        self.plugins.publish(changes)
