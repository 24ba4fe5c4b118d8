"""The supervisor: the loop that drives looks, phase runs and jobs, and the Conductor's control face.

Theory of operation. There are four kinds of tasks, and each kind knows by itself what is due: the reflector its sweeps,
the phase engine its runs, the scheduler its processes, the cleaner its batches. The supervisor collects what is due and
has it performed. That is all; order between tasks comes only from what is stored. With a virtual clock `step` performs
everything that is due now, one task after the other, on the calling thread, until nothing is left: tests and
simulations are exact. In production `run` hands the same tasks to a bounded pool of threads and sleeps until the next
is due or one has ended.

When the store cannot be written (a full disk), tasks fail without effect and are collected again a little later.
"""

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import structlog

from tenuto.conductor.absent_provider import AbsentProvider
from tenuto.conductor.accounts import AccountProviders
from tenuto.conductor.cleaner import Cleaner
from tenuto.conductor.jobs.job import Jobs
from tenuto.conductor.jobs.manager import Manager
from tenuto.conductor.jobs.scheduler import Scheduler
from tenuto.conductor.leadership import Leadership
from tenuto.conductor.observing.reflector import Reflector
from tenuto.conductor.observing.sweeps import NearSweep, SweepKey
from tenuto.conductor.op_log import OpLog
from tenuto.conductor.phases.engine import PhaseEngine
from tenuto.conductor.phases.flights import ActiveRun
from tenuto.conductor.phases.reloading import LoadedPlugins
from tenuto.conductor.provider_types import ProviderTypes
from tenuto.conductor.tempo import Tempo
from tenuto.conductor.timekeeper import Timekeeper
from tenuto.core.pacing.cadence import Due, Urgency
from tenuto.errors import LeaseLostError, StoreError, StoreLostError
from tenuto.model.account import Account, Identity, KnownCredentials
from tenuto.model.composition import Composition
from tenuto.model.drift import DriftNews
from tenuto.model.ids import Fid, Instant, Json, LogicalId, Partition, PhaseName, PhysicalId, TypeName
from tenuto.model.outcome import Context
from tenuto.model.plan import Planning
from tenuto.model.process import Process
from tenuto.model.resource import ResourceType
from tenuto.model.snapshot import Candidate
from tenuto.ports.accounts import CheckedSettings, GivenSettings
from tenuto.ports.clock import Clock
from tenuto.ports.conductor import PhaseRecord, PluginReload
from tenuto.ports.provider import Provider
from tenuto.ports.store import Store
from tenuto.ports.store_changes import SaveFlips

THREADS = 16
"""Enough to have a dozen provider calls in flight; more only compete for the interpreter."""
MOST_TASKS = 2 * THREADS
"""Tasks that run or wait for a thread. Those that wait cannot be overtaken any more, so there are few of them."""
STORE_PAUSE_S = 1.0
"""How soon to try again when the store could not be written."""
LONGEST_NAP_S = 1.0

_log = structlog.get_logger(__name__)

Task = Callable[[], None]


