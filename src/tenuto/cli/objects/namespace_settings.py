"""`tenuto namespace trust` and `limits`: the readers of a namespace's artifacts, and the bounds of its content."""

import click

from tenuto.cli.client.target import find_conductor
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import name_argument, pairs, pass_session, yes_option
from tenuto.cli.processes.asking import ask_about
from tenuto.cli.terminal.session import Session
from tenuto.cli.terminal.tables import table
from tenuto.cli.terminal.terminal import terminal_width
from tenuto.errors import UserError
from tenuto.model.ids import JsonMap


@make_command("trust", "tenuto namespace trust red blue", "tenuto namespace trust red blue --remove")
@name_argument("namespace", "namespace")
@click.argument("other", metavar="OTHER", required=False)
@click.option("--remove", is_flag=True, help="End the trust.")
@yes_option
@pass_session
def trust(session: Session, namespace: str, other: str | None, remove: bool) -> None:
    """Let another namespace see and use the artifacts of this one.

    Without OTHER, show the namespaces that it trusts. The end of a trust counts at once; machines and labels that were
    made keep their contents. Every namespace trusts system.
    """
    client = find_conductor(session.settings)
    path = ("namespaces", namespace, "trust")
    if other is None:
        if remove:
            raise UserError("Name the namespace that is not to be trusted any more.")
        session.emit(client.get(*path), _render_trust)
        return
    question = (
        f"Let {other} see the artifacts of {namespace} no more?"
        if remove
        else (f"Let {other} see and use the artifacts of {namespace}?")
    )
    ask_about(session, client, question, *path)
    session.emit(client.post(*path, body={"other": other, "trusted": not remove}), _render_trust)


@make_command(
    "limits", "tenuto namespace limits red", "tenuto namespace limits red instances=10 blob_bytes=50000000000"
)
@name_argument("namespace", "namespace")
@click.argument("given", nargs=-1, metavar="[THING=MOST]...", callback=pairs)
@yes_option
@pass_session
def limits(session: Session, namespace: str, given: dict[str, str]) -> None:
    """Limit the things in a namespace, or show its limits and their use.

    MOST is a whole number, or 'none' for no limit. Objects beyond a new limit stay; a request for more is refused.
    """
    client = find_conductor(session.settings)
    path = ("namespaces", namespace, "limits")
    if not given:
        session.emit(client.get(*path), _render_limits)
        return
    ask_about(session, client, f"Change the limits of the namespace {namespace}?", *path)
    values = {name: _most(name, text) for name, text in given.items()}
    session.emit(client.post(*path, body={"limits": values}), _render_limits)


def _most(name: str, text: str) -> int | None:
    if text == "none":
        return None
    if not text.isdecimal() or len(text) > 18:
        raise UserError(f"The limit of {name} must be a whole number from 0 on, or 'none'.")
    return int(text)


def _render_trust(document: JsonMap) -> str:
    trusted = document["trusted"]
    whom = f"{', '.join(trusted)} and system" if trusted else "system and no other namespace"
    return f"{document['namespace']} trusts {whom}."


def _render_limits(document: JsonMap) -> str:
    rows = [
        (one["thing"], f"{one['used']:,}", f"{one['most']:,}" if one["most"] is not None else "none", one["summary"])
        for one in document["limits"]
    ]
    return table(("Thing", "Used", "Most", "Meaning"), rows, width=terminal_width())
