"""`tenuto phases`."""

from tenuto.cli.options import command as make_command
from tenuto.cli.options import pass_session
from tenuto.cli.render_catalogue import render_phases
from tenuto.cli.session import Session
from tenuto.cli.target import find_conductor


@make_command("phases", "tenuto phases")
@pass_session
def command(session: Session) -> None:
    """Show the loaded phases and their activity.

    And those that resources wait in although their plugin is not loaded ("no plugin"), with what to do.
    """
    session.emit(find_conductor(session.settings).get("phases"), render_phases)
