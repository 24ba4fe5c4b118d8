"""`tenuto suspend PROCESS`."""

from tenuto.cli.client.target import find_conductor
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import pass_session, process_argument, yes_option
from tenuto.cli.processes.asking import ask_about_process
from tenuto.cli.render.process import render_process_row
from tenuto.cli.terminal.session import Session


@make_command("suspend", "tenuto suspend vpc")
@process_argument
@yes_option
@pass_session
def command(session: Session, process: str) -> None:
    """Stop the jobs of a process.

    Nothing is made, changed, deleted or enforced until 'resume'. Suspending a kill pauses it.
    """
    client = find_conductor(session.settings)
    ask_about_process(session, client, f"Suspend process {process}?", process)
    session.emit(client.post("processes", process, "suspend"), render_process_row)
