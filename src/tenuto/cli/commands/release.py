"""`tenuto release PROCESS`."""

from pathlib import Path

import click

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


@make_command("release", "tenuto release vpc --dry-run", "tenuto release vpc --keep-tags")
@process_argument
@click.option("--keep-tags", is_flag=True, help="Leave the ownership tags on the resources.")
@dry_run_options
@plan_option
@wait_option
@propose_options
@yes_option
@pass_session
def command(
    session: Session,
    process: str,
    keep_tags: bool,
    dry_run: bool,
    detailed_exitcode: bool,
    plan: Path | None,
    wait: float | None,
    propose: bool,
    message: str | None,
    reason: str | None,
) -> int:
    """End a process and leave its resources as they are.

    Only the ownership tags are taken off them. The process cannot be restored, but its history stays readable, and
    'import' and 'run --import' make a new process of the resources that it left.
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
    question = f"Release process {process}, and manage its resources no longer"
    body = {"keep_tags": keep_tags}
    return give(session, process, "release", question=question, goal=Goal.RELEASED, ways=ways, body=body)
