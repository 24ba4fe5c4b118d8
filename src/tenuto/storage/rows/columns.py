"""Between values and rows: fields that are a column of the same name, and places."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from operator import attrgetter
from typing import Any

from tenuto.model.ids import Partition

Row = Mapping[str, Any]
"""A row by the names of its columns, in both directions."""


def fields_of(value: object, names: tuple[str, ...]) -> dict[str, Any]:
    return dict(zip(names, _reader(names)(value), strict=True))


@lru_cache(maxsize=32)
def _reader(names: tuple[str, ...]) -> Callable[[object], tuple[Any, ...]]:
    """The function that reads all these attributes at once. One attribute alone would be no tuple."""
    return attrgetter(*names)


def same_fields(row: Row, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: row[name] for name in names}


def partition_of(row: Row) -> Partition:
    return Partition(account=row["account"], region=row["region"])
