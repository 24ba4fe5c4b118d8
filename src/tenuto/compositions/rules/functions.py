"""The functions of an expression: a closed list, each with the meter as its last argument.

Only values of the kinds that a function names are given to Python's own operations, and the values that these make or
read are paid for first. A text is never made of a list or a mapping: CEL has no such conversion, and a list that holds
itself many times over would fill the memory as a text.
"""

import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from math import isfinite, trunc
from typing import Any, Final

from tenuto.compositions.checks.patterns import PatternError, compile_pattern
from tenuto.compositions.rules import times
from tenuto.compositions.rules.arithmetic import whole
from tenuto.compositions.rules.equality import is_member
from tenuto.compositions.rules.kinds import NAMES, Kind, NoAnswerError, Open, Uint, known, mismatch
from tenuto.compositions.rules.meter import Meter

_SIZED: Final = frozenset({str, bytes, list, dict})
_WHOLE = re.compile(r"[+-]?\d{1,20}", re.ASCII)
_DECIMAL = re.compile(r"[+-]?(?:\d{1,400}(?:\.\d{0,400})?|\.\d{1,400})(?:[eE][+-]?\d{1,4})?|[+-]?(?:inf|nan)", re.ASCII)
_LONGEST_NUMBER: Final = 820
_TRUTH: Final = {"true": True, "True": True, "TRUE": True, "t": True, "1": True} | {
    "false": False, "False": False, "FALSE": False, "f": False, "0": False
}  # fmt: skip
_CHARACTERS_OF_A_BYTE: Final = 4
_INSTRUCTIONS_COMPILED_IN_A_STEP: Final = 10


def _size(value: Any, _: Meter) -> int:
    if type(value) in _SIZED:
        return len(value)
    raise mismatch(value)


def _contains(container: Any, item: Any, meter: Meter) -> bool:
    if type(container) not in (str, bytes):
        return is_member(item, container, meter)
    if type(item) is not type(container):
        raise mismatch(container, item)
    meter.read(len(container))
    return item in container


def _starts_with(text: Any, start: Any, meter: Meter) -> bool:
    if type(text) is str and type(start) is str:
        meter.read(len(start))
        return text.startswith(start)
    raise mismatch(text, start)


def _ends_with(text: Any, end: Any, meter: Meter) -> bool:
    if type(text) is str and type(end) is str:
        meter.read(len(end))
        return text.endswith(end)
    raise mismatch(text, end)


def _matches(text: Any, pattern: Any, meter: Meter) -> bool:
    if type(text) is not str or type(pattern) is not str:
        raise mismatch(text, pattern)
    try:
        compiled = compile_pattern(pattern)
    except PatternError as error:
        raise NoAnswerError(f"its regular expression cannot be read: {error}") from None
    meter.spend(compiled.instructions // _INSTRUCTIONS_COMPILED_IN_A_STEP)
    meter.search(len(text), compiled.instructions)
    return compiled.is_in(text)


def _string(value: Any, meter: Meter) -> str:
    kind = type(value)
    if kind is str:
        return str(value)
    if kind is bytes:
        meter.make(len(value))
        try:
            return str(value, "utf-8")
        except UnicodeDecodeError:
            raise NoAnswerError("bytes are no text in UTF-8") from None
    if kind is bool:
        return "true" if value else "false"
    if kind in (int, Uint):
        return str(int(value))
    if kind is float:
        return repr(value).removesuffix(".0")
    if kind is datetime:
        return times.text_of_moment(value)
    if kind is timedelta:
        return times.text_of_duration(value)
    raise _not_made("string", value)


def _bytes(value: Any, meter: Meter) -> bytes:
    if type(value) is bytes:
        return bytes(value)
    if type(value) is str:
        meter.make(_CHARACTERS_OF_A_BYTE * len(value))
        return value.encode()
    raise _not_made("bytes", value)


def _integer(kind: type) -> Callable[[Any, Meter], Any]:
    def converted(value: Any, _: Meter) -> Any:
        if type(value) in (int, Uint):
            return whole(kind, value)
        if type(value) is float and isfinite(value):
            return whole(kind, trunc(value))
        if type(value) is datetime:
            return whole(kind, int(value.timestamp()))
        if type(value) is str and len(value) <= _LONGEST_NUMBER and _WHOLE.fullmatch(value):
            return whole(kind, int(value))
        raise _not_made(NAMES[kind], value)

    return converted


def _double(value: Any, _: Meter) -> float:
    if type(value) in (int, Uint, float):
        return float(value)
    if type(value) is str and len(value) <= _LONGEST_NUMBER and _DECIMAL.fullmatch(value):
        return float(value)
    raise _not_made("double", value)


def _bool(value: Any, _: Meter) -> bool:
    if type(value) is bool:
        return bool(value)
    if type(value) is str and value[:6] in _TRUTH:
        return _TRUTH[value[:6]]
    raise _not_made("bool", value)


def _not_made(kind: str, value: Any) -> NoAnswerError:
    known(value)
    return NoAnswerError(f"{kind}(…) makes nothing of this {NAMES[type(value)]}")


def _type(value: Any, _: Meter) -> Kind:
    known(value)
    return Kind(NAMES[type(value)])


def _is_open(value: Any, meter: Meter) -> bool:
    return any(True for _ in _markers(value, meter))


def _is_secret(value: Any, meter: Meter) -> bool:
    return any(one.is_secret for one in _markers(value, meter))


def _references(value: Any, meter: Meter) -> list[str]:
    found: dict[str, None] = {}
    for marker in _markers(value, meter):
        meter.spend(len(marker.references))
        found.update(dict.fromkeys(marker.references))
    return list(found)


def _markers(value: Any, meter: Meter) -> Iterator[Any]:
    """The parts of a value that have none, from the first to the last. Each part is a step, however often it comes."""
    below = [iter((value,))]
    while below:
        for one in below[-1]:
            meter.spend()
            if type(one) is Open:
                yield one.marker
            elif type(one) is list:
                below.append(iter(one))
                break
            elif type(one) is dict:
                below.append(iter(one.values()))
                break
        else:
            below.pop()


def _expression(value: Any, _: Meter) -> Any:
    return value.marker.text if type(value) is Open else value


FUNCTIONS: Final[dict[str, tuple[Callable[..., Any], tuple[int, ...]]]] = {
    "bool": (_bool, (1,)),
    "bytes": (_bytes, (1,)),
    "double": (_double, (1,)),
    "duration": (times.duration, (1,)),
    "dyn": (lambda value, _: value, (1,)),
    "expression": (_expression, (1,)),
    "int": (_integer(int), (1,)),
    "is_open": (_is_open, (1,)),
    "is_secret": (_is_secret, (1,)),
    "matches": (_matches, (2,)),
    "references": (_references, (1,)),
    "size": (_size, (1,)),
    "string": (_string, (1,)),
    "timestamp": (times.timestamp, (1,)),
    "type": (_type, (1,)),
    "uint": (_integer(Uint), (1,)),
}
"""The functions that are called as `name(…)`, with the numbers of arguments that it takes."""
METHODS: Final[dict[str, tuple[Callable[..., Any], tuple[int, ...]]]] = {
    "contains": (_contains, (2,)),
    "endsWith": (_ends_with, (2,)),
    "matches": (_matches, (2,)),
    "size": (_size, (1,)),
    "startsWith": (_starts_with, (2,)),
    **{name: (function, (1, 2)) for name, function in times.PARTS.items()},
}
"""The methods that are called as `x.name(…)`; the value `x` counts as an argument."""
