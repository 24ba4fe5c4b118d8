"""The summary at the end of a wait: what the command has changed, how long it took, and with how many calls."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Protocol

from tenuto.cli.terminal.exits import ApiProblem
from tenuto.cli.terminal.tables import table
from tenuto.cli.terminal.terminal import terminal_width
from tenuto.model.ids import Json, JsonMap
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

    What the caller may not read is left out, and what cannot be read now as well: a summary fails no command.
    """
    since = taken["updated"]
    jobs = [one for one in _read(client, taken, "history", since).get("jobs", ()) if one["kind"] != "dry-run"]
    planned = [one["plan_summary"] for one in jobs if one["plan_summary"]]
    changed: Counter[str] = Counter()
    for summary in planned:
        changed.update({verb.value: summary.get(verb.value, 0) for verb in Verb})
    ops = _read(client, taken, "ops", since).get("ops")
    return {
        "seconds": round(seconds, 1),
        "changed": {verb.value: changed[verb.value] for verb in Verb},
        "calls": len(ops) if ops is not None and len(ops) < _MOST else None,
        "throttled": sum("Throttl" in (one["code"] or "") for one in ops) if ops is not None else None,
    }


def achieved_text(summary: JsonMap) -> str:
    """`In 41 s: 1 modified, 1 replaced; 6 calls, 1 throttled.`"""
    changed = [f"{summary['changed'][verb.value]} {word}" for verb, word in _DONE.items() if summary["changed"][verb]]
    calls, throttled = summary["calls"], summary["throttled"]
    parts = [", ".join(changed) or "no resource changed"]
    if calls is not None:
        told = f", {throttled} throttled" if throttled else ""
        parts.append(f"{calls} call{'' if calls == 1 else 's'}{told}")
    return f"In {_duration(summary['seconds'])}: {'; '.join(parts)}."


def outputs_text(outputs: Mapping[str, Json]) -> str:
    """The outputs of a process as a table; empty without any."""
    return table(
        ("Output", "Value"),
        [(name, str(value)) for name, value in outputs.items()],
        width=terminal_width(),
        whole=("Output", "Value"),
    )


def _read(client: Reads, taken: JsonMap, what: str, since: str) -> JsonMap:
    try:
        return client.get("processes", str(taken["fid"]), what, start=since, limit=_MOST)
    except ApiProblem:
        return {}


def _duration(seconds: float) -> str:
    if seconds < _MINUTE_S:
        return f"{seconds:.0f} s"
    return f"{seconds // _MINUTE_S:.0f} min {seconds % _MINUTE_S:.0f} s"
