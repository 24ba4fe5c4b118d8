"""The stage of a run: one store, one cloud, the Conductors that live now, and the time that passes.

At every moment at which something is due, tasks are collected and performed until nothing is left; then time goes on.
"""

from typing import cast

from tenuto.bootstrap.system import System, build
from tenuto.conductor.observing.sweeps import NEAR_FROM
from tenuto.conductor.providing.accounts import StoredAccounts
from tenuto.errors import StoreUnavailableError
from tenuto.model.ids import Instant
from tenuto.ports.clock import Clock
from tenuto.ports.provider import OpSink, Provider
from tenuto.ports.store import Store
from tenuto.storage.file.secrets import KeyedSecrets, new_keys
from tenuto.storage.sqlite.memory import MemoryStore
from tenuto_testing.clock import VirtualClock
from tenuto_testing.ids import SeededIds
from tenuto_testing.mortality import Fate
from tenuto_testing.simulation.cast import Actor, Cast
from tenuto_testing.simulation.crew import Crew
from tenuto_testing.simulation.histories import History
from tenuto_testing.simulation.laws import Laws
from tenuto_testing.simulation.lives import Life, LivingOps, LivingProvider, LivingStore, Weather
from tenuto_testing.simulation.sceneries import scenery_of

PERIOD_S = 30.0
MOST_ROUNDS = 2000
"""Collections at one moment; more than that means that the Conductor wakes itself for nothing."""
_TICK_S = 0.1


class Stage:
    """Everything that one run is played on. `log` tells the events."""

    def __init__(self, history: History) -> None:
        self.log: list[str] = []
        self.clock = VirtualClock()
        self.store = MemoryStore()
        self.ground = scenery_of(history.cloud).ground(self.clock, history.traits, history.seed)
        self.laws = Laws(store=self.store, ground=self.ground)
        self.laws.protect_all()
        self.fate = Fate()
        self.weather = Weather()
        self._began_at = self.clock.now()
        self._sweeps_near = history.seed % 2 == 1
        """Half of the histories are played as in an account with many things."""
        self._ids = SeededIds(f"{history.seed}")
        self._secrets = KeyedSecrets(new_keys())
        self.cast = Cast(self.clock, self.tell, self._make)

    @property
    def system(self) -> System:
        """The Conductor that people talk to. Raises StoreUnavailableError when there is none."""
        return self.cast.system

    def tell(self, text: str) -> None:
        """A line of the log, with the time."""
        self.log.append(f"{self.clock.now() - self._began_at:>8.1f} {text}")

    def _make(self, name: str, is_alone: bool) -> Actor:
        crew = Crew(self.clock)
        life = Life(name=name, fate=self.fate, weather=self.weather, crew=crew, laws=self.laws)

        store = cast(Store, LivingStore(self.store, life))
        accounts = StoredAccounts(store=store, secrets=self._secrets, clock=self.clock)

        def providers(ops: OpSink, clock: Clock) -> list[Provider]:
            return [LivingProvider(self.ground.provider(LivingOps(ops, life), clock, life, accounts), life)]

        system = build(
            store=store,
            providers=providers,
            clock=self.clock,
            ids=self._ids,
            secrets=self._secrets,
            period_s=PERIOD_S,
            node=name,
            is_alone=is_alone,
            near_from=0 if self._sweeps_near else NEAR_FROM,
        )
        return Actor(name=name, system=system, crew=crew, life=life, wakes_at=self.clock.now())

    def boot(self) -> None:
        """A Conductor leads; time passes while it cannot."""
        self.cast.start()
        while True:
            try:
                _ = self.cast.system
            except StoreUnavailableError:
                self.advance(1.0)
            else:
                return

    def advance(self, seconds: float) -> None:
        """Let time pass, and do the due work at each of its moments."""
        end = Instant(self.clock.now() + seconds)
        self.work()
        while not self.laws.problems and (wake := self.next_wake()) < end:
            self.clock.set(wake)
            self.work()
        self.clock.set(end)
        self.work()

    def wait_for_slow(self) -> None:
        """Let time pass until nothing that the leader does is slow: who asks for a sweep waits for those under way."""
        while not self.laws.problems and (wake := self.cast.slow_until()) is not None:
            self.advance(max(_TICK_S, wake - self.clock.now()))

    def work(self) -> None:
        """Everything that is due now, by as many Conductors as it takes."""
        for _ in range(MOST_ROUNDS):
            has_begun = self.cast.start()
            try:
                had_work = self.cast.turn()
            except StoreUnavailableError as error:
                self.laws.broken(f"a store that is away ended the Conductor's loop: {error}")
                return
            if not had_work and not has_begun:
                return
        self.laws.broken(f"the Conductor collects tasks for ever at +{self.clock.now() - self._began_at:.1f}")

    def next_wake(self) -> Instant:
        soonest = Instant(self.clock.now() + _TICK_S)
        try:
            wake = self.cast.next_wake()
        except StoreUnavailableError as error:
            self.laws.broken(f"a store that is away ended the Conductor's loop: {error}")
            wake = None
        return Instant(max(soonest, wake if wake is not None else soonest + PERIOD_S))
