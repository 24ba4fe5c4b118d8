"""`tenuto explain PROCESS [RESOURCE …]`."""

from tenuto.cli.client.target import find_conductor
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import pass_session, process_argument, resources_argument
from tenuto.cli.render.plan import render_explanation
from tenuto.cli.terminal.output_forms import keyed
from tenuto.cli.terminal.session import Session


@make_command("explain", "tenuto explain vpc", "tenuto explain vpc Nat", names=keyed("resources"))
@process_argument
@resources_argument
@pass_session
def command(session: Session, process: str, resources: tuple[str, ...]) -> None:
    """Tell why each resource is as it is.

    Each is shown with its state, the things that it waits for, its failure with the request, and the time of the next
    try.
    """
    client = find_conductor(session.settings)
    document = client.examine("processes", process, "explain", resources=",".join(resources) or None)
    session.emit(document, render_explanation)
