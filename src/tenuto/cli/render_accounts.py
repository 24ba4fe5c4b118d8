"""Accounts as text for people."""

from tenuto.cli.tables import table
from tenuto.cli.terminal import terminal_width
from tenuto.cli.times import short_time
from tenuto.model.ids import JsonMap


def render_accounts(document: JsonMap) -> str:
    headings = ("Name", "Account", "Access", "Region", "Processes")
    rows = [
        (one["name"], one["account_id"] or "", _way(one), one["region"] or "", str(one["processes"]))
        for one in document["accounts"]
    ]
    problems = [f"{one['name']}: {one['problem']}" for one in document["accounts"] if one["problem"]]
    return "\n\n".join((table(headings, rows, width=terminal_width()), *problems))


def render_account(document: JsonMap) -> str:
    lines = [
        ("Account", document["name"]),
        ("Id", document["account_id"] or "not known yet: 'tenuto account check' asks for it"),
        ("Access", _way(document)),
        ("Region", document["region"]),
        ("Processes", str(document["processes"])),
        ("Identity", document.get("arn")),
        ("Confirmed", short_time(document["confirmed"]) if document["confirmed"] else None),
        ("Problem", document["problem"]),
    ]
    return "\n".join(f"{name:<10}  {value}" for name, value in lines if value)


def _way(document: JsonMap) -> str:
    if document["profile"]:
        return f"the profile {document['profile']}"
    if document["role_arn"]:
        condition = ", with an external id" if document["external_id"] else ""
        return f"the role {document['role_arn']}, assumed from {document['source']}{condition}"
    return "the Conductor's own AWS settings"
