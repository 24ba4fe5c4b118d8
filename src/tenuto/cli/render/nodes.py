"""Text for people about hosts."""

from tenuto.cli.terminal.tables import filled, table
from tenuto.cli.terminal.terminal import terminal_width
from tenuto.cli.terminal.times import duration_text, short_time
from tenuto.kit.sizes import gib_text
from tenuto.model.ids import JsonMap
from tenuto.service.views.host_text import remarks

_THERE = "created"
"""The state of a host that checks in."""
_DELETED = "deleted"
_LOST = "error"
"""The state of a host that was silent for so long that the things on it are given up."""
_NONE = "No host has joined yet ('tenuto node enroll'). Simulated hosts are there once something runs on them."


def render_hosts(document: JsonMap) -> str:
    headings = ("Node", "Zone", "State", "Since", "Driver", "Machines", "Memory", "Checked in", "Remark")
    rows = [
        (
            one["name"],
            one["zone"],
            one["state"],
            short_time(one["since"]),
            one["driver"] or "",
            str(one["machine_count"]),
            _memory(one),
            _heard(one),
            _remarks(one),
        )
        for one in document["hosts"]
    ]
    return table(headings, rows, width=terminal_width()) or _NONE


def render_host(document: JsonMap) -> str:
    lines = [
        f"{document['name']} of {document['zone']} is {_state(document)}"
        + (f" since {short_time(document['since'])}" if document["since"] else "")
        + (f". {_remark(document)}" if _remark(document) else "")
        + ".",
        f"Driver {document['driver'] or 'unknown'}, address {document['address'] or 'unknown'}, "
        f"{document['cores'] or 0} cores, memory {_memory(document)}, disk {_disk(document)}. "
        f"Checked in: {_heard(document) or 'never'}.",
    ]
    lines += [f"Trouble: {one}." for one in document["troubles"]]
    if document["accelerator"]:
        lines.append(f"Virtual machines run in {document['accelerator']}.")
    lines += remarks(document)
    machines = [
        (one["id"][:8], one["resource"], one["account"], one["state"], one["replace"]) for one in document["machines"]
    ]
    events = [
        (short_time(one["at"]), one["before"] or "", one["after"] or "", one["actor"], one["reason"] or "")
        for one in document["events"]
    ]
    width = terminal_width()
    parts = (
        "\n".join(filled(line, width) for line in lines),
        table(("Id", "Machine", "Account", "State", "Replace"), machines, width=width),
        table(("At", "From", "To", "By", "Reason"), events, width=width),
    )
    return "\n\n".join(part for part in parts if part)


def render_deleted(document: JsonMap) -> str:
    count = document["machines"]
    gone = f" {count} machine{'s are' if count != 1 else ' is'} gone with it." if count else ""
    return f"The host {document['name']} of {document['zone']} is deleted.{gone}"


def _state(one: JsonMap) -> str:
    return "in error" if one["state"] == _LOST else str(one["state"])


def _memory(one: JsonMap) -> str:
    return f"{gib_text(one['committed_mib'])}/{gib_text(one['memory_mib'] or 0)} GiB"


def _disk(one: JsonMap) -> str:
    return f"{one['committed_disk_gib']}/{one['disk_gib']} GiB" if one["disk_gib"] is not None else "not told"


def _heard(one: JsonMap) -> str:
    """The last check-in of a host: how long ago it was, and the moment of one that does not answer now.

    How long ago is not known where the clock of the Conductor went back since.
    """
    silent_s = one["silent_s"]
    if silent_s is None:
        return short_time(one["checked_in"])
    ago = f"{duration_text(silent_s)} ago"
    return ago if one["state"] == _THERE else f"{short_time(one['checked_in'])}, {ago}"


def _remark(one: JsonMap) -> str:
    if one["lost_at"]:
        return f"It counts as lost from {short_time(one['lost_at'])} on"
    if one["state"] == _LOST:
        return "It counts as lost"
    return "It gets nothing new (cordoned)" if one["cordoned"] and one["state"] != _DELETED else ""


def _remarks(one: JsonMap) -> str:
    """The remark of a list. A trouble is a long sentence, which the detail of the host tells."""
    trouble = f"in trouble ('tenuto node show {one['name']}')" if one["troubles"] else ""
    return "; ".join(part for part in (_remark(one), trouble) if part)


def render_probe(document: JsonMap) -> str:
    rows = [(one["driver"], "yes" if one["usable"] else "no", one["obstacle"] or "") for one in document["drivers"]]
    told = (f"{document['kvm']['told']}.", *document["warnings"])
    return "\n\n".join((table(("Driver", "Usable", "Why not"), rows, width=terminal_width()), *told))
