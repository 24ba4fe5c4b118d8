"""Reads of an SQLite store for those who watch many processes at once."""

import json
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager

from tenuto.model.ids import Fid, Instant, PhaseName
from tenuto.model.phase_map import PhaseStatus
from tenuto.ports.store_reads import Finding, ObjectCounts, PhaseReason
from tenuto.storage.rows.statements import Statements


class SqliteBoards:
    """Implements `BoardReads` without the objects in a phase."""

    @abstractmethod
    def _reading(self) -> AbstractContextManager[Statements]:
        """Statements that all see one moment."""

    def object_counts(self, fids: Sequence[Fid] | None = None) -> Mapping[Fid, ObjectCounts]:
        name, parameters = ("object_counts", {}) if fids is None else ("object_counts_of", {"fids": json.dumps(fids)})
        with self._reading() as reads:
            found = reads.all(name, parameters)
        return {
            Fid(row["fid"]): ObjectCounts(total=row["total"], ready=row["ready"], failed=row["failed"]) for row in found
        }

    def drift_counts(self, fids: Sequence[Fid] | None = None) -> Mapping[Fid, int]:
        with self._reading() as reads:
            found = reads.all("drift_counts", {"fids": None if fids is None else json.dumps(fids)})
        return {Fid(row["fid"]): row["count"] for row in found}

    def drift_times(self, start: Instant, limit: int) -> tuple[tuple[str, Fid | None, Instant], ...]:
        with self._reading() as reads:
            found = reads.all("drift_times", {"start": start, "limit": max(limit, 0)})
        return tuple((row["type"], row["fid"], Instant(row["at"])) for row in reversed(found))

    def reasons_in_phase(
        self, phase: PhaseName, limit: int, fids: Sequence[Fid] | None = None
    ) -> tuple[PhaseReason, ...]:
        parameters = {"phase": phase, "limit": max(limit, 0), "fids": None if fids is None else json.dumps(fids)}
        with self._reading() as reads:
            found = reads.all("reasons_in_phase", parameters)
        return tuple(
            PhaseReason(
                fid=row["fid"],
                status=PhaseStatus(row["status"]),
                code=row["code"],
                message=row["message"],
                count=row["count"],
                since=Instant(row["since"]),
            )
            for row in found
        )

    def find(self, text: str, limit: int) -> tuple[Finding, ...]:
        if not text:
            return ()
        parameters = {"text": text, "limit": max(limit, 0)}
        with self._reading() as reads:
            objects = reads.all("find_objects", parameters)
            ops = reads.all("find_ops", parameters)
        return (
            *(
                Finding(
                    kind="object",
                    text=row["logical_id"] if row["logical_id"] == text else row["physical_id"] or row["object_id"],
                    fid=row["fid"],
                    account=row["account"],
                    logical_id=row["logical_id"],
                    type=row["type"],
                    physical_id=row["physical_id"] or "",
                    state=row["state"],
                    at=Instant(row["moved_at"]),
                )
                for row in objects
            ),
            *(
                Finding(
                    kind="operation",
                    text=text,
                    fid=row["fid"],
                    account=row["account"],
                    type=f"{row['service']} {row['operation']}",
                    at=Instant(row["at"]),
                )
                for row in ops
            ),
        )[: max(limit, 0)]
