"""The table `record`, within a transaction or a read that its caller began: any kind, by key or by claim."""

from tenuto.kit.documents import dumps, loads
from tenuto.ports.records import RecordKind, Value
from tenuto.storage.rows.columns import Row
from tenuto.storage.rows.statements import Statements


class Records:
    """Reads and writes records as they are. The rules about them are in `rules`."""

    def __init__(self, statements: Statements) -> None:
        self._statements = statements

    def get(self, kind: RecordKind[Value], key: str) -> Value | None:
        row = self._statements.one("record", {"kind": kind.name, "key": key})
        return None if row is None else _value_of(kind, row)

    def holding(self, kind: RecordKind[Value], claim: str | None) -> Value | None:
        """The record that has a claim; None for no claim."""
        row = self._statements.one("record_with_claim", {"kind": kind.name, "claim": claim})
        return None if row is None else _value_of(kind, row)

    def all(self, kind: RecordKind[Value]) -> tuple[Value, ...]:
        """Return all records of a kind, by key."""
        return tuple(_value_of(kind, row) for row in self._statements.all("records", {"kind": kind.name}))

    def claiming(self, kind: RecordKind[Value]) -> tuple[Value, ...]:
        """Return the records of a kind that have a claim, by key."""
        return tuple(_value_of(kind, row) for row in self._statements.all("records_with_claim", {"kind": kind.name}))

    def generation(self, kind: RecordKind[Value], key: str) -> int:
        """Return how often the record was written; 0 when there is none."""
        row = self._statements.one("record", {"kind": kind.name, "key": key})
        return 0 if row is None else int(row["generation"])

    def put(self, kind: RecordKind[Value], value: Value) -> None:
        """The next generation of a record, or its first."""
        row = {"kind": kind.name, "key": kind.key(value), "claim": kind.claim(value), "document": dumps(value)}
        self._statements.run("save_record", row)

    def remove(self, kind: RecordKind[Value], key: str) -> None:
        self._statements.run("remove_record", {"kind": kind.name, "key": key})


def _value_of(kind: RecordKind[Value], row: Row) -> Value:
    return kind.numbered(loads(kind.type, row["document"]), row["generation"])
