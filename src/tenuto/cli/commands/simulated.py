"""`tenuto simulated COMMAND`."""

import click

from tenuto.cli.options.groups import group
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import pass_session, yes_option
from tenuto.cli.terminal.output_forms import listed
from tenuto.cli.terminal.session import Session
from tenuto.cli.terminal.tables import table
from tenuto.cli.terminal.terminal import terminal_width
from tenuto.model.ids import Json, JsonMap
from tenuto.service.common.value_diff import value_text

_DATABASE = click.option("--database", help="The database file of the Conductor (TENUTO_DATABASE).")


@make_command("list", "tenuto simulated list", names=listed("things", "id"))
@_DATABASE
@pass_session
def _list(session: Session, database: str | None) -> None:
    """Show everything that exists in the simulated cloud."""
    from tenuto.bootstrap.tools.simulated_cloud import list_things

    found = list_things(database or session.settings.database)
    session.emit(found, lambda _: _render_list(found))


@make_command(
    "set",
    "tenuto simulated set net-1 Label other",
    "tenuto simulated set grp-1 Ingress '[]'",
    "tenuto simulated set net-1 Label",
)
@click.argument("thing", metavar="ID")
@click.argument("path", metavar="PROPERTY")
@click.argument("value", required=False)
@_DATABASE
@pass_session
def _set(session: Session, thing: str, path: str, value: str | None, database: str | None) -> None:
    """Change a property of a thing behind the Conductor's back.

    VALUE is JSON, or else a text; without it, the property is taken away. The Conductor finds the drift at its next
    refresh, and corrects it when a composition declares the property.
    """
    from tenuto.bootstrap.tools.simulated_cloud import change_thing

    done = change_thing(database or session.settings.database, thing, path, value)
    session.emit(done, lambda _: _render_change(done))


@make_command("delete", "tenuto simulated delete net-1")
@click.argument("thing", metavar="ID")
@_DATABASE
@yes_option
@pass_session
def _delete(session: Session, thing: str, database: str | None) -> None:
    """Delete a thing behind the Conductor's back, also one that is in use."""
    from tenuto.bootstrap.tools.simulated_cloud import delete_thing, find_thing

    file = database or session.settings.database
    find_thing(file, thing)
    session.confirm(f"Delete {thing} in the simulated cloud?")
    session.emit(delete_thing(file, thing), _render_deletion)


def _render_list(document: JsonMap) -> str:
    rows = [
        (one["id"], one["type"], one["account"], one["region"], one["resource"] or "", _text(one["properties"]))
        for one in document["things"]
    ]
    headings = ("Id", "Type", "Account", "Region", "Resource", "Properties")
    return table(headings, rows, width=terminal_width()) or "The simulated cloud is empty."


def _render_change(document: JsonMap) -> str:
    return f"{document['id']} {document['property']}: {_text(document['before'])} → {_text(document['after'])}"


def _render_deletion(document: JsonMap) -> str:
    return f"{document['id']} ({document['type']}) is deleted."


def _text(value: Json) -> str:
    """A value as JSON, which escapes its hidden characters. The document for people has them escaped already, and a
    second time they would look like a text that spells an escape."""
    return "nothing" if value is None else value_text(value, None)


command = group("simulated", "Change the simulated cloud behind the Conductor's back.", _list, _set, _delete)
