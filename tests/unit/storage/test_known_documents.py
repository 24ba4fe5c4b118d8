"""What is read again is parsed again only when it may have changed."""

from dataclasses import replace
from pathlib import Path

from tenuto.model.ids import LogicalId, PhysicalId
from tenuto.ports.store_changes import SaveProcess
from tenuto.storage.file.database import Database
from tenuto.storage.rows import rows
from tenuto.storage.rows.known_documents import LARGEST_CHARACTERS, MOST_DOCUMENTS, KnownDocuments, KnownProcesses
from tenuto.storage.sqlite.store import SqliteStore
from tenuto_testing.store_bench import born
from tenuto_testing.store_samples import WEB, a_job, a_process


def test_a_process_of_the_same_generation_is_the_same_value() -> None:
    known, row = KnownProcesses(), rows.process_row(a_process(), 1)
    assert known.of(row) is known.of(dict(row))


def test_a_process_of_a_new_generation_is_read_anew() -> None:
    known = KnownProcesses()
    before = known.of(rows.process_row(a_process(), 1))
    after = known.of(rows.process_row(replace(a_process(), last_message="later"), 2))
    assert (before.last_message, after.last_message) == ("", "later")


def test_a_document_is_parsed_once() -> None:
    parsed: list[str] = []
    known: KnownDocuments[str] = KnownDocuments(lambda text: parsed.append(text) or text)
    assert known.get("one") is None
    assert known.read("one", "text") == "text" == known.get("one")
    assert parsed == ["text"]


class Parsed:
    """The value of a document."""

    def __init__(self, text: str) -> None:
        self.text = text


def test_a_large_document_is_known_for_as_long_as_somebody_holds_it() -> None:
    known: KnownDocuments[Parsed] = KnownDocuments(Parsed)
    held = known.read("large", "x" * (LARGEST_CHARACTERS + 1))
    assert known.get("large") is held
    del held
    assert known.get("large") is None


def test_the_oldest_document_goes_when_there_are_too_many() -> None:
    known: KnownDocuments[str] = KnownDocuments(str)
    for number in range(MOST_DOCUMENTS + 1):
        known.read(str(number), "text")
    assert known.get("0") is None
    assert known.get(str(MOST_DOCUMENTS)) == "text"


def test_what_is_noted_of_a_process_ends_with_the_store(tmp_path: Path) -> None:
    store = SqliteStore(Database(tmp_path / "tenuto.db"))
    store.commit([born(a_process())])
    found = store.process(WEB)
    assert found is not None
    store.note(replace(found, last_job=a_job()))
    store.close()
    again = SqliteStore(Database(tmp_path / "tenuto.db"))
    assert again.process(WEB) == found
    again.close()


def test_a_note_of_a_process_that_nobody_has_read_is_none() -> None:
    known, row = KnownProcesses(), rows.process_row(a_process(), 1)
    known.note(replace(a_process(), generation=1, last_job=a_job()))
    assert known.of(row).last_job is None


def test_what_a_commit_stored_of_a_process_is_what_the_file_has(tmp_path: Path) -> None:
    store, other = (SqliteStore(Database(tmp_path / "tenuto.db")) for _ in range(2))
    process = replace(a_process(), lookups={"zones": ("b", "a"), "image": "1"}, sealed={"b": "2", "a": "1"})
    store.commit([born(process)])
    assert store.process(WEB) == other.process(WEB)
    busy = replace(process, last_job=a_job(), adopting={LogicalId("Web"): PhysicalId("vpc-1")}, causes=("Throttling",))
    store.commit([SaveProcess(process=busy, expected_generation=process.generation)])
    assert (
        store.process(WEB)
        == other.process(WEB)
        == replace(busy, generation=2, lookups=dict(process.lookups) | {"zones": ["b", "a"]})
    )
    store.close()
    other.close()


def test_a_later_process_is_not_replaced_by_a_commit_that_is_told_after_it() -> None:
    known = KnownProcesses()
    later = known.of(rows.process_row(replace(a_process(), last_message="later"), 3))
    known.add_committed([SaveProcess(process=a_process(), expected_generation=1)])
    assert known.of(rows.process_row(later, 3)) is later
