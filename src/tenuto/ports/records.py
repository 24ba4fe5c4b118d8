"""Records: small documents by kind and key, which is how the store keeps the administration.

A record kind holds the facts about a value class that the common code of a store needs: its name, its key, and the
value that only one record may claim. Everything else is the same for all kinds, so a new kind of record costs five
additions: its value (in `model`), its kind (`record_kinds`), its face (`store_reads`), a sample and a check (the test
kit), and no SQL.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

Value = TypeVar("Value")


def _unclaimed(_: Any) -> None:
    return None


def _unnumbered(value: Value, _: int) -> Value:
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordKind(Generic[Value]):
    """The common code's knowledge of a value class, which must be one that has a document (`kit.documents`)."""

    name: str
    """The name in the store and in messages; it never changes."""
    type: type[Value]
    key: Callable[[Value], str]
    """The key under which there is one record of the kind at a time."""
    claim: Callable[[Value], str | None] = _unclaimed
    """A second name of the record, which no other record of the kind may have at the same time."""
    claimed: str = ""
    """The word for that second name in messages."""
    numbered: Callable[[Value, int], Value] = _unnumbered
    """The value with its generation, where the value knows it."""
    is_guarded: bool = False
    """True when changes of this kind have rules of their own, and so changes of their own: `SaveRecord` is refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveRecord(Generic[Value]):
    """A record, in place of an earlier one with its key.

    Raises ConflictError when another record of the kind has its claim, or when the stored generation is not the
    expected one (0: there is none; None: any). Raises BugError for a guarded kind.
    """

    kind: RecordKind[Value]
    value: Value
    expected_generation: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveRecord:
    """The end of a record. One that is not there is no error, unless a generation is expected.

    Raises ConflictError and BugError like `SaveRecord`.
    """

    kind: RecordKind[Any]
    key: str
    expected_generation: int | None = None


RecordChange = SaveRecord[Any] | RemoveRecord


class RecordReads(Protocol):
    """Reads of records of any kind. The faces of `store_reads` are made of these four."""

    def record(self, kind: RecordKind[Value], key: str) -> Value | None: ...

    def record_with(self, kind: RecordKind[Value], claim: str) -> Value | None:
        """The record that has the claim."""
        ...

    def records(self, kind: RecordKind[Value]) -> tuple[Value, ...]:
        """Return all records of the kind, by key."""
        ...

    def claiming(self, kind: RecordKind[Value]) -> tuple[Value, ...]:
        """Return the records of the kind that have a claim, by key. No other is read."""
        ...
