"""`tenuto plan PROCESS [FILE]`."""

from pathlib import Path

import click

from tenuto.cli.client.client import Client
from tenuto.cli.client.target import find_conductor
from tenuto.cli.compositions.compiling import Source, compile_for, optional_compile_options, submission
from tenuto.cli.compositions.parameters import keep_parameters_option, parameters_file_option, with_parameters
from tenuto.cli.compositions.placing import placed, placed_like
from tenuto.cli.options.options import ci_form_option, full_option, pass_session, process_argument
from tenuto.cli.options.options import command as make_command
from tenuto.cli.processes.following import show_plan
from tenuto.cli.render.ci_formats import PLAN_FORMATS, diagnostics_in
from tenuto.cli.terminal import terminal
from tenuto.cli.terminal.exits import CommandEnd, Exit
from tenuto.cli.terminal.session import Session
from tenuto.cli.terminal.times import short_time
from tenuto.model.ids import JsonMap
from tenuto.model.verb import Verb


@make_command("plan", "tenuto plan vpc", "tenuto plan vpc vpc.yaml -o markdown")
@process_argument
@optional_compile_options
@parameters_file_option
@keep_parameters_option
@full_option
@ci_form_option("a comment (markdown), annotations (github), a report of counts (gitlab), or findings (sarif)")
@click.option("--detailed-exitcode", is_flag=True, help="Exit 10 when there are changes to be made.")
@pass_session
def command(
    session: Session,
    process: str,
    source: Source | None,
    parameters_file: Path | None,
    keeps_parameters: bool,
    form: str | None,
    detailed_exitcode: bool,
) -> int:
    """Show what the next job of a process would do.

    And the things that it waits for, with the reasons. Of a Suspended process: the plan after 'resume'. With FILE: the
    plan of an update with that composition; nothing is changed, and nothing is kept in the history. Errors in FILE are
    told in the same form as the plan.
    """
    client = find_conductor(session.settings)
    document = (
        client.examine("processes", process, "plan")
        if source is None
        else _of_update(
            session, client, process, with_parameters(source, parameters_file, keeps=keeps_parameters), form
        )
    )
    if form is None:
        if source is None and document["observed_at"] and not session.is_json:
            seen = short_time(document["observed_at"])
            session.say(f"By the sweep of {seen}; what changed later is not in it.")
        return show_plan(session, document, detailed=detailed_exitcode)
    terminal.out(PLAN_FORMATS[form](document))
    has_changes = any(one["op"] != Verb.REFRESH for one in document["operations"])
    return Exit.CHANGES if detailed_exitcode and has_changes else Exit.DONE


def _of_update(session: Session, client: Client, process: str, source: Source, form: str | None) -> JsonMap:
    try:
        place = client.get("processes", process)
        compiled = compile_for(session, client, placed(client, placed_like(source, place)), asks=False)
    except CommandEnd as ended:
        if form is not None and "diagnostics" in ended.details:
            terminal.out(diagnostics_in(form, ended.details["diagnostics"]))
        raise
    body = submission(compiled, dry_run=True, unrecorded=True)
    return client.post("processes", process, "update", body=body)
