"""Text for people about history, provider operations and events."""

from tenuto.cli.terminal.tables import message_cell, table, told_whole
from tenuto.cli.terminal.terminal import terminal_width
from tenuto.cli.terminal.times import seconds_between, short_time
from tenuto.model.ids import JsonMap
from tenuto.service.views.plan_text import summary_text


def render_history(document: JsonMap) -> str:
    """Commands and jobs, in the order in which they began."""
    width = terminal_width()
    rows = [
        (
            one["place"],
            one["at"],
            (
                "command",
                one["command"],
                _standing(one),
                one["actor"],
                "",
                message_cell(one["detail"] or "", width),
            ),
        )
        for one in document["commands"]
    ]
    rows += [
        (
            one["place"],
            one["started"],
            (
                "dry run" if one["kind"] == "dry-run" else "job",
                one["command"],
                one["status"],
                one["actor"] or "",
                seconds_between(one["started"], one["finished"]),
                message_cell(_job_words(one), width),
            ),
        )
        for one in document["jobs"]
    ]
    ordered = [(short_time(at), *rest) for _, at, rest in sorted(rows, key=lambda row: int(row[0]))]
    headings = ("Time", "What", "Command", "Status", "Actor", "Duration", "Message")
    halted = [
        (f"{short_time(one['started'])} {one['command']}", one["message"] or "")
        for one in document["jobs"]
        if one["status"] == "HALTED"
    ]
    text = table(headings, ordered, width=width) or "Nothing happened in that time."
    return "\n\n".join(part for part in (text, told_whole(halted, width=width), _removed(document)) if part)


def _removed(document: JsonMap) -> str:
    """A line for a reader who asks further back than the kept history; else empty."""
    since = document.get("complete_since")
    if not since:
        return ""
    return (
        f"Complete since {short_time(since)} only: what is older may have been removed. "
        "The Conductor's option --keep says what is kept."
    )


def _standing(command: JsonMap) -> str:
    """Return the standing of a command: empty for one that was taken, as nearly all are."""
    return "" if command["status"] == "given" else str(command["status"])


def _job_words(job: JsonMap) -> str:
    """The counts of the plan of a job, and the message of the job."""
    counts = summary_text(job["plan_summary"]) if job["plan_summary"] else ""
    return "; ".join(part for part in (counts, job["message"] or "") if part)


def render_request(document: JsonMap) -> str:
    """The jobs and the events of one API request, in the order in which they came."""
    width = terminal_width()
    jobs = [
        (
            short_time(one["started"]),
            one["command"],
            one["status"],
            seconds_between(one["started"], one["finished"]),
            one["plan_id"] or "",
            message_cell(_job_words(one), width),
        )
        for one in document["jobs"]
    ]
    text = table(("Time", "Job", "Status", "Duration", "Plan", "Message"), jobs, width=width)
    return "\n\n".join(part for part in (text, render_events(document)) if part)


def render_ops(document: JsonMap) -> str:
    width = terminal_width()
    headings = ("Time", "Actor", "Service", "Operation", "Resources", "Duration", "Result", "Request", "Message")
    rows = [
        (
            short_time(one["at"]),
            one["actor"] or "",
            one["service"],
            one["operation"],
            ", ".join(one["resources"]),
            f"{one['duration_s']:.2f} s",
            one["code"] or "ok",
            one["request_id"] or "",
            message_cell(one["message"] or "", width),
        )
        for one in document["ops"]
    ]
    text = table(headings, rows, width=width) or "No provider operations in that time."
    return "\n\n".join(part for part in (text, _removed(document)) if part)


def render_events(document: JsonMap, *, is_of_one: bool = False) -> str:
    """Events as a table; those that are all of one process do not name it in each row."""
    rows = [event_cells(one, is_of_one=is_of_one) for one in document["events"]]
    headings = ("Time", "Type", "Process", "Subject", "Change", "Actor", "Reason")
    text = table(headings, rows, width=terminal_width(), whole=("Process",)) or "No events."
    older = document.get("older")
    more = f"Older: the same command with '--before {older}'." if older else ""
    return "\n\n".join(part for part in (text, more, _removed(document)) if part)


def event_cells(one: JsonMap, *, is_of_one: bool = False) -> tuple[str, ...]:
    """The cells of an event; the subject stays empty where it is the process."""
    process = one["process"] or ""
    subject = one["subject"] or one["object_id"] or ""
    change = f"{one['before'] or 'nothing'} → {one['after']}" if one["after"] else ""
    if not one["before"] and one["after"]:
        change = one["after"]
    command = one["data"].get("command", "")
    return (
        short_time(one["at"]),
        one["type"],
        "" if is_of_one else process,
        "" if subject == process else subject,
        change or command,
        one["actor"] or "",
        one["reason"] or one["data"].get("by", ""),
    )
