"""What a rule sees, as values of CEL."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import celpy
from celpy import celtypes

from tenuto.compositions.validations import Resource, Unresolved, WholeComposition

_LARGEST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Open:
    """A value that has none before the build. CEL must not take it for true or false."""

    marker: Unresolved

    def __bool__(self) -> bool:
        raise TypeError("a value that is known only after the build is neither true nor false")


def of_composition(whole: WholeComposition, account: str) -> Any:
    """The variable `composition`."""
    return value_of(
        {
            "name": whole.name,
            "region": whole.region,
            "account": account,
            "description": whole.description,
            "parameters": whole.parameters,
            "resources": [_resource(one) for one in whole.resources],
        }
    )


def of_resource(one: Resource) -> Any:
    """The variable `resource`; its `properties` are a variable of their own besides."""
    return value_of(_resource(one))


def _resource(one: Resource) -> dict[str, Any]:
    return {
        "logical_id": one.logical_id,
        "type": one.type,
        "properties": one.properties,
        "metadata": one.metadata,
        "depends_on": list(one.depends_on),
        "deletion_policy": one.deletion_policy,
        "replace_policy": one.replace_policy,
    }


def value_of(value: Any) -> Any:
    """JSON with markers, as CEL."""
    if isinstance(value, Unresolved):
        return Open(value)
    if isinstance(value, Mapping):
        return celtypes.MapType({celtypes.StringType(key): value_of(member) for key, member in value.items()})
    if isinstance(value, list | tuple):
        return celtypes.ListType([value_of(member) for member in value])
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > _LARGEST:
        return celtypes.DoubleType(value)
    return celpy.json_to_cel(value)
