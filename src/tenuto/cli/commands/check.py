"""`tenuto check PROCESS`."""

from tenuto.cli.client.target import find_conductor
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import pass_session, process_argument
from tenuto.cli.terminal.session import Session
from tenuto.model.ids import JsonMap


@make_command("check", "tenuto check vpc")
@process_argument
@pass_session
def command(session: Session, process: str) -> None:
    """Have the Conductor look at a process now.

    It does not wait for the next period. Nothing else changes: drift is handled as it always is.
    """
    client = find_conductor(session.settings)
    session.emit(client.post("processes", process, "check"), _told)


def _told(document: JsonMap) -> str:
    name = document["alias"] or document["fid"]
    if document["state"] == "Suspended":
        return f"Process {name} is Suspended, and gets no jobs. 'tenuto plan {name}' sweeps, and shows what differs."
    return f"The Conductor looks at {name} now. 'tenuto status {name}' shows the result."
