"""Rules of notifications: which events a sink receives, in which form, and when a failed try is repeated.

Everything that is ever sent is an event of the history, written in the same transaction as the fact that it tells. So
nothing needs to be published when something happens, and nothing is lost when a Conductor dies: each sink remembers the
last event that it was told of, and reads on from there.

A job ends with one event. It is sent when the job changed something, or suspended its process; so a job that only
looked sends nothing to any sink.
"""

from fnmatch import fnmatchcase

from tenuto.core.pacing.cadence import LONGEST_NOTICE_S, backoff_s
from tenuto.kit.page_url import page_url
from tenuto.kit.times import iso_text
from tenuto.model.event import Event, EventType
from tenuto.model.ids import Instant, JsonMap
from tenuto.model.job import JobStatus
from tenuto.model.notification import Sink
from tenuto.model.process import Process

DOCUMENT_VERSION = 1
"""Raised when a key of a notification changes its meaning or goes; new keys do not raise it."""
DEFAULT_TYPES = (EventType.JOB_FINISHED.value, EventType.RESOURCE_HELD.value)


def is_news(event: Event) -> bool:
    """Whether sinks are told of the event at all."""
    if event.type is not EventType.JOB_FINISHED:
        return True
    return bool(event.data.get("changed")) or event.after == JobStatus.HALTED


def is_wanted(event: Event, process: Process | None, sink: Sink) -> bool:
    """Whether this sink is told of the event."""
    # People who hear of resources that wait for a person also hear when a person did without the agreement of others.
    is_override = event.type is EventType.APPROVAL_OVERRIDDEN and EventType.RESOURCE_HELD in sink.types
    if not (event.type in sink.types or is_override) or not is_news(event):
        return False
    if sink.accounts and (process is None or process.partition.account not in sink.accounts):
        return False
    return not sink.processes or (process is not None and _is_named(process, sink))


def _is_named(process: Process, sink: Sink) -> bool:
    return any(
        name == process.fid or (process.alias is not None and fnmatchcase(process.alias, name))
        for name in sink.processes
    )


def event_id(event: Event) -> str:
    """Return an id that is the same for every delivery of one event, and for no other event: FIDs are unique in the
    world.
    """
    return f"{event.number}-{event.fid or 'conductor'}"


def notice(event: Event, process: Process | None, *, public_url: str = "") -> JsonMap:
    """The document that is sent. `public_url` is that of the dashboard, without a path; empty where it has none."""
    document: dict[str, object] = {
        "version": DOCUMENT_VERSION,
        "id": event_id(event),
        "type": event.type.value,
        "at": iso_text(event.at),
        "process": _process(process) if process else None,
        "subject": event.subject,
        "before": event.before or None,
        "after": event.after or None,
        "actor": event.actor or None,
        "reason": event.reason or None,
        "url": f"{public_url}{path}" if public_url and (path := _page(event)) else None,
    }
    if event.type is EventType.JOB_FINISHED:
        return document | {"job": _job(event)}
    return document | {"data": dict(event.data)}


def next_try(tries: int, sink: Sink, number: int, now: Instant) -> Instant | None:
    """Return the moment of the next try after so many failures; None when the delivery is given up."""
    if tries >= sink.tries:
        return None
    return Instant(now + backoff_s(tries, f"{sink.name}:{number}", longest_s=LONGEST_NOTICE_S))


def _page(event: Event) -> str:
    """The path of the page that the event is about; empty where there is none. A process is named by its FID: its
    alias may be that of another one when the message is read."""
    number = event.data.get("proposal") if event.type in _OF_PROPOSALS else None
    if number is not None:
        return page_url("proposals", number)
    return page_url("processes", event.fid) if event.fid else ""


_OF_PROPOSALS = (EventType.PROPOSAL_STATE, EventType.APPROVAL_OVERRIDDEN)


def _process(process: Process) -> JsonMap:
    return {
        "fid": process.fid,
        "alias": process.alias,
        "account": process.partition.account,
        "region": process.partition.region,
    }


def _job(event: Event) -> JsonMap:
    return {
        "id": event.data.get("job"),
        "kind": event.data.get("kind"),
        "command": event.subject,
        "status": event.after,
        "message": event.reason or None,
        "counts": {name: event.data.get(name, 0) for name in _COUNTS},
        "results": event.data.get("results", {}),
        "achieved": event.data.get("achieved", {}),
        "operations": event.data.get("operations", []),
        "operations_left_out": event.data.get("operations_left_out", 0),
    }


_COUNTS = ("create", "modify", "replace", "delete", "adopt", "release", "refresh", "unchanged")
