"""JSON with one text for one value: sorted keys, no spaces, so that equal values have equal texts and equal digests."""

import json
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

_PLAIN = frozenset({str, int, bool, type(None)})
"""Nearly all values, and this is asked faster than whether one is a mapping."""
_LISTS = frozenset({list, tuple})
_TEXT = frozenset({str})
_ENCODER = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True, allow_nan=False)
"""Sorts nothing: `plain` has sorted the names already."""


class DocumentError(ValueError):
    """A value that JSON cannot hold, or a document that is not of the type. The message names the place."""


def to_text(document: Any) -> str:
    """The canonical text of a JSON value. Raises DocumentError for anything JSON cannot hold."""
    if type(document) is dict and not document:
        return "{}"  # Most documents of a phase and of an event have nothing in them.
    return _ENCODER.encode(plain(document))


def plain(value: Any) -> Any:
    """A copy of a JSON value made of dicts with sorted keys, lists and scalars only.

    Raises DocumentError for anything JSON cannot hold.
    """
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is dict:
        return _members(value)
    if kind in _LISTS:
        return [plain(item) for item in value]
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int) or (isinstance(value, float) and isfinite(value)):
        return value
    if isinstance(value, Mapping):
        return _members(value)
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [plain(item) for item in value]
    raise DocumentError(f"{value!r} ({type(value).__name__}) is no JSON value")


def _members(value: Mapping[Any, Any]) -> dict[str, Any]:
    names = value if _TEXT.issuperset(map(type, value)) else map(_name, value)
    return {name: plain(value[name]) for name in sorted(names)}


def _name(key: Any) -> str:
    if not isinstance(key, str):
        raise DocumentError(f"{key!r} cannot name a member: JSON names are text")
    return str(key)
