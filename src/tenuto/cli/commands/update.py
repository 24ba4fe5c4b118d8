"""`tenuto update PROCESS FILE`."""

from pathlib import Path

import click

from tenuto.cli.client.target import find_conductor
from tenuto.cli.compositions.compiling import Source, compile_for, optional_compile_options, submission
from tenuto.cli.compositions.parameters import keep_parameters_option, parameters_file_option, with_parameters
from tenuto.cli.compositions.placing import placed, placed_like
from tenuto.cli.compositions.protection import locked
from tenuto.cli.compositions.stacks import check_place, part_of, tell_stack
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import (
    dry_run_options,
    pass_session,
    plan_option,
    process_argument,
    wait_option,
    yes_option,
)
from tenuto.cli.processes.agreeing import Wish, agree
from tenuto.cli.processes.following import show_plan, take
from tenuto.cli.processes.plan_files import execute, rehearsal
from tenuto.cli.processes.proposing import check_propose, propose_options, with_reason
from tenuto.cli.processes.proposing import propose as send_proposal
from tenuto.cli.processes.waiting import Goal
from tenuto.cli.terminal.exits import Exit
from tenuto.cli.terminal.session import Session


@make_command(
    "update", "tenuto update vpc vpc.yaml --dry-run -o plan.json", "tenuto update vpc --plan plan.json --wait"
)
@process_argument
@optional_compile_options
@parameters_file_option
@keep_parameters_option
@dry_run_options
@plan_option
@wait_option
@propose_options
@yes_option
@pass_session
def command(
    session: Session,
    process: str,
    source: Source | None,
    parameters_file: Path | None,
    keeps_parameters: bool,
    dry_run: bool,
    detailed_exitcode: bool,
    plan: Path | None,
    wait: float | None,
    propose: bool,
    message: str | None,
    reason: str | None,
) -> int:
    """Give a process another composition.

    The next job applies it; a Suspended process applies it when it is resumed. Without --region, FILE is compiled for
    the region of the process. --plan takes the place of FILE: the composition is in it.

    A parameter that is not given has its default again. --keep-parameters keeps the values of the process instead.
    """
    if (source is None) == (plan is None):
        raise click.UsageError("Give a composition FILE, or a saved plan with --plan, and not both.")
    more = bool(dry_run or plan or wait is not None or session.plan_file)
    check_propose(propose=propose, message=message, reason=reason, more=more)
    client = find_conductor(session.settings)
    if source is None:
        assert plan is not None
        return take(session, client, execute(session, client, process, plan, "update", reason), Goal.CONVERGED, wait)
    place, account = client.get("processes", process), source.account
    part = part_of(session, with_parameters(source, parameters_file, keeps=keeps_parameters))
    source = placed(client, placed_like(part.source, place))
    check_place(part, source)
    compiled = compile_for(session, client, source, asks=not dry_run)
    tell_stack(session, part, compiled, process)
    if propose:
        send_proposal(session, client, process, "update", submission(compiled), message)
        return Exit.DONE
    body = submission(compiled, account=account)
    if dry_run:
        planned = client.post("processes", process, "update", body={**body, **rehearsal(session)})
        return show_plan(session, planned, detailed=detailed_exitcode)
    wish = Wish(
        question=f"Update process {process} with {source.file}",
        name=process,
        body=with_reason(body, reason),
        send=lambda body: client.post("processes", process, "update", body=body),
        is_stored=True,
    )
    return take(session, client, locked(session, client, part, agree(session, client, wish)), Goal.CONVERGED, wait)
