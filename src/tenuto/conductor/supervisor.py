"""The supervisor: the loop that drives sweeps, phase runs and jobs.

Theory of operation. There are four kinds of tasks, and each kind knows its due tasks by itself: the reflector its
sweeps, the phase engine its runs, the scheduler its processes, and chores such as the cleaner their batches. The
supervisor collects the due tasks and has them performed. That is all; order between tasks comes only from the stored
state. With a virtual clock `step` performs everything that is due now, one task after the other, on the calling thread,
until nothing is left: tests and simulations are exact. In production `run` hands the same tasks to a bounded pool of
threads and sleeps until the next is due or one has ended.

When the store cannot be written (a full disk), tasks fail without effect and are collected again a little later.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import structlog

from tenuto.conductor.cleaner import Cleaner
from tenuto.conductor.control import ControlFace
from tenuto.conductor.jobs.job import Jobs
from tenuto.conductor.jobs.manager import Manager
from tenuto.conductor.jobs.scheduler import Scheduler
from tenuto.conductor.leading.leadership import Leadership
from tenuto.conductor.leading.tempo import Tempo
from tenuto.conductor.leading.timekeeper import Timekeeper
from tenuto.conductor.observing.reflector import Reflector
from tenuto.conductor.observing.sweeps import NearSweep, SweepKey
from tenuto.conductor.phases.engine import PhaseEngine
from tenuto.conductor.phases.flights import ActiveRun
from tenuto.conductor.phases.reloading import LoadedPlugins
from tenuto.conductor.phases.tally import PhaseTally
from tenuto.conductor.providing.op_log import OpLog
from tenuto.conductor.providing.providers import ProviderTypes
from tenuto.core.pacing.cadence import Due, Urgency
from tenuto.errors import LeaseLostError, StoreError, StoreLostError
from tenuto.kit.contained import contained
from tenuto.model.ids import Fid, Instant
from tenuto.model.process import Process
from tenuto.ports.chores import Chore
from tenuto.ports.clock import Clock
from tenuto.ports.provider import HasEnd, Provider
from tenuto.ports.store import Store

THREADS = 16
"""Enough to have a dozen provider calls in flight; more only compete for the interpreter."""
MOST_TASKS = 2 * THREADS
"""Tasks that run or wait for a thread. Those that wait cannot be overtaken any more, so there are few of them."""
STORE_PAUSE_S = 1.0
"""Seconds until the next try when the store could not be written."""
LONGEST_NAP_S = 1.0

_log = structlog.get_logger(__name__)

Task = Callable[[], None]


class Supervisor(ControlFace):
    """Implements `ports.conductor.Conductor`."""

    def __init__(
        self,
        *,
        store: Store,
        clock: Clock,
        reflector: Reflector,
        engine: PhaseEngine,
        tally: PhaseTally,
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
        chores: Sequence[Chore] = (),
    ) -> None:
        super().__init__(
            store=store,
            clock=clock,
            engine=engine,
            tally=tally,
            plugins=plugins,
            scheduler=scheduler,
            jobs=jobs,
            manager=manager,
            providers=providers,
            types=types,
        )
        self._reflector = reflector
        self._leadership = leadership
        self._timekeeper = timekeeper
        self._ops = ops
        self._tempo = tempo
        self._chores: tuple[Chore, ...] = (cleaner, *chores)
        self._tasks = 0
        self._loaded_at: Instant | None = None
        self._loss: StoreLostError | None = None

    def start(self) -> None:
        """Lead, and take up the stored work: runs that a Conductor before us left in flight, and every live process.

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
        """Drive everything on a pool of threads until `stop` is set, then let the tasks in flight come to their end.

        Raises LeaseLostError when another Conductor leads, StoreLostError when the store was taken away.
        """
        self.start()
        # The providers first: a task that the pool is waited for may itself wait for a program of its provider.
        with ThreadPoolExecutor(max_workers=THREADS, thread_name_prefix="tenuto") as pool, self._providing():
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

    @contextmanager
    def _providing(self) -> Iterator[None]:
        """Tell the providers when the Conductor ends."""
        try:
            yield
        finally:
            for provider in self._providers.values():
                if isinstance(provider, HasEnd):
                    provider.close()

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
        times += [chore.next_wake() for chore in self._chores]
        return min((time for time in times if time is not None), default=None)

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
        tasks += [chore.work for chore in self._chores if chore.begins(now)]
        return tasks + [self._job_task(fid) for fid in self._scheduler.collect(now, most_jobs)]

    def _has_store(self) -> bool:
        """Whether the store keeps its writes. When it does not, this Conductor makes no more calls."""
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
            for fid in self._jobs.swept(key.key if isinstance(key, NearSweep) else key):
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
                next_at = self._worked(fid)
            except StoreError as error:
                _log.error("store.unavailable", fid=fid, reason=str(error))
            except Exception:  # noqa: BLE001 - the fault itself was told; this is one in telling it
                _log.exception("job.crash_untold", fid=fid)
                next_at = Instant(self._clock.now() + self._tempo.period_s)
            finally:
                self._scheduler.settle(fid, next_at, self._clock.now())

        return task

    def _worked(self, fid: Fid) -> Instant | None:
        """One pass of the job of a process. One process's fault must not end the others, and is told in the process."""
        try:
            with contained("the job"):
                return self._jobs.work(fid)
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001 - a fault of Tenuto, of a provider or of a plugin
            _log.exception("job.crashed", fid=fid)
            return self._jobs.crashed(fid, error)

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
            # While all hands are busy, or shall come to rest, a due task waits until one of them is free.
            is_full = self._tasks >= MOST_TASKS or self._timekeeper.holds_back
            self._ended.wait(timeout=LONGEST_NAP_S if is_full else nap)


def _urgency_of(process: Process) -> Urgency:
    if process.intent.waiting is not None:
        return Urgency.COMMAND
    return Urgency.REPAIR if process.converged_at is None else Urgency.ROUTINE
