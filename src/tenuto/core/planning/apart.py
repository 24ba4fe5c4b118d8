"""Two unlike values without what they have in common, so that a short text shows in what they differ."""

from collections.abc import Mapping, Sequence

from tenuto.core.language.expressions import is_list
from tenuto.model.ids import Json

_NAMES = ("Id", "Key", "Name", "Sid")
"""Members that tell which item of a list it is: kept, although they are equal."""


def apart(one: Json, other: Json) -> tuple[Json, Json]:
    """Return both values without equal members and items, at every depth. The rest of equal values means nothing."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return _mappings(one, other)
    if is_list(one) and is_list(other):
        return _lists(one, other)
    return one, other


def _mappings(one: Mapping[str, Json], other: Mapping[str, Json]) -> tuple[Json, Json]:
    left: dict[str, Json] = {}
    right: dict[str, Json] = {}
    for key in sorted({*one, *other}):
        if key in one and key in other:
            if one[key] == other[key]:
                if key in _NAMES:
                    left[key] = right[key] = one[key]
                continue
            left[key], right[key] = apart(one[key], other[key])
        elif key in one:
            left[key] = one[key]
        else:
            right[key] = other[key]
    return left, right


def _lists(one: Sequence[Json], other: Sequence[Json]) -> tuple[Json, Json]:
    left = [item for item in one if item not in other]
    right = [item for item in other if item not in one]
    if len(left) != len(right) or not left:
        # Of lists in another order, or with repeats, nothing can be left out.
        return (left, right) if left or right else (list(one), list(other))
    pairs = [apart(*pair) for pair in zip(left, right, strict=True)]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]
