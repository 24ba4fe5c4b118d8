"""The store in memory has a connection of its own kind; the rest is the store that the conformance suite checks."""

import pytest

from tenuto.errors import ConflictError, StoreUnavailableError
from tenuto.storage.sqlite.memory import MemoryStore
from tenuto_testing.store_bench import born
from tenuto_testing.store_conformance import CHECKS, Check
from tenuto_testing.store_samples import DB, a_process


def test_a_refused_commit_leaves_nothing_behind_and_the_store_in_use() -> None:
    store = MemoryStore()
    store.commit([born(a_process(alias="web"))])
    with pytest.raises(ConflictError):
        store.commit([born(a_process(DB)), born(a_process(alias="web"))])
    assert len(store.processes()) == 1
    store.commit([born(a_process(DB))])
    assert len(store.processes()) == 2


def test_two_stores_share_nothing() -> None:
    one, other = MemoryStore(), MemoryStore()
    one.commit([born(a_process())])
    assert other.processes() == ()


def test_a_store_that_was_closed_says_so() -> None:
    store = MemoryStore()
    for _ in range(2):
        store.close()
    with pytest.raises(StoreUnavailableError, match="Tenuto is stopping"):
        store.processes()
    with pytest.raises(StoreUnavailableError, match="Tenuto is stopping"):
        store.commit([born(a_process())])


@pytest.mark.parametrize("check", CHECKS[:12], ids=lambda check: check.__name__)
def test_commits_are_those_of_a_file(check: Check) -> None:
    check(MemoryStore())
