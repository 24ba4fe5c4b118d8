"""Several threads may read and write one store."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from sqlite3 import Connection
from threading import Barrier
from typing import Any

import pytest

from tenuto.errors import ConflictError, StoreUnavailableError
from tenuto.model.ids import ObjectId
from tenuto.ports.store import Store
from tenuto.ports.store_changes import CreateObject, CreateProcess, SaveObject, StoreChange
from tenuto.ports.store_reads import EventQuery
from tenuto.storage.file.database import Database
from tenuto.storage.sqlite.memory import MemoryStore
from tenuto.storage.sqlite.store import SqliteStore
from tenuto_testing.store_samples import WEB, a_process, an_object

MAKERS: dict[str, Callable[[Path], Store]] = {
    "memory": lambda _: MemoryStore(),
    "sqlite": lambda folder: SqliteStore(Database(folder / "tenuto.db")),
}


@pytest.mark.parametrize("kind", sorted(MAKERS))
def test_of_all_who_save_on_one_generation_exactly_one_wins(kind: str, tmp_path: Path) -> None:
    store = MAKERS[kind](tmp_path)
    store.commit([CreateObject(object=an_object(fid=None), actor="t")])
    barrier = Barrier(4)

    def race(name: str) -> int:
        won = 0
        for generation in range(1, 21):
            barrier.wait()
            try:
                store.commit([SaveObject(object=an_object(fid=None, message=name), expected_generation=generation)])
            except ConflictError:
                continue
            won += 1
        return won

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(race, "abcd")) == 20
    found = store.object(ObjectId("obj-1"))
    assert found is not None
    assert found.generation == 21
    store.close()


@pytest.mark.parametrize("kind", sorted(MAKERS))
def test_a_reader_never_sees_half_of_a_commit(kind: str, tmp_path: Path) -> None:
    store = MAKERS[kind](tmp_path)
    store.commit([CreateProcess(process=a_process(), actor="t")])
    barrier = Barrier(3)

    def write() -> None:
        barrier.wait()
        for number in range(40):
            pair = (an_object(f"{number}-{part}") for part in "ab")
            store.commit([CreateObject(object=item, actor="t") for item in pair])

    def read() -> bool:
        barrier.wait()
        counts = [len(store.objects(WEB)) for _ in range(60)]
        return all(count % 2 == 0 for count in counts) and counts == sorted(counts)

    with ThreadPoolExecutor(3) as pool:
        writer = pool.submit(write)
        readers = [pool.submit(read) for _ in range(2)]
        assert all(reader.result() for reader in readers)
        writer.result()
    assert len(store.objects(WEB)) == 80
    assert [event.number for event in store.events(EventQuery())] == list(range(1, 82))
    store.close()


class Counting(Database):
    """A file that counts its transactions."""

    transactions = 0

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        with super().writing() as connection:
            self.transactions += 1
            yield connection


class Line(SqliteStore):
    """A store whose callers can be made to stand in line."""

    def together(self, *commits: list[StoreChange]) -> list[Future[None]]:
        """Commit all at once while the file is held: whoever is first waits for it, and the others for that one."""
        with ThreadPoolExecutor(len(commits)) as pool, self._database.writing():
            told = [pool.submit(self.commit, changes) for changes in commits]
            while self._grouped.waiting < len(commits) - 1:
                pass
        return told


def creation(name: str, **fields: Any) -> list[StoreChange]:
    return [CreateObject(object=an_object(name, fid=None, **fields), actor="t")]


def test_what_one_of_several_in_a_transaction_must_not_write_is_undone_without_the_others(tmp_path: Path) -> None:
    database = Counting(tmp_path / "tenuto.db")
    store = Line(database)
    store.commit(creation("a"))
    late: list[StoreChange] = [*creation("half"), SaveObject(object=an_object("a", fid=None), expected_generation=7)]
    told = store.together(creation("b"), late, creation("c"), creation("d"))
    assert [type(one.exception()) for one in told] == [type(None), ConflictError, type(None), type(None)]
    found = store.selected([ObjectId(name) for name in ("a", "b", "c", "d", "half")])
    assert [(one.object_id, one.generation) for one in found] == [(name, 1) for name in "abcd"]
    # The one before, the one that held the file, the first in line, and everybody behind it.
    assert database.transactions == 4
    store.close()


def test_a_disk_that_is_full_is_told_to_all_who_wrote_together_and_nothing_is_written(tmp_path: Path) -> None:
    database = Counting(tmp_path / "tenuto.db")
    store = Line(database)
    pages = database.writer.execute("PRAGMA page_count").fetchone()[0]
    database.writer.execute(f"PRAGMA max_page_count = {pages + 2}")
    told = store.together(*(creation(name, desired={"UserData": "x" * 100_000}) for name in "abc"))
    assert all(isinstance(one.exception(), StoreUnavailableError) for one in told)
    assert store.selected([ObjectId(name) for name in "abc"]) == ()
    store.close()
