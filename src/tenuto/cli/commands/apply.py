"""`tenuto apply FILE -a ALIAS`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tenuto.cli.client.client import Client
from tenuto.cli.client.target import find_conductor
from tenuto.cli.compositions.compiling import Source, compile_for, compile_options, submission
from tenuto.cli.compositions.parameters import keep_parameters_option, parameters_file_option, with_parameters
from tenuto.cli.compositions.placing import place_text, placed_beside
from tenuto.cli.compositions.protection import locked, locking
from tenuto.cli.compositions.stacks import Part, check_place, each, parts_of, tell_stack
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import dry_run_options, import_option, pass_session, wait_option, yes_option
from tenuto.cli.processes.agreeing import Wish, agree
from tenuto.cli.processes.following import show_plan, take
from tenuto.cli.processes.plan_files import rehearsal
from tenuto.cli.processes.proposing import check_propose, propose_options, with_reason
from tenuto.cli.processes.proposing import propose as send_proposal
from tenuto.cli.processes.waiting import Goal
from tenuto.cli.terminal.exits import Exit
from tenuto.cli.terminal.session import Session

if TYPE_CHECKING:
    from tenuto.compositions.compile import Compiled


@make_command("apply", "tenuto apply vpc.yaml -a vpc --wait", "tenuto apply cdk.out --wait")
@compile_options
@click.option("-a", "--alias", help="The process to update, or the name of a new one; of a stack of the CDK, its name.")
@import_option
@parameters_file_option
@keep_parameters_option
@dry_run_options
@wait_option
@propose_options
@yes_option
@pass_session
def command(
    session: Session,
    source: Source,
    alias: str | None,
    adopts: bool,
    parameters_file: Path | None,
    keeps_parameters: bool,
    dry_run: bool,
    detailed_exitcode: bool,
    wait: float | None,
    propose: bool,
    message: str | None,
    reason: str | None,
) -> int:
    """Run a composition, or update the process of that alias.

    Idempotent: the same composition again changes nothing. With --import, a resource with
    'Metadata: {Tenuto: {ResourceIdentifier: ID}}' is adopted when it is new, as by 'run --import', and the plan is
    shown before anything is done.

    FILE may also be the folder of an assembly of the CDK: each of its stacks is applied to the process with its name,
    which is locked where the stack has termination protection.
    --propose proposes an update of the process of that alias, which must be there.
    """
    more = bool(dry_run or wait is not None or session.plan_file)
    check_propose(propose=propose, message=message, reason=reason, more=more)
    if propose and adopts:
        raise click.UsageError("--import adopts at once, and --propose carries nothing out: use one of them.")
    if alias is None and not source.file.is_dir():
        raise click.UsageError("Missing option '-a' / '--alias'.")
    client = find_conductor(session.settings)
    parts = parts_of(session, with_parameters(source, parameters_file, keeps=keeps_parameters), alias=alias)
    if propose:
        return each(parts, lambda part: _propose(session, client, part, part.alias(alias) or "", message))
    return each(
        parts,
        lambda part: _apply(
            session, client, part, part.alias(alias) or "", adopts, dry_run, detailed_exitcode, wait, reason
        ),
    )


def _compiled(session: Session, client: Client, part: Part, alias: str, *, asks: bool) -> tuple[Source, "Compiled"]:
    """The composition of a part, compiled for where it goes, and its source there."""
    source = placed_beside(client, part.source, alias)
    check_place(part, source)
    compiled = compile_for(session, client, source, asks=asks)
    tell_stack(session, part, compiled, alias)
    return source, compiled


def _propose(session: Session, client: Client, part: Part, alias: str, message: str | None) -> int:
    _, compiled = _compiled(session, client, part, alias, asks=True)
    send_proposal(session, client, alias, "update", submission(compiled), message)
    return Exit.DONE


def _apply(
    session: Session,
    client: Client,
    part: Part,
    alias: str,
    adopts: bool,
    dry_run: bool,
    detailed_exitcode: bool,
    wait: float | None,
    reason: str | None,
) -> int:
    source, compiled = _compiled(session, client, part, alias, asks=not dry_run)
    body = {**submission(compiled, account=source.account), **locking(part), "import": adopts}
    place = place_text(source, compiled.composition.region)
    if dry_run:
        plan = client.put("processes", alias, body={**body, **rehearsal(session)})
        return show_plan(session, plan, detailed=detailed_exitcode)
    wish = Wish(
        question=f"Apply {source.file} as {alias} in {place}",
        name=alias,
        body=with_reason(body, reason),
        send=lambda body: client.put("processes", alias, body=body),
        is_stored=True,
    )
    return take(session, client, locked(session, client, part, agree(session, client, wish)), Goal.CONVERGED, wait)
