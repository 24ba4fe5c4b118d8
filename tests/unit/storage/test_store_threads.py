"""Several threads may read and write one store."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from tenuto.errors import ConflictError
from tenuto.model.ids import ObjectId
from tenuto.ports.store import Store
from tenuto.ports.store_changes import CreateObject, CreateProcess, SaveObject
from tenuto.ports.store_reads import EventQuery
from tenuto.storage.database import Database
from tenuto.storage.memory import MemoryStore
from tenuto.storage.sqlite import SqliteStore
from tenuto.testing.store_samples import WEB, a_process, an_object

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
