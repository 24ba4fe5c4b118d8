"""Values as JSON documents and back, with one text for one value."""

from collections.abc import Mapping, Sequence
from typing import Any


class DocumentError(ValueError):
    """A value that JSON cannot hold, or a document that is not of the type."""


def plain(value: Any) -> Any:
    """A copy of a JSON value made of dicts with sorted keys, lists and scalars only.

    Raises DocumentError for anything JSON cannot hold.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int | float):
        return value
    if isinstance(value, Mapping):
        return {_key(key): plain(value[key]) for key in sorted(value)}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [plain(item) for item in value]
    raise DocumentError(f"a {type(value).__name__} is no JSON value")


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise DocumentError(f"{key!r} cannot name a member: JSON names are text")
    return str(key)
