"""`tenuto user token …`: secrets that expire, and that may do less than their user."""

import click

from tenuto.cli.client.target import find_conductor
from tenuto.cli.options.groups import group
from tenuto.cli.options.option_times import parse_duration
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import name_argument, pass_session, yes_option
from tenuto.cli.processes.asking import ask_about_user
from tenuto.cli.terminal.output_forms import listed
from tenuto.cli.terminal.session import Session
from tenuto.cli.terminal.tables import table
from tenuto.cli.terminal.terminal import terminal_width
from tenuto.cli.terminal.times import duration_text, short_time
from tenuto.errors import NotFoundError
from tenuto.kit.nearest import meant
from tenuto.model.ids import JsonMap


@make_command("add", "tenuto user token add ann ci --expires 90d --only plan,status --accounts staging")
@name_argument("user", "user")
@click.argument("name")
@click.option("--expires", required=True, callback=parse_duration, metavar="TIME", help="For how long: 12h or 90d.")
@click.option("--only", metavar="COMMAND,…", help="Only these commands, of what the user may do.")
@click.option("--accounts", metavar="ACCOUNT,…", help="Only in these accounts, of those of the user.")
@yes_option
@pass_session
def add(session: Session, user: str, name: str, expires: float, only: str | None, accounts: str | None) -> None:
    """Make a token for a user, which is told once.

    It has the rights of the user, less those that --only and --accounts leave out, and none after its time. A user may
    have several, so that one can be changed while another is in use.
    """
    client = find_conductor(session.settings)
    ask_about_user(session, client, f"Make the token {name} for {user}, which ends in {duration_text(expires)}?", user)
    body = {"name": name, "seconds": int(expires), "commands": _words(only), "accounts": _words(accounts)}
    document = client.post("users", user, "tokens", body=body)
    session.emit(document, lambda found: str(found["secret"]))


@make_command("list", "tenuto user token list ann", names=listed("tokens", "name"))
@name_argument("user", "user")
@pass_session
def list_tokens(session: Session, user: str) -> None:
    """Show the tokens of a user, and when they end."""
    session.emit(find_conductor(session.settings).get("users", user, "tokens"), _render)


@make_command("revoke", "tenuto user token revoke ann ci")
@name_argument("user", "user")
@click.argument("name")
@yes_option
@pass_session
def revoke(session: Session, user: str, name: str) -> None:
    """End a token at once."""
    client = find_conductor(session.settings)
    if session.asks:
        names = [str(one["name"]) for one in client.get("users", user, "tokens")["tokens"]]
        if name not in names:
            raise NotFoundError(
                f"{user} has no token {name!r}.{meant(name, names)} 'tenuto user token list {user}' shows them."
            )
    session.confirm(f"Revoke the token {name} of {user}?")
    document = client.delete("users", user, "tokens", name)
    session.emit(document, lambda found: f"Token {found['name']} of {found['user']} is revoked.")


def _words(text: str | None) -> list[str]:
    return [one.strip() for one in (text or "").split(",") if one.strip()]


def _render(document: JsonMap) -> str:
    rows = [
        (
            one["name"],
            "expired" if one["expired"] else "valid",
            short_time(one["expires"]),
            short_time(one["used"]),
            ", ".join(one["commands"] or ["all of the user"]),
            ", ".join(one["accounts"] or ["all of the user"]),
            one["created_by"],
        )
        for one in document["tokens"]
    ]
    return (
        table(("Token", "State", "Until", "Last used", "Commands", "Accounts", "Made by"), rows, width=terminal_width())
        or "No tokens."
    )


command = group("token", "Give users tokens that expire, and take them back.", add, list_tokens, revoke)
