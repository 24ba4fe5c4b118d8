"""Processes as text for people: a list, and one in detail."""

import json
from collections.abc import Iterable, Iterator

import click

from tenuto.cli.render.causes import causes_of_list
from tenuto.cli.terminal.tables import MEDIUM, NARROW, filled, shortened, table, told_whole
from tenuto.cli.terminal.terminal import terminal_width
from tenuto.cli.terminal.times import short_time
from tenuto.core.reports.unknown_things import unknown_text
from tenuto.model.ids import Json, JsonMap
from tenuto.service.views.plan_text import summary_text

_STATES = ("Running", "Suspended", "Killing")
_PARAMETER = 40
"""Characters of the value of a parameter."""
_LABEL = 14
"""Columns of the name of a fact."""
_OVER = ("Completed", "Canceled")
_OPTIONAL = frozenset({"Created", "Account", "Region"})
"""Columns that give way on a terminal of less than a hundred columns."""
_RESOURCE_TINTS = {"ready": "green", "failed": "red", "running": "cyan", "sleeping": "cyan", "waiting": "cyan"}


def render_process_row(document: JsonMap) -> str:
    """One process as a table of one row."""
    return render_processes({"processes": [document]})


def render_processes(document: JsonMap, *, is_verbose: bool = False, is_painted: bool = False) -> str:
    """All processes, grouped by state."""
    found = sorted(document["processes"], key=lambda one: _STATES.index(one["state"]) if one["state"] in _STATES else 9)
    if not found:
        return "There are no processes. 'tenuto run FILE' starts one."
    headings: tuple[str, ...] = (
        "State",
        "Updated",
        "Created",
        "Account",
        "Region",
        "Process",
        "Flags",
        "Unconverged since",
        "Last message",
        "Pending",
    )
    if is_verbose:
        cells = [(*_process_row(one, is_verbose=True), one["fid"], one["composition"]["name"]) for one in found]
        return table((*headings, "FID", "Composition"), cells, blank=True)
    width = terminal_width()
    halted = [
        (one["alias"] or one["fid"], one["last_message"] or "")
        for one in found
        if one["state"] == "Suspended" and one["last_job"] and one["last_job"]["status"] == "HALTED"
    ]
    rows: list[tuple[str, ...]] = [_process_row(one) for one in found]
    if width is not None and NARROW <= width < MEDIUM:
        shown = [index for index, heading in enumerate(headings) if heading not in _OPTIONAL]
        headings = tuple(headings[index] for index in shown)
        rows = [tuple(row[index] for index in shown) for row in rows]
    text = _painted(
        table(headings, rows, width=width, whole=("State", "Process"), has_blocks=True, named="Process"),
        map(_tint, found),
        is_painted,
    )
    parts = (text, told_whole(halted, width=width), causes_of_list(found), _proposals(document))
    return "\n\n".join(part for part in parts if part)


def _proposals(document: JsonMap) -> str:
    """The lines about proposals that wait for a decision, and about approved ones that wait to be executed; empty for
    none, and for the list of one process."""
    approved = document.get("approved_proposals", 0)
    waits = (
        _waits(document.get("proposals", 0) - approved, "proposal", "for an approval"),
        _waits(approved, "approved proposal", "to be executed once no job is at work"),
    )
    return "\n".join(one for one in waits if one)


def _waits(count: int, what: str, for_what: str) -> str:
    if not count:
        return ""
    waits = f"1 {what} waits" if count == 1 else f"{count} {what}s wait"
    return f"{waits} {for_what}: 'tenuto proposals'."


def _tint(one: JsonMap) -> str:
    """Green as declared, red failed or going, yellow at rest on purpose, cyan at work."""
    if one["converged"]:
        return "green"
    job = one["last_job"]
    if one["state"] == "Killing" or (job and job["status"] in ("FAILED", "HALTED")):
        return "red"
    return "yellow" if one["state"] == "Suspended" else "cyan"


