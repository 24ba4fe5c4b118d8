"""`tenuto notification …`."""

from pathlib import Path
from typing import Any

import click

from tenuto.cli.client.target import find_conductor
from tenuto.cli.options.files import ExistingFile
from tenuto.cli.options.groups import group
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import names_of, pass_session, yes_option
from tenuto.cli.processes.asking import ask_about
from tenuto.cli.terminal.exits import CommandEnd, Exit
from tenuto.cli.terminal.output_forms import listed
from tenuto.cli.terminal.session import Session
from tenuto.cli.terminal.tables import shortened, table
from tenuto.cli.terminal.terminal import terminal_width
from tenuto.cli.terminal.times import short_time
from tenuto.errors import UserError
from tenuto.model.ids import JsonMap

_PATH = "notifications"
_LONGEST_SECRET = 1000


@make_command(
    "add",
    "tenuto notification add chat --webhook https://chat.example.com/hook --process 'web-*'",
    "tenuto notification add team --webhook https://hooks.example.com/services/x --format slack",
    "tenuto notification add topic --topic arn:aws:sns:eu-west-1:111122223333:tenuto",
)
@click.argument("name")
@click.option("--webhook", metavar="URL", help="POST each event, signed, to this URL: https, or http on this machine.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["json", "slack", "teams"]),
    help="With --webhook: a message of a chat in place of the document of the event.",
)
@click.option("--topic", metavar="ARN", help="Publish each event on this SNS topic.")
@click.option("--account", help="The account by which the topic is reached; default: the Conductor's own.")
@click.option("--type", "types", multiple=True, help="A type of events, such as process.state; may be repeated.")
@click.option("--process", "processes", multiple=True, metavar="ALIAS|FID", help="Only of these; 'web-*' fits many.")
@click.option("--of-account", "accounts", multiple=True, metavar="ACCOUNT", help="Only of processes in this account.")
@click.option("--tries", type=click.IntRange(1, 50), help="Give up after so many (default 15: a good hour).")
@click.option(
    "--secret-file",
    type=ExistingFile(allow_dash=True),
    help="A file with the secret that requests are signed with; default: one is made and shown once.",
)
@yes_option
@pass_session
def add(
    session: Session,
    name: str,
    webhook: str | None,
    form: str | None,
    topic: str | None,
    account: str | None,
    types: tuple[str, ...],
    processes: tuple[str, ...],
    accounts: tuple[str, ...],
    tries: int | None,
    secret_file: Path | None,
) -> None:
    """Tell a webhook or a topic of events from now on.

    By default: each job that changed something, or suspended its process. Programs on the Conductor's machine are named
    when it is started, with 'tenuto conductor --notify-command'.
    """
    if (webhook is None) == (topic is None):
        raise click.UsageError("Say --webhook URL or --topic ARN.")
    client = find_conductor(session.settings)
    session.confirm(f"Tell {webhook or topic} of events as {name!r}?")
    body: dict[str, Any] = {
        "name": name,
        "url": webhook,
        "format": form,
        "topic": topic,
        "account": account,
        "types": list(types),
        "processes": list(processes),
        "accounts": list(accounts),
        "tries": tries,
        "secret": _secret_in(secret_file) if secret_file else None,
    }
    document = client.post(_PATH, body={key: value for key, value in body.items() if value is not None})
    session.emit(document, _render_added)


@make_command("list", "tenuto notification list", names=listed("notifications", "name"))
@pass_session
def list_(session: Session) -> None:
    """Show who is told, and how much has not arrived."""
    session.emit(find_conductor(session.settings).get(_PATH), _render_list)


@make_command("remove", "tenuto notification remove chat")
@click.argument("name", shell_complete=names_of("notifications"))
@yes_option
@pass_session
def remove(session: Session, name: str) -> None:
    """Tell it nothing any more, and throw away the events that have not arrived."""
    client = find_conductor(session.settings)
    question = f"Remove the notification {name!r} with everything that has not arrived?"
    ask_about(session, client, question, _PATH, name, "dead")
    session.emit(client.delete(_PATH, name), lambda document: f"Removed the notification {document['name']}.")


