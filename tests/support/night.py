"""The tests that only the nightly run has: a change waits for the others."""

import os
from collections.abc import Iterable
from typing import Any

import pytest

IS_NIGHT = bool(os.environ.get("TENUTO_NIGHTLY"))


def by_day(count: int, values: Iterable[Any]) -> list[Any]:
    """The values of a parameter, or of several as tuples. Those after the first ones are for the nightly run."""
    return [
        value
        if number < count
        else pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.nightly)
        for number, value in enumerate(values)
    ]
