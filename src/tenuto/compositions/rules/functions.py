"""The functions and operators of an expression, made for one meter.

A value that is known only after the build is `Open`, and so is every secret: to compare it, or to compute with it, is
an error of the expression, which CEL's `||`, `&&`, `all` and `exists` absorb when the other side decides. So a rule
that forgets such values fails, and one that says `is_open(x) || x == "y"` works. Equality is the one of CEL's
specification: values of different types are different, numbers are compared as numbers.
"""

from collections.abc import Callable
from typing import Any

import re2
from celpy import celtypes
from celpy.evaluation import CELEvalError, base_functions

from tenuto.compositions.rules.meter import Meter
from tenuto.compositions.rules.values import Open

_SEARCHED_IN_A_STEP = 1000
_MADE_IN_A_STEP = 50
"""Characters or items. A text that doubles in every step would fill the memory before many steps are taken."""
_NUMBERS = (celtypes.IntType, celtypes.UintType, celtypes.DoubleType)
_LOGICAL = frozenset({"_||_", "_&&_", "!_", "_?_:_"})


class Reason(str):
    """Words of ours in an error of CEL."""

    __slots__ = ()


def functions(meter: Meter) -> dict[str, Callable[..., Any]]:
    """Every function that an expression can call."""
    guarded = {name: _guarded(function) for name, function in base_functions.items() if name not in _LOGICAL}
    equality = _Equality(meter)

    def same(left: Any, right: Any) -> Any:
        return equality.same(left, right)

    def differ(left: Any, right: Any) -> Any:
        found = equality.same(left, right)
        return found if isinstance(found, CELEvalError) else celtypes.BoolType(not found)

    def search(function: Callable[..., Any]) -> Callable[..., Any]:
        def metered(text: Any, *more: Any) -> Any:
            meter.spend(1 + len(text) // _SEARCHED_IN_A_STEP)
            return function(text, *more)

        return _guarded(metered)

    def added(left: Any, right: Any) -> Any:
        if type(left) is not type(right) and not isinstance(left, celtypes.TimestampType | celtypes.DurationType):
            raise TypeError("+ needs two of a kind")
        if hasattr(left, "__len__") and hasattr(right, "__len__"):
            meter.spend((len(left) + len(right)) // _MADE_IN_A_STEP)
        result = base_functions["_+_"](left, right)
        return celtypes.ListType(result) if isinstance(left, celtypes.ListType) else result

    return guarded | {
        "_==_": same,
        "_!=_": differ,
        "_in_": equality.member,
        "_+_": _guarded(added),
        "_*_": _guarded(_multiplied),
        "contains": search(base_functions["contains"]),
        "matches": search(_matches),
        "type": _guarded(type),
        "is_open": lambda value: celtypes.BoolType(bool(_markers(value, meter))),
        "is_secret": lambda value: celtypes.BoolType(any(one.is_secret for one in _markers(value, meter))),
        "references": lambda value: _texts(name for one in _markers(value, meter) for name in one.references),
        "expression": lambda value: celtypes.StringType(value.marker.text) if isinstance(value, Open) else value,
    }


def _guarded(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function where every argument has a value."""

    def called(*arguments: Any) -> Any:
        for one in arguments:
            if isinstance(one, Open):
                return _unknown(one)
            if isinstance(one, CELEvalError):
                return one
        return function(*arguments)

    called.__name__ = getattr(function, "__name__", "function")
    return called


class _Equality:
    """Equality of any two values: true, false, or unknown when a part without a value would have to decide."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter

    def same(self, left: Any, right: Any) -> Any:
        self._meter.spend()
        if isinstance(left, CELEvalError):
            return left
        if isinstance(right, CELEvalError):
            return right
        if isinstance(left, Open) or isinstance(right, Open):
            if type(left) is type(right) and left.marker == right.marker:
                return celtypes.BoolType(True)
            return _unknown(left if isinstance(left, Open) else right)
        if isinstance(left, _NUMBERS) and isinstance(right, _NUMBERS):
            return celtypes.BoolType(_number(left) == _number(right))
        if type(left) is not type(right):
            return celtypes.BoolType(False)
        if isinstance(left, celtypes.ListType):
            return self._all(zip(left, right, strict=True)) if len(left) == len(right) else celtypes.BoolType(False)
        if isinstance(left, celtypes.MapType):
            if left.keys() != right.keys():
                return celtypes.BoolType(False)
            return self._all((left[key], right[key]) for key in left)
        return celtypes.BoolType(left is right or left == right)

    def member(self, item: Any, container: Any) -> Any:
        """`item in container`."""
        for one in (item, container):
            if isinstance(one, CELEvalError):
                return one
        if isinstance(container, Open):
            return _unknown(container)
        if not isinstance(container, celtypes.ListType | celtypes.MapType):
            raise TypeError("in needs a list or a mapping")
        unknown = None
        for one in container:
            found = self.same(item, one)
            if isinstance(found, CELEvalError):
                unknown = found
            elif found:
                return found
        return unknown or celtypes.BoolType(False)

    def _all(self, pairs: Any) -> Any:
        unknown = None
        for left, right in pairs:
            found = self.same(left, right)
            if isinstance(found, CELEvalError):
                unknown = found
            elif not found:
                return found
        return unknown or celtypes.BoolType(True)


def _number(value: Any) -> float | int:
    return float(value) if isinstance(value, celtypes.DoubleType) else int(value)


def _matches(text: Any, pattern: Any) -> Any:
    try:
        return celtypes.BoolType(re2.compile(pattern, _quietly()).search(text) is not None)
    except re2.error:
        return CELEvalError(Reason("its regular expression cannot be read"))


def _quietly() -> Any:
    """Without this, the library writes about a wrong pattern to the standard error by itself."""
    options = re2.Options()
    options.log_errors = False
    return options


def _multiplied(left: Any, right: Any) -> Any:
    if not (isinstance(left, _NUMBERS) and type(left) is type(right)):
        raise TypeError("* needs two numbers of a kind")
    return base_functions["_*_"](left, right)


def _markers(value: Any, meter: Meter) -> list[Any]:
    """What has no value in the value, all the way down."""
    meter.spend()
    if isinstance(value, Open):
        return [value.marker]
    if isinstance(value, celtypes.MapType):
        value = list(value.values())
    if isinstance(value, list):
        return [found for one in value for found in _markers(one, meter)]
    return []


def _texts(found: Any) -> Any:
    return celtypes.ListType([celtypes.StringType(one) for one in dict.fromkeys(found)])


def _unknown(value: Open) -> Any:
    kind = "is a secret" if value.marker.is_secret else "is known only after the build"
    return CELEvalError(Reason(f"it needs the value of {value.marker.text}, which {kind}; ask is_open first"))
