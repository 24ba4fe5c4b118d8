"""`tenuto apply FILE -a ALIAS`."""

import click

from tenuto.cli.agreeing import Wish, agree
from tenuto.cli.compiling import Source, compile_for, compile_options, submission
from tenuto.cli.following import show_plan, take
from tenuto.cli.options import command as make_command
from tenuto.cli.options import dry_run_options, import_option, pass_session, wait_option, yes_option
from tenuto.cli.placing import place_text, placed_beside
from tenuto.cli.plan_files import rehearsal
from tenuto.cli.session import Session
from tenuto.cli.target import find_conductor
from tenuto.cli.waiting import Goal


@make_command("apply", "tenuto apply vpc.yaml -a vpc --wait")
@compile_options
@click.option("-a", "--alias", required=True, help="The process to update, or the name of a new one.")
@import_option
@dry_run_options
@wait_option
@yes_option
@pass_session
def command(
    session: Session,
    source: Source,
    alias: str,
    adopts: bool,
    dry_run: bool,
    detailed_exitcode: bool,
    wait: float | None,
) -> int:
    """Run a composition, or update the process of that alias.

    Idempotent: the same composition again changes nothing. With --import, a resource with
    'Metadata: {Tenuto: {ResourceIdentifier: ID}}' is adopted when it is new, as by 'run --import', and the plan is
    shown before anything is done.
    """
    client = find_conductor(session.settings)
    source = placed_beside(client, source, alias)
    compiled = compile_for(session, client, source, asks=not dry_run)
    body = {**submission(compiled, account=source.account), "import": adopts}
    place = place_text(source, compiled.composition.region)
    if dry_run:
        plan = client.put("processes", alias, body={**body, **rehearsal(session)})
        return show_plan(session, plan, detailed=detailed_exitcode)
    wish = Wish(
        question=f"Apply {source.file} as {alias} in {place}",
        name=alias,
        body=body,
        send=lambda body: client.put("processes", alias, body=body),
        is_stored=True,
    )
    return take(session, client, agree(session, client, wish), Goal.CONVERGED, wait)
