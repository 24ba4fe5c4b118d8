"""Exports and imports: the references between processes.

The exports of a process, and its imports, are listed by name alone, whether they have a value yet or not. Whether an
importer uses the present value is for `following`.
"""

from collections.abc import Callable, Iterable, Iterator

from tenuto.core.language import resolve
from tenuto.core.planning.comparing.references import environment
from tenuto.model.composition import Composition
from tenuto.model.ids import Json, LogicalId
from tenuto.model.outcome import Context
from tenuto.model.process import Process


def exports_of(process: Process, composition: Composition, context: Context) -> dict[str, Json]:
    """The outputs that the process exports, as they are declared, by the names of the exports and in their order."""
    surroundings = environment(process, (), context, {})
    exports = [one for one in composition.outputs if one.export is not None]
    names = ((resolve.resolve(one.export, surroundings), one.value) for one in exports)
    return {name: value for name, value in names if isinstance(name, str)}


def imported_names(process: Process, composition: Composition, context: Context) -> dict[str, tuple[LogicalId, ...]]:
    """The names that the process imports, each with the resources that do."""
    return {name: tuple(found) for name, found in importing_properties(process, composition, context).items()}


def importing_properties(
    process: Process, composition: Composition, context: Context
) -> dict[str, dict[LogicalId, dict[str, Json]]]:
    """The names that the process imports, each with the resources that do, and their declared properties of it."""
    surroundings = environment(process, (), context, {})
    found: dict[str, dict[LogicalId, dict[str, Json]]] = {}
    for declaration in composition.resources:
        for path, value in declaration.properties.items():
            for name in _imports(value, surroundings):
                found.setdefault(name, {}).setdefault(declaration.logical_id, {})[path] = value
    return found


def _imports(value: Json, surroundings: resolve.Environment) -> Iterable[str]:
    opened = resolve.open_expressions(resolve.resolve(value, surroundings))
    return (one.name for one in opened if one.kind == resolve.IMPORT)


def beside(
    process: Process, processes: Iterable[Process], composition_of: Callable[[str], Composition | None]
) -> Iterator[tuple[Process, Composition]]:
    """The other processes of the account and region, with their compositions, which are known by digest."""
    for other in processes:
        if other.fid != process.fid and other.partition == process.partition:
            composition = composition_of(other.composition_digest)
            if composition is not None:
                yield other, composition
