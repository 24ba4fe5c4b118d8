"""The way of objects that requests make: the writes of their birth and their deletion, and the news to listeners."""

from collections.abc import Callable, Mapping, Sequence

from tenuto.conductor.phases.reloading import LoadedPlugins
from tenuto.core.phases import progress
from tenuto.core.phases.progress import Progress
from tenuto.lifecycles.table import Lifecycle
from tenuto.model.phase_map import PhaseEntry
from tenuto.model.resource import ManagedObject
from tenuto.ports.clock import Clock
from tenuto.ports.store import Store
from tenuto.ports.store_changes import CreateObject, SaveObject, StoreChange


class PhasedObjects:
    """Implements `ports.objects.ObjectWork`. Keeps nothing between calls."""

    def __init__(
        self,
        *,
        store: Store,
        lifecycles: Mapping[str, Lifecycle],
        plugins: LoadedPlugins,
        clock: Clock,
        wake: Callable[[], None],
    ) -> None:
        self._store = store
        self._plugins = plugins
        self._lifecycles = lifecycles
        self._clock = clock
        self._wake = wake

    def begin(self, born: ManagedObject, *, actor: str) -> tuple[StoreChange, ...]:
        table = self._lifecycles[born.lifecycle]
        walked = progress.begin_walk(born, self._plugins.phases, table, self._clock.now(), actor)
        birth = CreateObject(object=born, actor=actor)
        return (birth, _save(walked)) if walked.is_change else (birth,)

    def head(self, found: ManagedObject, target: str, *, actor: str, reason: str) -> tuple[StoreChange, ...]:
        now = self._clock.now()
        table = self._lifecycles[found.lifecycle]
        walked = progress.retarget(found, target, self._plugins.phases, table, now, actor, reason)
        return (_save(walked),)

    def retry(self, found: ManagedObject) -> tuple[StoreChange, ...]:
        retried = progress.retry(found, None)
        hurried = progress.hasten(retried.object, self._clock.now())
        after = Progress.between(found, hurried.object)
        return (_save(after),) if after.is_change else ()

    def fail(self, found: ManagedObject, cause: PhaseEntry, *, actor: str) -> tuple[StoreChange, ...]:
        table = self._lifecycles[found.lifecycle]
        walked = progress.lose(found, cause, self._plugins.phases, table, self._clock.now(), actor)
        return (_save(walked),)

    def vanish(self, found: ManagedObject, *, actor: str) -> tuple[StoreChange, ...]:
        table = self._lifecycles[found.lifecycle]
        walked = progress.vanish(found, self._plugins.phases, table, self._clock.now(), actor)
        return (_save(walked),) if walked.is_change else ()

    def commit(self, changes: Sequence[StoreChange]) -> None:
        self._store.commit(changes)
        self._plugins.publish(changes)
        self._wake()


def _save(walked: Progress) -> SaveObject:
    return SaveObject(
        object=walked.object,
        expected_generation=walked.object.generation,
        moves=walked.moves,
        entries=walked.entries,
        documents=walked.documents,
    )
