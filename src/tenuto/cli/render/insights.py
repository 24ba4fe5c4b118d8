"""The views of those who watch or look closely, as text for people."""

import shlex
from collections.abc import Iterator, Sequence

from tenuto.cli.terminal.tables import filled, message_cell, table
from tenuto.cli.terminal.terminal import terminal_width
from tenuto.cli.terminal.times import duration_text, short_time
from tenuto.model.ids import JsonMap
from tenuto.model.proposal import ProposalState
from tenuto.service.common.value_diff import value_text


def render_summary(document: JsonMap) -> str:
    """Totals, then the processes that need a person, then those that are not as declared."""
    width = terminal_width()
    whys = document["whys"]
    total = document["total"]
    if not total:
        return "There are no processes. 'tenuto run FILE' starts one."
    counts, drift = document["resources"], document["drift"]
    named = ", ".join(f"{count} {why}" for why, count in whys.items() if count)
    lines = [
        f"{total} process{'' if total == 1 else 'es'}: {named}.",
        f"{counts['ready']:,} of {counts['total']:,} resources are ready. Drift in 24 hours: {drift['found']} found, "
        f"{drift['held']} held, {drift['standing']} standing now.",
    ]
    for one in document["causes"]:
        names = ", ".join(each["name"] for each in one["processes"])
        more = one["count"] - len(one["processes"])
        rest = f" and {more} more" if more else ""
        lines += ["", f"{one['why']}: {names}{rest}, since {short_time(one['since'])}"]
        lines += [f"  {line}" for line in (one["message"], one["command"]) if line]
    lines += _proposals(document["proposals"])
    told = "\n".join(filled(line, width) for line in lines)
    return told + _rows([one for one in document["processes"] if one["why"] != "as-declared"], document, width)


def render_chosen(document: JsonMap) -> str:
    """The processes that filters let pass, with their number."""
    total = document["total"]
    told = f"{document['matching']} of {total} process{'' if total == 1 else 'es'}."
    return told + _rows(document["processes"], document, terminal_width())


def _message(one: JsonMap) -> str:
    """The message of a process, with a time as people read it."""
    if one["why"] == "not-enforced" and one["enforcement_until"]:
        return f"enforcement is off until {short_time(one['enforcement_until'])}"
    return str(one["message"] or "")


def _rows(processes: Sequence[JsonMap], document: JsonMap, width: int | None) -> str:
    """The processes of a page as a table, and how to see the next page; both after an empty line."""
    rows = [
        (
            one["why"],
            one["alias"] or one["fid"],
            one["account"],
            one["region"],
            short_time(one["since"]),
            _counts(one["counts"]),
            message_cell(_message(one), width),
        )
        for one in processes
    ]
    headings = ("Why", "Process", "Account", "Region", "Since", "Ready", "Message")
    text = table(headings, rows, width=width, whole=("Why", "Process"))
    more = f"More: add --after {shlex.quote(document['next'])}." if document["next"] else ""
    return "".join(f"\n\n{part}" for part in (text, more) if part)


def _proposals(waiting: Sequence[JsonMap]) -> Iterator[str]:
    """The proposals that wait for a decision, or to be executed, with the command for those that the reader may
    approve."""
    for one in waiting:
        yield ""
        yield (
            f"proposal {one['number']}: {one['command']} {one['process']}, by {one['proposed_by']}, since "
            f"{short_time(one['proposed'])}"
        )
        if one["comment"]:
            yield f"  {one['comment']}"
        if one["state"] == ProposalState.APPROVED:
            yield f"  {not_executed(one)}"
            continue
        yield f"  {more_approvals(one)} needed{not_yours(one)}"
        if not one["why_not"]:
            yield f"  tenuto approve {one['number']}"


def more_approvals(one: JsonMap) -> str:
    """The approvals that a proposal still needs, as a count."""
    return f"{one['needed']} more approval{'' if one['needed'] == 1 else 's'}"


def not_executed(one: JsonMap) -> str:
    """The end of a sentence about an approved proposal: why its plan waits, and how it is executed."""
    return (
        f"approved, and its plan is not executed yet: a job of process {one['process']} was at work. Once no job is "
        f"('tenuto status {one['process']}'), 'tenuto approve {one['number']}' executes it, until "
        f"{short_time(one['expires'])}; nothing does that by itself."
    )


def not_yours(one: JsonMap) -> str:
    """The part of a sentence that says why the reader may not approve a proposal; empty where the reader may."""
    return f"; not yours: {one['why_not']}" if one["why_not"] else ""


def render_resources(document: JsonMap) -> str:
    """The tree of the resources of a process."""
    width = terminal_width()
    rows = [
        (
            f"{'  ' * one['depth']}{one['logical_id']}",
            one["type"].removeprefix("AWS::"),
            one["state"] or "",
            one["status"],
            one["id"] or "",
            message_cell(one["message"] or "", width),
        )
        for one in document["resources"]
    ]
    headings = ("Resource", "Type", "State", "Status", "Id", "Message")
    text = table(headings, rows, width=width, whole=("State", "Status", "Id"))
    more = f"\n\nMore: give --after {document['next']}." if document["next"] else ""
    return (text or "No resources.") + more


def render_properties(document: JsonMap) -> str:
    """One resource, property by property: drift first, with the differences."""
    return "\n".join(_properties(document))


