"""`tenuto phases`, and `tenuto phases reload`."""

import click

from tenuto.cli.client.target import find_conductor
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import pass_session
from tenuto.cli.render.catalogue import render_phases, render_reload
from tenuto.cli.render.insights import render_phase_objects
from tenuto.cli.terminal.exits import Exit
from tenuto.cli.terminal.output_forms import Form, either, listed
from tenuto.cli.terminal.session import Session

_RELOAD = "reload"


@make_command(
    "phases",
    "tenuto phases",
    "tenuto phases resource.create",
    "tenuto phases resource.create --status Failed --all",
    "tenuto phases reload",
    names=either("phases", listed("phases", "name"), listed("objects", "id")),
)
@click.argument("act", required=False, metavar="[PHASE|reload]")
@click.option("--status", metavar="STATUS", help="Only objects of this status, such as Failed.")
@click.option("--cause", metavar="KEY", help="Only objects of this cause.")
@click.option("--all", "is_all", is_flag=True, help="Each object as a row, also those that share a cause.")
@click.option("--after", metavar="KEY", help="The page after this key, which the page before ended with.")
@pass_session
def command(
    session: Session, act: str | None, status: str | None, cause: str | None, is_all: bool, after: str | None
) -> Exit:
    """Show the loaded phases and their activity.

    Of one phase: the objects that it still has to do with, the failed ones first, then the oldest. More than five that
    wait or failed for one reason are told as one cause; '--cause KEY' lists them.

    And those that resources wait in although their plugin is not loaded ("no plugin"), with advice. A phase for a type
    or a provider that this Conductor does not know is told below the table.

    'phases reload' has the Conductor read its plugin folders again, with the modules that plugins import from there.
    A run under way ends with the code that it began with, and the next run has the new code. A plugin that cannot be
    loaded is named with the reason, the one before it stays in force, and the exit code is 1. Packages of plugins need
    a restart.
    """
    if (not act or act == _RELOAD) and (status or cause or is_all or after):
        raise click.UsageError("--status, --cause, --all and --after choose among the objects of one phase: name it.")
    client = find_conductor(session.settings)
    if act == _RELOAD:
        document = client.post("phases", "reload")
        session.emit(document, render_reload)
        return Exit.FAILED if document["refused"] else Exit.DONE
    if act:
        # A program that asks for a document or for names gets every object.
        is_grouped = not (is_all or session.is_json or session.form is Form.NAME)
        chosen = {"status": status, "cause": cause, "after": after, "grouped": "true" if is_grouped else None}
        session.emit(client.get("phases", act, **chosen), render_phase_objects)
    else:
        session.emit(client.get("phases"), render_phases)
    return Exit.DONE
