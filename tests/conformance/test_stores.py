"""The stores keep the contract of the store port."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tenuto.ports.store import Store
from tenuto.storage.file.database import Database
from tenuto.storage.sqlite.store import SqliteStore
from tenuto_testing.store_conformance import CHECKS, Check


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store in a file. The one in memory is the same code on another connection (`test_memory_store`)."""
    made = SqliteStore(Database(tmp_path / "tenuto.db"))
    yield made
    made.close()


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_store_conforms(check: Check, store: Store) -> None:
    check(store)


def test_there_are_checks_of_commits_and_of_reads() -> None:
    names = [check.__name__ for check in CHECKS]
    assert len(names) == len(set(names)) > 30
