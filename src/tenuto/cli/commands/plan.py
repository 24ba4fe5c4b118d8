"""`tenuto plan PROCESS`."""

import click

from tenuto.cli.following import show_plan
from tenuto.cli.options import command as make_command
from tenuto.cli.options import full_option, pass_session, process_argument
from tenuto.cli.session import Session
from tenuto.cli.target import find_conductor


@make_command("plan", "tenuto plan vpc")
@process_argument
@full_option
@click.option("--detailed-exitcode", is_flag=True, help="Exit 10 when there are changes to be made.")
@pass_session
def command(session: Session, process: str, detailed_exitcode: bool) -> int:
    """Show what the next job of a process would do.

    And what it waits for, and why. Of a Suspended process: what it would do after 'resume'.
    """
    client = find_conductor(session.settings)
    return show_plan(session, client.examine("processes", process, "plan"), detailed=detailed_exitcode)