def _painted(text: str, tints: Iterable[str], is_painted: bool) -> str:
    """The rows of a table in the colour of their status; one colour has one meaning."""
    lines = text.splitlines()
    found = list(tints)
    if not is_painted or len(lines) != len(found) + 2:
        return text
    rows = [click.style(line, fg=tint) if tint else line for line, tint in zip(lines[2:], found, strict=True)]
    return "\n".join([*lines[:2], *rows])


def _process_row(one: JsonMap, *, is_verbose: bool = False) -> tuple[str, ...]:
    return (
        one["state"],
        short_time(one["updated"]),
        short_time(one["created"]),
        one["account"],
        one["region"],
        one["alias"] or one["fid"],
        _flags(one),
        _unconverged(one),
        last_message(one) if is_verbose else shortened(last_message(one)),
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


def _unconverged(one: JsonMap, *, whole: bool = False) -> str:
    """Return since when a process is not as declared, and why; `whole` adds the thing that it waits for."""
    found = one.get("unconverged")
    if not found:
        return ""
    text = f"{short_time(found['since'])} ({found['why']})"
    if not whole:
        return text
    message = found["message"]
    if not message or message == one["last_message"]:
        return f"since {text}"
    if message.startswith("for "):
        return f"since {short_time(found['since'])}, {found['why']} {message}"
    return f"since {text}: {message}"


def render_process(document: JsonMap, *, is_verbose: bool = False, is_painted: bool = False) -> str:
    """One process in detail."""
    return "\n".join(_process_lines(document, is_verbose=is_verbose, is_painted=is_painted))


def _process_lines(one: JsonMap, *, is_verbose: bool, is_painted: bool) -> Iterator[str]:
    convergence = " and converged" if one["converged"] else ""
    kill = " in the middle of its kill" if one["goes_on_with"] == "kill" else ""
    yield f"Process {one['alias'] or one['fid']} is {one['state']}{kill}{convergence}."
    facts = [
        ("FID", one["fid"]),
        ("Composition", f"{one['composition']['name']} ({one['composition']['digest'][:12]})"),
        ("Place", f"account {one['account']}, region {one['region']}"),
        ("Parameters", _parameters_text(one.get("parameters", {}))),
        ("Created", short_time(one["created"])),
        ("Updated", short_time(one["updated"])),
        ("Flags", _flags(one)),
        ("Pending", one["next_command"] or ""),
        ("Unconverged", _unconverged(one, whole=True)),
        ("Last job", _job_text(one["last_job"])),
        ("Last message", one["last_message"] or ""),
        ("Cause", _cause(one)),
        ("Not known", _unknown_text(one)),
    ]
    width = None if is_verbose else terminal_width()
    lines = (f"  {name + ':':<{_LABEL}}{value}" for name, value in facts if value or is_verbose)
    yield from (filled(line, width, indent=_LABEL + 2) for line in lines)
    if one["resources"]:
        yield ""
        shown = resource_table(one["resources"], width=width, is_verbose=is_verbose)
        yield _painted(
            shown, (_RESOURCE_TINTS.get(found["status"], "") for found in one["resources"].values()), is_painted
        )
        if phases := phase_table(one["resources"], width=terminal_width(), is_verbose=is_verbose):
            yield ""
            yield phases
    if outputs := outputs_table(one):
        yield ""
        yield outputs


def outputs_table(one: JsonMap) -> str:
    """The outputs of a process with their descriptions in the composition; empty without any."""
    told = one.get("output_descriptions", {})
    rows = [(name, _text(value), told.get(name, "")) for name, value in one.get("outputs", {}).items()]
    headings = ("Output", "Value", "Description")
    return table(headings, rows, width=terminal_width(), whole=("Output", "Value"), has_blocks=True)


def _parameters_text(parameters: JsonMap) -> str:
    """The parameters with their values, long ones shortened, in one line."""
    shown = {name: "****" if value is None else _text(value) for name, value in parameters.items()}
    return ", ".join(f"{name}={shortened(value, _PARAMETER)}" for name, value in shown.items())


def _unknown_text(one: JsonMap) -> str:
    count = one.get("unknown_things", 0)
    return f"{unknown_text(count)} 'tenuto doctor {one['alias'] or one['fid']}' lists them." if count else ""


def resource_table(resources: JsonMap, *, width: int | None, is_verbose: bool = False) -> str:
    """The resources of a process."""
    headings = ("Resource", "Type", "Id", "State", "Status", "Drift", "Message")
    prefix = "AWS::" if width is not None and width < MEDIUM else ""
    rows = [
        (
            name,
            one["type"].removeprefix(prefix),
            one["id"] or "",
            one["state"] or "",
            one["status"],
            ", ".join([*one["drift"], *(f"{path} (ignored)" for path in one.get("ignored_drift", []))]),
            resource_message(one) if is_verbose else shortened(resource_message(one)),
        )
        for name, one in resources.items()
    ]
    return table(headings, rows, width=width, blank=is_verbose, whole=("Id", "State", "Status"), has_blocks=True)


def phase_table(resources: JsonMap, *, width: int | None, is_verbose: bool = False) -> str:
    """The phases that are not over; with `is_verbose` all of them."""
    headings = ("Resource", "Phase", "State", "Status", "Runs", "Attempt", "Next check", "Code", "Request", "Data")
    rows = [
        (
            name,
            phase,
            entry["state"],
            entry["status"].lower(),
            str(entry["runs"]),
            str(entry["attempt"]) if entry["attempt"] > 1 or is_verbose else "",
            short_time(entry["wake"]) if entry["status"] == "Sleeping" else "",
            entry["code"] or "",
            entry["request_id"] or "",
            json.dumps(entry["data"], ensure_ascii=False) if is_verbose and entry["data"] else "",
        )
        for name, one in resources.items()
        for phase, entry in one["phases"].items()
        if is_verbose or not _is_over(entry)
    ]
    return table(headings, rows, width=None if is_verbose else width, blank=is_verbose)


def _is_over(entry: JsonMap) -> bool:
    """Whether a phase needs no attention: it is through, or it is upkeep in order."""
    return entry["status"] in _OVER or (entry.get("upkeep", False) and not entry["failures"])


def resource_message(one: JsonMap) -> str:
    """The message of a resource, with its other incarnations that are still to be deleted."""
    leaving = [f"{old['id'] or 'an older one'} is still to be deleted ({old['state']})" for old in one["leaving"]]
    duplicates = [f"{found} was made beside it and is still to be deleted" for found in one.get("duplicates", [])]
    return "; ".join(part for part in (one["message"] or "", *leaving, *duplicates) if part)


def _flags(one: JsonMap) -> str:
    """The deviations of a process from the usual, in words."""
    end = short_time(one.get("enforcement_until"))
    until = f" until {end}" if end else ""
    count = one.get("unknown_things", 0)
    words = (
        ("locked", one["lock"]),
        (f"not enforced{until}", not one["enforcement"]),
        (f"{count} unknown thing{'' if count == 1 else 's'}", count),
    )
    return ", ".join(word for word, is_so in words if is_so)


def _cause(one: JsonMap) -> str:
    """The cause that suspended it, and the command that resumes everything that this cause suspended."""
    codes, command = ", ".join(one.get("causes") or ()), one.get("resume_by_cause")
    if not command:
        return codes
    return f"{codes}. Once it is removed, '{command}' resumes every process that it suspended."


def _job_text(job: JsonMap | None) -> str:
    if job is None:
        return ""
    when = short_time(job["finished"] or job["started"])
    plan = f", {summary_text(job['plan_summary'])}" if job["plan_summary"] else ""
    return f"{job['command']} {job['status']} at {when}{plan}"


def _text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
