"""The flights: which phases run now, one run per phase and partition, and verdicts that wait for the store.

A run is in flight from its collection until its verdicts are saved, not only while its plugin runs: before that, the
store still says Running, and a second run of the phase would not know the work of the first one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock

from tenuto.core.phases.verdicts import Result
from tenuto.model.ids import Instant, ObjectId, Partition, PhaseName
from tenuto.model.outcome import Op
from tenuto.model.resource import ManagedObject
from tenuto.ports.phase import Phase

Key = tuple[PhaseName, Partition]


@dataclass(frozen=True, slots=True, kw_only=True)
class ActiveRun:
    """A run that was collected: its objects are Running in the store and wait for `PhaseEngine.perform`."""

    phase: PhaseName
    partition: Partition
    started_at: Instant
    objects: tuple[ManagedObject, ...]
    handler: Phase
    """The plugin's code when the run began: a reload does not exchange it under the run."""
    acts: bool = True

    @property
    def key(self) -> Key:
        return (self.phase, self.partition)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnedRun:
    """A run whose plugin has returned, with everything that must be saved."""

    run: ActiveRun
    ended_at: Instant
    results: Mapping[ObjectId, Result]
    ops: tuple[Op, ...]


class Flights:
    """The runs of this Conductor. Safe to call from several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._active: dict[Key, ActiveRun] = {}
        self._unsaved: dict[Key, ReturnedRun] = {}
        self._named: set[Key] = set()

    @property
    def has_unsaved(self) -> bool:
        with self._lock:
            return bool(self._unsaved)

    def __len__(self) -> int:
        with self._lock:
            return len(self._active)

    def __contains__(self, key: Key) -> bool:
        with self._lock:
            return key in self._active

    def start(self, run: ActiveRun) -> None:
        with self._lock:
            self._active[run.key] = run

    def land(self, run: ActiveRun) -> None:
        """Land a run whose verdicts are saved: the phase may run again."""
        with self._lock:
            self._active.pop(run.key, None)
            self._named.discard(run.key)

    def keep(self, returned: ReturnedRun) -> None:
        """Keep a run in flight whose verdicts could not be saved."""
        with self._lock:
            self._unsaved[returned.run.key] = returned

    def take_unsaved(self) -> tuple[ReturnedRun, ...]:
        with self._lock:
            taken = tuple(self._unsaved[key] for key in sorted(self._unsaved))
            self._unsaved.clear()
        return taken

    def objects(self) -> frozenset[ObjectId]:
        """Return the objects that some plugin works on."""
        with self._lock:
            return frozenset(found.object_id for run in self._active.values() for found in run.objects)

    def newly_slow(self, now: Instant, limit_s: float) -> tuple[ActiveRun, ...]:
        """Return the runs in flight for longer than `limit_s` that were not named by an earlier call."""
        with self._lock:
            slow = [
                run
                for key, run in sorted(self._active.items())
                if now - run.started_at >= limit_s and key not in self._named
            ]
            self._named.update(run.key for run in slow)
        return tuple(slow)
