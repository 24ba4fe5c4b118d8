"""Declared properties that a provider cannot hold, by the paths that it names."""

from collections.abc import Collection, Iterator, Sequence

from tenuto.model.ids import Json, JsonMap

Path = tuple[str | int, ...]


def refused_in(properties: JsonMap, refused: Collection[str]) -> tuple[Path, ...]:
    """Return the paths at which the properties hold something refused, with the places in lists; sorted by path.

    A property that a condition left out is not there, and so is not refused.
    """
    return tuple(place for path in sorted(refused) for place in _places(properties, path.split("."), ()))


def dotted(path: Path) -> str:
    """A path for people, such as `GlobalSecondaryIndexes[0].WarmThroughput`."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")


def named(path: Path) -> str:
    """The path as a provider names it, without places in lists, such as `GlobalSecondaryIndexes.WarmThroughput`."""
    return ".".join(part for part in path if isinstance(part, str))


def _places(value: Json, names: Sequence[str], before: Path) -> Iterator[Path]:
    if isinstance(value, list | tuple):
        for number, one in enumerate(value):
            yield from _places(one, names, (*before, number))
    elif not names:
        yield before
    elif isinstance(value, dict) and names[0] in value:
        if len(names) == 1:
            yield (*before, names[0])
        else:
            yield from _places(value[names[0]], names[1:], (*before, names[0]))
