"""`tenuto kill PROCESS`."""

from pathlib import Path

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
) -> int:
    """Delete the resources of a process, and the process.

    Only its own resources, in the order of their dependencies. It can be paused with 'suspend', and then cancelled with
    'resume'; once it is done, the process cannot be restored.
    """
    check_propose(propose=propose, message=message, more=bool(dry_run or plan or wait is not None or session.plan_file))
    client = find_conductor(session.settings)
    if propose:
        send_proposal(session, client, process, "kill", {}, message)
        return Exit.DONE
    if dry_run:
        planned = client.post("processes", process, "kill", body=rehearsal(session))
        return show_plan(session, planned, detailed=detailed_exitcode)
    if plan is not None:
        return take(session, client, execute(session, client, process, plan, "kill"), Goal.GONE, wait)
    wish = Wish(
        question=f"Kill process {process} and delete its resources",
        name=process,
        body={},
        send=lambda body: client.post("processes", process, "kill", body=body),
        is_ending=True,
    )
    return take(session, client, agree(session, client, wish), Goal.GONE, wait)
