"""The variables of an expression."""

from collections.abc import Mapping
from typing import Any

from tenuto.compositions.rules.kinds import Open
from tenuto.compositions.validations.kit import Resource, Unresolved, WholeComposition

_LARGEST = 2**63 - 1


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
    """Return a value of JSON with markers in the kinds of CEL."""
    if isinstance(value, Unresolved):
        return Open(value)
    if isinstance(value, Mapping):
        return {str(key): value_of(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [value_of(member) for member in value]
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value) if abs(value) <= _LARGEST else float(value)
    return float(value) if isinstance(value, float) else str(value)
