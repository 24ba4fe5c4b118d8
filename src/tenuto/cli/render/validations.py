"""Rules as text for people."""

from tenuto.cli.terminal.tables import shortened, table
from tenuto.cli.terminal.terminal import terminal_width
from tenuto.cli.terminal.times import short_time
from tenuto.model.ids import JsonMap

_KEYS = ("name", "description", "applies_to", "expression", "message", "hint", "severity")


def render_validations(document: JsonMap) -> str:
    rows = [
        (
            one["name"],
            one["applies_to"],
            one["severity"],
            shortened(one["message"]),
            short_time(one["added"]),
            one["added_by"],
        )
        for one in document["validations"]
    ]
    headings = ("Name", "Applies to", "Severity", "Message", "Added", "By")
    return table(headings, rows, width=terminal_width()) or "There are no rules: any composition may run."


def render_validation(document: JsonMap) -> str:
    """A document that can be added again."""
    lines = [f"# added {document['added']} by {document['added_by']}"]
    for key in _KEYS:
        text = document[key]
        if "\n" in text or any(sign in text for sign in "#:'\"!&*{}[]|>%@`"):
            lines += [f"{key}: |-", *(f"  {line}" for line in text.splitlines())]
        elif text:
            lines.append(f"{key}: {text}")
    return "\n".join(lines)
