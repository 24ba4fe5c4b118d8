"""`tenuto update PROCESS FILE`."""

from dataclasses import replace

from tenuto.cli.compiling import Source, compile_for, compile_options, submission
from tenuto.cli.following import show_plan, take
from tenuto.cli.options import command as make_command
from tenuto.cli.options import dry_run_options, pass_session, process_argument, wait_option, yes_option
from tenuto.cli.session import Session
from tenuto.cli.target import find_conductor
from tenuto.cli.waiting import Goal


@make_command("update")
@process_argument
@compile_options
@dry_run_options
@wait_option
@yes_option
@pass_session
def command(
    session: Session,
    process: str,
    source: Source,
    dry_run: bool,
    detailed_exitcode: bool,
    wait: float | None,
) -> int:
    """Give a process another composition.

    The next job applies it; a Suspended process applies it when it is resumed. Without --region, FILE is compiled for
    the region of the process.
    """
    client = find_conductor(session.settings)
    place = client.get("processes", process)
    source = replace(source, region=source.region or place["region"], account=place["account"])
    compiled = compile_for(session, client, source, asks=not dry_run)
    if dry_run:
        plan = client.post("processes", process, "update", body=submission(compiled, dry_run=True))
        return show_plan(session, plan, detailed=detailed_exitcode)
    session.confirm(f"Update process {process} with {source.file}?")
    document = client.post("processes", process, "update", body=submission(compiled))
    return take(session, client, document, Goal.CONVERGED, wait)
