"""Equality of any two values: true, false, or unknown when a part without a value would have to decide.

It is the equality of CEL's specification: values of different types are different, numbers are compared as numbers.
"""

from collections.abc import Iterable
from typing import Any

from tenuto.compositions.rules.kinds import NUMBERS, Flag, NoAnswerError, Open, key_of, mismatch, unknown
from tenuto.compositions.rules.meter import Meter


def is_same(left: Any, right: Any, meter: Meter) -> bool:
    """Whether two values are equal. Raises NoAnswerError when their known parts do not tell."""
    meter.spend()
    kind = type(left)
    if kind is Open or type(right) is Open:
        if kind is type(right):
            meter.read(len(left.marker.text))
            if left.marker == right.marker:
                return True
        raise unknown(left if kind is Open else right)
    if kind in NUMBERS and type(right) in NUMBERS:
        return bool(left == right)
    if kind is not type(right):
        return False
    if kind is list:
        return len(left) == len(right) and _are_same(zip(left, right, strict=True), meter)
    if kind is dict:
        return _has_same_keys(left, right, meter) and _are_same(((left[key], right[key]) for key in left), meter)
    if kind in (str, bytes) and len(left) == len(right):
        meter.read(len(left))
    return bool(left == right)


def is_member(item: Any, container: Any, meter: Meter) -> bool:
    """Whether `item in container`. Raises NoAnswerError as `is_same`, and for a container that is none."""
    if type(container) is dict:
        return is_key(item, container, meter)
    if type(container) is not list:
        raise mismatch(item, container) if type(item) is not Open else mismatch(container)
    error = None
    for one in container:
        try:
            if is_same(item, one, meter):
                return True
        except NoAnswerError as absorbed:
            error = error or absorbed
    if error:
        raise error
    return False


def is_key(item: Any, container: dict[Any, Any], meter: Meter) -> bool:
    """Whether a mapping has a key. A value that cannot be a key is none; NoAnswerError is raised for an unknown one."""
    if type(item) is Open:
        raise unknown(item)
    if type(item) is str:
        meter.read(len(item))
    return type(item) in (str, bool, *(NUMBERS - {float})) and key_of(item) in container


def _are_same(pairs: Iterable[tuple[Any, Any]], meter: Meter) -> bool:
    error = None
    for left, right in pairs:
        try:
            if not is_same(left, right, meter):
                return False
        except NoAnswerError as absorbed:
            error = error or absorbed
    if error:
        raise error
    return True


def _has_same_keys(left: dict[Any, Any], right: dict[Any, Any], meter: Meter) -> bool:
    if len(left) != len(right):
        return False
    for key in left:
        meter.spend()
        if not isinstance(key, Flag | int):
            meter.read(len(key))
    return left.keys() == right.keys()
