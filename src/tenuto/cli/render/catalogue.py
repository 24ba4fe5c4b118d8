"""Text for people about nodes, phases and the properties of a process."""

from tenuto.cli.terminal.tables import table
from tenuto.cli.terminal.terminal import terminal_width
from tenuto.cli.terminal.times import short_time
from tenuto.model.ids import JsonMap


def render_phases(document: JsonMap) -> str:
    headings = ("Phase", "Activity", "Objects", "States", "Types", "Provider", "After", "Description")
    rows = [
        (
            one["name"],
            one["activity"] if one["loaded"] else "no plugin",
            ", ".join(f"{count} {status}" for status, count in one["counts"].items() if count),
            ", ".join(one["states"]),
            ", ".join(one["types"]),
            one["provider"] or "",
            ", ".join(one["dependencies"]),
            " ".join(part for part in (one["description"], _upkeep(one)) if part),
        )
        for one in document["phases"]
    ]
    shown = table(headings, rows, width=terminal_width()) or "No phases are loaded."
    unloaded = [one["message"] for one in document["phases"] if not one["loaded"]]
    notes = unloaded + [text for one in document["phases"] for text in one.get("warnings", ())]
    return "\n".join([shown, *([""] if notes else []), *notes])


def _upkeep(one: JsonMap) -> str:
    """The interval of an upkeep phase, and how many objects it fails for."""
    if one.get("every_s") is None:
        return ""
    failing = f", {one['failing']} failing" if one["failing"] else ""
    return f"(upkeep every {one['every_s']:g} s{failing})"


def render_reload(document: JsonMap) -> str:
    lines = [
        f"{heading}: {', '.join(document[key]) or 'none'}"
        for heading, key in (("Loaded", "loaded"), ("Unchanged", "kept"), ("Removed", "removed"))
        if document[key] or key == "loaded"
    ]
    refused = [f"Refused: {reason}" for reason in document["refused"]]
    if refused:
        refused.append("What was refused has changed nothing: only plugins that were loaded before are in force.")
    return "\n".join([*lines, *refused])


def render_nodes(document: JsonMap) -> str:
    headings = ("Node", "State", "Since", "Leads", "Checked in", "Version")
    rows = [
        (
            one["name"],
            one["state"],
            short_time(one["since"]),
            f"epoch {one['epoch']}" if one["leads"] else "",
            short_time(one["checked_in"]),
            one["version"] or "",
        )
        for one in document["nodes"]
    ]
    clocks = [
        f"{one['name']}, {short_time(one['clock']['at'])}: {one['clock']['message']}"
        for one in document["nodes"]
        if one["clock"]
    ]
    shown = table(headings, rows, width=terminal_width()) or "No Conductor has checked in yet."
    return "\n".join([shown, *([""] if clocks else []), *clocks])


def render_properties(document: JsonMap) -> str:
    """All properties of a process, a line each."""
    until = {"enforcement_until": document.get("enforcement_until")}
    rows = [
        (key, render_property({key: value} | (until if key == "enforcement" else {})))
        for key, value in document.items()
        if key not in ("fid", "enforcement_until")
    ]
    return table(("Property", "Value"), rows, width=terminal_width())


def render_property(document: JsonMap) -> str:
    """Return the property's value, taken from an answer that also holds the FID."""
    [value] = [value for key, value in document.items() if key not in ("fid", "enforcement_until")]
    if isinstance(value, bool):
        until = document.get("enforcement_until")
        return "on" if value else f"off until {short_time(until)}" if until else "off"
    return str(value or "")
