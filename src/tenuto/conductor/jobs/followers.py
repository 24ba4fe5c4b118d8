"""The removals of a plan that wait for importers in other processes.

Few processes export anything, and few of their plans remove the thing behind an export. So the plan is made first, and
only such a plan asks who imports: with the answer it is made once more, without these removals
(`core.planning.comparing.imports`).
"""

from tenuto.conductor.jobs.caches import Compositions
from tenuto.core.planning.comparing.imports import beside, earlier_values, imported_names, is_used, staying_with
from tenuto.model.ids import ObjectId
from tenuto.model.plan import Plan, StepKind
from tenuto.model.snapshot import Snapshot
from tenuto.ports.store import Store


class Followers:
    """Finds the objects that stay until importers have followed. Thread-safe."""

    def __init__(self, store: Store, compositions: Compositions) -> None:
        self._store = store
        self._compositions = compositions

    def awaited(self, snapshot: Snapshot, made: Plan) -> dict[ObjectId, str]:
        """The removed objects that stay for now, each with its users in words. Raises StoreError."""
        composition = snapshot.composition
        if composition is None or not any(one.export for one in composition.outputs):
            return {}
        gone = {step.object_id for step in made.steps if step.kind is StepKind.REMOVE}
        removed = [one for one in snapshot.objects if one.object_id in gone]
        process, context = snapshot.process, snapshot.context
        values = earlier_values(process, composition, snapshot.objects, removed, context)
        if not values:
            return {}
        using: dict[ObjectId, dict[str, None]] = {}
        numbers: dict[ObjectId, int] = {}
        for other, its in beside(process, self._store.processes(), self._compositions.of):
            if other.is_leaving:
                continue
            names = imported_names(other, its, context)
            objects = self._store.objects(other.fid)
            for object_id, exports in values.items():
                used = [one for one, value in exports.items() if is_used(other, objects, names.get(one, ()), value)]
                if used:
                    using.setdefault(object_id, {}).update(dict.fromkeys(used))
                    numbers[object_id] = numbers.get(object_id, 0) + 1
        words = {key: _words(tuple(exports), numbers[key]) for key, exports in using.items()}
        return staying_with(words, removed)


def _words(exports: tuple[str, ...], number: int) -> str:
    others = "" if number == 1 else f" ({number} of them do not yet)"
    return f"each process that imports {' and '.join(sorted(exports))}{others}"
