"""The summary at the end of a wait: the changes of the command, its time, and the number of its calls."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from tenuto.cli.terminal.exits import ApiProblem, UnreachableError
from tenuto.model.command import ProcessState
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
_ENDS = (ProcessState.KILLING, ProcessState.GONE)
_OF_ENDS = (Verb.DELETE, Verb.RELEASE)
"""The verbs of the operations at the end of a process."""


class Reads(Protocol):
    """The reads that a summary needs of a client."""

    def get(self, *path: str, **query: Any) -> JsonMap: ...


def achieved(client: Reads, taken: JsonMap, seconds: float) -> JsonMap:
    """The summary as a document. `taken` is the process as the command left it; its time is that of the Conductor.

    Numbers that the caller may not read are left out, and those that cannot be read now as well: a summary fails no
    command.
    """
    query = {"start": taken["updated"], "limit": _MOST}
    events = _read(client, "events", process=taken["fid"], types=EventType.JOB_FINISHED, **query).get("events")
    ops = _read(client, "processes", str(taken["fid"]), "ops", **query).get("ops")
    return {
        "seconds": round(seconds, 1),
        "changed": _changed(events, is_end=taken.get("state") in _ENDS) if events is not None else None,
        "calls": len(ops) if ops is not None and len(ops) < _MOST else None,
        "throttled": sum("Throttl" in (one["code"] or "") for one in ops) if ops is not None else None,
    }


def _changed(finished: Iterable[JsonMap], *, is_end: bool) -> JsonMap:
    """The changes by verb of the jobs that have ended. A change that failed, and was made by a later job, counts once.

    The end of a process cuts its last job short, which tells its begun changes: an end itself makes nothing.
    """
    changed: Counter[str] = Counter()
    for one in finished:
        changed.update(one["data"].get("achieved", {}))
    return {verb.value: changed[verb.value] if verb in _OF_ENDS or not is_end else 0 for verb in Verb}


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
