"""`tenuto namespace key …`: secrets of programs that act in one namespace."""

import click

from tenuto.cli.client.target import find_conductor
from tenuto.cli.options.groups import CommandGroup, group
from tenuto.cli.options.option_times import parse_duration
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import name_argument, pass_session, yes_option
from tenuto.cli.processes.asking import ask_about
from tenuto.cli.terminal.output_forms import listed
from tenuto.cli.terminal.session import Session
from tenuto.cli.terminal.tables import table
from tenuto.cli.terminal.terminal import terminal_width
from tenuto.cli.terminal.times import short_time
from tenuto.model.ids import JsonMap


@make_command("add", "tenuto namespace key add red ci --commands run,update,questions --expires 90d")
@name_argument("namespace", "namespace")
@click.argument("name", metavar="KEY")
@click.option(
    "--commands",
    required=True,
    metavar="COMMAND,…",
    help="The commands that it may give in the namespace, as in a policy: also questions, and all.",
)
@click.option(
    "--expires", callback=parse_duration, metavar="TIME", help="Its end: seconds, or 12h, 90d. Without it: none."
)
@yes_option
@pass_session
def add(session: Session, namespace: str, name: str, commands: str, expires: float | None) -> None:
    """Make a key of a namespace, and print its secret.

    The secret is told once and kept nowhere. A program gives it in TENUTO_SECRET and acts as NAMESPACE/KEY: it has the
    rights that the key was made for, in this namespace, and no others.
    """
    client = find_conductor(session.settings)
    words = [one.strip() for one in commands.split(",") if one.strip()]
    ask_about(
        session, client, f"Make the key {name} of the namespace {namespace}, for {', '.join(words)}?", *_keys(namespace)
    )
    body: JsonMap = {"name": name, "commands": words}
    if expires is not None:
        body = {**body, "expires_s": int(expires)}
    session.emit(client.post(*_keys(namespace), body=body), lambda found: str(found["secret"]))


@make_command("list", "tenuto namespace key list red", names=listed("keys", "name"))
@name_argument("namespace", "namespace")
@pass_session
def list_(session: Session, namespace: str) -> None:
    """Show the keys of a namespace, without their secrets."""

    def render(document: JsonMap) -> str:
        rows = [
            (
                one["name"],
                ", ".join(one["commands"]),
                short_time(one["created"]),
                one["created_by"],
                ("expired " if one["expired"] else "") + short_time(one["expires"]) if one["expires"] else "never",
            )
            for one in document["keys"]
        ]
        headings = ("Key", "Commands", "Made", "By", "Expires")
        none = f"The namespace {namespace} has no keys. 'tenuto namespace key add' makes one."
        return table(headings, rows, width=terminal_width()) or none

    session.emit(find_conductor(session.settings).get(*_keys(namespace)), render)


@make_command("delete", "tenuto namespace key delete red ci")
@name_argument("namespace", "namespace")
@click.argument("name", metavar="KEY")
@yes_option
@pass_session
def delete(session: Session, namespace: str, name: str) -> None:
    """Delete a key of a namespace. Its holder cannot act from this moment on."""
    client = find_conductor(session.settings)
    ask_about(session, client, f"Delete the key {name} of the namespace {namespace}?", *_keys(namespace))
    document = client.delete(*_keys(namespace), name)
    session.emit(document, lambda _: f"The key {namespace}/{name} is deleted.")


def _keys(namespace: str) -> tuple[str, ...]:
    return "namespaces", namespace, "keys"


def key_group() -> CommandGroup:
    """Make the group of commands about keys."""
    return group("key", "Let programs act in a namespace, and end that.", add, list_, delete)
