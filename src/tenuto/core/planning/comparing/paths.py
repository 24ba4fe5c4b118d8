"""Dotted paths into properties: the value at a path, and the same properties with another value there."""

from collections.abc import Mapping

from tenuto.model.ids import Json, JsonMap

MISSING = object()
"""The answer for a path at which nothing is."""


def at(properties: Json, path: str) -> Json:
    """The value at a dotted path, or `MISSING`. No path leads into a list."""
    for key in path.split("."):
        if not isinstance(properties, Mapping) or key not in properties:
            return MISSING
        properties = properties[key]
    return properties


def with_value(properties: JsonMap, keys: list[str], value: Json) -> JsonMap:
    """The properties with a value at the end of the keys, or without one there when it is `MISSING`."""
    key, *rest = keys
    changed = dict(properties)
    if rest:
        inner = changed.get(key, {})
        if isinstance(inner, Mapping) and (key in changed or value is not MISSING):
            changed[key] = with_value(inner, rest, value)
    elif value is MISSING:
        changed.pop(key, None)
    else:
        changed[key] = value
    return changed
