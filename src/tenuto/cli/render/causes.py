"""The processes that one cause suspended, as text for people."""

import shlex
from collections.abc import Iterator

from tenuto.cli.terminal.tables import filled, shortened, table
from tenuto.cli.terminal.terminal import terminal_width
from tenuto.model.ids import JsonMap

_MOST_NAMES = 3
"""The number of names in a message; the table has each."""


def render_causes(document: JsonMap) -> str:
    """The processes that are resumed, or would be, and those that are left out, with why."""
    return "\n".join(_lines(document))


def _lines(document: JsonMap) -> Iterator[str]:
    found = document["processes"]
    verb = "is resumed" if document["resumed"] else "would be resumed"
    if found:
        rows = [
            (
                one["alias"] or one["fid"],
                one["account"],
                one["region"],
                verb,
                ", ".join(one["causes"]),
                "" if document["resumed"] else shortened(one["last_message"] or ""),
            )
            for one in found
        ]
        headings = ("Process", "Account", "Region", "What", "Cause", "Last message")
        yield table(headings, rows, width=terminal_width())
    else:
        yield f"No process {verb}."
    if document["left_out"]:
        yield ""
        yield "Left out:"
        yield from (f"  {one['alias'] or one['fid']}: {one['why']}" for one in document["left_out"])
    if document["hidden"]:
        yield f"Left out, too: {document['hidden']} that you may neither resume nor see."


def causes_of_list(processes: list[JsonMap]) -> str:
    """Return, for each cause of suspended processes, their names and the command that resumes them; or nothing."""
    suspended: dict[str, list[str]] = {}
    for one in processes:
        for cause in one.get("causes", ()) if one.get("resume_by_cause") else ():
            suspended.setdefault(cause, []).append(one["alias"] or one["fid"])
    width = terminal_width()
    return "\n".join(filled(_told(cause, names), width) for cause, names in sorted(suspended.items()))


def _told(cause: str, names: list[str]) -> str:
    rest = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    whom = "it" if len(names) == 1 else "them"
    some = ", ".join(names[:_MOST_NAMES])
    command = f"tenuto resume --cause {shlex.quote(cause)}"
    return f"{cause} suspended {some}{rest}. Once the cause is removed, '{command}' resumes {whom}."
