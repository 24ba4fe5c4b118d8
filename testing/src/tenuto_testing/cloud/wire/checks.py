"""The checks of parameters against the input shape: required members, enumerations, and bounds."""

import re
from functools import lru_cache
from typing import Any

from botocore.model import Shape

from tenuto_testing.cloud.wire.dialect import Dialect
from tenuto_testing.cloud.wire.messages import Refusal

_TAKEN_TOO = {"BucketCannedACL": ("log-delivery-write",)}
"""The values that AWS takes although its models do not know them."""


def check(shape: Shape | None, value: dict[str, Any], dialect: Dialect) -> None:
    """Raises Refusal with the first thing that is wrong."""
    if shape is not None:
        _structure(shape, value, "", dialect)


def _structure(shape: Shape, value: dict[str, Any], path: str, dialect: Dialect) -> None:
    for name in shape.required_members:
        if value.get(name) is None:
            raise Refusal(dialect.missing, f"The request must contain the parameter {path}{_small(name)}")
    for name, one in value.items():
        _value(shape.members[name], one, f"{path}{_small(name)}", dialect)


def _value(shape: Shape, value: Any, path: str, dialect: Dialect) -> None:
    kind = shape.type_name
    if kind == "structure":
        _structure(shape, value, f"{path}.", dialect)
    elif kind == "list":
        _bounds(shape, len(value), path, "length", dialect)
        for one in value:
            _value(shape.member, one, path, dialect)
    elif kind == "map":
        _bounds(shape, len(value), path, "length", dialect)
        for key, one in value.items():
            _text(shape.key, key, path, dialect)
            _value(shape.value, one, f"{path}.{key}", dialect)
    elif kind in ("integer", "long"):
        _bounds(shape, value, path, "value", dialect)
    elif kind == "string":
        _text(shape, value, path, dialect)


def _text(shape: Shape, value: str, path: str, dialect: Dialect) -> None:
    if shape.enum and value not in shape.enum and value not in _TAKEN_TOO.get(shape.name, ()):
        raise Refusal(dialect.invalid, f"Value ({value}) for parameter {path} is invalid.")
    _bounds(shape, len(value), path, "length", dialect)
    pattern = _compiled(str(shape.metadata["pattern"])) if "pattern" in shape.metadata else None
    if pattern is not None and not pattern.fullmatch(value):
        raise Refusal(
            dialect.invalid,
            f"1 validation error detected: Value at '{path}' failed to satisfy constraint: Member must satisfy regular "
            f"expression pattern: {shape.metadata['pattern']}",
        )


def _bounds(shape: Shape, size: int, path: str, what: str, dialect: Dialect) -> None:
    low, high = shape.metadata.get("min"), shape.metadata.get("max")
    if low is not None and size < low:
        raise Refusal(dialect.invalid, f"The {what} of {path} ({size}) is invalid: it must be at least {low}.")
    if high is not None and size > high:
        raise Refusal(dialect.invalid, f"The {what} of {path} ({size}) is invalid: it must be at most {high}.")


def _small(name: str) -> str:
    return name[0].lower() + name[1:]


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str] | None:
    """The pattern, whose Unicode classes Python spells in another way; None when it cannot be said in Python."""
    try:
        return re.compile(pattern.replace(r"\p{L}\p{Z}\p{N}", r"\w\s"))
    except re.error:
        return None
