"""Reads of an SQLite store about the past: jobs, commands, ops, events, and their notifications."""

import json
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager

from tenuto.kit.documents import loads
from tenuto.model.drift import Drift
from tenuto.model.event import Event
from tenuto.model.flip import Flip
from tenuto.model.ids import Fid, Instant
from tenuto.model.job import Job
from tenuto.model.notification import Backlog, Delivery
from tenuto.ports.store_reads import EventQuery, History
from tenuto.storage.rows import administration_rows, rows
from tenuto.storage.rows.statements import Statements


class SqliteHistory:
    """Implements `HistoryReads` without plans and names, the reads of deliveries, and those of flips and drifts."""

    @abstractmethod
    def _reading(self) -> AbstractContextManager[Statements]:
        """Statements that all see one moment."""

    def job(self, job_id: str) -> Job | None:
        with self._reading() as reads:
            row = reads.one("job", {"job_id": job_id})
        return None if row is None else rows.job_of(row)

    def history(
        self, fid: Fid, *, start: Instant | None = None, end: Instant | None = None, limit: int = 1000
    ) -> History:
        parameters = {"fid": fid, "start": start, "end": end, "limit": max(limit, 0)}
        with self._reading() as reads:
            return History(
                commands=tuple(map(rows.command_of, reversed(reads.all("commands_of_process", parameters)))),
                jobs=tuple(map(rows.job_of, reversed(reads.all("jobs_of_process", parameters)))),
                ops=tuple(map(rows.op_of, reversed(reads.all("ops_of_process", parameters)))),
            )

    def history_of_request(self, request: str, limit: int) -> History:
        parameters = {"request": request, "limit": max(limit, 0)}
        with self._reading() as reads:
            return History(
                commands=tuple(map(rows.command_of, reads.all("commands_of_request", parameters))),
                jobs=tuple(map(rows.job_of, reads.all("jobs_of_request", parameters))),
            )

    def events(self, query: EventQuery) -> tuple[Event, ...]:
        parameters = {
            "fid": query.fid,
            "object_id": query.object_id,
            "request": query.request,
            "types": json.dumps(query.types),
            "start": query.start,
            "end": query.end,
            "after": query.after,
            "before": query.before,
            "limit": max(query.limit, 0),
        }
        name = "events" if query.fid is None else "events_of_process"
        if query.object_id is not None:
            name = "events_of_object"
        if query.request:
            name = "events_of_request"
        with self._reading() as reads:
            return tuple(map(rows.event_of, reversed(reads.all(name, parameters))))

    def events_after(self, number: int, limit: int) -> tuple[Event, ...]:
        with self._reading() as reads:
            return tuple(map(rows.event_of, reads.all("events_after", {"number": number, "limit": max(limit, 0)})))

    def last_event(self) -> int:
        with self._reading() as reads:
            row = reads.one("last_event", {})
        return 0 if row is None else int(row["number"])

    def flips(self, fid: Fid) -> tuple[Flip, ...]:
        with self._reading() as reads:
            return tuple(loads(Flip, row["document"]) for row in reads.all("flips", {"fid": fid}))

    def held(self, fids: Sequence[Fid]) -> frozenset[Fid]:
        with self._reading() as reads:
            return frozenset(Fid(row["fid"]) for row in reads.all("held_processes", {"fids": json.dumps(fids)}))

    def drifts(self, fid: Fid) -> tuple[Drift, ...]:
        with self._reading() as reads:
            return tuple(loads(Drift, row["document"]) for row in reads.all("drifts", {"fid": fid}))

    def backlogs(self) -> Mapping[str, Backlog]:
        with self._reading() as reads:
            found = reads.all("backlogs", {})
        return {
            row["sink"]: Backlog(waiting=row["waiting"], dead=row["dead"], last_error=row["last_error"] or "")
            for row in found
        }

    def deliveries(self, sink: str, *, is_dead: bool, limit: int) -> tuple[Delivery, ...]:
        name = "dead_deliveries" if is_dead else "waiting_deliveries"
        with self._reading() as reads:
            return tuple(map(administration_rows.delivery_of, reads.all(name, {"sink": sink, "limit": max(limit, 0)})))
