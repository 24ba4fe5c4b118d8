"""Processes as text for people: a list, and one in detail."""

import json
from collections.abc import Iterator

from tenuto.cli.tables import shortened, table, terminal_width, told_whole
from tenuto.cli.times import short_time
from tenuto.model.ids import Json, JsonMap
from tenuto.service.plan_text import summary_text

_STATES = ("Running", "Suspended", "Killing")


def render_process_row(document: JsonMap) -> str:
    """One process as a table of one row."""
    return render_processes({"processes": [document]})


def render_processes(document: JsonMap, *, blank: bool = False) -> str:
    """All processes, grouped by state; with the columns that are `blank` for all of them too when asked for."""
    found = sorted(document["processes"], key=lambda one: _STATES.index(one["state"]) if one["state"] in _STATES else 9)
    if not found:
        return "There are no processes. 'tenuto run FILE' starts one."
    headings = ("State", "Updated", "Created", "Account", "Region", "Process", "Flags", "Last message", "Next command")
    width = terminal_width()
    halted = [
        (one["alias"] or one["fid"], one["last_message"] or "")
        for one in found
        if one["state"] == "Suspended" and one["last_job"] and one["last_job"]["status"] == "HALTED"
    ]
    text = table(headings, [_process_row(one) for one in found], width=width, blank=blank)
    return "\n\n".join(part for part in (text, told_whole(halted, width=width)) if part)


def _process_row(one: JsonMap) -> tuple[str, ...]:
    return (
        one["state"],
        short_time(one["updated"]),
        short_time(one["created"]),
        one["account"],
        one["region"],
        one["alias"] or one["fid"],
        _flags(one),
        shortened(last_message(one)),
        one["next_command"] or "",
    )


def last_message(one: JsonMap) -> str:
    """The outcome of the last job in a few words."""
    job = one["last_job"]
    if one["converged"]:
        return "SUCCEEDED, converged"
    if job is None:
        return one["last_message"] or ""
    return f"{job['status']}: {one['last_message']}" if one["last_message"] else str(job["status"])


def render_process(document: JsonMap) -> str:
    """One process in detail."""
    return "\n".join(_process_lines(document))


def _process_lines(one: JsonMap) -> Iterator[str]:
    convergence = " and converged" if one["converged"] else ""
    yield f"Process {one['alias'] or one['fid']} is {one['state']}{convergence}."
    facts = [
        ("FID", one["fid"]),
        ("Composition", f"{one['composition']['name']} ({one['composition']['digest'][:12]})"),
        ("Place", f"account {one['account']}, region {one['region']}"),
        ("Created", short_time(one["created"])),
        ("Updated", short_time(one["updated"])),
        ("Flags", _flags(one)),
        ("Next command", one["next_command"] or ""),
        ("Last job", _job_text(one["last_job"])),
        ("Last message", one["last_message"] or ""),
    ]
    yield from (f"  {name + ':':<14}{value}" for name, value in facts if value)
    if one["resources"]:
        yield ""
        yield resource_table(one["resources"], width=terminal_width())
    if one["outputs"]:
        yield ""
        yield table(("Output", "Value"), [(name, _text(value)) for name, value in one["outputs"].items()])


def resource_table(resources: JsonMap, *, width: int | None) -> str:
    """The resources of a process."""
    headings = ("Resource", "Type", "Id", "State", "Status", "Drift", "Message")
    rows = [
        (
            name,
            one["type"],
            one["id"] or "",
            one["state"] or "",
            one["status"],
            ", ".join([*one["drift"], *(f"{path} (ignored)" for path in one.get("ignored_drift", []))]),
            shortened(resource_message(one)),
        )
        for name, one in resources.items()
    ]
    return table(headings, rows, width=width)


def resource_message(one: JsonMap) -> str:
    """What a resource has to say, with what is still leaving its address."""
    leaving = [f"{old['id'] or 'an older one'} is leaving ({old['state']})" for old in one["leaving"]]
    return "; ".join(part for part in (one["message"] or "", *leaving) if part)


def _flags(one: JsonMap) -> str:
    """What is not as it is by default, in words."""
    end = short_time(one.get("enforcement_until"))
    until = f" until {end}" if end else ""
    words = (("locked", one["lock"]), (f"not enforced{until}", not one["enforcement"]))
    return ", ".join(word for word, is_so in words if is_so)


def _job_text(job: JsonMap | None) -> str:
    if job is None:
        return ""
    when = short_time(job["finished"] or job["started"])
    plan = f", {summary_text(job['plan_summary'])}" if job["plan_summary"] else ""
    return f"{job['command']} {job['status']} at {when}{plan}"


def _text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
