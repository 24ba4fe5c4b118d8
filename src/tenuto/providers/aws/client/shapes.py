"""The fit of declared values to the types that an API takes: "100" is 100 and "true" is true wherever the service model
says so.

Templates may write numbers and truth values as text, CloudFormation accepts both, and AWS's service models know the
type of each parameter. So no block converts anything by hand. A value that does not fit is left alone, and botocore's
own check names it.
"""

import re
from collections.abc import Mapping
from typing import Any

from botocore.model import Shape

_WHOLE = re.compile(r"\s*[+-]?\d+\s*")
_TRUTH = {"true": True, "false": False}


def fit(shape: Shape, value: Any) -> Any:
    """The value with texts turned into the numbers and truth values, and scalars into the texts, that the shape asks
    for.
    """
    kind = shape.type_name
    if kind == "structure" and isinstance(value, Mapping):
        return {name: fit(shape.members[name], one) if name in shape.members else one for name, one in value.items()}
    if kind == "list" and isinstance(value, list | tuple):
        return [fit(shape.member, one) for one in value]
    if kind == "map" and isinstance(value, Mapping):
        return {name: fit(shape.value, one) for name, one in value.items()}
    return _scalar(kind, value)


def _scalar(kind: str, value: Any) -> Any:
    if kind in ("integer", "long") and isinstance(value, str | float):
        is_whole = value.is_integer() if isinstance(value, float) else bool(_WHOLE.fullmatch(value))
        return int(value) if is_whole else value
    if kind == "boolean" and isinstance(value, str):
        return _TRUTH.get(value.casefold(), value)
    if kind == "string" and isinstance(value, bool):
        return "true" if value else "false"
    if kind == "string" and isinstance(value, int | float):
        return str(value)
    return value
