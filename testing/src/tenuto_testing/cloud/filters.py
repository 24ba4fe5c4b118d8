"""EC2's filters: names to paths into the data of a thing, values with wildcards; all filters must match."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import translate
from typing import Any

from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data, Thing

MOST_VALUES = 200
Names = Mapping[str, str]
Test = Callable[[Data], bool]


def compile_filters(wanted: Sequence[Data], names: Names) -> list[Test]:
    """A test for each filter. Raises Refusal for a filter that the API does not have."""
    if sum(len(one.get("Values") or ()) for one in wanted) > MOST_VALUES:
        raise Refusal("FilterLimitExceeded", f"The maximum number of filter values is {MOST_VALUES}")
    return [_test(str(one.get("Name")), one.get("Values") or (), names) for one in wanted]


def _test(name: str, values: Sequence[str], names: Names) -> Test:
    matches = _matcher(values)
    if name.startswith("tag:"):
        key = name[4:]
        return lambda data: any(tag["Key"] == key and matches(tag["Value"]) for tag in _tags(data))
    if name == "tag-key":
        return lambda data: any(matches(tag["Key"]) for tag in _tags(data))
    path = names.get(name)
    if path is None:
        raise Refusal("InvalidParameterValue", f"The filter '{name}' is invalid")
    steps = path.split(".")
    return lambda data: any(matches(_text(one)) for one in _values(data, steps))


def _tags(data: Data) -> Sequence[Data]:
    return data.get("Tags") or data.get("TagSet") or ()


def _matcher(values: Sequence[str]) -> Callable[[str], bool]:
    plain = frozenset(value for value in values if "*" not in value and "?" not in value)
    patterns = [re.compile(translate(value)) for value in values if value not in plain]
    if not patterns:
        return plain.__contains__
    return lambda text: text in plain or any(pattern.match(text) for pattern in patterns)


def _values(value: Any, steps: Sequence[str]) -> Iterable[Any]:
    if isinstance(value, Thing):
        value = value.data
    if isinstance(value, list):
        for one in value:
            yield from _values(one, steps)
    elif not steps:
        if value is not None:
            yield value
    elif isinstance(value, dict) and steps[0] in value:
        yield from _values(value[steps[0]], steps[1:])


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
