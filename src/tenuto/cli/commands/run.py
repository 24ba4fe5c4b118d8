"""`tenuto run FILE`."""

import click

from tenuto.cli.agreeing import Wish, agree
from tenuto.cli.compiling import Source, compile_for, compile_options, submission
from tenuto.cli.following import show_plan, take
from tenuto.cli.options import command as make_command
from tenuto.cli.options import dry_run_options, import_option, pass_session, wait_option, yes_option
from tenuto.cli.placing import place_text, placed
from tenuto.cli.plan_files import rehearsal
from tenuto.cli.session import Session
from tenuto.cli.target import find_conductor
from tenuto.cli.waiting import Goal


@make_command(
    "run",
    "tenuto run vpc.yaml -a vpc --wait",
    "tenuto run vpc.yaml --region eu-west-1 --parameter Stage=test --dry-run",
    "tenuto run existing.yaml -a old --import",
)
@compile_options
@click.option("-a", "--alias", help="A name for the process, unique among live ones.")
@import_option
@dry_run_options
@wait_option
@yes_option
@pass_session
def command(
    session: Session,
    source: Source,
    alias: str | None,
    adopts: bool,
    dry_run: bool,
    detailed_exitcode: bool,
    wait: float | None,
) -> int:
    """Run a composition as a new process.

    Compiles FILE and asks the Conductor to run it. Running twice makes two processes; 'apply' does not.

    With --import, a resource with 'Metadata: {Tenuto: {ResourceIdentifier: ID}}' is not made: what exists under
    that id is adopted, and held to the composition from then on. The plan is shown before anything is done.
    """
    client = find_conductor(session.settings)
    source = placed(client, source)
    compiled = compile_for(session, client, source, asks=not dry_run)
    body = {**submission(compiled, alias=alias, account=source.account), "import": adopts}
    place = place_text(source, compiled.composition.region)
    named = f" as {alias}" if alias else ""
    if dry_run:
        return show_plan(
            session, client.post("processes", body={**body, **rehearsal(session)}), detailed=detailed_exitcode
        )
    wish = Wish(
        question=f"Run {source.file}{named} in {place}",
        name=alias or str(source.file),
        body=body,
        send=lambda body: client.post("processes", body=body),
        is_stored=True,
    )
    return take(session, client, agree(session, client, wish), Goal.CONVERGED, wait)
