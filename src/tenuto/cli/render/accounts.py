"""Accounts as text for people."""

from tenuto.cli.terminal.tables import table
from tenuto.cli.terminal.terminal import terminal_width
from tenuto.cli.terminal.times import short_time
from tenuto.model.ids import JsonMap


def render_accounts(document: JsonMap) -> str:
    headings = ("Name", "Account", "Access", "Region", "Processes")
    rows = [
        (one["name"], one["account_id"] or "", one["access"], one["region"] or "", str(one["processes"]))
        for one in document["accounts"]
    ]
    problems = [f"{one['name']}: {one['problem']}" for one in document["accounts"] if one["problem"]]
    return "\n\n".join((table(headings, rows, width=terminal_width()), *problems))


def render_account(document: JsonMap) -> str:
    lines = [
        ("Account", document["name"]),
        ("Id", document["account_id"] or "not known yet: 'tenuto account check' asks for it"),
        ("Provider", document["provider"]),
        ("Access", document["access"]),
        ("Region", document["region"]),
        ("Processes", str(document["processes"])),
        ("Identity", document.get("arn")),
        ("Confirmed", short_time(document["confirmed"]) if document["confirmed"] else None),
        ("Problem", document["problem"]),
    ]
    return "\n".join(f"{name:<10}  {value}" for name, value in lines if value)
