"""`tenuto kill PROCESS`."""

from pathlib import Path

from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import (
    dry_run_options,
    pass_session,
    plan_option,
    process_argument,
    wait_option,
    yes_option,
)
from tenuto.cli.processes.giving import Ways, give
from tenuto.cli.processes.proposing import propose_options
from tenuto.cli.processes.waiting import Goal
from tenuto.cli.terminal.session import Session


@make_command("kill", "tenuto kill vpc --dry-run", "tenuto kill vpc --wait")
@process_argument
@dry_run_options
@plan_option
@wait_option
@propose_options
@yes_option
@pass_session
def command(
    session: Session,
    process: str,
    dry_run: bool,
    detailed_exitcode: bool,
    plan: Path | None,
    wait: float | None,
    propose: bool,
    message: str | None,
    reason: str | None,
) -> int:
    """Delete the resources of a process, and the process.

    Only its own resources, in the order of their dependencies. It can be paused with 'suspend', and then cancelled with
    'resume'; once it is done, the process cannot be restored.
    """
    ways = Ways(
        dry_run=dry_run,
        detailed=detailed_exitcode,
        plan=plan,
        wait=wait,
        propose=propose,
        message=message,
        reason=reason,
    )
    question = f"Kill process {process} and delete its resources"
    return give(session, process, "kill", question=question, goal=Goal.GONE, ways=ways)
