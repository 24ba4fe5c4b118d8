"""A whole Tenuto in one thread: the real Conductor on a store, a simulated cloud and a virtual clock.

Time passes only when it is told to; at every moment at which something is due, all of it is done before time goes on.
So a run of hours takes milliseconds and is the same every time. A crash throws the Conductor away in the middle of its
work and builds another one on the same store and cloud.

`clock` is the time that passes, for the cloud and for the story. Beside it there is a wall clock that can be set. `own`
is the clock of the Conductor that lives now, which read the wall clock at its start.
"""

from tenuto.bootstrap.system import System, build
from tenuto.conductor.leading.timekeeper import step_between
from tenuto.conductor.phases.plugins import Found
from tenuto.conductor.phases.reloading import PluginShelf
from tenuto.kit.regions import Regions
from tenuto.model.clock import ClockStep
from tenuto.model.command import ProcessState
from tenuto.model.ids import Fid, Instant
from tenuto.model.process import Process
from tenuto.ports.clock import Clock
from tenuto.ports.provider import OpSink, Provider
from tenuto.ports.store import Store
from tenuto.providers.simulated.behaviour import Behaviour
from tenuto.providers.simulated.cloud import Cloud
from tenuto.providers.simulated.faults import Faults
from tenuto.providers.simulated.provider import Call, SimulatedProvider
from tenuto.storage.file.secrets import KeyedSecrets, new_keys
from tenuto.storage.sqlite.memory import MemoryStore
from tenuto_testing.clock import AnchoredClock, VirtualClock
from tenuto_testing.ids import SeededIds
from tenuto_testing.mortality import Crash, Fate, MortalProvider, mortal_store

PERIOD_S = 30.0
PATIENCE_S = 4 * 3600.0
"""A world that has not come to rest after this much virtual time never will."""
_TICK_S = 0.1
_STALE_S = PERIOD_S / 6
"""A job may use a sweep that is this old, so an event just before the job may have escaped the sweep."""


class World:
    """One store, one cloud, and the Conductor that lives now. `crashes` are the moments at which others died."""

    def __init__(self, *, store: Store | None = None, behaviour: Behaviour | None = None) -> None:
        self.clock = VirtualClock()
        self.own = AnchoredClock(self.clock)
        self.began_at = self.clock.now()
        self.store: Store = store or MemoryStore()
        self.cloud = Cloud(self.clock, behaviour)
        self.faults = Faults()
        self.fate = Fate()
        self.crashes: list[tuple[Instant, str]] = []
        self.plugins: Found | None = None
        """Those of the next Conductor, beside Tenuto's own phases."""
        self._ids = SeededIds()
        self._lives: list[SimulatedProvider] = []
        self._calls: list[Call] = []
        self.keys = new_keys()
        self._secrets = KeyedSecrets(self.keys)
        self.system = self._boot()

    def crash(self, why: str = "killed") -> None:
        """The Conductor dies, and another one starts."""
        self.crashes.append((self.clock.now(), why))
        self.system = self._boot()

    def behave(self, behaviour: Behaviour) -> None:
        """Set the behaviour of the cloud from now on. A Conductor learns the parts of it that are facts of types at its
        start."""
        self.cloud.behaviour = behaviour
        self.system = self._boot()

    def set_wall(self, ahead_s: float) -> None:
        """The wall clock goes so many seconds ahead of the time that passes from now on."""
        self.clock.set_wall(ahead_s)

    def work(self) -> None:
        """Do everything that is due at this moment, by as many Conductors as it takes."""
        while True:
            try:
                self.system.conductor.step()
            except Crash as crash:
                self.crash(str(crash))
                continue
            if not self.system.conductor.is_outdated:
                return
            self.system = self._boot(step_between(self.own, AnchoredClock(self.clock)))

    def advance(self, seconds: float) -> None:
        """Let time pass, and do the due work at each of its moments."""
        end = Instant(self.clock.now() + seconds)
        self.work()
        while (wake := self._next_wake()) < end:
            self.clock.set(wake)
            self.work()
        self.clock.set(end)
        self.work()

    def settle(self) -> bool:
        """Let time pass until every process was looked at and left as it is. False when that never happened."""
        end = self.clock.now() + PATIENCE_S
        since = self.own.now()
        self.work()
        while not self._is_settled(since):
            if self.clock.now() > end:
                return False
            self.clock.set(self._next_wake())
            self.work()
        return True

    def _is_settled(self, since: Instant) -> bool:
        return all(_rests(process, since) for process in self.store.processes())

    def _next_wake(self) -> Instant:
        """The next moment at which anything is due; never now, because the work of now was done."""
        wake = self.system.conductor.next_wake()
        soonest = self.clock.now() + _TICK_S
        return Instant(max(wake - self.own.ahead_s if wake is not None else soonest + PERIOD_S, soonest))

    def _boot(self, step: ClockStep | None = None) -> System:
        """Another Conductor. `step` is the step of the wall clock for which it follows another one."""
        while True:
            self.own = AnchoredClock(self.clock)
            store = mortal_store(self.store, self.fate)
            system = build(
                store=store,
                providers=self._providers,
                clock=self.own,
                ids=self._ids,
                secrets=self._secrets,
                period_s=PERIOD_S,
                plugins=PluginShelf(found=self.plugins) if self.plugins else None,
                step=step,
                is_followed=True,
                regions=Regions(tuple(self.cloud.behaviour.zones)),
            )
            try:
                system.conductor.start()
            except Crash as crash:
                self.crashes.append((self.clock.now(), str(crash)))
                step = None
                continue
            return system

    def _providers(self, ops: OpSink, clock: Clock) -> list[Provider]:
        provider = SimulatedProvider(self.cloud, clock=clock, ops=ops, faults=self.faults, told=self._calls.append)
        self._lives.append(provider)
        return [MortalProvider(provider, self.fate)]

    @property
    def calls(self) -> tuple[Call, ...]:
        """Everything that any Conductor has asked of the cloud, in order."""
        return tuple(self._calls)

    @property
    def provider(self) -> SimulatedProvider:
        """The provider of the Conductor that lives now."""
        return self._lives[-1]

    def fid(self, reference: str) -> Fid:
        """The FID of a process, also of one that is gone. Raises NotFoundError."""
        return self.system.queries.history(reference).process.fid


def _rests(process: Process, since: Instant) -> bool:
    """Whether a job that saw everything that was there at `since` found nothing to do, or there are no jobs at all."""
    if process.state is ProcessState.SUSPENDED:
        return True
    last = process.last_job
    return (
        process.job_id is None
        and process.intent.waiting is None
        and last is not None
        and last.started_at > since + _STALE_S
        and last.plan_id is None
        and last.status == "SUCCEEDED"
    )
