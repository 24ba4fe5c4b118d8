"""The tests that only the nightly run has: a change waits for the others."""

import os
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

IS_NIGHT = bool(os.environ.get("TENUTO_NIGHTLY"))


def by_day(count: int, values: Iterable[Any]) -> Sequence[Any]:
    """The values of a parameter, of which those after the first ones are for the nightly run."""
    return [
        value if number < count else pytest.param(value, marks=pytest.mark.nightly)
        for number, value in enumerate(values)
    ]
