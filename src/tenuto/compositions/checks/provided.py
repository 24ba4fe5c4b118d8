"""Schemas that providers publish: found by the entry points of `tenuto.providers`, without a Conductor.

A provider that publishes none has its names accepted as they are; the Conductor refuses those that it does not manage.
A provider that cannot be loaded is left out here: the Conductor, and `tenuto compile`, report the error.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from importlib.metadata import entry_points
from typing import Protocol, runtime_checkable

from tenuto.compositions.checks.schema import (
    AwsSchemas,
    OwnSchemas,
    Schemas,
    SchemaSource,
    TypeSchema,
    schema_of,
)
from tenuto.model.ids import JsonMap, TypeName
from tenuto.model.resource import ResourceType

GROUP = "tenuto.providers"


@runtime_checkable
class Publisher(Protocol):
    """The part of a `tenuto.provider_plugins.ProviderPlugin` that gives its types."""

    prefixes: tuple[str, ...]
    types: Callable[[], Mapping[TypeName, ResourceType]]
    schemas: Callable[[], Mapping[TypeName, JsonMap]]


class ProvidedSchemas:
    """The types of the providers that are installed, besides those of AWS."""

    def find(self, name: str) -> TypeSchema | None:
        if name.startswith("AWS::"):
            return None  # Published by AWS, and read as data: its provider need not be loaded.
        for one in _publishers():
            if name.startswith(one.prefixes):
                documents = one.schemas()
                if document := documents.get(TypeName(name)):
                    return schema_of(document)
                return TypeSchema(name=TypeName(name)) if not documents or name in one.types() else None
        return None

    def names(self) -> Sequence[str]:
        return sorted(str(name) for one in _publishers() for name in one.schemas())

    def is_elsewhere(self, name: str) -> bool:
        return False


def default_schemas(region: str) -> SchemaSource:
    """The schemas that a composition is checked against unless its caller knows better."""
    return Schemas((OwnSchemas(), ProvidedSchemas(), AwsSchemas(region)))


@lru_cache(maxsize=1)
def _publishers() -> tuple[Publisher, ...]:
    found: list[Publisher] = []
    for point in sorted(entry_points(group=GROUP), key=lambda one: (one.name, one.value)):
        try:
            plugin = point.load()
        except (Exception, SystemExit):  # noqa: BLE001 - a plugin's module may raise anything
            continue
        if isinstance(plugin, Publisher):
            found.append(plugin)
    return tuple(found)
