"""`tenuto nodes`."""

from tenuto.cli.options import command as make_command
from tenuto.cli.options import pass_session
from tenuto.cli.output_forms import listed
from tenuto.cli.render_catalogue import render_nodes
from tenuto.cli.session import Session
from tenuto.cli.target import find_conductor


@make_command("nodes", "tenuto nodes", names=listed("nodes", "name"))
@pass_session
def command(session: Session) -> None:
    """Show the Conductor nodes and their states.

    Which of them leads, and when each last checked in: one that leads does so by renewing its lease. One that was to
    check in and did not is missing. Lines below the table tell of nodes whose system clock was set while the Conductor
    ran, or was behind when it started.
    """
    session.emit(find_conductor(session.settings).get("nodes"), render_nodes)
