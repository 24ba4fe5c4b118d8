"""The summary at the end of a wait: the changes of the command, its time, and the number of its calls.

A command may come while a job of the command before is at work. That job ends after the command, and its changes and
calls are none of the command's: the summary counts the jobs that have begun since the command was taken.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from tenuto.cli.terminal.exits import ApiProblem, UnreachableError
from tenuto.model.event import EventType
from tenuto.model.ids import JsonMap
from tenuto.model.verb import Verb

_DONE: Mapping[Verb, str] = {
    Verb.CREATE: "created",
    Verb.MODIFY: "modified",
    Verb.REPLACE: "replaced",
    Verb.DELETE: "deleted",
    Verb.ADOPT: "adopted",
    Verb.RELEASE: "released",
    Verb.REFRESH: "refreshed",
}
_MOST = 10_000
"""The most rows that the Conductor gives at once; with more calls than that, their number is left out."""
_MINUTE_S = 60


class Reads(Protocol):
    """The reads that a summary needs of a client."""

    def get(self, *path: str, **query: Any) -> JsonMap: ...


def achieved(client: Reads, taken: JsonMap, seconds: float) -> JsonMap:
    """The summary as a document. `taken` is the process as the command left it; its time is that of the Conductor.

    Numbers that the caller may not read are left out, and those that cannot be read now as well: a summary fails no
    command.
    """
    fid, since = str(taken["fid"]), str(taken["updated"])
    query = {"process": fid, "types": EventType.JOB_FINISHED, "start": since, "limit": _MOST}
    events = _read(client, "events", **query).get("events")
    jobs = [one["data"] for one in events or () if _began(one["data"], since) >= since]
    first = min((_began(job, since) for job in jobs), default=since)
    ops = _read(client, "processes", fid, "ops", start=first, limit=_MOST).get("ops")
    return {
        "seconds": round(seconds, 1),
        "changed": _changed(jobs) if events is not None else None,
        "calls": len(ops) if ops is not None and len(ops) < _MOST else None,
        "throttled": sum("Throttl" in (one["code"] or "") for one in ops) if ops is not None else None,
    }


def _began(job: JsonMap, otherwise: str) -> str:
    """The moment when a job began, in the form of all moments of the API: their order is that of the texts."""
    return str(job.get("started", otherwise))


def _changed(jobs: Iterable[JsonMap]) -> JsonMap:
    """The changes by verb of jobs that have ended. A change that failed, and was made by a later job, counts once."""
    changed: Counter[str] = Counter()
    for job in jobs:
        changed.update(job.get("achieved", {}))
    return {verb.value: changed[verb.value] for verb in Verb}


def achieved_text(summary: JsonMap) -> str:
    """`In 41 s: 1 modified, 1 replaced; 6 calls, 1 throttled.`"""
    changed, calls, throttled = summary["changed"], summary["calls"], summary["throttled"]
    parts = []
    if changed is not None:
        words = [f"{changed[verb.value]} {word}" for verb, word in _DONE.items() if changed[verb.value]]
        parts.append(", ".join(words) or "no resource changed")
    if calls is not None:
        told = f", {throttled} throttled" if throttled else ""
        parts.append(f"{calls} call{'' if calls == 1 else 's'}{told}")
    took = f"In {_duration(summary['seconds'])}"
    return f"{took}: {'; '.join(parts)}." if parts else f"{took}."


def _read(client: Reads, *path: str, **query: Any) -> JsonMap:
    try:
        return client.get(*path, **query)
    except (ApiProblem, UnreachableError):
        return {}


def _duration(seconds: float) -> str:
    if seconds < _MINUTE_S:
        return f"{seconds:.0f} s"
    return f"{seconds // _MINUTE_S:.0f} min {seconds % _MINUTE_S:.0f} s"
