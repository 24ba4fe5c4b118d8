"""The kinds of values that an expression computes with, and the errors that have no answer.

Values are Python's own: bool, int, float, str, bytes, list, dict, None, datetime and timedelta. The exact type of a
value is its kind; no subclass of these is ever among them, except `Uint`. A mapping has texts and whole numbers as
keys; true and false are kept there as `Flag`, since Python takes `1` and `True` for one key.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import Any

from tenuto.compositions.validations.kit import Unresolved


class NoAnswerError(Exception):
    """An error of CEL, which `||`, `&&`, `all` and `exists` absorb. The message says why, and shows no value."""


class Uint(int):
    """A number without a sign."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Kind:
    """The value of `type(x)`."""

    name: str


class Flag(Enum):
    """True and false as keys."""

    FALSE = 0
    TRUE = 1


@dataclass(frozen=True, slots=True)
class Open:
    """A value that has none before the build."""

    marker: Unresolved


NAMES: dict[type, str] = {
    bool: "bool",
    bytes: "bytes",
    datetime: "timestamp",
    dict: "map",
    float: "double",
    int: "int",
    Kind: "type",
    list: "list",
    str: "string",
    timedelta: "duration",
    type(None): "null_type",
    Uint: "uint",
}
KINDS = {name: Kind(name) for name in sorted(NAMES.values()) if name != "type"}
"""The types that an expression can name."""
_SHOWN = 200
"""Characters of an expression in a message. The same message is made for each item of a list."""
NUMBERS = frozenset({int, Uint, float})


def known(*values: Any) -> None:
    """Raises NoAnswerError when one of the values has none before the build."""
    for one in values:
        if type(one) is Open:
            raise unknown(one)


def unknown(value: Open) -> NoAnswerError:
    kind = "is a secret" if value.marker.is_secret else "is known only after the build"
    text = value.marker.text
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    return NoAnswerError(f"it needs the value of {shown}, which {kind}; ask is_open first")


def mismatch(*values: Any) -> NoAnswerError:
    """The error of an operation that means nothing for values of these kinds."""
    known(*values)
    return NoAnswerError(
        f"values are of kinds that do not go together ({', '.join(NAMES[type(one)] for one in values)})"
    )


def key_of(value: Any) -> Any:
    """The key of a mapping. Raises NoAnswerError for a value that cannot be one."""
    if type(value) is bool:
        return Flag(value)
    if type(value) in (str, int, Uint):
        return value
    known(value)
    raise NoAnswerError(f"a key is a text, a whole number, true or false, and not of kind {NAMES[type(value)]}")


def of_key(key: Any) -> Any:
    """The value of a key."""
    return bool(key.value) if type(key) is Flag else key
