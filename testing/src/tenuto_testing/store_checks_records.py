"""The store keeps records of every kind alike. A new kind is checked here once it has a sample."""

from typing import Any

from tenuto.errors import BugError, ConflictError
from tenuto.ports.record_kinds import RECORD_KINDS
from tenuto.ports.records import RecordKind, RemoveRecord, SaveRecord
from tenuto.ports.store import Store
from tenuto_testing.store_bench import raises, unchanged
from tenuto_testing.store_samples import RECORDS

_FREE = tuple(kind for kind in RECORD_KINDS if not kind.is_guarded)


def every_kind_of_record_has_a_name_and_a_sample_of_its_own(_: Store) -> None:
    assert sorted(kind.name for kind in RECORD_KINDS) == sorted(RECORDS)


def records_come_back_by_key_as_they_were_saved(store: Store) -> None:
    for kind in _FREE:
        assert store.records(kind) == ()
        saved = {kind.key(value): value for value in (_sample(kind, "b"), _sample(kind, "a"))}
        store.commit([SaveRecord(kind=kind, value=value) for value in saved.values()])
        # One that knows its generation has the first one now; the policy has one key, and is written twice.
        writes = 2 if len(saved) == 1 else 1
        values = {key: kind.numbered(value, writes) for key, value in saved.items()}
        assert store.records(kind) == tuple(values[key] for key in sorted(values))
        claiming = [key for key in sorted(values) if kind.claim(values[key]) is not None]
        assert store.claiming(kind) == tuple(values[key] for key in claiming)
        for key, value in values.items():
            assert store.record(kind, key) == value
            claim = kind.claim(value)
            assert claim is None or store.record_with(kind, claim) == value
        assert store.record(kind, "nothing") is None
        assert store.record_with(kind, "nothing") is None


def a_record_that_was_removed_is_not_there_any_more(store: Store) -> None:
    for kind in _FREE:
        value = _sample(kind, "a")
        store.commit([SaveRecord(kind=kind, value=value)])
        for _ in range(2):
            store.commit([RemoveRecord(kind=kind, key=kind.key(value))])
            assert store.records(kind) == ()


def a_record_is_changed_only_at_the_generation_that_is_expected(store: Store) -> None:
    for kind in _FREE:
        value = _sample(kind, "a")
        key = kind.key(value)
        store.commit([SaveRecord(kind=kind, value=value, expected_generation=0)])
        store.commit([SaveRecord(kind=kind, value=value)])
        with unchanged(store):
            for wrong in (0, 1, 3):
                raises((ConflictError,), store, [SaveRecord(kind=kind, value=value, expected_generation=wrong)])
                raises((ConflictError,), store, [RemoveRecord(kind=kind, key=key, expected_generation=wrong)])
        store.commit([SaveRecord(kind=kind, value=value, expected_generation=2)])
        store.commit([RemoveRecord(kind=kind, key=key, expected_generation=3)])
        store.commit([SaveRecord(kind=kind, value=value, expected_generation=0)])


def a_kind_with_rules_of_its_own_is_not_changed_past_them(store: Store) -> None:
    for kind in RECORD_KINDS:
        if kind.is_guarded:
            value = _sample(kind, "a")
            with unchanged(store):
                raises((BugError,), store, [SaveRecord(kind=kind, value=value)])
                raises((BugError,), store, [RemoveRecord(kind=kind, key=kind.key(value))])


def _sample(kind: RecordKind[Any], key: str) -> Any:
    return RECORDS[kind.name](key)
