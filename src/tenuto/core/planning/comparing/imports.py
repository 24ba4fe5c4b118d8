"""Exports and imports: the references between processes, and the values of exports that importers still use.

Theory of operation. The exports of a process, and its imports, are listed by name alone, whether they have a value yet
or not. When the resource behind an export is made anew, the export has another value. An importer follows by a job of
its own, or when it is resumed, and until then its things use the original. So an original goes only after that, as it
goes after all that its own process builds on it. What was built on the original stays with it: a queue without its
policy is of no use to an importer.

A composition that a Suspended process only stores says nothing of its resources yet: until it is applied, a resource
that holds the value of an export counts as its importer.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress

from tenuto.core.language import resolve
from tenuto.core.language.expressions import texts_in
from tenuto.core.language.resolve import ResolveError, referenced_resources
from tenuto.core.planning.comparing.order import reached
from tenuto.core.planning.comparing.references import Addresses, environment
from tenuto.lifecycles import roles
from tenuto.model.command import ProcessState
from tenuto.model.composition import Composition
from tenuto.model.ids import Json, LogicalId, ObjectId
from tenuto.model.outcome import Context
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject

IMPORT = "Fn::ImportValue"
_SHORTEST = 8
"""The letters of a value that is recognised inside a longer text: an id has more, and `dev` is part of many."""


def exports_of(process: Process, composition: Composition, context: Context) -> dict[str, Json]:
    """The outputs that the process exports, as they are declared, by the names of the exports and in their order."""
    surroundings = environment(process, (), context, {})
    exports = [one for one in composition.outputs if one.export is not None]
    names = ((resolve.resolve(one.export, surroundings), one.value) for one in exports)
    return {name: value for name, value in names if isinstance(name, str)}


def imported_names(process: Process, composition: Composition, context: Context) -> dict[str, tuple[LogicalId, ...]]:
    """The names that the process imports, each with the resources that do."""
    surroundings = environment(process, (), context, {})
    found: dict[str, list[LogicalId]] = {}
    for declaration in composition.resources:
        for name in _imports(declaration.properties, surroundings):
            found.setdefault(name, []).append(declaration.logical_id)
    return {name: tuple(dict.fromkeys(importers)) for name, importers in found.items()}


def _imports(value: Json, surroundings: resolve.Environment) -> Iterable[str]:
    opened = resolve.open_expressions(resolve.resolve(value, surroundings))
    return (one.name for one in opened if one.kind == IMPORT)


def beside(
    process: Process, processes: Iterable[Process], composition_of: Callable[[str], Composition | None]
) -> Iterator[tuple[Process, Composition]]:
    """The other processes of the account and region, with their compositions, which are known by digest."""
    for other in processes:
        if other.fid != process.fid and other.partition == process.partition:
            composition = composition_of(other.composition_digest)
            if composition is not None:
                yield other, composition


def holding(process: Process, objects: Iterable[ManagedObject], value: Json) -> tuple[LogicalId, ...]:
    """The resources of a process that only stores its composition, which were made with the value."""
    if process.state is not ProcessState.SUSPENDED or process.converged_at is not None:
        return ()
    return tuple(one.logical_id for one in objects if _holds(one, value))


def is_used(process: Process, objects: Iterable[ManagedObject], importing: Collection[LogicalId], value: Json) -> bool:
    """Whether the process still uses the earlier value of an export. `importing` are the resources that import its
    name: one on its way to the new value may use the earlier one until it is there."""
    objects = tuple(objects)
    return bool(holding(process, objects, value)) or any(
        _holds(one, value) or not (one.is_settled or one.physical_id is None)
        for one in objects
        if one.logical_id in importing
    )


def earlier_values(
    process: Process,
    composition: Composition,
    objects: Iterable[ManagedObject],
    removed: Iterable[ManagedObject],
    context: Context,
) -> dict[ObjectId, dict[str, Json]]:
    """The values that exports have by each of the removed incarnations and not without it, by name."""
    exports = exports_of(process, composition, context)
    answering = {one.logical_id: one for one in Addresses.of(objects).all_answering}
    present = environment(process, answering.values(), context, {})
    found: dict[ObjectId, dict[str, Json]] = {}
    for one in removed:
        earlier = environment(process, {**answering, one.logical_id: one}.values(), context, {})
        for name, value in exports.items():
            if one.physical_id is None or one.logical_id not in referenced_resources(value):
                continue
            with suppress(ResolveError):
                had = resolve.resolve(value, earlier)
                is_last = answering.get(one.logical_id) is one or had != resolve.resolve(value, present)
                if is_last and resolve.is_resolved(had):
                    found.setdefault(one.object_id, {})[name] = had
    return found


def staying_with(used: Mapping[ObjectId, str], removed: Iterable[ManagedObject]) -> dict[ObjectId, str]:
    """The removed objects that are used, and those that they were built on, or that were built on them, each with the
    words of the first that is used."""
    removed = tuple(removed)
    at: dict[LogicalId, list[ObjectId]] = {}
    for one in removed:
        at.setdefault(one.logical_id, []).append(one.object_id)
    beside: dict[ObjectId, list[ObjectId]] = {one.object_id: [] for one in removed}
    for one in removed:
        for other in (key for name in one.depends_on for key in at.get(name, ())):
            beside[one.object_id].append(other)
            beside[other].append(one.object_id)
    found: dict[ObjectId, str] = {}
    for object_id, words in used.items():
        for other in reached([object_id], beside):
            found.setdefault(other, words)
    return found


def _holds(found: ManagedObject, value: Json) -> bool:
    return not roles.has_ended(found) and any(_is_in(value, text) for text in texts_in(found.desired))


def _is_in(value: Json, text: str) -> bool:
    return isinstance(value, str) and (text == value or (len(value) >= _SHORTEST and value in text))
