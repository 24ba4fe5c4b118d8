"""The timeline of a process: commands, jobs, refusals, drift and failures in one list, the newest first.

A page ends at a moment, and the next one goes on before it: entries of one instant are never on two pages.
"""

from collections.abc import Sequence
from itertools import takewhile

from tenuto.model.event import Event, EventType
from tenuto.model.ids import Instant, JsonMap
from tenuto.model.job import Job, JobKind, JobStatus
from tenuto.model.process import CommandRecord, Process
from tenuto.ports.store import Store
from tenuto.ports.store_reads import EventQuery, History
from tenuto.service.common.values import time_text
from tenuto.service.views.history_view import actor_of
from tenuto.service.views.plan_text import summary_text

_EVENTS = (
    EventType.COMMAND_REFUSED,
    EventType.COMMAND_DENIED,
    EventType.DRIFT_FOUND,
    EventType.RESOURCE_HELD,
    EventType.PHASE_FAILED,
    EventType.PROCESS_STATE,
    EventType.UNKNOWN_DELETED,
    EventType.APPROVAL_OVERRIDDEN,
)
_MOST_JOBS = 1000
_STEP_S = 0.0005
"""Times are told to the millisecond: a moment before one is before the half below it."""


def timeline_document(store: Store, process: Process, *, before: Instant | None, limit: int) -> JsonMap:
    """A page of the timeline. `next` is the `before` of the next page."""
    end = None if before is None else Instant(before - _STEP_S)
    history = store.history(process.fid, end=end, limit=limit + 1)
    events = store.events(EventQuery(fid=process.fid, types=_EVENTS, end=end, limit=limit + 1))
    healed = _healings(store, process, events)
    rows = sorted(
        [
            *((record.at, 0, _command(record)) for record in history.commands),
            *((job.started_at, 1, _job(job, history)) for job in history.jobs),
            *((event.at, 2, _event(event, healed.get(event.number))) for event in events),
        ],
        key=lambda row: (row[0], row[1]),
        reverse=True,
    )
    page = rows[:limit]
    if len(rows) > limit:
        last = page[-1][0]
        page += list(takewhile(lambda row: row[0] == last, rows[limit:]))
    has_more = len(rows) > len(page)
    return {
        "fid": process.fid,
        "alias": process.alias,
        "state": process.state.value,
        "entries": [entry for _, _, entry in page],
        "next": time_text(page[-1][0]) if has_more else None,
    }


def _command(record: CommandRecord) -> JsonMap:
    return _entry(record.at, "command", record.command.value, status="given", actor=record.actor, message=record.detail)


def _job(job: Job, history: History) -> JsonMap:
    end = job.finished_at
    calls = [one for one in history.ops if one.at >= job.started_at and (end is None or one.at <= end)]
    is_dry = job.kind is JobKind.DRY_RUN
    return _entry(
        job.started_at,
        "dry-run" if is_dry else "job",
        job.command,
        status=job.status.value,
        actor=actor_of(job, history.commands) or "",
        message=job.message,
        summary=summary_text(job.plan_summary) if job.plan_summary else "",
        duration_s=None if end is None else round(end - job.started_at, 3),
        plan_id=job.plan_id,
        calls=0 if is_dry else len(calls),
        failed_calls=sum(1 for one in calls if one.code) if not is_dry else 0,
    )


def _event(event: Event, healed: float | None) -> JsonMap:
    names = {
        EventType.COMMAND_REFUSED: "refused",
        EventType.COMMAND_DENIED: "denied",
        EventType.DRIFT_FOUND: "drift",
        EventType.RESOURCE_HELD: "held",
        EventType.PHASE_FAILED: "failure",
        EventType.PROCESS_STATE: "state",
        EventType.UNKNOWN_DELETED: "deleted",
        EventType.APPROVAL_OVERRIDDEN: "override",
    }
    kind = names[event.type]
    title = f"{event.before} → {event.after}" if kind == "state" else str(event.data.get("command", event.subject))
    return _entry(
        event.at,
        kind,
        title,
        actor=event.actor,
        message=event.reason,
        resource=event.subject if kind in ("drift", "held", "failure") else "",
        healed_s=healed,
    )


def _healings(store: Store, process: Process, events: Sequence[Event]) -> dict[int, float]:
    """The seconds from each drift to the end of the job that set it back, by the number of its event.

    That job is the first one after it whose plan names the resource. Of a drift that none has set back, nothing.
    """
    drifts = [event for event in events if event.type is EventType.DRIFT_FOUND]
    if not drifts:
        return {}
    start = Instant(min(event.at for event in drifts) - _STEP_S)
    found: dict[int, float] = {}
    for job in store.history(process.fid, start=start, limit=_MOST_JOBS).jobs:
        end = job.finished_at
        if job.kind is JobKind.DRY_RUN or job.status is not JobStatus.SUCCEEDED or job.plan_id is None or end is None:
            continue
        plan = store.plan(job.plan_id)
        names = {one.logical_id for one in plan.operations} if plan else frozenset()
        for event in drifts:
            if event.number not in found and event.subject in names and end >= event.at:
                found[event.number] = round(end - event.at, 1)
    return found


def _entry(at: Instant, kind: str, title: str, **more: object) -> JsonMap:
    blank = {
        "status": "",
        "actor": "",
        "message": "",
        "summary": "",
        "duration_s": None,
        "plan_id": None,
        "calls": 0,
        "failed_calls": 0,
        "resource": "",
        "healed_s": None,
    }
    return {"at": time_text(at), "kind": kind, "title": title, **blank, **more}
