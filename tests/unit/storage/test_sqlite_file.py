"""What can go wrong with the file, what is said then, and that nothing is lost."""

import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tenuto.errors import BugError, StoreUnavailableError, UserError
from tenuto.model.ids import Instant, ObjectId
from tenuto.ports.store_changes import Append, CreateObject, CreateProcess, SaveObject
from tenuto.ports.store_reads import EventQuery
from tenuto.storage.file.database import Database
from tenuto.storage.open import file_of, open_store
from tenuto.storage.rows.known_objects import KnownObjects
from tenuto.storage.sqlite.memory import MemoryStore
from tenuto.storage.sqlite.store import SqliteStore
from tenuto_testing.store_samples import WEB, a_process, an_event, an_object


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    made = Database(tmp_path / "data" / "tenuto.db")
    yield made
    made.close()


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_file_and_its_folder_are_for_the_owner_only(database: Database) -> None:
    SqliteStore(database).commit([CreateProcess(process=a_process(), actor="tester")])
    assert mode(database.path.parent) == 0o700
    files = sorted(database.path.parent.iterdir())
    assert len(files) == 3
    assert [mode(path) for path in files] == [0o600] * 3


def test_what_was_committed_is_there_after_a_restart(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "tenuto.db"))
    store.commit([CreateProcess(process=a_process(alias="web"), actor="tester")])
    store.close()
    again = open_store(f"sqlite:///{tmp_path}/tenuto.db")
    assert again.process("web") == a_process(alias="web")
    assert len(again.events(EventQuery())) == 1
    again.close()


def test_a_full_disk_writes_nothing_and_tenuto_goes_on_when_there_is_space(database: Database) -> None:
    store = SqliteStore(database)
    store.commit([CreateProcess(process=a_process(), actor="tester"), CreateObject(object=an_object(), actor="tester")])
    pages = database.writer.execute("PRAGMA page_count").fetchone()[0]
    database.writer.execute(f"PRAGMA max_page_count = {pages + 2}")
    large = an_object(desired={"UserData": "x" * 100_000})
    changes = [Append(events=(an_event(),)), SaveObject(object=large, expected_generation=1, documents=True)]
    for _ in range(2):
        with pytest.raises(StoreUnavailableError, match=r"disk.*is full.*Free some space.*Nothing was written"):
            store.commit(changes)
        assert store.object(an_object().object_id) == an_object()
        assert len(store.events(EventQuery())) == 2
    database.writer.execute("PRAGMA max_page_count = 1000000")
    store.commit(changes)
    assert len(store.events(EventQuery())) == 3


def test_a_file_locked_by_another_program_is_named_as_such(database: Database) -> None:
    store = SqliteStore(database)
    database.writer.execute("PRAGMA busy_timeout = 0")
    other = sqlite3.connect(database.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailableError, match="another program holds it locked"):
        store.commit([CreateProcess(process=a_process(), actor="tester")])
    assert store.processes() == ()
    other.execute("ROLLBACK")
    other.close()
    store.commit([CreateProcess(process=a_process(), actor="tester")])
    assert [process.fid for process in store.processes()] == [WEB]


def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("these are my notes, and no database at all\n" * 100)
    before = path.read_bytes()
    with pytest.raises(StoreUnavailableError, match="is not an SQLite database"):
        Database(path)
    assert path.read_bytes() == before


def test_the_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE process (theirs TEXT)")
    other.commit()
    other.close()
    with pytest.raises(StoreUnavailableError, match="belongs to another program"):
        Database(path)
    other = sqlite3.connect(path)
    assert [row[0] for row in other.execute("SELECT name FROM sqlite_master")] == ["process"]
    assert other.execute("PRAGMA user_version").fetchone()[0] == 0
    other.close()


def test_a_damaged_file_is_named_as_such(tmp_path: Path) -> None:
    path = tmp_path / "tenuto.db"
    Database(path).close()
    content = bytearray(path.read_bytes())
    for page in range(1, len(content) // 4096):
        content[page * 4096 : page * 4096 + 200] = b"\xff" * 200
    path.write_bytes(content)
    with pytest.raises(StoreUnavailableError, match=r"damaged.*restore a backup"):
        Database(path)


def test_a_path_that_cannot_be_used_is_named_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path, tmp_path / "file" / "tenuto.db"):
        with pytest.raises(StoreUnavailableError, match=r"cannot be made or opened: .*--database") as caught:
            Database(path)
        assert str(path) in str(caught.value)


def test_a_closed_store_says_so(database: Database) -> None:
    store = SqliteStore(database)
    store.close()
    for act in (store.processes, lambda: store.commit([Append(events=(an_event(),))])):
        with pytest.raises(StoreUnavailableError, match="was closed"):
            act()


