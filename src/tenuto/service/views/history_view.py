"""Views of a process's past: commands, jobs, provider operations, events."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tenuto.model.event import Event
from tenuto.model.ids import Fid, Instant, JsonMap, LogicalId, ObjectId
from tenuto.model.job import CONDUCTOR, Job, JobKind
from tenuto.model.outcome import Op
from tenuto.model.process import CommandRecord, Process
from tenuto.ports.store_reads import History
from tenuto.service.common.event_page import EventPage
from tenuto.service.common.values import time_text
from tenuto.service.views.process_view import job_document


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryView:
    """The history of a process in a window of time. `names` are the logical ids of its objects, for the ops.

    `refusals` are the events of commands that were refused or denied, and so are no commands of the history.
    """

    process: Process
    history: History
    names: Mapping[ObjectId, LogicalId]
    refusals: tuple[Event, ...] = ()
    complete_since: Instant | None = None
    """The moment after which nothing was removed, when the question goes back beyond the kept history; else None."""


def history_document(view: HistoryView) -> JsonMap:
    """Return commands and jobs as one document. `place` is the place of each among all of them, from 0: times are told
    to the millisecond, and several may share one.
    """
    given = [
        *((record.at, command_document(record)) for record in view.history.commands),
        *((event.at, _refusal_document(event)) for event in view.refusals),
    ]
    done = [
        (job.started_at, dict(job_document(job)) | {"actor": actor_of(job, view.history.commands)})
        for job in view.history.jobs
    ]
    # Stable, with the commands first: a job of the same instant serves one of them.
    rows = sorted([*given, *done], key=lambda row: row[0])
    places = {id(document): place for place, (_, document) in enumerate(rows)}
    return _head(view) | {
        name: [{**one, "place": places[id(one)]} for _, one in sorted(some, key=lambda row: row[0])]
        for name, some in (("commands", given), ("jobs", done))
    }


def ops_document(view: HistoryView) -> JsonMap:
    return _head(view) | {"ops": [_op_document(op, view) for op in view.history.ops]}


def events_document(page: EventPage, names: Mapping[Fid, str], complete_since: Instant | None = None) -> JsonMap:
    """Return events as a document. `names` are those of their processes (`Queries.process_names`)."""
    return {
        "events": [event_document(event, names) for event in page.events],
        "older": page.older,
        "complete_since": time_text(complete_since),
    }


def event_document(event: Event, names: Mapping[Fid, str]) -> JsonMap:
    return {
        "number": event.number,
        "at": time_text(event.at),
        "type": event.type.value,
        "fid": event.fid,
        "process": names.get(event.fid, event.fid) if event.fid else None,
        "object_id": event.object_id,
        "subject": event.subject,
        "before": event.before or None,
        "after": event.after or None,
        "actor": event.actor or None,
        "request": event.request or None,
        "reason": event.reason or None,
        "data": dict(event.data),
    }


def command_document(record: CommandRecord) -> JsonMap:
    return {
        "at": time_text(record.at),
        "command": record.command.value,
        "status": "given",
        "actor": record.actor,
        "request": record.request or None,
        "detail": record.detail or None,
    }


def _head(view: HistoryView) -> dict[str, object]:
    process = view.process
    return {
        "fid": process.fid,
        "alias": process.alias,
        "state": process.state.value,
        "complete_since": time_text(view.complete_since),
    }


def actor_of(job: Job, commands: Sequence[CommandRecord]) -> str | None:
    """The actor who asked for a job: a user, or the Conductor. None when that is not known.

    Jobs of before do not say it: behind them stands the user who gave their command last.
    """
    if job.actor:
        return job.actor
    if job.kind is JobKind.ROUTINE:
        return CONDUCTOR
    given = [one.actor for one in commands if one.command == job.command and one.at <= job.started_at]
    return given[-1] if given else None


def _actor_at(op: Op, history: History) -> str | None:
    """The actor who stands behind the job that was at work when the provider was called."""
    at_work = [job for job in history.jobs if job.kind is not JobKind.DRY_RUN and job.started_at <= op.at]
    return actor_of(at_work[-1], history.commands) if at_work else None


def _refusal_document(event: Event) -> JsonMap:
    return {
        "at": time_text(event.at),
        "command": event.data.get("command", ""),
        "status": event.type.value.removeprefix("command."),
        "actor": event.actor,
        "request": event.request or None,
        "detail": event.reason or None,
    }


def _op_document(op: Op, view: HistoryView) -> JsonMap:
    names = view.names
    return {
        "at": time_text(op.at),
        "service": op.service,
        "operation": op.operation,
        "resources": [names.get(object_id, object_id) for object_id in op.object_ids],
        "actor": _actor_at(op, view.history),
        "account": op.partition.account,
        "region": op.partition.region,
        "request_id": op.request_id or None,
        "duration_s": op.duration_s,
        "code": op.code or None,
        "message": op.message or None,
    }
