"""The schema refuses illegal states from whoever writes past the store, and is brought up to date step by step."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tenuto.bootstrap.tools.store_files import check_store
from tenuto.errors import StoreUnavailableError
from tenuto.model.account import Account
from tenuto.model.command import ProcessState
from tenuto.model.ids import Instant
from tenuto.model.job import JobKind, JobStatus
from tenuto.model.phase_map import PhaseStatus
from tenuto.model.resource import ManagedObject
from tenuto.ports.store_administration import SaveAccount
from tenuto.ports.store_changes import CreateObject, CreateProcess, SaveComposition, SaveJob
from tenuto.storage.file import migrate
from tenuto.storage.file.database import Database
from tenuto.storage.rows import rows
from tenuto.storage.rows.queries import load_queries
from tenuto.storage.sqlite.store import SqliteStore
from tenuto_testing.store_samples import (
    DB,
    WEB,
    a_composition,
    a_job,
    a_process,
    an_entry,
    an_object,
    entries,
)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    made = Database(tmp_path / "tenuto.db")
    store = SqliteStore(made)
    item: ManagedObject = an_object(phases=entries(an_entry()))
    store.commit([CreateProcess(process=a_process(alias="web"), actor="t"), CreateObject(object=item, actor="t")])
    store.commit(
        [
            SaveAccount(
                account=Account(name="a", secrets={"external_id": "sealed"}, account_id="1"), expected_generation=0
            )
        ]
    )
    store.commit([SaveJob(job=a_job(status=JobStatus.RUNNING))])
    yield made
    made.close()


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("UPDATE process SET state = 'Zombie'", "CHECK"),
        ("UPDATE process SET generation = 0", "CHECK"),
        ("UPDATE process SET intent = 'forgotten'", "CHECK"),
        ("UPDATE process SET alias = ''", "CHECK"),
        ("UPDATE object SET incarnation = 0", "CHECK"),
        ("UPDATE object SET is_final = 2", "CHECK"),
        ("UPDATE object SET fid = 'nobody'", "FOREIGN KEY"),
        ("UPDATE object SET state = NULL", "NOT NULL"),
        ("UPDATE phase_entry SET status = 'Napping'", "CHECK"),
        ("UPDATE phase_entry SET runs = -1", "CHECK"),
        ("""UPDATE phase_entry SET act = '{"state": "lost"}'""", "CHECK"),
        ("""UPDATE phase_entry SET act = '{"state": "sent"}'""", "CHECK"),
        ("UPDATE job SET status = 'SUCCEEDED'", "CHECK"),
        ("UPDATE job SET kind = 'hobby'", "CHECK"),
        ("DELETE FROM process", "FOREIGN KEY"),
        ("UPDATE record SET key = ''", "CHECK"),
        ("UPDATE record SET document = '{'", "CHECK"),
        ("UPDATE record SET generation = 0", "CHECK"),
        ("INSERT INTO record VALUES ('account', 'duplicate', '1', '{}', 1)", "UNIQUE"),
    ],
)
def test_an_illegal_state_cannot_be_stored(database: Database, statement: str, reason: str) -> None:
    with pytest.raises(sqlite3.IntegrityError, match=reason):
        database.writer.execute(statement)


def test_the_schema_knows_an_alias_of_two_live_processes(database: Database) -> None:
    queries = load_queries()
    duplicate = rows.process_row(a_process(DB, alias="web"), 1)
    with pytest.raises(sqlite3.IntegrityError, match="UNIQUE"):
        database.writer.execute(queries["insert_process"], duplicate)
    gone = rows.process_row(a_process(DB, alias="web", state=ProcessState.GONE), 1)
    database.writer.execute(queries["insert_process"], gone)


def test_the_schema_knows_two_jobs_at_once(database: Database) -> None:
    queries = load_queries()
    second = a_job("job-2", status=JobStatus.RUNNING)
    with pytest.raises(sqlite3.IntegrityError, match="UNIQUE"):
        database.writer.execute(queries["save_job"], rows.job_row(second))
    database.writer.execute(queries["save_job"], rows.job_row(replace(second, kind=JobKind.DRY_RUN)))


def test_a_final_object_takes_its_documents_and_entries_along_when_it_is_removed(database: Database) -> None:
    database.writer.execute("DELETE FROM object")
    for table in ("object_document", "phase_entry"):
        assert database.writer.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0] == 0
    assert database.writer.execute("SELECT COUNT(*) FROM event WHERE object_id IS NOT NULL").fetchone()[0] == 1


def test_the_states_of_the_schema_are_those_of_the_model(database: Database) -> None:
    schema = " ".join(migrate.load_migrations())
    for words in (ProcessState, PhaseStatus, JobStatus, JobKind):
        assert ", ".join(f"'{word}'" for word in words) in schema


def test_every_query_is_commented_and_understood(database: Database) -> None:
    for name, text in load_queries().items():
        comment, _, statement = text.partition("\n")
        assert comment.startswith("-- ") and comment.endswith("."), name  # noqa: PT018
        names = {word.strip(",()") for word in statement.replace("::", " ").split() if ":" in word}
        parameters = dict.fromkeys((word.lstrip("(").split(":")[1].rstrip(",);") for word in names), 0)
        database.writer.execute(f"EXPLAIN {statement}", parameters)


@pytest.mark.parametrize(
    ("query", "index"),
    [
        ("waiting", "phase_entry_due"),
        ("ready", "phase_entry_due"),
        ("interrupted", "phase_entry_unfinished"),
        ("tracked_objects", "object_tracked"),
        ("tracked_ids", "object_tracked"),
        ("objects_of_process", "object_address"),
        ("open_objects", "object_address"),
        ("drift_times", "event_of_drift"),
        ("holder_of_alias", "process_live_alias"),
        ("running_job", "job_running"),
        ("events_of_process", "event_of_process"),
        ("commands_of_process", "command_history"),
        ("jobs_of_process", "job_history"),
        ("objects_requested", "object_requested"),
        ("objects_requested_by_name", "object_requested_name"),
        ("events_of_object", "event_of_object"),
        ("claims_of_object", "claim_of_object"),
        ("users_by_name", "relation_to"),
    ],
)
def test_a_frequent_question_is_answered_by_its_index(database: Database, query: str, index: str) -> None:
    words = (
        "provider phase account region type now limit fid fids alias after before start end types states live name "
        "object_id"
    )
    parameters = dict.fromkeys(words.split(), 1)
    plan = database.writer.execute(f"EXPLAIN QUERY PLAN {load_queries()[query]}", parameters).fetchall()
    assert index in " ".join(row["detail"] for row in plan)


def test_a_database_of_a_newer_tenuto_is_left_alone(database: Database) -> None:
    database.writer.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreUnavailableError, match=r"newer Tenuto \(schema 99, this one knows \d+\)"):
        Database(database.path)
    assert database.writer.execute("SELECT COUNT(*) FROM process").fetchone()[0] == 1


def test_a_migration_that_fails_leaves_the_database_as_it_was(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "half.db", isolation_level=None)
    script = "CREATE TABLE one (a TEXT);\n-- a comment; with a semicolon\nCREATE TABLE two (a TEXT);\nNONSENSE;\n"
    with pytest.raises(sqlite3.OperationalError, match="NONSENSE"):
        migrate.apply_migration(connection, 1, script)
    assert connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0] == 0
    assert connection.execute("PRAGMA user_version").fetchone()[0] == 0
    migrate.apply_migration(connection, 1, script.replace("NONSENSE;\n", ""))
    migrate.apply_migration(connection, 1, script)
    assert connection.execute("PRAGMA user_version").fetchone()[0] == 1
    connection.close()


LATER = """
-- Who wrote it.
ALTER TABLE composition ADD COLUMN author TEXT NOT NULL DEFAULT '';
UPDATE composition SET author = 'of ' || digest;
"""


def test_a_later_migration_is_applied_once_and_keeps_what_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "old.db"
    before = SqliteStore(Database(path))
    before.commit([SaveComposition(composition=a_composition())])
    before.close()
    scripts = migrate.load_migrations()
    monkeypatch.setattr(migrate, "load_migrations", lambda: (*scripts, LATER))
    for _ in range(2):
        database = Database(path)
        assert SqliteStore(database).composition("c0ffee") == a_composition()
        rows_of_it = [tuple(row) for row in database.writer.execute("SELECT digest, author FROM composition")]
        assert rows_of_it == [("c0ffee", "of c0ffee")]
        assert migrate.stored_schema(database.writer) == len(scripts) + 1
        database.close()
    monkeypatch.undo()
    with pytest.raises(StoreUnavailableError, match="newer Tenuto"):
        Database(path)


@contextmanager
def older_database(path: Path, *, migrations: int) -> Iterator[Database]:
    """A database as the Tenuto with the first so many migrations left it."""
    scripts = migrate.load_migrations()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(migrate, "load_migrations", lambda: scripts[:migrations])
        found = Database(path)
        yield found
        found.close()


def test_objects_of_an_older_database_have_stood_where_they_should_be(tmp_path: Path) -> None:
    with older_database(tmp_path / "old.db", migrations=1) as old:
        for name, state, target in (("at", "Started", "Started"), ("up", "Allocation", "Started"), ("end", "x", "x")):
            old.writer.execute(
                "INSERT INTO object (object_id, lifecycle, type, account, region, logical_id, incarnation, state, "
                "target, is_final, generation, mandate, message, created_at, moved_at, touched_at, desired_digest, "
                "deletion_policy, request) VALUES (?, 'resource', 'T', 'a', 'r', ?, 1, ?, ?, ?, 1, 1, '', 0, 0, 0, '', "
                "'Delete', '')",
                (name, name, state, target, name == "end"),
            )
    database = Database(tmp_path / "old.db")
    rows_of_it = database.writer.execute("SELECT object_id FROM object WHERE has_stood = 1").fetchall()
    assert [tuple(row) for row in rows_of_it] == [("at",)]
    database.close()


def test_processes_of_an_older_database_are_suspended_and_not_enforced_since_their_last_command(tmp_path: Path) -> None:
    with older_database(tmp_path / "old.db", migrations=2) as old:
        for name, state, is_enforced in (("run", "Running", 1), ("off", "Running", 0), ("still", "Suspended", 1)):
            old.writer.execute(
                "INSERT INTO process (fid, name, account, region, provider, state, generation, mandate, is_locked, "
                "is_enforced, composition_digest, composition_name, created_at, updated_at, intent, command, given_at, "
                "next_job_at, last_message, commanded_by, request, causes) VALUES (?, 'n', 'a', 'r', 'p', ?, 1, 1, 0, "
                "?, 'd', 'n', 0, 7, 'done', 'run', 0, 0, '', '', '', '[]')",
                (name, state, is_enforced),
            )
    database = Database(tmp_path / "old.db")
    told = database.writer.execute("SELECT fid, suspended_at, unenforced_at FROM process ORDER BY fid").fetchall()
    assert [tuple(row) for row in told] == [("off", None, 7.0), ("run", None, None), ("still", 7.0, None)]
    database.close()


def test_the_second_start_changes_nothing(database: Database) -> None:
    before = database.writer.execute("PRAGMA schema_version").fetchone()[0]
    again = Database(database.path)
    again.close()
    assert database.writer.execute("PRAGMA schema_version").fetchone()[0] == before
    store = SqliteStore(database)
    assert store.process(WEB) is not None
    assert store.ready(Instant(1.0))[0].waiting == 1


@pytest.mark.parametrize("name", [name for name in load_queries() if name.startswith("expired_")])
def test_what_is_expired_is_found_without_reading_or_sorting_the_rest(database: Database, name: str) -> None:
    parameters = {"before": 0.0, "limit": 10, "released": "Released", "kept_lifecycles": "[]"}
    steps = [row["detail"] for row in database.writer.execute(f"EXPLAIN QUERY PLAN {load_queries()[name]}", parameters)]
    assert not [step for step in steps if "TEMP B-TREE" in step], steps
    way = "SCAN composition USING COVERING INDEX" if name == "expired_compositions" else "SEARCH "
    assert steps[0].startswith(way), steps
    correlated = [step for step in steps[1:] if step.startswith("SCAN ") and "VIRTUAL TABLE" not in step]
    assert correlated == (["SCAN object"] if name == "expired_plans" else []), steps


def test_a_database_with_the_tables_of_another_version_is_refused_with_what_to_do(tmp_path: Path) -> None:
    """Before the first release the first migration changes: the number is the same, and a column is missing."""
    path = tmp_path / "old.db"
    Database(path).close()
    with closing(sqlite3.connect(path)) as old:
        old.execute("DROP INDEX event_of_request")
        old.execute("ALTER TABLE event DROP COLUMN request")
        old.commit()
    before = path.read_bytes()
    with pytest.raises(StoreUnavailableError) as refused:
        Database(path)
    assert "was made by another version of Tenuto" in str(refused.value)
    assert "(event, event_of_request)" in str(refused.value)
    assert "name another file with --database" in str(refused.value)
    assert path.read_bytes() == before
    [fault] = check_store(str(path), None)["faults"]
    assert "was made by another version of Tenuto" in fault


def test_a_database_of_this_version_is_opened_again_also_when_sqlite_has_tables_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "tenuto.db"
    made = Database(path)
    made.writer.execute("ANALYZE")
    assert migrate.other_tables(made.writer) == ()
    made.close()
    Database(path).close()