def test_text_that_no_disk_can_hold_is_refused(database: Database) -> None:
    store = SqliteStore(database)
    with pytest.raises(BugError, match="cannot be stored"):
        store.commit([CreateProcess(process=a_process(name="\ud800"), actor="tester")])
    with pytest.raises(BugError, match="cannot be stored"):
        store.commit([CreateObject(object=an_object(fid=None, incarnation=2**70), actor="tester")])
    assert store.events(EventQuery()) == ()


def test_a_database_url_names_a_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(open_store("memory:"), MemoryStore)
    monkeypatch.chdir(tmp_path)
    for name in ("plain.db", "sqlite:///relative.db", f"sqlite:///{tmp_path}/absolute.db"):
        open_store(name).close()
    assert sorted(path.name for path in tmp_path.glob("*.db")) == ["absolute.db", "plain.db", "relative.db"]


@pytest.mark.parametrize(
    ("database", "path"),
    [
        ("tenuto.db", "tenuto.db"),
        ("~/tenuto.db", "/home/ada/tenuto.db"),
        ("sqlite:///~/tenuto.db", "/home/ada/tenuto.db"),
        ("sqlite:////srv/tenuto.db", "/srv/tenuto.db"),
        ("memory:", None),
        (":memory:", None),
    ],
)
def test_what_lies_beside_a_database_finds_its_file_as_the_store_does(
    database: str, path: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    assert file_of(database) == (None if path is None else Path(path))


@pytest.mark.parametrize(
    ("database", "message"),
    [
        ("postgresql://host/tenuto", "PostgreSQL is not available as a store yet"),
        ("mysql://host/tenuto", "no store is known for mysql://"),
        ("", "the database has no name"),
        ("sqlite:///", "the database has no name"),
    ],
)
def test_a_database_url_that_means_nothing_is_refused(database: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        open_store(database)
    with pytest.raises(UserError, match=message):
        file_of(database)


def test_a_reader_sees_one_moment(database: Database) -> None:
    store = SqliteStore(database)
    with database.reading() as connection:
        assert connection.execute("SELECT COUNT(*) FROM event").fetchone()[0] == 0
        store.commit([Append(events=(an_event(float(Instant(1.0))),))])
        assert connection.execute("SELECT COUNT(*) FROM event").fetchone()[0] == 0
    assert len(store.events(EventQuery())) == 1


def test_a_reader_cannot_write(database: Database) -> None:
    with pytest.raises(StoreUnavailableError, match="only be read"), database.reading() as connection:
        connection.execute("DELETE FROM event")


def test_what_another_program_stored_is_read_although_an_earlier_value_is_known(database: Database) -> None:
    one, other = SqliteStore(database), SqliteStore(database)
    one.commit([CreateObject(object=an_object(fid=None), actor="tester")])
    assert one.object(an_object().object_id) == other.object(an_object().object_id)
    other.commit([SaveObject(object=an_object(fid=None, physical_id="net-9"), expected_generation=1)])
    found = one.object(an_object().object_id)
    assert found is not None
    assert (found.physical_id, found.generation) == ("net-9", 2)


def test_what_did_not_change_is_not_read_again(database: Database) -> None:
    store = SqliteStore(database)
    store.commit([CreateObject(object=an_object(name, fid=None), actor="tester") for name in ("o1", "o2")])
    first = store.selected([ObjectId("o1"), ObjectId("o2")])
    store.commit([SaveObject(object=an_object("o2", fid=None, physical_id="net-9"), expected_generation=1)])
    again = store.selected([ObjectId("o1"), ObjectId("o2")])
    assert again[0] is first[0]
    assert again[1].physical_id == "net-9"


def test_of_more_objects_than_are_kept_each_is_still_read_as_it_is() -> None:
    known = KnownObjects(most=4)
    items = [an_object(f"o{number}", fid=None) for number in range(5)]
    known.add(items)
    assert [known.get(item.object_id, 1) for item in items] == [None, None, *items[2:]]
    assert known.get(items[4].object_id, 2) is None


def test_what_nobody_asks_for_any_more_is_forgotten() -> None:
    """Else every incarnation that was ever replaced would stay in memory."""
    known = KnownObjects()
    held, replaced = an_object("held", fid=None), an_object("replaced", fid=None)
    known.add([held, replaced])
    for number in range(3 * 16 * 1010):
        assert known.get(held.object_id, 1) is held
        if number % 4000 == 0:
            known.add([an_object(f"young{number}", fid=None)])
    assert known.get(replaced.object_id, 1) is None
    young = [ObjectId(f"young{number}") for number in range(0, 3 * 16 * 1010, 4000)]
    assert 0 < sum(known.get(one, 1) is not None for one in young) < 10