@make_command("test", "tenuto notification test chat")
@click.argument("name", shell_complete=names_of("notifications"))
@pass_session
def test(session: Session, name: str) -> None:
    """Send a made-up event now, and tell whether it arrived.

    Exit code 1 when it did not. Nothing is tried again, and nothing that waits is touched.
    """
    document = find_conductor(session.settings).post(_PATH, name, "test")
    if not document["delivered"]:
        why = document["error"].rstrip(".")
        raise CommandEnd(Exit.FAILED, f"The test event was not delivered: {why}.", dict(document))
    session.emit(document, lambda _: f"Test event delivered ({document['id']}).")


@make_command("dead", "tenuto notification dead chat", names=listed("dead", "number", "id"))
@click.argument("name", shell_complete=names_of("notifications"))
@pass_session
def dead(session: Session, name: str) -> None:
    """Show the events that were given up, with the last error.

    With --json, with the documents that were to be sent.
    """
    session.emit(find_conductor(session.settings).get(_PATH, name, "dead"), _render_dead)


@make_command("redeliver", "tenuto notification redeliver chat")
@click.argument("name", shell_complete=names_of("notifications"))
@click.argument("events", metavar="[EVENT]...", nargs=-1)
@yes_option
@pass_session
def redeliver(session: Session, name: str, events: tuple[str, ...]) -> None:
    """Try the dead events again: the named ones, or all.

    Their tries are counted from the beginning.
    """
    client = find_conductor(session.settings)
    question = f"Deliver {', '.join(events) or 'all dead events'} of the notification {name!r} again?"
    ask_about(session, client, question, _PATH, name, "dead")
    document = client.post(_PATH, name, "redeliver", body={"events": list(events)})
    session.emit(document, _render_redelivered)


command = group(
    "notification",
    "Tell webhooks, topics and programs what happens.",
    add,
    list_,
    remove,
    test,
    dead,
    redeliver,
)


def _secret_in(path: Path) -> str:
    with click.open_file(str(path), encoding="utf-8") as file:
        text = str(file.read(_LONGEST_SECRET)).strip()
    if not text:
        raise UserError(f"The file {path} holds no secret.")
    return text


def _render_added(document: JsonMap) -> str:
    told = f"Notification {document['name']} added: {', '.join(document['types'])} events go to {document['place']}."
    if document["trouble"]:
        told += f"\nNothing arrives there yet: {document['trouble'].removesuffix('.')}."
    if "secret" not in document:
        return told
    return f"{told}\nIts requests are signed with this secret, which is not shown again:\n{document['secret']}"


def _render_list(document: JsonMap) -> str:
    rows = [
        (
            one["name"],
            one["kind"],
            one["place"],
            ", ".join(one["types"]),
            ", ".join(one["processes"]),
            ", ".join(one["accounts"]),
            str(one["waiting"] or ""),
            str(one["dead"] or ""),
            one["trouble"] if one["reachable"] else "not set up here",
        )
        for one in document["notifications"]
    ]
    headings = ("Name", "Kind", "Place", "Events", "Processes", "Accounts", "Waiting", "Dead", "Note")
    nothing = "No notification is configured. 'tenuto notification add' adds one."
    return table(headings, rows, width=terminal_width()) or nothing


def _render_dead(document: JsonMap) -> str:
    rows = [
        (
            one["id"],
            one["type"],
            short_time(one["at"]),
            one["process"] or "",
            str(one["tries"]),
            shortened(one["error"]),
        )
        for one in document["dead"]
    ]
    headings = ("Event", "Type", "Time", "Process", "Tries", "Last error")
    return table(headings, rows, width=terminal_width()) or "Nothing was given up."


def _render_redelivered(document: JsonMap) -> str:
    count = len(document["redelivered"])
    return f"{count} event{'' if count == 1 else 's'} will be delivered again." if count else "Nothing was given up."
