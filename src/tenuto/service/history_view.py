"""What happened to a process, as people and programs see it: commands, jobs, provider operations, events."""

from collections.abc import Mapping
from dataclasses import dataclass

from tenuto.model.event import Event
from tenuto.model.ids import JsonMap, LogicalId, ObjectId
from tenuto.model.outcome import Op
from tenuto.model.process import CommandRecord, Process
from tenuto.ports.store import History
from tenuto.service.process_view import job_document
from tenuto.service.values import time_text


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryView:
    """The history of a process in a window of time. `names` are the logical ids of its objects, for the ops."""

    process: Process
    history: History
    names: Mapping[ObjectId, LogicalId]


def history_document(view: HistoryView) -> JsonMap:
    return _head(view.process) | {
        "commands": [command_document(record) for record in view.history.commands],
        "jobs": [job_document(job) for job in view.history.jobs],
    }


def ops_document(view: HistoryView) -> JsonMap:
    return _head(view.process) | {"ops": [_op_document(op, view.names) for op in view.history.ops]}


def events_document(events: tuple[Event, ...]) -> JsonMap:
    return {"events": [event_document(event) for event in events]}


def event_document(event: Event) -> JsonMap:
    return {
        "number": event.number,
        "at": time_text(event.at),
        "type": event.type.value,
        "fid": event.fid,
        "object_id": event.object_id,
        "subject": event.subject,
        "before": event.before or None,
        "after": event.after or None,
        "actor": event.actor or None,
        "reason": event.reason or None,
        "data": dict(event.data),
    }


def command_document(record: CommandRecord) -> JsonMap:
    return {
        "at": time_text(record.at),
        "command": record.command.value,
        "actor": record.actor,
        "detail": record.detail or None,
    }


def _head(process: Process) -> dict[str, object]:
    return {"fid": process.fid, "alias": process.alias, "state": process.state.value}


def _op_document(op: Op, names: Mapping[ObjectId, LogicalId]) -> JsonMap:
    return {
        "at": time_text(op.at),
        "service": op.service,
        "operation": op.operation,
        "resources": [names.get(object_id, object_id) for object_id in op.object_ids],
        "account": op.partition.account,
        "region": op.partition.region,
        "request_id": op.request_id or None,
        "duration_s": op.duration_s,
        "code": op.code or None,
        "message": op.message or None,
    }
