"""Every AWS resource type that Tenuto manages, by name: those with a block are listed, the others go through Cloud
Control and are found when they are asked for.

A module of this folder that has `TYPES` brings the types in it: a new one touches no other file.
"""

from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pkgutil import iter_modules

from tenuto.errors import BugError
from tenuto.model.ids import TypeName
from tenuto.model.open_types import OpenTypes
from tenuto.model.resource import ResourceType
from tenuto.providers.aws import types
from tenuto.providers.aws.kind import AwsType
from tenuto.providers.aws.tags.marking import with_calls_of_marks
from tenuto.providers.aws.types import cloud_control, custom_resource


def _found() -> Iterator[AwsType]:
    """The types of all modules, in the order of the modules' names. The catalogue itself is being imported now."""
    for name in sorted(module.name for module in iter_modules(types.__path__)):
        if name != __name__.rpartition(".")[2]:
            yield from getattr(import_module(f"{types.__name__}.{name}"), "TYPES", ())


def _by_name() -> dict[TypeName, AwsType]:
    """The types by name, sorted. Raises BugError when two modules bring one."""
    kinds = sorted(_found(), key=lambda kind: kind.facts.name)
    found = {kind.facts.name: kind for kind in kinds}
    if len(found) != len(kinds):
        names = [kind.facts.name for kind in kinds]
        raise BugError(f"several modules bring {', '.join(sorted({one for one in names if names.count(one) > 1}))}")
    return found


BLOCKS: dict[TypeName, AwsType] = _by_name()


def _read_first(kind: AwsType) -> ResourceType:
    """The facts of a type with the calls of its marks, and whether a place is read before a thing is made there: things
    of the type carry no mark, and one in the place of another keeps it from being made."""
    facts = with_calls_of_marks(kind)
    is_told_by_place = kind.marks is None and not kind.tagged_as and bool(kind.facts.exclusive)
    return replace(facts, is_read_first=facts.is_read_first or is_told_by_place)


def _kind(name: TypeName) -> AwsType | None:
    """The type of a name: one with a block, a custom resource, or one that goes through Cloud Control."""
    return BLOCKS.get(name) or custom_resource.kind_of(name) or cloud_control.kind_of(name)


def _facts(name: TypeName) -> ResourceType | None:
    kind = CATALOGUE.get(name)
    return None if kind is None else _read_first(kind)


CATALOGUE = OpenTypes(BLOCKS, _kind, cloud_control.names)
# All custom resources have names of their users; two names stand for them.
FACTS = OpenTypes([*BLOCKS, TypeName(custom_resource.NAME), custom_resource.EVERY], _facts, cloud_control.names)
"""The facts of each type for planner and compiler."""


def kinds_of(source: str) -> list[AwsType]:
    """The types that a sweep of a source shows. A type that is seen alone has a source of its own name."""
    alone = CATALOGUE.get(TypeName(source))
    if alone is not None and alone.source.name == source:
        return [alone]
    return [kind for kind in BLOCKS.values() if kind.source.name == source]
