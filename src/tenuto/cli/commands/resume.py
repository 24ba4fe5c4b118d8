"""`tenuto resume PROCESS`."""

from tenuto.cli.following import show_plan, take
from tenuto.cli.options import command as make_command
from tenuto.cli.options import dry_run_options, pass_session, process_argument, wait_option, yes_option
from tenuto.cli.session import Session
from tenuto.cli.target import find_conductor
from tenuto.cli.waiting import Goal


@make_command("resume")
@process_argument
@dry_run_options
@wait_option
@yes_option
@pass_session
def command(session: Session, process: str, dry_run: bool, detailed_exitcode: bool, wait: float | None) -> int:
    """Start the jobs of a process again.

    Clears failed phases, approves a held plan, reverts what drifted meanwhile, and cancels a paused kill: what it had
    deleted is built again.
    """
    client = find_conductor(session.settings)
    if dry_run:
        plan = client.post("processes", process, "resume", body={"dry_run": True})
        return show_plan(session, plan, detailed=detailed_exitcode)
    session.confirm(f"Resume process {process}?")
    return take(session, client, client.post("processes", process, "resume"), Goal.CONVERGED, wait)
