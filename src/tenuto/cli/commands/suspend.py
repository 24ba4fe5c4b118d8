"""`tenuto suspend PROCESS`."""

from tenuto.cli.options import command as make_command
from tenuto.cli.options import pass_session, process_argument, yes_option
from tenuto.cli.render_process import render_process_row
from tenuto.cli.session import Session
from tenuto.cli.target import find_conductor


@make_command("suspend", "tenuto suspend vpc")
@process_argument
@yes_option
@pass_session
def command(session: Session, process: str) -> None:
    """Stop the jobs of a process.

    Nothing is made, changed, deleted or enforced until 'resume'. Suspending a kill pauses it.
    """
    client = find_conductor(session.settings)
    session.confirm(f"Suspend process {process}?")
    session.emit(client.post("processes", process, "suspend"), render_process_row)
