"""Policies, users and settings as text for people."""

from tenuto.cli.terminal.tables import table
from tenuto.cli.terminal.terminal import terminal_width
from tenuto.cli.terminal.times import short_time
from tenuto.model.ids import JsonMap


def render_policy(document: JsonMap) -> str:
    """The text itself, so that it can be kept as a file."""
    policy = document["policy"]
    return str(policy["text"]).rstrip("\n") if policy else "# There is no policy: only root may act."


def render_grants(document: JsonMap) -> str:
    rows = [
        (
            ", ".join(one["users"]),
            ", ".join(one["commands"]),
            ", ".join(one["accounts"]),
            "" if one["aliases"] is None else ", ".join(one["aliases"]),
        )
        for one in document["grants"]
    ]
    headings = ("Users", "Commands", "Accounts", "Aliases")
    return table(headings, rows, width=terminal_width()) or "It grants nothing."


def render_users(document: JsonMap) -> str:
    rows = [
        (
            one["name"],
            "yes" if one["enabled"] else "no",
            short_time(one["secret_created"]),
            one["secret_created_by"] or "",
        )
        for one in document["users"]
    ]
    headings = ("User", "Enabled", "Secret made", "By")
    return table(headings, rows, width=terminal_width()) or "There are no users: only root may act."


def render_me(document: JsonMap) -> str:
    name = document["name"]
    if document["root"]:
        return f"You are {name}, the owner of the Conductor, and may do everything."
    return f"You are {name}.\n\n{render_grants(document)}"


def render_revoked(document: JsonMap) -> str:
    gone = document["revoked"]
    return f" Revoked the secret{'' if len(gone) == 1 else 's'} of {', '.join(gone)}." if gone else ""


def render_runtime(document: JsonMap) -> str:
    rows = [
        (
            one["key"],
            one["value"],
            one["default"] if one["set_at"] else "",
            short_time(one["set_at"]),
            one["set_by"] or "",
            one["summary"],
        )
        for one in document["settings"]
    ]
    return table(("Key", "Value", "Default", "Changed", "By", "What"), rows, width=terminal_width())


def render_runtime_values(document: JsonMap) -> str:
    """The value alone of one key, `KEY VALUE` of several."""
    settings = document["settings"]
    if len(settings) == 1:
        return str(settings[0]["value"])
    return "\n".join(f"{one['key']} {one['value']}" for one in settings)
