"""Objects that were read or written lately, so that what did not change is not read again.

Theory of operation. Every write of an object raises its generation (`rules`), so an id and a generation name one value
for ever. A read asks the file for these two, and puts together from its rows only what is not known at that generation.
What a commit stored is known from the commit itself. Nothing here can be stale: an older value has an older generation,
and is never asked for.
"""

from collections.abc import Iterable
from threading import Lock

from tenuto.model.ids import ObjectId
from tenuto.model.resource import ManagedObject
from tenuto.ports.store_changes import CreateObject, SaveObject, StoreChange
from tenuto.storage.stored import created, saved

MOST = 200_000
"""Objects kept, at 3 to 4 KB each with their phases: more than one Conductor holds on a 30 s period."""


class KnownObjects:
    """The latest known value of each object. Thread-safe."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._lock = Lock()
        self._by_id: dict[ObjectId, ManagedObject] = {}

    def get(self, object_id: ObjectId, generation: int) -> ManagedObject | None:
        found = self._by_id.get(object_id)
        return found if found is not None and found.generation == generation else None

    def add(self, items: Iterable[ManagedObject]) -> None:
        """Know these values, unless later ones are known. The first that were known make way."""
        with self._lock:
            for item in items:
                known = self._by_id.get(item.object_id)
                if known is None or known.generation < item.generation:
                    self._by_id[item.object_id] = item
            while len(self._by_id) > self._most:
                del self._by_id[next(iter(self._by_id))]

    def add_committed(self, changes: Iterable[StoreChange]) -> None:
        """Know what a commit stored, where that follows from what was known before it."""
        with self._lock:
            latest: dict[ObjectId, ManagedObject] = {}
            for change in changes:
                if isinstance(change, CreateObject):
                    latest[change.object.object_id] = created(change.object)
                elif isinstance(change, SaveObject):
                    name = change.object.object_id
                    before = latest.get(name) or self._by_id.get(name)
                    if before is not None and before.generation == change.expected_generation:
                        latest[name] = saved(before, change)
        self.add(latest.values())