class Supervisor:
    """Implements `ports.conductor.Conductor`."""

    def __init__(
        self,
        *,
        store: Store,
        clock: Clock,
        reflector: Reflector,
        engine: PhaseEngine,
        plugins: LoadedPlugins,
        leadership: Leadership,
        timekeeper: Timekeeper,
        scheduler: Scheduler,
        jobs: Jobs,
        cleaner: Cleaner,
        manager: Manager,
        ops: OpLog,
        providers: Mapping[str, Provider],
        types: ProviderTypes,
        tempo: Tempo,
    ) -> None:
        self._store = store
        self._clock = clock
        self._reflector = reflector
        self._engine = engine
        self._plugins = plugins
        self._leadership = leadership
        self._timekeeper = timekeeper
        self._scheduler = scheduler
        self._jobs = jobs
        self._cleaner = cleaner
        self._manager = manager
        self._ops = ops
        self._providers = providers
        self._accounts = AccountProviders(providers)
        self._types = types
        self._tempo = tempo
        self._ended = threading.Condition()
        self._tasks = 0
        self._loaded_at: Instant | None = None
        self._loss: StoreLostError | None = None

    def start(self) -> None:
        """Lead, and take up what is stored: runs that a Conductor before us left in flight, and every live process.

        Raises NotLeadingError while another Conductor leads. Twice is fine.
        """
        self._timekeeper.take()
        self._engine.recover(self._clock.now())
        self._load(self._clock.now())

    def step(self) -> bool:
        """Perform everything that is due now on this thread. Returns whether there was anything."""
        worked = False
        while tasks := self.collect():
            worked = True
            for task in tasks:
                task()
        return worked

    def run(self, stop: threading.Event) -> None:
        """Drive everything on a pool of threads until `stop` is set, then let what is in flight come to its end.

        Raises LeaseLostError when another Conductor leads, StoreLostError when the store was taken away.
        """
        self.start()
        with ThreadPoolExecutor(max_workers=THREADS, thread_name_prefix="tenuto") as pool:
            while not stop.is_set() and not self._leadership.is_lost and not self.is_outdated and self._loss is None:
                tasks = self.collect(max(0, MOST_TASKS - self._tasks))
                with self._ended:
                    self._tasks += len(tasks)
                for task in tasks:
                    pool.submit(self._perform, task)
                if tasks:
                    _log.debug("supervisor.began", tasks=len(tasks))
                self._nap()
        if self._loss is not None:
            raise self._loss
        self._ops.flush()
        self._leadership.release("the system clock was set" if self.is_outdated else "stopped")
        _log.info("conductor.stopped")
        if self.is_deposed:
            raise LeaseLostError("another Conductor leads on this database now, so this one has ended. See 'nodes'.")

    @property
    def is_outdated(self) -> bool:
        """Whether the system clock was set, and another Conductor shall follow this one in the same program."""
        return self._timekeeper.is_over

    @property
    def is_deposed(self) -> bool:
        """Whether another Conductor has taken over: nothing this one does counts any more."""
        return self._leadership.is_lost

    def next_wake(self) -> Instant | None:
        """Return the moment when anything is due next: soon, while the store cannot tell. Never raises because of the
        store.
        """
        try:
            times = [self._reflector.next_wake(), self._engine.next_wake(), self._scheduler.next_wake()]
        except StoreError as error:
            _log.error("store.unavailable", reason=str(error))
            return Instant(self._clock.now() + STORE_PAUSE_S)
        times.append(self._cleaner.next_wake())
        return min((time for time in times if time is not None), default=None)

    def wake(self, fid: Fid) -> None:
        self._scheduler.wake(fid, self._clock.now(), Urgency.COMMAND)
        self.notify()

    def hasten(self) -> None:
        """Look at every process soon: the time of its next job may have changed."""
        now = self._clock.now()
        self._scheduler.load(Due(fid=process.fid, at=now) for process in self._store.processes())
        self.notify()

    def preview(self, process: Process, composition: Composition | None) -> Planning:
        return self._manager.preview(process, composition)

    def existing(self, partition: Partition, wanted: Sequence[tuple[TypeName, PhysicalId]]) -> tuple[Candidate, ...]:
        return self._manager.existing(partition, wanted)

    def retry(self, fid: Fid, logical_ids: Sequence[LogicalId], *, actor: str) -> Mapping[LogicalId, int]:
        failed = {
            found.object_id: found.logical_id
            for found in self._store.objects(fid)
            if (found.is_phase_failed or found.failing_upkeep) and (not logical_ids or found.logical_id in logical_ids)
        }
        counts: Counter[LogicalId] = Counter()
        for object_id, count in self._engine.retry(tuple(failed), self._clock.now(), actor=actor).items():
            counts[failed[object_id]] += count
        held = [
            flip
            for flip in self._store.flips(fid)
            if flip.held_at is not None and (not logical_ids or flip.logical_id in logical_ids)
        ]
        if held:
            self._store.commit([SaveFlips(fid=fid, removed=tuple(flip.key for flip in held))])
            counts.update(dict.fromkeys((flip.logical_id for flip in held), 1))
        self.wake(fid)
        return dict(counts)

    def phases(self) -> tuple[PhaseRecord, ...]:
        return self._engine.records()

    def reload_plugins(self) -> PluginReload:
        reloaded = self._plugins.reload()
        self.notify()
        return reloaded

    def count_drift(self, news: DriftNews) -> None:
        self._jobs.count_drift(news)

    def is_loaded(self, phase: PhaseName) -> bool:
        return self._engine.is_loaded(phase)

    def types(self, provider: str | None = None) -> Mapping[TypeName, ResourceType]:
        return self._types.by_name() if provider is None else self._types.of(provider)

    def bringing(self, name: TypeName) -> tuple[str, ...]:
        return self._types.bringing(name)

    def context(self, provider: str, partition: Partition) -> Context:
        return self._provider(provider).context(partition)

    def provider_of_accounts(self, name: str | None) -> str:
        return self._accounts.named(name)

    def check_settings(self, provider: str, settings: GivenSettings) -> CheckedSettings:
        return self._accounts.check_settings(provider, settings)

    def identify(self, account: Account) -> Identity:
        return self._accounts.identify(account)

    def credentials(self, account: Account) -> KnownCredentials:
        return self._accounts.credentials(account)

    def lookup(self, provider: str, partition: Partition, keys: Sequence[str]) -> Mapping[str, Json]:
        return self._provider(provider).lookup(partition, keys)

    def _provider(self, name: str) -> Provider:
        return self._providers.get(name) or AbsentProvider(name, ())

    def collect(self, most_jobs: int | None = None) -> list[Task]:
        """Return the tasks that are due now and not under way. Each must be performed, in any order, on any thread.

        Jobs beyond `most_jobs` stay where they are, so that one that becomes due meanwhile may still go first.
        """
        now = self._clock.now()
        if not self._has_store():
            return []
        self._leadership.keep()
        if self._leadership.is_lost or not self._timekeeper.may_begin(self._tasks + self._engine.in_flight):
            return []
        self._ops.flush()
        tasks: list[Task] = [self._sweep_task(key) for key in self._reflector.collect(now)]
        try:
            if self._loaded_at is None or now - self._loaded_at >= self._tempo.period_s:
                self._load(now)
            tasks += [self._run_task(run) for run in self._engine.collect(now)]
        except StoreError as error:
            _log.error("store.unavailable", reason=str(error))
            self._clock.sleep(STORE_PAUSE_S)
        for fid, rested in self._engine.take_rested().items():
            if self._jobs.is_awaited(fid, rested):
                self._scheduler.wake(fid, now)
        if self._cleaner.begins(now):
            tasks.append(self._cleaner.work)
        return tasks + [self._job_task(fid) for fid in self._scheduler.collect(now, most_jobs)]

    def _has_store(self) -> bool:
        """Whether the store keeps what is written. When it does not, this Conductor makes no more calls."""
        try:
            self._store.check()
        except StoreLostError as error:
            if self._loss is None:
                _log.error("store.lost", reason=str(error))
            self._loss = error
            self._leadership.lost()
        except StoreError as error:
            _log.error("store.unavailable", reason=str(error))
        return self._loss is None

    def _sweep_task(self, key: SweepKey | NearSweep) -> Task:
        def task() -> None:
            self._reflector.perform(key)
            for fid in self._jobs.waiting_for(key.key if isinstance(key, NearSweep) else key):
                self._scheduler.wake(fid, self._clock.now())

        return task

    def _run_task(self, run: ActiveRun) -> Task:
        def task() -> None:
            self._engine.perform(run)

        return task

    def _job_task(self, fid: Fid) -> Task:
        def task() -> None:
            next_at: Instant | None = Instant(self._clock.now() + STORE_PAUSE_S)
            try:
                next_at = self._jobs.work(fid)
            except StoreError as error:
                _log.error("store.unavailable", fid=fid, reason=str(error))
            except Exception:  # noqa: BLE001 - one process's bug must not end the others
                _log.exception("job.crashed", fid=fid)
                next_at = Instant(self._clock.now() + self._tempo.period_s)
            finally:
                self._scheduler.settle(fid, next_at, self._clock.now())

        return task

    def _load(self, now: Instant) -> None:
        self._loaded_at = now
        self._scheduler.load(
            Due(
                fid=process.fid,
                at=now if process.job_id else process.next_job_at,
                urgency=_urgency_of(process),
            )
            for process in self._store.processes()
        )

    def _perform(self, task: Task) -> None:
        try:
            task()
        except Exception:  # noqa: BLE001 - a task must not take its thread along
            _log.exception("task.crashed")
        finally:
            with self._ended:
                self._tasks -= 1
                self._ended.notify_all()

    def _nap(self) -> None:
        """Sleep until the next thing is due, something ended, or a wake-up came."""
        wake = self.next_wake()
        nap = LONGEST_NAP_S if wake is None else max(0.0, min(LONGEST_NAP_S, wake - self._clock.now()))
        with self._ended:
            # While all hands are busy, or shall come to rest, what is due waits until one of them is free.
            is_full = self._tasks >= MOST_TASKS or self._timekeeper.holds_back
            self._ended.wait(timeout=LONGEST_NAP_S if is_full else nap)

    def notify(self) -> None:
        """Wake the loop: something is due, or it is to stop."""
        with self._ended:
            self._ended.notify_all()


def _urgency_of(process: Process) -> Urgency:
    if process.intent.waiting is not None:
        return Urgency.COMMAND
    return Urgency.REPAIR if process.converged_at is None else Urgency.ROUTINE
