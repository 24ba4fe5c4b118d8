"""`tenuto nodes`."""

from tenuto.cli.client.target import find_conductor
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import pass_session
from tenuto.cli.render.catalogue import render_nodes
from tenuto.cli.terminal.output_forms import listed
from tenuto.cli.terminal.session import Session


@make_command("nodes", "tenuto nodes", names=listed("nodes", "name"))
@pass_session
def command(session: Session) -> None:
    """Show the Conductor nodes and their states.

    Which of them leads, and when each last checked in: one that leads does so by renewing its lease. One that was to
    check in and did not is missing. Lines below the table tell of nodes whose system clock was set while the Conductor
    ran, or was behind when it started, and of a retention that waits because the clock may be wrong.
    """
    session.emit(find_conductor(session.settings).get("nodes"), render_nodes)
