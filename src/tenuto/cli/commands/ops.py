"""`tenuto ops PROCESS`."""

from tenuto.cli.client.target import find_conductor
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import limit_option, pass_session, process_argument, window_options
from tenuto.cli.render.history import render_ops
from tenuto.cli.terminal.output_forms import listed
from tenuto.cli.terminal.session import Session


@make_command(
    "ops", "tenuto ops vpc --start 30m", "tenuto ops vpc --limit 20", names=listed("ops", "request_id", "operation")
)
@process_argument
@window_options
@limit_option
@pass_session
def command(session: Session, process: str, start: str | None, end: str | None, limit: int | None) -> None:
    """Show the provider operations of a process.

    Every call that changed something, or tried to, with its request id, duration and result.
    """
    client = find_conductor(session.settings)
    session.emit(client.get("processes", process, "ops", start=start, end=end, limit=limit), render_ops)
