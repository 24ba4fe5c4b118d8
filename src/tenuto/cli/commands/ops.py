"""`tenuto ops PROCESS`."""

from tenuto.cli.options import command as make_command
from tenuto.cli.options import limit_option, pass_session, process_argument, window_options
from tenuto.cli.output_forms import listed
from tenuto.cli.render_history import render_ops
from tenuto.cli.session import Session
from tenuto.cli.target import find_conductor


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
