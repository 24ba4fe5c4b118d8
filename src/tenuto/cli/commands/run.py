"""`tenuto run FILE`."""

from pathlib import Path

import click

from tenuto.cli.client.client import Client
from tenuto.cli.client.target import find_conductor
from tenuto.cli.compositions.compiling import Source, compile_for, compile_options, submission
from tenuto.cli.compositions.in_turn import Ready, Turns
from tenuto.cli.compositions.parameters import parameters_file_option, with_parameters
from tenuto.cli.compositions.placing import place_text, placed
from tenuto.cli.compositions.protection import locked, locking
from tenuto.cli.compositions.stacks import Part, check_place, parts_of, tell_stack
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import dry_run_options, import_option, pass_session, wait_option, yes_option
from tenuto.cli.processes.agreeing import Wish, agree
from tenuto.cli.processes.following import show_plan, take
from tenuto.cli.processes.plan_files import rehearsal
from tenuto.cli.processes.waiting import Goal
from tenuto.cli.terminal.session import Session
from tenuto.model.ids import JsonMap


@make_command(
    "run",
    "tenuto run vpc.yaml -a vpc --wait",
    "tenuto run vpc.yaml --region eu-west-1 --parameter Stage=test --dry-run",
    "tenuto run existing.yaml -a old --import",
    "tenuto run cdk.out --stack Prod/Web -a trial --dry-run",
    "tenuto run shop/shop.yaml -a shop --import --only-adopt --enforcement off",
)
@compile_options
@click.option("-a", "--alias", help="A name for the process, unique among live ones.")
@import_option
@click.option("--only-adopt", is_flag=True, help="With --import: refuse a plan that does more than adopt.")
@click.option("--enforcement", type=click.Choice(["on", "off"]), default="on", help="off: only watch, for now.")
@parameters_file_option
@dry_run_options
@wait_option
@yes_option
@pass_session
def command(
    session: Session,
    source: Source,
    alias: str | None,
    adopts: bool,
    only_adopt: bool,
    enforcement: str,
    parameters_file: Path | None,
    dry_run: bool,
    detailed_exitcode: bool,
    wait: float | None,
) -> int:
    """Run a composition as a new process.

    Compiles FILE and asks the Conductor to run it. Running twice makes two processes; 'apply' does not.

    With --import, a resource with 'Metadata: {Tenuto: {ResourceIdentifier: ID}}' is not made: the existing thing with
    that id is adopted, and held to the composition from then on. The plan is shown before anything is done. With
    --only-adopt, a plan that does more is refused, and each difference is named; the plan that was judged is executed
    exactly.

    FILE may also be the folder of an assembly of the CDK: each of its stacks becomes a process with the name of the
    stack, in the order in which they need each other. With --wait, each one is waited for before the next. An error in
    any of them is found before the first is sent. Where a later one fails, 'apply' goes on. A stack with termination
    protection makes a locked process.
    """
    if only_adopt and not adopts:
        raise click.UsageError("--only-adopt goes with --import.")
    _check_alias(alias)
    client = find_conductor(session.settings)
    asked: JsonMap = {"import": adopts, "only_adopt": only_adopt, "unenforced": enforcement == "off"}
    turns = Turns(
        session=session,
        given=source,
        parts=parts_of(session, with_parameters(source, parameters_file), alias=alias),
        is_dry_run=dry_run,
        is_waiting=wait is not None,
    )
    return turns.take(
        lambda part: _compiled(session, client, part, part.alias(alias), asks=not dry_run),
        lambda one: _sent(session, client, one, one.part.alias(alias), asked, dry_run),
        lambda answer: _followed(session, client, answer, dry_run, detailed_exitcode, wait),
    )


def _check_alias(alias: str | None) -> None:
    """Raise UserError for a name that cannot be one, before the values of parameters are asked for."""
    from tenuto.service.intake.aliases import check_alias  # Help does not wait for the values of processes.

    if alias is not None:
        check_alias(alias)


def _compiled(session: Session, client: Client, part: Part, alias: str | None, *, asks: bool) -> Ready:
    source = placed(client, part.source)
    check_place(part, source)
    compiled = compile_for(session, client, source, asks=asks)
    tell_stack(session, part, compiled, alias)
    return Ready(part=part, source=source, compiled=compiled)


def _sent(session: Session, client: Client, ready: Ready, alias: str | None, asked: JsonMap, dry_run: bool) -> JsonMap:
    """The plan of a dry run, or else the process."""
    part, source, compiled = ready.part, ready.source, ready.compiled
    body = {**submission(compiled, alias=alias, account=source.account), **locking(part), **asked}
    if dry_run:
        return client.post("processes", body={**body, **rehearsal(session)})
    place = place_text(source, compiled.composition.region)
    named = f" as {alias}" if alias else ""
    wish = Wish(
        question=f"Run {source.file}{named} in {place}",
        name=alias or str(source.file),
        body=body,
        send=lambda body: client.post("processes", body=body),
        is_stored=True,
    )
    return locked(session, client, part, agree(session, client, wish))


def _followed(
    session: Session, client: Client, answer: JsonMap, dry_run: bool, detailed_exitcode: bool, wait: float | None
) -> int:
    if dry_run:
        return show_plan(session, answer, detailed=detailed_exitcode)
    return take(session, client, answer, Goal.CONVERGED, wait)
