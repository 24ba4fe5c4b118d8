"""`tenuto apply FILE -a ALIAS`."""

from pathlib import Path

import click

from tenuto.cli.client.client import Client
from tenuto.cli.client.target import find_conductor
from tenuto.cli.compositions.compiling import Source, compile_for, compile_options, submission
from tenuto.cli.compositions.in_turn import Ready, Turns
from tenuto.cli.compositions.parameters import keep_parameters_option, parameters_file_option, with_parameters
from tenuto.cli.compositions.placing import place_text, placed_beside
from tenuto.cli.compositions.protection import locked, locking
from tenuto.cli.compositions.stacks import Part, check_place, parts_of, tell_stack
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import dry_run_options, import_option, pass_session, wait_option, yes_option
from tenuto.cli.processes.agreeing import Wish, agree
from tenuto.cli.processes.following import show_plan, take
from tenuto.cli.processes.plan_files import rehearsal
from tenuto.cli.processes.proposing import check_propose, propose_options, proposed, show_proposal, with_reason
from tenuto.cli.processes.waiting import Goal
from tenuto.cli.terminal.session import Session
from tenuto.model.ids import JsonMap


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
    which is locked where the stack has termination protection. An error in any of them is found before the first is
    sent.
    --propose proposes an update of the process of that alias, which must be there.
    """
    more = bool(dry_run or wait is not None or session.plan_file)
    check_propose(propose=propose, message=message, reason=reason, more=more)
    if propose and adopts:
        raise click.UsageError("--import adopts at once, and --propose carries nothing out: use one of them.")
    if alias is None and not source.file.is_dir():
        raise click.UsageError("Missing option '-a' / '--alias'.")
    client = find_conductor(session.settings)
    turns = Turns(
        session=session,
        given=source,
        parts=parts_of(session, with_parameters(source, parameters_file, keeps=keeps_parameters), alias=alias),
        done="proposed" if propose else "applied",
        is_dry_run=dry_run,
        is_waiting=wait is not None,
        is_repeatable=not propose,
    )

    def send(one: Ready) -> JsonMap:
        name = one.part.alias(alias) or ""
        if propose:
            return proposed(client, name, "update", submission(one.compiled), message)
        return _sent(session, client, one, name, adopts, dry_run, reason)

    def follow(answer: JsonMap) -> int:
        if propose:
            return show_proposal(session, answer)
        if dry_run:
            return show_plan(session, answer, detailed=detailed_exitcode)
        return take(session, client, answer, Goal.CONVERGED, wait)

    return turns.take(
        lambda part: _compiled(session, client, part, part.alias(alias) or "", asks=not dry_run), send, follow
    )


def _compiled(session: Session, client: Client, part: Part, alias: str, *, asks: bool) -> Ready:
    """The composition of a part, compiled for where it goes, and its source there."""
    source = placed_beside(client, part.source, alias)
    check_place(part, source)
    compiled = compile_for(session, client, source, asks=asks)
    tell_stack(session, part, compiled, alias)
    return Ready(part=part, source=source, compiled=compiled)


def _sent(
    session: Session, client: Client, ready: Ready, alias: str, adopts: bool, dry_run: bool, reason: str | None
) -> JsonMap:
    """The plan of a dry run, or else the process."""
    part, source, compiled = ready.part, ready.source, ready.compiled
    body = {**submission(compiled, account=source.account), **locking(part), "import": adopts}
    if dry_run:
        return client.put("processes", alias, body={**body, **rehearsal(session)})
    place = place_text(source, compiled.composition.region)
    wish = Wish(
        question=f"Apply {source.file} as {alias} in {place}",
        name=alias,
        body=with_reason(body, reason),
        send=lambda body: client.put("processes", alias, body=body),
        is_stored=True,
    )
    return locked(session, client, part, agree(session, client, wish))
