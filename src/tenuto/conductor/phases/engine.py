"""The phase engine: collects all objects that wait in a phase, runs its plugin, and saves the results.

Theory of operation. A run has two halves. `collect` takes everything that is ready, phase by phase and partition by
partition, marks it Running in one commit and returns the runs; `perform` calls the plugin of one run, on any thread,
and saves verdicts, phase data, attributes, next states and provider operations in one more commit. Between the two a
run may last as long as it likes: an object that becomes ready meanwhile waits for the next run of that phase, because a
phase is single flight per partition; other phases and partitions are not held up.

Between two commits a Conductor may die. Then the entries say Running, `recover` makes them Waiting, and the plugin is
called again with the data that it saved: at least once, in every case. When the *store* is away the plugin's work is
done and its verdicts are not written; they are kept, the phase stays in flight, and `settle_pending` writes them when
the store is back.

The engine has no thread and no timer of its own. A test calls `collect` and `perform` in the order it wants on a
virtual clock; the supervisor calls them from its loop and its pool.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from threading import Lock

import structlog

from tenuto.conductor.leading.tempo import Tempo
from tenuto.conductor.phases.flights import ActiveRun, Flights, Key, ReturnedRun
from tenuto.conductor.phases.reloading import LoadedPlugins
from tenuto.conductor.phases.run import PluginRun, RunOutlets
from tenuto.conductor.phases.saves import PhaseSaves, save_of
from tenuto.conductor.phases.upkeep import Enrolment
from tenuto.conductor.phases.verdict_saves import PhaseVerdicts
from tenuto.core.phases import progress
from tenuto.core.phases.progress import Progress
from tenuto.core.phases.verdicts import Result
from tenuto.errors import ConflictError, StoreUnavailableError, TenutoError
from tenuto.kit.contained import contained
from tenuto.kit.well_formed import error_text
from tenuto.lifecycles.table import Lifecycle
from tenuto.model.ids import Fid, Instant, ObjectId, PhaseName
from tenuto.model.phase_map import PhaseStatus
from tenuto.model.resource import ManagedObject
from tenuto.ports.clock import Clock
from tenuto.ports.programs import Programs
from tenuto.ports.store import Store
from tenuto.ports.store_changes import ExpectMandate
from tenuto.ports.store_reads import Ready

SLOW_RUN_S = 30.0
"""A plugin that holds a thread longer than this is waiting for something, which plugins must not do."""
SETTLE_S = 1.0
"""Seconds until verdicts that could not be saved, and phases that could not be started, are tried again."""
START_ATTEMPTS = 3
"""The number of tries to mark a run against other writers, before it is left for the next collection."""
ACTOR = "phase engine"
_ANY_TIME = Instant(0.0)

_log = structlog.get_logger("tenuto.phases")


class PhaseEngine:
    """Runs phases. Safe to call from several threads."""

    def __init__(
        self,
        *,
        store: Store,
        plugins: LoadedPlugins,
        clock: Clock,
        lifecycles: Mapping[str, Lifecycle],
        tempo: Tempo,
        programs: Callable[[ManagedObject], Programs | None] = lambda _: None,
    ) -> None:
        """`programs` are those in the machine of an object; None where its provider runs none."""
        self._store = store
        self._plugins = plugins
        self._clock = clock
        self._lifecycles = lifecycles
        self._programs = programs
        self._saves = PhaseSaves(store, plugins.publish)
        self._verdicts = PhaseVerdicts(self._saves, plugins, lifecycles, tempo)
        self._enrolment = Enrolment(store, plugins, self._saves)
        self._flights = Flights()
        self._collecting = Lock()
        self._not_before: dict[Key, Instant] = {}
        self._rested: deque[tuple[Fid, ObjectId]] = deque()
        self._is_in_doubt = False
        """True when objects may be stored as Running in a run that never began: the store, or its answer, failed."""

    def collect(self, now: Instant) -> tuple[ActiveRun, ...]:
        """Start a run of every phase and partition that has something ready and none in flight.

        Every returned run must be given to `perform`. Raises StoreUnavailableError when nothing could be read; a
        phase whose objects could not be marked is left for the next time.
        """
        with self._collecting:
            self.settle_pending()
            if self._is_in_doubt:
                self.recover(now)
            self._enrolment.keep(now)
            for run in self._flights.newly_slow(now, SLOW_RUN_S):
                # A thread cannot be taken back from a plugin, but the plugin can be named.
                _log.warning("phase.slow", phase=run.phase, partition=str(run.partition), seconds=now - run.started_at)
            runs = [self._start(ready, now) for ready in self._store.ready(now) if self._may_start(ready, now)]
        return tuple(started for started in runs if started is not None)

    def perform(self, run: ActiveRun) -> None:
        """Call the plugin and save the results. Never raises because of the plugin or the store."""
        outlets = RunOutlets(
            save=self._checkpoint,
            is_canceled=lambda object_id: self._is_canceled(run, object_id),
            programs=self._programs,
        )
        plugin_run = PluginRun(
            phase=run.phase,
            partition=run.partition,
            now=self._clock.now(),
            objects=run.objects,
            outlets=outlets,
            acts=run.acts,
        )
        failure = _raised_by(run, plugin_run)
        ended_at = self._clock.now()
        returned = ReturnedRun(
            run=run,
            ended_at=ended_at,
            results={result.object_id: result for result in plugin_run.results(failure)},
            ops=tuple(plugin_run.ops),
        )
        _log.debug("phase.ran", phase=run.phase, objects=len(run.objects), seconds=ended_at - run.started_at)
        self._settle(returned)

    @property
    def in_flight(self) -> int:
        """The number of runs that were collected and are not saved yet."""
        return len(self._flights)

    def take_rested(self) -> Mapping[Fid, Sequence[ObjectId]]:
        """Return, by process, the objects that reached their target, or failed, since the last call."""
        rested: dict[Fid, list[ObjectId]] = {}
        while self._rested:
            fid, object_id = self._rested.popleft()
            rested.setdefault(fid, []).append(object_id)
        return rested

    def settle_pending(self) -> None:
        """Save the verdicts that could not be saved before; those that still cannot be are kept again."""
        for returned in self._flights.take_unsaved():
            self._settle(returned)

    def recover(self, now: Instant) -> None:
        """Take objects out of runs that are no more: those of the Conductor before us, and those that never began
        because the store did not answer. An object that is in another run by now is left until that has returned.

        Raises StoreUnavailableError.
        """
        flying = self._flights.objects()
        found_running = [found.object_id for found in self._store.interrupted()]
        interrupted = [object_id for object_id in found_running if object_id not in flying]
        saved = self._saves.save(
            interrupted,
            lambda found: progress.recover(found, self._plugins.phases, self._lifecycles[found.lifecycle], now, ACTOR),
            by=ACTOR,
            now=now,
        )
        self._is_in_doubt = self._is_in_doubt and len(interrupted) < len(found_running)
        for object_id, error in saved.lost:
            _log.error("phase.not_recovered", object=object_id, error=repr(error))

    def retry(
        self, object_ids: Sequence[ObjectId], now: Instant, *, actor: str, phase: PhaseName | None = None
    ) -> Mapping[ObjectId, int]:
        """Clear the failed phases (or the one named) of the objects: how many each had. Raises StoreError."""
        saved = self._saves.save(object_ids, lambda found: progress.retry(found, phase), by="", actor=actor, now=now)
        for _, error in saved.lost:
            raise error
        retried = {step.object.object_id: len(step.entries) for step in saved.done}
        return {object_id: retried.get(object_id, 0) for object_id in object_ids}

    def next_wake(self) -> Instant | None:
        """Return the moment when `collect` will next have something to do, as far as the store knows; None when nothing
        waits.

        Phases in flight are left out: their return is a reason to collect by itself.
        """
        now = self._clock.now()
        if self._flights.has_unsaved:
            return Instant(now + SETTLE_S)
        wakes = [
            max(now if ready.waiting or ready.wake_at is None else ready.wake_at, self._earliest(ready))
            for ready in self._store.ready(now)
            if self.is_loaded(ready.phase) and _key(ready) not in self._flights
        ]
        return min(wakes, default=None)

    def is_loaded(self, phase: PhaseName) -> bool:
        """Whether the plugin of a phase is loaded. Objects in a phase whose plugin is gone wait for it to come back."""
        return self._plugins.handler(phase) is not None

    def _may_start(self, ready: Ready, now: Instant) -> bool:
        is_due = ready.waiting > 0 or (ready.wake_at is not None and ready.wake_at <= now)
        may_now = is_due and self._earliest(ready) <= now
        return may_now and self.is_loaded(ready.phase) and _key(ready) not in self._flights

    def _earliest(self, ready: Ready) -> Instant:
        """Return the moment before which a run is not started again: one that failed to start at once would keep the
        loop busy.
        """
        return self._not_before.get(_key(ready), _ANY_TIME)

    def _start(self, ready: Ready, now: Instant) -> ActiveRun | None:
        """Mark the ready objects as Running, in one commit; None when that was not possible this time."""
        assembly = self._plugins.assembly
        if (definition := assembly.phases.get(ready.phase)) is None:
            return None  # Its plugin went with a reload, after it was found ready.
        started: tuple[Progress, ...] = ()
        for _ in range(START_ATTEMPTS):
            try:
                started = self._mark(ready, definition.batch, now)
                break
            except ConflictError:
                continue
            except TenutoError as error:
                # Raising would lose the runs of other phases that this collection has started already.
                _log.warning("phase.not_started", phase=ready.phase, partition=str(ready.partition), error=str(error))
                self._not_before[_key(ready)] = Instant(now + SETTLE_S)
                self._is_in_doubt = True
                return None
        self._not_before.pop(_key(ready), None)
        if not started:
            return None
        objects = tuple(step.object for step in started)
        run = ActiveRun(
            phase=ready.phase,
            partition=ready.partition,
            started_at=now,
            objects=objects,
            handler=assembly.handlers[ready.phase],
            acts=definition.acts,
        )
        self._flights.start(run)
        return run

    def _mark(self, ready: Ready, most: int, now: Instant) -> tuple[Progress, ...]:
        found = self._store.waiting(ready.phase, ready.partition, now, most)
        started = tuple(progress.start_run(one, ready.phase, now) for one in found)
        if started:
            # A command that came since they were selected must not see them run.
            mandate = ExpectMandate(object_ids=tuple(step.object.object_id for step in started))
            self._store.commit([mandate, *(save_of(step) for step in started)])
        return started

    def _settle(self, returned: ReturnedRun) -> None:
        """Save a run, and land it. While the store is away the run stays in flight, with everything that it brought."""
        run = returned.run
        try:
            saved = self._verdicts.save(returned)
        except StoreUnavailableError as unavailable:
            _log.warning("phase.not_saved", phase=run.phase, objects=len(run.objects), error=str(unavailable))
            self._flights.keep(returned)
            return
        for object_id, error in saved.lost:
            _log.error("phase.lost", phase=run.phase, object=object_id, error=repr(error))
        for step in saved.done:
            is_round = step.object.phases[run.phase].is_upkeep and not step.moves and not step.object.is_phase_failed
            is_rested = step.object.is_settled or step.object.is_phase_failed
            if step.object.fid is not None and is_rested and not is_round:
                self._rested.append((step.object.fid, step.object.object_id))
        self._flights.land(run)

    def _checkpoint(self, results: Sequence[Result]) -> None:
        self._verdicts.checkpoint(results, ACTOR, self._clock.now())

    def _is_canceled(self, run: ActiveRun, object_id: ObjectId) -> bool:
        found = self._store.object(object_id)
        entry = found.phases.get(run.phase) if found else None
        return entry is None or entry.status is not PhaseStatus.RUNNING


def _raised_by(run: ActiveRun, plugin_run: PluginRun) -> Exception | None:
    """Call the plugin, and return the exception that it raised: its objects carry the text."""
    try:
        with contained(f"phase {run.phase}"):
            run.handler.handle(plugin_run)
    except Exception as error:  # noqa: BLE001 - a plugin may raise anything, and its run has returned then
        _log.warning("phase.raised", phase=run.phase, objects=len(run.objects), error=error_text(error), exc_info=True)
        return error
    return None


def _key(ready: Ready) -> Key:
    return (ready.phase, ready.partition)
