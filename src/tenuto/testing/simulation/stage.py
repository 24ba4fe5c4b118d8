"""The stage of a run: one store, one cloud, the Conductor that lives now, and the time that passes.

At every moment at which something is due, tasks are collected and given to the crew until nothing is left; then time
goes on. Whoever dies is followed by another Conductor on the same store, beside the same cloud.
"""

from typing import cast

from tenuto.bootstrap.system import System, build
from tenuto.errors import StoreUnavailableError
from tenuto.model.ids import Instant
from tenuto.ports.clock import Clock
from tenuto.ports.provider import OpSink, Provider
from tenuto.ports.store import Store
from tenuto.providers.simulated.cloud import Cloud
from tenuto.providers.simulated.faults import Faults
from tenuto.providers.simulated.provider import SimulatedProvider
from tenuto.storage.memory import MemoryStore
from tenuto.storage.secrets import FernetSecrets, new_key
from tenuto.testing.clock import VirtualClock
from tenuto.testing.ids import SeededIds
from tenuto.testing.mortality import Crash, Fate
from tenuto.testing.simulation.crew import Crew
from tenuto.testing.simulation.histories import History
from tenuto.testing.simulation.laws import Laws
from tenuto.testing.simulation.lives import Life, LivingProvider, LivingStore, Weather

PERIOD_S = 30.0
MOST_ROUNDS = 2000
"""Collections at one moment; more than that means that the Conductor wakes itself for nothing."""
_TICK_S = 0.1


class Stage:
    """Everything that one run is played on. `log` tells what happened."""

    system: System

    def __init__(self, history: History) -> None:
        self.log: list[str] = []
        self.clock = VirtualClock()
        self.store = MemoryStore()
        self.cloud = Cloud(self.clock, history.behaviour)
        self.faults = Faults()
        self.laws = Laws(store=self.store, cloud=self.cloud, clock=self.clock)
        self.crew = Crew(self.clock)
        self.fate = Fate()
        self.weather = Weather()
        self._began_at = self.clock.now()
        self._ids = SeededIds(f"{history.seed}")
        self._secrets = FernetSecrets(new_key())
        self._life = self._new_life()

    def tell(self, text: str) -> None:
        """A line of the log, with the time."""
        self.log.append(f"{self.clock.now() - self._began_at:>8.1f} {text}")

    def _new_life(self) -> Life:
        return Life(fate=self.fate, weather=self.weather, crew=self.crew, laws=self.laws)

    def _providers(self, ops: OpSink, clock: Clock) -> list[Provider]:
        return [LivingProvider(SimulatedProvider(self.cloud, clock=clock, ops=ops, faults=self.faults), self._life)]

    def die(self, when: str) -> None:
        self.tell(f"      † the Conductor died {when}")
        self.boot()

    def boot(self) -> None:
        """Another Conductor on the same store, beside the same cloud; it may die, too, or find the store away."""
        while True:
            self._life.is_over = True
            self.crew.dismiss()
            life = self._life = self._new_life()
            self.system = build(
                store=cast(Store, LivingStore(self.store, life)),
                providers=self._providers,
                clock=self.clock,
                ids=self._ids,
                secrets=self._secrets,
                period_s=PERIOD_S,
            )
            try:
                self.system.conductor.start()
            except (Crash, StoreUnavailableError) as death:
                self.tell(f"      † the Conductor died at its start: {death}")
                self.clock.advance(1.0)
                continue
            return

    def advance(self, seconds: float) -> None:
        """Let time pass, and do what becomes due when it becomes due."""
        end = Instant(self.clock.now() + seconds)
        self.work()
        while not self.laws.problems and (wake := self.next_wake()) < end:
            self.clock.set(wake)
            self.work()
        self.clock.set(end)
        self.work()

    def work(self) -> None:
        """Everything that is due now, by as many Conductors as it takes."""
        for _ in range(MOST_ROUNDS):
            try:
                went_on = self.crew.resume()
                tasks = self.system.conductor.collect()
                self.crew.perform(tasks)
            except Crash as crash:
                self.die(str(crash))
            else:
                if not tasks and not went_on:
                    return
        self.laws.broken(f"the Conductor collects tasks for ever at +{self.clock.now() - self._began_at:.1f}")

    def next_wake(self) -> Instant:
        wakes = [self.system.conductor.next_wake(), self.crew.next_wake()]
        soonest = self.clock.now() + _TICK_S
        return Instant(max(soonest, min((wake for wake in wakes if wake is not None), default=soonest + PERIOD_S)))