def _properties(document: JsonMap) -> Iterator[str]:
    source = document["source"]
    place = f", {source['file']}:{source['line']}" if source else ""
    name = f"{document['logical_id']} ({document['type']}) [{document['id'] or 'no id yet'}]"
    yield f"{name}: {document['status']}{place}"
    seen = short_time(document["observed_at"])
    yield f"Live values are of the sweep at {seen}." if seen else "No sweep has shown it yet."
    rows = [
        (
            one["path"],
            one["verdict"],
            value_text(one["declared"]) if one["is_declared"] else "",
            value_text(one["live"]) if one["is_live"] else "",
            one["note"] or "",
        )
        for one in document["properties"]
    ]
    yield ""
    headings = ("Property", "Verdict", "Declared", "Live", "Note")
    shown = table(headings, rows, width=terminal_width(), whole=("Property", "Verdict"), has_blocks=True)
    yield shown or "No properties."
    for one in document["properties"]:
        if one["difference"]:
            yield ""
            yield from one["difference"]


def render_timeline(document: JsonMap) -> str:
    width = terminal_width()
    rows = []
    for one in document["entries"]:
        healed = "" if one["healed_s"] is None else f"healed in {one['healed_s']} s"
        parts = (healed, one["summary"], one["message"])
        rows.append(
            (
                short_time(one["at"]),
                one["kind"],
                one["resource"] or one["title"],
                one["status"],
                one["actor"] or "",
                message_cell("; ".join(part for part in parts if part), width),
            )
        )
    text = table(("Time", "What", "About", "Status", "Actor", "Message"), rows, width=width)
    more = f"\n\nOlder: 'tenuto history {document['alias'] or document['fid']} --timeline --end {document['next']}'."
    return (text or "Nothing happened in that time.") + (more if document["next"] else "")


def render_rates(document: JsonMap) -> str:
    """Rates, and below them the age of each sweep."""
    width = terminal_width()
    rates = [
        (
            one["api"],
            one["account"],
            one["region"],
            f"{one['level']:g}" + (f" of {one['burst']:g}" if one["burst"] else ""),
            f"{one['pace']:.0%}",
            short_time(one["slowed_at"]),
        )
        for one in document["rates"]
    ]
    sweeps = [
        (
            one["source"],
            one["account"],
            one["region"],
            str(one["things"]),
            _age(one),
            message_cell(one["failure"] or "", width),
        )
        for one in document["sweeps"]
    ]
    first = table(("API", "Account", "Region", "Left", "Pace", "Slowed down"), rates, width=width)
    second = table(("Sweep", "Account", "Region", "Things", "Last", "Failure"), sweeps, width=width)
    return "\n\n".join((first or "No call to a provider was counted yet.", second or "No sweep was done yet."))


def _age(sweep: JsonMap) -> str:
    if sweep["is_idle"]:
        return "idle"
    return "" if sweep["age_s"] is None else f"{duration_text(sweep['age_s'])} ago"


def render_phase_objects(document: JsonMap) -> str:
    width = terminal_width()
    rows = [
        (
            one["status"],
            f"{one['process'] or one['fid'] or ''} / {one['logical_id']}",
            one["type"].removeprefix("AWS::"),
            short_time(one["since"]),
            f"{one['attempt']}, run {one['runs']}",
            message_cell(one["message"] or "", width),
        )
        for one in document["objects"]
    ]
    causes = [
        (
            one["status"],
            f"{one['count']:,}",
            _those(one),
            short_time(one["since"]),
            one["key"],
            message_cell(one["code"] if not one["message"] else one["message"], width)
            if one["code"] or one["message"]
            else "",
        )
        for one in document["causes"]
    ]
    parts = (
        table(("Status", "Objects", "Processes", "Since", "Cause", "Message"), causes, width=width),
        f"Objects of a cause: 'tenuto phases {document['phase']} --cause KEY'." if causes else "",
        table(("Status", "Resource", "Type", "Since", "Attempt", "Message"), rows, width=width),
        f"More: the same command with '--after {document['next']}'." if document["next"] else "",
    )
    return "\n\n".join(part for part in parts if part) or f"No object waits in {document['phase']}."


def _those(cause: JsonMap) -> str:
    """The processes of a cause: the first by its name, the others by their number."""
    names = [str(one["name"] or one["fid"]) for one in cause["processes"]]
    if not names:
        return ""
    others = cause["process_count"] - 1
    return names[0] + (f" and {others} more" if others else "")


def render_findings(document: JsonMap) -> str:
    rows = [
        (
            one["kind"],
            one["name"],
            one["process"] or "",
            one["type"],
            one["state"] or "",
            one["id"],
            short_time(one["at"]),
        )
        for one in document["findings"]
    ]
    text = table(("What", "Name", "Process", "Type", "State", "Id", "Time"), rows, width=terminal_width())
    message = filled(document["message"], terminal_width()) if document["message"] else ""
    return "\n\n".join(part for part in (text, message) if part)


def render_sessions(document: JsonMap) -> str:
    rows = [(one["id"], one["user"], short_time(one["made"]), short_time(one["seen"])) for one in document["sessions"]]
    return table(("Session", "User", "Signed in", "Seen"), rows, width=terminal_width()) or "There are no sessions."


def _counts(counts: JsonMap) -> str:
    return f"{counts['ready']} of {counts['total']}"
