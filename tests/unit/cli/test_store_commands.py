"""`tenuto store`: a backup is whole, private and never overwrites; a check finds what is wrong and changes nothing."""

import json
import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tenuto.cli.entry import run
from tenuto.cli.render.store import size_text
from tenuto.ports.store_changes import Append, CreateProcess, SaveComposition
from tenuto.storage.file import migrate
from tenuto.storage.file.database import Database
from tenuto.storage.file.secrets import KeyedSecrets, load_keys
from tenuto.storage.file.starting import key_path
from tenuto.storage.sqlite.store import SqliteStore
from tenuto_testing.store_samples import a_composition, a_process, an_event


@dataclass(frozen=True, slots=True)
class Said:
    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)


class Machine:
    """A folder with a database that a Conductor has open, and the command line beside it."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.database = folder / "data" / "tenuto.db"
        self.store = SqliteStore(Database(self.database))
        secrets = KeyedSecrets(load_keys(key_path(self.database)))
        process = a_process(alias="web", sealed={"Pw": secrets.seal("hush", "here")})
        self.store.commit([SaveComposition(composition=a_composition()), CreateProcess(process=process, actor="t")])
        self._capsys = capsys

    def tenuto(self, *arguments: str | Path) -> Said:
        environ = {"TENUTO_DATABASE": str(self.database), "TENUTO_CLI_LOG": "", "TENUTO_CONFIG": os.devnull}
        self._capsys.readouterr()
        code = run([str(one) for one in arguments], environ)
        said = self._capsys.readouterr()
        return Said(code, said.out, said.err)

    def copy(self, *options: str) -> Path:
        target = self.folder / "copy.db"
        assert self.tenuto("store", "backup", target, *options).code == 0
        return target


@pytest.fixture
def machine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Machine]:
    made = Machine(tmp_path, capsys)
    yield made
    made.store.close()


def test_a_backup_of_an_open_database_is_one_private_file_with_the_latest_commit(machine: Machine) -> None:
    machine.store.commit([Append(events=(an_event(reason="the latest"),))])
    target = machine.folder / "copy.db"
    said = machine.tenuto("store", "backup", target)
    assert said.code == 0
    assert f"keep a copy of that apart from it.\n'tenuto store check {target}'" in said.out
    assert sorted(one.name for one in machine.folder.iterdir()) == ["copy.db", "data"]
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    copy = sqlite3.connect(target)
    assert copy.execute("PRAGMA journal_mode").fetchone()[0] == "delete"
    assert copy.execute("SELECT reason FROM event ORDER BY number DESC LIMIT 1").fetchone()[0] == "the latest"
    copy.close()
    machine.store.commit([Append(events=(an_event(),))])


def test_a_backup_with_its_key_has_both(machine: Machine) -> None:
    target = machine.copy("--with-key")
    key = key_path(target)
    assert key.read_bytes() == key_path(machine.database).read_bytes()
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert machine.tenuto("store", "check", target, "--json").document["sealed"] == 1


@pytest.mark.parametrize("taken", ["copy.db", "copy.db-wal", "copy.db.key"])
def test_a_backup_never_overwrites(machine: Machine, taken: str) -> None:
    (machine.folder / taken).write_text("mine")
    said = machine.tenuto("store", "backup", machine.folder / "copy.db", "--with-key")
    assert said.code == 2
    assert f"{taken} is there already, and a backup never overwrites" in said.err
    assert (machine.folder / taken).read_text() == "mine"
    assert sorted(one.name for one in machine.folder.iterdir()) == [taken, "data"]


def test_a_backup_is_made_anew_after_the_key_was_kept_apart(machine: Machine) -> None:
    (machine.folder / "copy.db.key").write_text("kept")
    assert machine.tenuto("store", "backup", machine.folder / "copy.db").code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("backup", "nowhere/copy.db"), "There is no folder"),
        (("backup", "copy.db", "--database", "nix.db"), "There is no database nix.db"),
        (("backup", "copy.db", "--database", "memory:"), "A database in memory cannot be backed up: it has no file"),
        (("check", "--database", "memory:"), "A database in memory cannot be checked: it has no file"),
        (("check", "nix.db"), "There is no database nix.db"),
        (("check", "a.db", "--database", "b.db"), "use one of them"),
    ],
)
def test_what_cannot_be_is_refused_with_what_to_do(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], said: str
) -> None:
    monkeypatch.chdir(machine.folder)
    answer = machine.tenuto("store", *arguments)
    assert answer.code == 2
    assert said in answer.err
    assert [one.name for one in machine.folder.iterdir()] == ["data"]


def test_a_backup_with_a_key_that_is_not_there_leaves_nothing(machine: Machine) -> None:
    key_path(machine.database).unlink()
    said = machine.tenuto("store", "backup", machine.folder / "copy.db", "--with-key")
    assert (said.code, [one.name for one in machine.folder.iterdir()]) == (2, ["data"])
    assert "Leave --with-key out" in said.err


def test_a_backup_without_room_is_refused_before_it_begins(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    found = os.statvfs(machine.folder)
    full = os.statvfs_result((found.f_bsize, 4096, found.f_blocks, 0, 10, *tuple(found)[5:10]))
    monkeypatch.setattr(os, "statvfs", lambda _: full)
    said = machine.tenuto("store", "backup", machine.folder / "copy.db")
    assert said.code == 2
    assert "There is no room for the backup" in said.err


def test_a_living_database_is_checked_and_left_as_it_is(machine: Machine) -> None:
    said = machine.tenuto("store", "check")
    assert said.code == 0
    assert "nothing is wrong, 1 process examined, 1 sealed values opened." in said.out
    document = machine.tenuto("store", "check", "--json").document
    kinds = {one["kind"]: one for one in document["kinds"]}
    assert (kinds["events"]["rows"], kinds["events"]["removed"], kinds["compositions"]["rows"]) == (1, 0, 1)
    assert sum(one["bytes"] or 0 for one in document["kinds"]) == document["bytes"]
    machine.store.commit([Append(events=(an_event(),))])


def test_a_backup_whose_key_is_elsewhere_is_checked_with_it(machine: Machine) -> None:
    target = machine.copy()
    said = machine.tenuto("store", "check", target)
    assert said.code == 0
    assert "1 sealed values were not tried" in said.out
    said = machine.tenuto("store", "check", target, "--key", key_path(machine.database))
    assert "1 sealed values opened" in said.out
    load_keys(machine.folder / "other.key")
    said = machine.tenuto("store", "check", target, "--key", machine.folder / "other.key")
    assert said.code == 11
    assert "does not open 1 of 1 sealed values: process web" in said.out
    said = machine.tenuto("store", "check", target, "--key", machine.folder / "none.key")
    assert said.code == 11
    assert "there is no key file" in said.out


def damaged(path: Path) -> None:
    content = bytearray(path.read_bytes())
    for page in range(3, len(content) // 4096, 2):
        content[page * 4096 : page * 4096 + 200] = b"\xff" * 200
    path.write_bytes(content)


def newer(path: Path) -> None:
    _execute(path, "PRAGMA user_version = 9999")


def unsound(path: Path) -> None:
    _execute(path, "DELETE FROM composition")


def dangling(path: Path) -> None:
    _execute(path, "INSERT INTO flip VALUES ('nobody', 'Net', 'Label', '{}')")


def _execute(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    ("harm", "told"),
    [
        (damaged, "error: "),
        (newer, "written by a newer Tenuto: schema 9999"),
        (unsound, "the composition c0ffee is not stored"),
        (dangling, "a row of flip refers to a row of process that is not there"),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_a_check_finds_what_is_wrong(machine: Machine, harm: Callable[[Path], None], told: str) -> None:
    target = machine.copy()
    harm(target)
    before = target.read_bytes()
    said = machine.tenuto("store", "check", target)
    assert said.code == 11, said
    assert told in said.out
    assert machine.tenuto("store", "check", target, "--json").document["sound"] is False
    assert target.read_bytes() == before


def test_a_backup_of_an_older_tenuto_is_sound_and_says_so(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    target = machine.copy()
    scripts = migrate.load_migrations()
    monkeypatch.setattr(migrate, "load_migrations", lambda: (*scripts, "CREATE TABLE later (number INTEGER);"))
    said = machine.tenuto("store", "check", target)
    assert said.code == 0
    assert f"An older Tenuto wrote it (schema {len(scripts)} of" in said.out


def test_what_is_no_database_of_tenuto_cannot_be_checked(machine: Machine) -> None:
    notes, empty = machine.folder / "notes", machine.folder / "empty"
    notes.write_text("my notes\n" * 1000)
    empty.touch()
    for path, told in ((notes, "is not an SQLite database"), (empty, "is empty: nothing was ever stored")):
        said = machine.tenuto("store", "check", path)
        assert said.code == 1
        assert told in said.err


@pytest.mark.parametrize(
    ("count", "text"), [(None, ""), (0, "0 B"), (999, "999 B"), (1500, "1.5 KB"), (25_000_000, "25 MB")]
)
def test_sizes_are_short(count: int | None, text: str) -> None:
    assert size_text(count) == text
