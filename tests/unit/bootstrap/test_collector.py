"""The collector of cycles runs seldom, and runs."""

import gc
from collections.abc import Iterator

import pytest

from tenuto.bootstrap.collector import collect_seldom


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def test_cycles_are_looked_for_seldom_but_still_looked_for() -> None:
    before = gc.get_threshold()
    collect_seldom()
    assert gc.isenabled()
    assert all(now > then for now, then in zip(gc.get_threshold(), before, strict=True))
