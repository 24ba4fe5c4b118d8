"""`tenuto user …`: the people and programs that a policy names."""

from pathlib import Path

import click

from tenuto.cli.client.target import find_conductor
from tenuto.cli.commands.user_token import command as token
from tenuto.cli.options.files import NewFile
from tenuto.cli.options.groups import group
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import name_argument, pass_session, yes_option
from tenuto.cli.processes.asking import ask_about_user
from tenuto.cli.render.access import render_me, render_users
from tenuto.cli.render.insights import render_sessions
from tenuto.cli.terminal.output_forms import listed, shown
from tenuto.cli.terminal.session import Session
from tenuto.service.access.own_secret import Credentials, save_credentials


@make_command("list", "tenuto user list", names=listed("users", "name"))
@pass_session
def list_users(session: Session) -> None:
    """Show the users of the policy.

    One without a secret is not enabled, and cannot act.
    """
    session.emit(find_conductor(session.settings).get("users"), render_users)


@make_command("generate-secret", "tenuto user generate-secret ann")
@name_argument("user", "user")
@click.option(
    "-o",
    "--output",
    type=NewFile(),
    metavar="FILE",
    help="Write a credentials file for the user, for your eyes only, instead of printing the secret.",
)
@yes_option
@pass_session
def generate_secret(session: Session, user: str, output: Path | None) -> None:
    """Make a secret for a user, and revoke any earlier one.

    It is told once and kept nowhere. The user gives it in TENUTO_SECRET, with the URL in TENUTO_URL; or names a file
    written with -o in TENUTO_CREDENTIALS.
    """
    client = find_conductor(session.settings)
    over = f" and overwrite {output}" if output is not None and output.exists() else ""
    ask_about_user(session, client, f"Make a secret for {user}, and revoke any earlier one{over}?", user)
    document = client.post("users", user, "secret")
    if output is None:
        session.emit(document, lambda found: str(found["secret"]))
        return
    save_credentials(output, Credentials(url=client.url, secret=document["secret"]))
    told = f"Wrote {output}. Hand it to {user}, who names it in TENUTO_CREDENTIALS."
    session.emit({"user": user, "file": str(output)}, lambda _: told)


@make_command("revoke", "tenuto user revoke ann")
@name_argument("user", "user")
@yes_option
@pass_session
def revoke(session: Session, user: str) -> None:
    """Revoke the secret of a user, who cannot act any more."""
    client = find_conductor(session.settings)
    ask_about_user(session, client, f"Revoke the secret of {user}?", user)
    document = client.delete("users", user, "secret")
    session.emit(
        document, lambda found: f"The secret of {user} is revoked." if found["revoked"] else f"{user} had no secret."
    )


@make_command("sessions", "tenuto user sessions", names=listed("sessions", "id"))
@pass_session
def sessions(session: Session) -> None:
    """Show your open sessions in browsers; the owner sees those of all users."""
    session.emit(find_conductor(session.settings).get("sessions"), render_sessions)


@make_command("end-session", "tenuto user end-session 4f2a")
@name_argument("session_id", "session", metavar="SESSION")
@pass_session
def end_session(session: Session, session_id: str) -> None:
    """End a session of a browser, which must sign in again."""
    client = find_conductor(session.settings)
    session.emit(client.delete("sessions", session_id), lambda found: f"Session {found['ended']} is over.")


@make_command("whoami", "tenuto user whoami", names=shown("name"))
@pass_session
def whoami(session: Session) -> None:
    """Show who you are to the Conductor, and your rights."""
    session.emit(find_conductor(session.settings).get("me"), render_me)


command = group(
    "user",
    "Give users secrets, and take them back.",
    list_users,
    generate_secret,
    revoke,
    token,
    whoami,
    sessions,
    end_session,
)
