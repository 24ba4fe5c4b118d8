"""A database that is taken away while it is open is noticed before anything is written, and no empty one is made."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from web_world import WebWorld

from tenuto.errors import StoreLostError, UserError
from tenuto.ports.store_changes import Append, CreateProcess
from tenuto.storage.file.database import Database
from tenuto.storage.file.lock import DatabaseLock
from tenuto.storage.sqlite.store import SqliteStore
from tenuto_testing.store_samples import a_process, an_event


@pytest.fixture
def path(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    return folder / "tenuto.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    made = SqliteStore(Database(path))
    made.commit([CreateProcess(process=a_process(alias="web"), actor="tester")])
    yield made
    made.close()


def moved(path: Path) -> None:
    for one in path.parent.iterdir():
        one.rename(path.parent.parent / one.name)


def deleted(path: Path) -> None:
    for one in path.parent.iterdir():
        one.unlink()


def replaced(path: Path) -> None:
    other = path.with_name("other.db")
    Database(other).close()
    other.rename(path)


def without_its_log(path: Path) -> None:
    path.with_name("tenuto.db-wal").unlink()


def folder_gone(path: Path) -> None:
    path.parent.rename(path.parent.parent / "elsewhere")


AWAY = [moved, deleted, replaced, without_its_log, folder_gone]


@pytest.mark.parametrize("take", AWAY, ids=lambda take: take.__name__)
def test_nothing_is_written_or_read_once_the_file_is_another_one(
    take: Callable[[Path], None], path: Path, store: SqliteStore
) -> None:
    assert store.process("web") is not None
    take(path)
    before = sorted(path.parent.iterdir()) if path.parent.exists() else None
    for act in (store.check, store.processes, lambda: store.commit([Append(events=(an_event(),))])):
        with pytest.raises(StoreLostError, match=r"moved, deleted or replaced.*Put the file back"):
            act()
    assert (sorted(path.parent.iterdir()) if path.parent.exists() else None) == before, "no empty database was made"


def test_a_file_that_was_put_back_has_everything_that_was_committed(path: Path, store: SqliteStore) -> None:
    moved(path)
    with pytest.raises(StoreLostError):
        store.commit([Append(events=(an_event(),))])
    for one in path.parent.parent.glob("tenuto.db*"):
        one.rename(path.parent / one.name)
    again = SqliteStore(Database(path))
    assert again.process("web") == a_process(alias="web")
    again.close()


def test_a_link_that_leads_elsewhere_now_is_noticed(tmp_path: Path, path: Path, store: SqliteStore) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(path)
    linked = SqliteStore(Database(link))
    linked.check()
    other = tmp_path / "other.db"
    Database(other).close()
    link.unlink()
    link.symlink_to(other)
    with pytest.raises(StoreLostError, match=r"link.db was replaced by another file"):
        linked.processes()
    linked.close()


def test_a_conductor_whose_database_is_taken_away_calls_nobody_any_more(path: Path) -> None:
    world = WebWorld(store=SqliteStore(Database(path)))
    world.run()
    world.settled()
    world.cloud.tamper(world.physical("Net"), "Label", "theirs")
    calls = len(world.calls)
    moved(path)
    world.advance(300.0)
    assert len(world.calls) == calls
    assert world.system.conductor.is_deposed


def test_a_database_has_one_lock_under_all_of_its_names(tmp_path: Path, path: Path) -> None:
    Database(path).close()
    held = DatabaseLock(path)
    soft, hard = tmp_path / "soft.db", tmp_path / "hard.db"
    soft.symlink_to(path)
    os.link(path, hard)
    with pytest.raises(UserError, match=r"another Conductor \(process \d+\) already uses"):
        DatabaseLock(soft)
    with pytest.raises(UserError, match=r"under another name \(a hard link\)"):
        DatabaseLock(hard)
    held.release()
    held.release()
    DatabaseLock(soft).release()
    DatabaseLock(hard).release()


def test_the_lock_of_the_file_is_no_lock_of_sqlite(path: Path) -> None:
    lock = DatabaseLock(path)
    Database(path).close()
    lock.release()
    lock = DatabaseLock(path)
    store = SqliteStore(Database(path))
    reader = sqlite3.connect(path)
    reader.execute("SELECT COUNT(*) FROM process").fetchone()
    store.commit([Append(events=(an_event(),))])
    reader.close()
    store.close()
    lock.release()
