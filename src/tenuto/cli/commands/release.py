"""`tenuto release PROCESS`."""

from pathlib import Path

import click

from tenuto.cli.agreeing import Wish, agree
from tenuto.cli.exits import Exit
from tenuto.cli.following import show_plan, take
from tenuto.cli.options import command as make_command
from tenuto.cli.options import dry_run_options, pass_session, plan_option, process_argument, wait_option, yes_option
from tenuto.cli.plan_files import execute, rehearsal
from tenuto.cli.proposing import check_propose, propose_options
from tenuto.cli.proposing import propose as send_proposal
from tenuto.cli.session import Session
from tenuto.cli.target import find_conductor
from tenuto.cli.waiting import Goal


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
) -> int:
    """End a process and leave its resources as they are.

    Only the ownership tags are taken off them. The process cannot be restored, but its history stays readable, and
    'import' and 'run --import' make a new process of what it left.
    """
    check_propose(propose=propose, message=message, more=bool(dry_run or plan or wait is not None or session.plan_file))
    client = find_conductor(session.settings)
    body = {"keep_tags": keep_tags}
    if propose:
        send_proposal(session, client, process, "release", body, message)
        return Exit.DONE
    if dry_run:
        planned = client.post("processes", process, "release", body={**body, **rehearsal(session)})
        return show_plan(session, planned, detailed=detailed_exitcode)
    if plan is not None:
        return take(session, client, execute(session, client, process, plan, "release"), Goal.RELEASED, wait)
    wish = Wish(
        question=f"Release process {process}, and manage its resources no longer",
        name=process,
        body=body,
        send=lambda body: client.post("processes", process, "release", body=body),
        is_ending=True,
    )
    return take(session, client, agree(session, client, wish), Goal.RELEASED, wait)
