"""`tenuto resume PROCESS`."""

from pathlib import Path

from tenuto.cli.following import show_plan, take
from tenuto.cli.options import command as make_command
from tenuto.cli.options import dry_run_options, pass_session, plan_option, process_argument, wait_option, yes_option
from tenuto.cli.plan_files import execute, rehearsal
from tenuto.cli.session import Session
from tenuto.cli.target import find_conductor
from tenuto.cli.waiting import Goal


@make_command("resume", "tenuto resume vpc --dry-run", "tenuto resume vpc --wait")
@process_argument
@dry_run_options
@plan_option
@wait_option
@yes_option
@pass_session
def command(
    session: Session, process: str, dry_run: bool, detailed_exitcode: bool, plan: Path | None, wait: float | None
) -> int:
    """Start the jobs of a process again.

    Clears failed phases, approves a held plan, reverts what drifted meanwhile, and cancels a paused kill: what it had
    deleted is built again.
    """
    client = find_conductor(session.settings)
    if dry_run:
        planned = client.post("processes", process, "resume", body=rehearsal(session))
        return show_plan(session, planned, detailed=detailed_exitcode)
    if plan is not None:
        return take(session, client, execute(session, client, process, plan, "resume"), Goal.CONVERGED, wait)
    session.confirm(f"Resume process {process}?")
    return take(session, client, client.post("processes", process, "resume"), Goal.CONVERGED, wait)
