"""A start without the key, with another key, without the database or without room is refused with what to do."""

import os
from pathlib import Path

import pytest
import structlog

from tenuto.errors import UserError
from tenuto.model.account import Account
from tenuto.model.command import ProcessState
from tenuto.model.notification import SinkKind
from tenuto.model.sealed import SealedValue
from tenuto.ports.store_administration import CreateSink, SaveAccount
from tenuto.ports.store_changes import CreateProcess, SaveProcess
from tenuto.storage.file.secrets import KeyedSecrets, load_keys, new_keys
from tenuto.storage.file.starting import START_BYTES, check_start, key_path, stored_secrets
from tenuto.storage.sqlite.memory import MemoryStore
from tenuto_testing.store_samples import DB, a_move, a_process, a_sink


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "tenuto.db"
    path.touch()
    return path


def sealed(secrets: KeyedSecrets, owner: str = "process web") -> SealedValue:
    return SealedValue(owner=owner, text=secrets.seal("hush", "here"))


def test_a_database_without_sealed_values_gets_a_key(database: Path) -> None:
    stored_secrets(database, ())
    assert key_path(database).exists()


def test_a_key_that_is_missing_is_not_made_anew_for_sealed_values(database: Path) -> None:
    value = sealed(KeyedSecrets(new_keys()))
    with pytest.raises(UserError, match=r"tenuto.db.key is not there.* 1 values .*of process web.*Restore .*0600"):
        stored_secrets(database, (value,))
    assert not key_path(database).exists()


def test_another_key_is_refused_at_the_start(database: Path) -> None:
    load_keys(key_path(database))
    values = (sealed(KeyedSecrets(new_keys())), sealed(KeyedSecrets(new_keys()), "account prod"))
    with pytest.raises(UserError, match=r"another key: it opens none of the 2 .*process web, account prod"):
        stored_secrets(database, values)


def test_a_key_that_opens_some_is_taken_and_the_others_are_logged(database: Path) -> None:
    mine = KeyedSecrets(load_keys(key_path(database)))
    with structlog.testing.capture_logs() as logs:
        stored_secrets(database, (sealed(mine), sealed(KeyedSecrets(new_keys()), "process lost")))
        assert [(one["closed"], one["of"], one["owners"]) for one in logs] == [(1, 2, "process lost")]


def test_a_value_of_the_form_before_is_opened_by_its_key_only() -> None:
    from cryptography.fernet import Fernet

    keys = new_keys()
    before = Fernet(keys[0]).encrypt(b"hush").decode()
    assert KeyedSecrets(keys).opens(before)
    assert not KeyedSecrets(new_keys()).opens(before)


def test_a_key_without_its_database_is_a_database_that_was_lost(tmp_path: Path) -> None:
    database = tmp_path / "tenuto.db"
    check_start(database)
    load_keys(key_path(database))
    with pytest.raises(UserError, match=r"moved or deleted. Put it back, or restore a backup"):
        check_start(database)
    assert [one.name for one in tmp_path.iterdir()] == ["tenuto.db.key"]
    database.touch()
    check_start(database)


def test_a_full_disk_is_told_with_the_path_and_what_is_needed(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = os.statvfs(database.parent)
    full = os.statvfs_result((found.f_bsize, 4096, found.f_blocks, 0, (START_BYTES - 1) // 4096, *tuple(found)[5:10]))
    monkeypatch.setattr(os, "statvfs", lambda _: full)
    with pytest.raises(UserError, match=r"tenuto.db is full: .* has 1.0 MB left. A start needs 1 MB.*start the Cond"):
        check_start(database)
    deep = database.parent / "not" / "yet" / "tenuto.db"
    with pytest.raises(UserError, match=rf"{database.parent} has 1.0 MB left. A start needs 4 MB"):
        check_start(deep)
    assert not deep.parent.exists()


def test_what_is_sealed_is_told_of_live_processes_accounts_and_webhooks() -> None:
    store = MemoryStore()
    assert store.sealed_values() == ()
    gone = a_process(DB, sealed={"Old": "s-old"}, state=ProcessState.RUNNING)
    store.commit([CreateProcess(process=a_process(alias="web", sealed={"A": "s-a", "B": "s-b"}), actor="t")])
    store.commit([CreateProcess(process=gone, actor="t")])
    moves = (a_move("Running", "Killing"), a_move("Killing", "Gone"))
    over = a_process(DB, sealed={"Old": "s-old"}, state=ProcessState.GONE)
    store.commit([SaveProcess(process=over, expected_generation=1, moves=moves)])
    store.commit([SaveAccount(account=Account(name="prod", secrets={"external_id": "s-id"}), expected_generation=0)])
    store.commit([CreateSink(sink=a_sink("pager", kind=SinkKind.WEBHOOK, address="s-url", key="s-key"))])
    found = {(one.owner, one.text) for one in store.sealed_values()}
    assert found == {
        ("process web", "s-a"),
        ("process web", "s-b"),
        ("account prod", "s-id"),
        ("notification pager", "s-url"),
        ("notification pager", "s-key"),
    }
