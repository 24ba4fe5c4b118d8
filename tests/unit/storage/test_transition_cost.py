"""What a transition writes does not grow with what the object holds."""

from dataclasses import replace
from pathlib import Path

from tenuto.model.phase_map import PhaseStatus
from tenuto.ports.store_changes import CreateObject, CreateProcess, SaveObject, SaveProcess
from tenuto.storage.file.database import Database
from tenuto.storage.sqlite.store import SqliteStore
from tenuto_testing.store_samples import PHASE, a_move, a_process, an_entry, an_object, entries


def log_size(database: Database) -> int:
    return database.path.with_name(database.path.name + "-wal").stat().st_size


def bytes_of_a_transition(folder: Path, document: int) -> int:
    """The bytes that one transition appends to the write-ahead log, when the object's documents are so large."""
    database = Database(folder / f"{document}.db")
    store = SqliteStore(database)
    item = an_object(
        desired={"UserData": "x" * document}, attributes={"Text": "y" * document}, phases=entries(an_entry())
    )
    store.commit([CreateProcess(process=a_process(), actor="t"), CreateObject(object=item, actor="t")])
    before = log_size(database)
    moved = replace(item, state="Allocation", phases=entries(an_entry(PhaseStatus.COMPLETED)))
    moves = (a_move("Validation", "Allocation"),)
    store.commit([SaveObject(object=moved, expected_generation=1, moves=moves, entries=(PHASE,))])
    written = log_size(database) - before
    store.close()
    return written


def test_a_transition_costs_the_same_for_a_document_a_thousand_times_as_large(tmp_path: Path) -> None:
    small, large = bytes_of_a_transition(tmp_path, 100), bytes_of_a_transition(tmp_path, 100_000)
    assert 0 < small == large < 50_000


def test_a_job_does_not_write_the_secrets_and_lookups_of_its_process_again(tmp_path: Path) -> None:
    written = []
    for size in (100, 100_000):
        database = Database(tmp_path / f"{size}.db")
        store = SqliteStore(database)
        process = a_process(lookups={"ami": "x" * size}, sealed={"Password": "y" * size})
        store.commit([CreateProcess(process=process, actor="t")])
        before = log_size(database)
        store.commit([SaveProcess(process=replace(process, last_message="converged"), expected_generation=1)])
        written.append(log_size(database) - before)
        store.close()
    assert 0 < written[0] == written[1] < 50_000


def test_a_thousand_objects_move_in_one_flush_of_narrow_rows(tmp_path: Path) -> None:
    database = Database(tmp_path / "bulk.db")
    store = SqliteStore(database)
    items = [an_object(f"obj-{n:04}", desired={"x": "y" * 5000}, phases=entries(an_entry())) for n in range(1000)]
    store.commit([CreateProcess(process=a_process(), actor="t")])
    store.commit([CreateObject(object=item, actor="t") for item in items])
    before = log_size(database)
    moves = (a_move("Validation", "Allocation"),)
    store.commit(
        [
            SaveObject(
                object=replace(item, state="Allocation", phases=entries(an_entry(PhaseStatus.COMPLETED))),
                expected_generation=1,
                moves=moves,
                entries=(PHASE,),
            )
            for item in items
        ]
    )
    assert log_size(database) - before < 1000 * 1500
    store.close()
