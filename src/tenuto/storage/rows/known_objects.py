"""Objects that were read or written lately, so that an unchanged one is not read again.

Theory of operation. Every write of an object raises its generation (`rules`), so an id and a generation name one value
for ever. A read asks the file for these two, and puts together from its rows only the objects that are not known at
that generation. The objects that a commit stored are known from the commit itself. Nothing here can be stale: an older
value has an older generation, and is never asked for.

A live object is asked for at every job of its process. An object that was not asked for during some rounds (an
incarnation that was replaced) is forgotten: there are two halves, the young one takes in each object that is asked for,
and now and then becomes the old one, of which only the objects that are asked for again are kept.
"""

from collections.abc import Iterable
from threading import Lock

from tenuto.model.ids import ObjectId
from tenuto.model.resource import ManagedObject
from tenuto.ports.store_changes import CreateObject, SaveObject, StoreChange
from tenuto.storage.rows.stored import created, saved

MOST = 200_000
"""Objects kept, at 3 to 4 KB each with their phases: more than one Conductor holds on a 30 s period."""
_ROUNDS = 16
"""Reads, as a multiple of the number of objects, after which objects that were not asked for are forgotten."""
_FEW = 1000
"""The number that is added to that of the objects kept, so that a handful is not turned over all the time."""


class KnownObjects:
    """The latest known value of each object. Thread-safe."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._lock = Lock()
        self._young: dict[ObjectId, ManagedObject] = {}
        self._old: dict[ObjectId, ManagedObject] = {}
        self._asked = 0

    def get(self, object_id: ObjectId, generation: int) -> ManagedObject | None:
        self._asked += 1
        found = self._young.get(object_id)
        if found is None and object_id in self._old:
            with self._lock:
                found = self._latest(object_id)
                if found is not None:
                    self._keep(found)
        return found if found is not None and found.generation == generation else None

    def add(self, items: Iterable[ManagedObject]) -> None:
        """Know these values, unless later ones are known."""
        with self._lock:
            for item in items:
                known = self._latest(item.object_id)
                if known is None or known.generation < item.generation:
                    self._keep(item)

    def add_committed(self, changes: Iterable[StoreChange]) -> None:
        """Add the objects that a commit stored, where they follow from those that were known before it."""
        latest: dict[ObjectId, ManagedObject] = {}
        with self._lock:
            for change in changes:
                if isinstance(change, CreateObject):
                    latest[change.object.object_id] = created(change.object)
                elif isinstance(change, SaveObject):
                    name = change.object.object_id
                    before = latest.get(name) or self._latest(name)
                    if before is not None and before.generation == change.expected_generation:
                        latest[name] = saved(before, change)
        self.add(latest.values())

    def _latest(self, object_id: ObjectId) -> ManagedObject | None:
        return self._young.get(object_id) or self._old.get(object_id)

    def _keep(self, item: ManagedObject) -> None:
        is_full = len(self._young) >= self._most // 2
        if is_full or self._asked > _ROUNDS * (len(self._young) + len(self._old) + _FEW):
            self._old, self._young, self._asked = self._young, {}, 0
        self._young[item.object_id] = item
