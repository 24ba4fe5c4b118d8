"""`tenuto apply FILE -a ALIAS`."""

import click

from tenuto.cli.compiling import Source, compile_for, compile_options, submission
from tenuto.cli.following import show_plan, take
from tenuto.cli.options import command as make_command
from tenuto.cli.options import dry_run_options, pass_session, wait_option, yes_option
from tenuto.cli.plan_files import rehearsal
from tenuto.cli.session import Session
from tenuto.cli.target import find_conductor
from tenuto.cli.waiting import Goal


@make_command("apply")
@compile_options
@click.option("-a", "--alias", required=True, help="The process to update, or the name of a new one.")
@dry_run_options
@wait_option
@yes_option
@pass_session
def command(
    session: Session,
    source: Source,
    alias: str,
    dry_run: bool,
    detailed_exitcode: bool,
    wait: float | None,
) -> int:
    """Run a composition, or update the process of that alias.

    Idempotent: the same composition again changes nothing.
    """
    client = find_conductor(session.settings)
    compiled = compile_for(session, client, source, asks=not dry_run)
    if dry_run:
        body = submission(compiled, account=source.account, **rehearsal(session))
        return show_plan(session, client.put("processes", alias, body=body), detailed=detailed_exitcode)
    session.confirm(f"Apply {source.file} as {alias} in region {compiled.composition.region}?")
    document = client.put("processes", alias, body=submission(compiled, account=source.account))
    return take(session, client, document, Goal.CONVERGED, wait)
