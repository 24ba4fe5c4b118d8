"""The operators of an expression, except equality: each takes its values and the meter.

Both values are of one kind, as CEL wants it; only `<` compares numbers of any kind, and moments take durations.
"""

import operator
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Final

from tenuto.compositions.rules.kinds import NUMBERS, NoAnswerError, Uint, key_of, mismatch
from tenuto.compositions.rules.meter import Meter

_COMPARED: Final = frozenset({str, bytes, bool, datetime, timedelta})


def add(left: Any, right: Any, meter: Meter) -> Any:
    kind = type(left)
    if kind is type(right):
        if kind in NUMBERS:
            return whole(kind, left + right)
        if kind in (str, bytes, list):
            meter.make(len(left) + len(right))
            return left + right
    return _moved(left, right, operator.add)


def subtract(left: Any, right: Any, _: Meter) -> Any:
    kind = type(left)
    if kind is type(right) and kind in NUMBERS:
        return whole(kind, left - right)
    if type(left) is timedelta and type(right) is datetime:
        raise mismatch(left, right)
    return _moved(left, right, operator.sub)


def multiply(left: Any, right: Any, _: Meter) -> Any:
    if type(left) is type(right) and type(left) in NUMBERS:
        return whole(type(left), left * right)
    raise mismatch(left, right)


def divide(left: Any, right: Any, _: Meter) -> Any:
    kind = type(left)
    if kind is not type(right) or kind not in NUMBERS:
        raise mismatch(left, right)
    if kind is float:
        return _quotient(left, right)
    if not right:
        raise NoAnswerError("a number is divided by zero")
    size = abs(left) // abs(right)
    return whole(kind, size if (left < 0) == (right < 0) else -size)


def remainder(left: Any, right: Any, _: Meter) -> Any:
    kind = type(left)
    if kind is not type(right) or kind not in (int, Uint):
        raise mismatch(left, right)
    if not right:
        raise NoAnswerError("a number is divided by zero")
    size = abs(left) % abs(right)
    return whole(kind, size if left >= 0 else -size)


def negate(value: Any, _: Meter) -> Any:
    if type(value) in (int, float):
        return whole(type(value), -value)
    raise mismatch(value)


def order(holds: Callable[[Any, Any], bool]) -> Callable[[Any, Any, Meter], bool]:
    """The operator of an order, such as `<`."""

    def compared(left: Any, right: Any, meter: Meter) -> bool:
        kind = type(left)
        if not (kind is type(right) and kind in _COMPARED) and not (kind in NUMBERS and type(right) in NUMBERS):
            raise mismatch(left, right)
        if kind in (str, bytes):
            meter.read(min(len(left), len(right)))
        return holds(left, right)

    return compared


def item(container: Any, index: Any, meter: Meter) -> Any:
    """Return `container[index]`."""
    if type(container) is list and type(index) in (int, Uint):
        if not 0 <= index < len(container):
            raise NoAnswerError("an index is beyond the end of its list")
        return container[index]
    if type(container) is not dict:
        raise mismatch(container, index)
    if type(index) is str:
        meter.read(len(index))
    try:
        return container[key_of(index)]
    except KeyError:
        raise NoAnswerError("a key is not there") from None


def whole(kind: type, value: Any) -> Any:
    """The result of a computation in the kind. Raises NoAnswerError when it is too large for that."""
    if kind is float:
        return value
    lowest, end = (0, 2**64) if kind is Uint else (-(2**63), 2**63)
    if not lowest <= value < end:
        raise NoAnswerError("a number is too large")
    return kind(value)


def _quotient(left: float, right: float) -> float:
    if right:
        return left / right
    return float("inf") if left > 0 else float("-inf") if left < 0 else float("nan")


def _moved(left: Any, right: Any, operation: Callable[[Any, Any], Any]) -> Any:
    kinds = {type(left), type(right)}
    if not kinds <= {datetime, timedelta} or (operation is operator.add and kinds == {datetime}):
        raise mismatch(left, right)
    try:
        return operation(left, right)
    except (OverflowError, TypeError) as error:
        raise NoAnswerError("a moment is not between the years 1 and 9999, or a duration is too long") from error
