"""Exports that a process offers and imports: by name alone, whether they have a value yet or not."""

from collections.abc import Iterable

from tenuto.core.language import resolve
from tenuto.core.planning.references import environment
from tenuto.model.composition import Composition
from tenuto.model.ids import Json, LogicalId
from tenuto.model.outcome import Context
from tenuto.model.process import Process

_IMPORT = "Fn::ImportValue"


def exported_names(process: Process, composition: Composition, context: Context) -> tuple[str, ...]:
    """The names under which the process exports outputs, in the order of its outputs."""
    surroundings = environment(process, (), context, {})
    names = (resolve.resolve(one.export, surroundings) for one in composition.outputs if one.export is not None)
    return tuple(name for name in names if isinstance(name, str))


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
    return (one.name for one in opened if one.kind == _IMPORT)
