"""The types of objects that requests can make: those of providers and of plugins, checked as a set."""

from collections.abc import Iterable, Mapping

from tenuto.errors import PluginError
from tenuto.lifecycles.table import Lifecycle
from tenuto.model.ids import TypeName
from tenuto.model.object_type import ObjectType
from tenuto.plugins import TypePlugin
from tenuto.ports.objects import OffersObjects


def offered_types(providers: Iterable[object], plugins: Iterable[TypePlugin]) -> tuple[ObjectType, ...]:
    """The object types that providers offer, then those that plugins do."""
    offering = [one for one in providers if isinstance(one, OffersObjects)]
    return (*(kind for one in offering for kind in one.object_types()), *(one.definition for one in plugins))


def checked_types(
    offered: Iterable[ObjectType], lifecycles: Mapping[str, Lifecycle]
) -> tuple[tuple[ObjectType, ...], tuple[PluginError, ...]]:
    """The sound types, and an error for each that is refused. The first of two with one name is kept."""
    kept: dict[TypeName, ObjectType] = {}
    errors: list[PluginError] = []
    for kind in offered:
        problem = _problem(kind, kept, lifecycles)
        if problem:
            errors.append(PluginError(f"object type {kind.name or '(without a name)'} was refused: {problem}"))
        else:
            kept[kind.name] = kind
    return tuple(kept.values()), tuple(errors)


def _problem(kind: ObjectType, kept: Mapping[TypeName, ObjectType], lifecycles: Mapping[str, Lifecycle]) -> str:
    names = [field.name for field in kind.fields]
    if not kind.name or "/" in kind.name or "," in kind.name:
        return "it needs a name such as Acme::Image, without slashes and commas"
    if kind.name in kept:
        return "a type of this name is loaded already, and names must be unique"
    if kind.lifecycle not in lifecycles:
        return f"there is no lifecycle {kind.lifecycle}; there are {', '.join(sorted(lifecycles))}"
    if len(set(names)) < len(names) or "Tags" in names or "" in names:
        return "its fields need names that are unique, and Tags belongs to every object"
    return ""
