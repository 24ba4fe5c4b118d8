"""The removals of a plan that wait for importers in other processes.

Few processes export anything, and few of their plans remove the thing behind an export. So the plan is made first, and
only such a plan asks who imports: with the answer it is made once more, without these removals
(`core.planning.comparing.following`). A removal asks again when it is to begin, since an importer may have come after
the plan was made (`Step.is_original`).
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, partial

from tenuto.conductor.jobs.caches import Compositions
from tenuto.core.planning.comparing.following import (
    Importer,
    Moved,
    moved_exports,
    staying_with,
    used_by,
)
from tenuto.core.planning.comparing.holding import earlier_plans
from tenuto.core.planning.comparing.imports import beside, importing_properties
from tenuto.model.composition import Composition
from tenuto.model.ids import Json, ObjectId
from tenuto.model.outcome import NOWHERE, Context
from tenuto.model.plan import Plan
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto.model.snapshot import Snapshot
from tenuto.ports.store import Store

Exports = Callable[[Process], Mapping[str, Json]]
"""The values of the exports that a process is given by all others."""
ContextOf = Callable[[Process], Context]
"""The facts of the partition of a process, as far as they can be told."""


class Followers:
    """Finds the objects that stay until importers have followed. Thread-safe."""

    def __init__(self, store: Store, compositions: Compositions, exports: Exports, context_of: ContextOf) -> None:
        self._store = store
        self._compositions = compositions
        self._exports = exports
        self._context_of = context_of
        self._plans = earlier_plans(store)

    def awaited(self, snapshot: Snapshot, made: Plan) -> dict[ObjectId, str]:
        """The removed objects that stay for now, each with its users in words. Raises StoreError."""
        going = {step.object_id for step in made.steps if step.is_original}
        return self.users(snapshot.process, snapshot.composition, snapshot.objects, going, snapshot.context)

    def users(
        self,
        process: Process,
        composition: Composition | None,
        objects: Sequence[ManagedObject],
        going: Collection[ObjectId],
        context: Context,
    ) -> dict[ObjectId, str]:
        """The objects that are `going`, and that importers still use, each with these in words. Raises StoreError."""
        moved = moved_exports(process, composition, objects, going, context) if going and composition else None
        if moved is None or not moved.after:
            return {}
        others = cache(partial(self._exports, process))
        using: dict[ObjectId, dict[str, None]] = {}
        numbers: dict[ObjectId, int] = {}
        for other, its in beside(process, self._store.processes(), self._compositions.of):
            importer = self._importer(other, its, moved)
            used = used_by(importer, moved, others, self._plans) if importer is not None else {}
            for object_id, names in used.items():
                using.setdefault(object_id, {}).update(dict.fromkeys(names))
                numbers[object_id] = numbers.get(object_id, 0) + 1
        words = {key: _words(tuple(exports), numbers[key]) for key, exports in using.items()}
        return staying_with(words, (one for one in objects if one.object_id in going))

    def _importer(self, process: Process, composition: Composition, moved: Moved) -> Importer | None:
        """The process, if it may use an original: it imports the name of an export that moved, or has not converged."""
        if process.is_leaving:
            return None
        is_importing = self._compositions.is_importing(composition)
        context = self._context_of(process) if is_importing else NOWHERE
        imported = importing_properties(process, composition, context) if is_importing else {}
        if process.converged_at is not None and moved.names.isdisjoint(imported):
            return None
        objects = self._store.objects(process.fid)
        return Importer(process=process, imported=imported, objects=objects, context=context)


def _words(exports: tuple[str, ...], number: int) -> str:
    others = "" if number == 1 else f" ({number} of them do not yet)"
    return f"each process that imports {' and '.join(sorted(exports))}{others}"
