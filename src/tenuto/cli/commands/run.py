"""`tenuto run FILE`."""

import click

from tenuto.cli.compiling import Source, compile_for, compile_options, submission
from tenuto.cli.following import show_plan, take
from tenuto.cli.options import command as make_command
from tenuto.cli.options import dry_run_options, pass_session, wait_option, yes_option
from tenuto.cli.plan_files import rehearsal
from tenuto.cli.session import Session
from tenuto.cli.target import find_conductor
from tenuto.cli.waiting import Goal


@make_command("run")
@compile_options
@click.option("-a", "--alias", help="A name for the process, unique among live ones.")
@dry_run_options
@wait_option
@yes_option
@pass_session
def command(
    session: Session,
    source: Source,
    alias: str | None,
    dry_run: bool,
    detailed_exitcode: bool,
    wait: float | None,
) -> int:
    """Run a composition as a new process.

    Compiles FILE and asks the Conductor to run it. Running twice makes two processes; 'apply' does not.
    """
    client = find_conductor(session.settings)
    compiled = compile_for(session, client, source, asks=not dry_run)
    if dry_run:
        body = submission(compiled, alias=alias, account=source.account, **rehearsal(session))
        return show_plan(session, client.post("processes", body=body), detailed=detailed_exitcode)
    named = f"as {alias} " if alias else ""
    session.confirm(
        f"Run {source.file} {named}in account {source.account or 'default'}, region {compiled.composition.region}?"
    )
    document = client.post("processes", body=submission(compiled, alias=alias, account=source.account))
    return take(session, client, document, Goal.CONVERGED, wait)
