"""`tenuto local COMMAND`."""

import click

from tenuto.cli.options.groups import group
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import pass_session
from tenuto.cli.terminal.output_forms import listed
from tenuto.cli.terminal.session import Session
from tenuto.cli.terminal.tables import table
from tenuto.cli.terminal.terminal import terminal_width
from tenuto.model.ids import JsonMap

_DATABASE = click.option("--database", help="The database file of the Conductor (TENUTO_DATABASE).")
_ZONE = click.option("--zone", help="The zone of the host, where several have one of this name.")
_SILENT = "does not answer"


@make_command("list", "tenuto local list", names=listed("things", "id"))
@_DATABASE
@pass_session
def _list(session: Session, database: str | None) -> None:
    """Show the simulated hosts, and everything on them."""
    from tenuto.bootstrap.tools.local_hosts import list_hosts

    session.emit(list_hosts(database or session.settings.database), _render_list)


@make_command("stop", "tenuto local stop 5b1f")
@click.argument("thing", metavar="ID")
@_DATABASE
@pass_session
def _stop(session: Session, thing: str, database: str | None) -> None:
    """End a machine behind the Conductor's back, as a crash would.

    ID is the id of the machine, or its beginning. The Conductor starts the machine again.
    """
    from tenuto.bootstrap.tools.local_hosts import stop_machine

    session.emit(stop_machine(database or session.settings.database, thing), _render_thing)


@make_command("break", "tenuto local break 5b1f 'the NAT rule is missing'")
@click.argument("thing", metavar="ID")
@click.argument("what", metavar="TEXT")
@_DATABASE
@pass_session
def _break(session: Session, thing: str, what: str, database: str | None) -> None:
    """Let a thing differ on its host from the order of the Conductor.

    TEXT is the state that its host will report. The Conductor orders the thing anew.
    """
    from tenuto.bootstrap.tools.local_hosts import break_thing

    session.emit(break_thing(database or session.settings.database, thing, what), _render_thing)


@make_command("delete", "tenuto local delete 5b1f")
@click.argument("thing", metavar="ID")
@_DATABASE
@pass_session
def _delete(session: Session, thing: str, database: str | None) -> None:
    """Remove a thing from its host, with everything in it."""
    from tenuto.bootstrap.tools.local_hosts import destroy_thing, find_thing

    file = database or session.settings.database
    found = find_thing(file, thing)
    session.confirm(f"Remove {found['id']} ({found['type']}) from {found['host']}?")
    session.emit(destroy_thing(file, thing), _render_thing)


@make_command("unplug", "tenuto local unplug h2")
@click.argument("host", metavar="HOST")
@_ZONE
@_DATABASE
@pass_session
def _unplug(session: Session, host: str, zone: str | None, database: str | None) -> None:
    """Let a host fall silent. Nothing is concluded about the things on it until it answers again."""
    from tenuto.bootstrap.tools.local_hosts import set_host

    session.emit(set_host(database or session.settings.database, host, zone, is_up=False), _render_host)


@make_command("plug", "tenuto local plug h2")
@click.argument("host", metavar="HOST")
@_ZONE
@_DATABASE
@pass_session
def _plug(session: Session, host: str, zone: str | None, database: str | None) -> None:
    """Let a host answer again."""
    from tenuto.bootstrap.tools.local_hosts import set_host

    session.emit(set_host(database or session.settings.database, host, zone, is_up=True), _render_host)


def _render_list(document: JsonMap) -> str:
    hosts = [
        (
            one["name"],
            one["zone"],
            "answers" if one["up"] else _SILENT,
            str(one["machines"]),
            str(one["cores"]),
            str(one["memory_mib"]),
        )
        for one in document["hosts"]
    ]
    things = [
        (
            one["id"][:8],
            one["type"].rpartition("::")[2],
            one["account"],
            one["resource"] or "",
            one["host"],
            _state(one),
        )
        for one in document["things"]
    ]
    width = terminal_width()
    parts = (
        table(("Host", "Zone", "State", "Machines", "Cores", "MiB"), hosts, width=width),
        table(("Id", "Type", "Account", "Resource", "Host", "State"), things, width=width),
    )
    return "\n\n".join(part for part in parts if part) or "There are no simulated hosts yet."


def _state(thing: JsonMap) -> str:
    deviations = (thing["properties"].get("Deviations") or {}).values()
    told = [text for texts in deviations for text in texts]
    return thing["message"] or ", ".join(told) or str(thing["properties"].get("PowerState", "as ordered"))


def _render_thing(document: JsonMap) -> str:
    what = _state(document) if document["exists"] else "is removed from its host"
    return f"{document['id']} ({document['type']}) on {document['host']}: {what}"


def _render_host(document: JsonMap) -> str:
    return f"The host {document['name']} of {document['zone']} {'answers' if document['up'] else _SILENT}."


command = group(
    "local",
    "Act on the simulated hosts of the local cloud behind the Conductor's back.",
    _list,
    _stop,
    _break,
    _delete,
    _unplug,
    _plug,
)
