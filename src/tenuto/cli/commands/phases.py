"""`tenuto phases`, and `tenuto phases reload`."""

import click

from tenuto.cli.options import command as make_command
from tenuto.cli.options import pass_session
from tenuto.cli.output_forms import either, listed
from tenuto.cli.render_catalogue import render_phases, render_reload
from tenuto.cli.render_insights import render_phase_objects
from tenuto.cli.session import Session
from tenuto.cli.target import find_conductor

_RELOAD = "reload"


@make_command(
    "phases",
    "tenuto phases",
    "tenuto phases resource.create",
    "tenuto phases reload",
    names=either("phases", listed("phases", "name"), listed("objects", "id")),
)
@click.argument("act", required=False, metavar="[PHASE|reload]")
@pass_session
def command(session: Session, act: str | None) -> None:
    """Show the loaded phases and their activity.

    Of one phase: the objects that it still has to do with, the failed ones first, then the oldest.

    And those that resources wait in although their plugin is not loaded ("no plugin"), with what to do.

    'phases reload' has the Conductor read its plugin folders again, with the modules that plugins import from there.
    A run under way ends with the code that it began with, and the next run has the new code. A plugin that cannot be
    loaded is named with the reason, and the one before it stays in force. Packages of plugins need a restart.
    """
    client = find_conductor(session.settings)
    if act == _RELOAD:
        session.emit(client.post("phases", "reload"), render_reload)
    elif act:
        session.emit(client.get("phases", act), render_phase_objects)
    else:
        session.emit(client.get("phases"), render_phases)
