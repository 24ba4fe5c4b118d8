"""Reads of an SQLite store about rows that are over, their names, and sealed values."""

import json
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager

from tenuto.model.ids import Fid, Instant, LogicalId, ObjectId
from tenuto.model.retention import Expired, Remnant, Tally
from tenuto.model.sealed import SealedValue
from tenuto.storage.rows.statements import Statements
from tenuto.storage.sqlite import retention


class SqliteRemains:
    """Implements `RetentionReads` and `SealedReads`, and `HistoryReads.names`."""

    @abstractmethod
    def _reading(self) -> AbstractContextManager[Statements]:
        """Statements that all see one moment."""

    def tallies(self) -> Mapping[Remnant, Tally]:
        with self._reading() as reads:
            return retention.tallies(reads)

    def removed_until(self) -> Mapping[Remnant, Tally]:
        with self._reading() as reads:
            return retention.removed_until(reads)

    def expired(self, kind: Remnant, before: Instant | None, limit: int) -> Expired:
        with self._reading() as reads:
            return retention.expired(reads, kind, before, limit)

    def sealed_values(self) -> tuple[SealedValue, ...]:
        with self._reading() as reads:
            found = reads.all("sealed_values", {})
        return tuple(SealedValue(owner=row["owner"], text=row["text"]) for row in found)

    def names(self, fid: Fid, object_ids: Sequence[ObjectId]) -> Mapping[ObjectId, LogicalId]:
        found: dict[ObjectId, LogicalId] = {}
        with self._reading() as reads:
            for query in ("names_of_objects", "names_of_removed_objects"):
                missing = [object_id for object_id in object_ids if object_id not in found]
                found_rows = reads.all(query, {"fid": fid, "ids": json.dumps(missing)}) if missing else []
                found |= {ObjectId(row["object_id"]): LogicalId(row["name"]) for row in found_rows}
        return found
