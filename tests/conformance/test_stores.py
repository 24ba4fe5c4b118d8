"""The stores keep the contract of the store port."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tenuto.ports.store import Store
from tenuto.storage.database import Database
from tenuto.storage.memory import MemoryStore
from tenuto.storage.sqlite import SqliteStore
from tenuto.testing.store_conformance import CHECKS, Check

MAKERS: dict[str, Callable[[Path], Store]] = {
    "memory": lambda _: MemoryStore(),
    "sqlite": lambda folder: SqliteStore(Database(folder / "tenuto.db")),
}


@pytest.fixture(params=sorted(MAKERS))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    made = MAKERS[request.param](tmp_path)
    yield made
    made.close()


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_store_conforms(check: Check, store: Store) -> None:
    check(store)


def test_there_are_checks_of_commits_and_of_reads() -> None:
    names = [check.__name__ for check in CHECKS]
    assert len(names) == len(set(names)) > 30
