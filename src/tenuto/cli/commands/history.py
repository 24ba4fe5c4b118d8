"""`tenuto history [PROCESS]`."""

from functools import partial

import click

from tenuto.cli.client.target import find_conductor
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import (
    full_option,
    limit_option,
    optional_process_argument,
    pass_session,
    window_options,
)
from tenuto.cli.render.history import render_history, render_request
from tenuto.cli.render.insights import render_timeline
from tenuto.cli.render.plan import render_plan
from tenuto.cli.terminal.output_forms import either, listed, shown
from tenuto.cli.terminal.session import Session

_LARGEST_PAGE = 1000
"""The entries of a timeline that one page holds at most."""


@make_command(
    "history",
    "tenuto history vpc --start 2h",
    "tenuto history vpc --timeline",
    "tenuto history --request 5f0c2a9b61d4e837",
    names=either(
        "jobs", listed("jobs", "id"), either("entries", listed("entries", "plan_id"), shown("plan_id", "request"))
    ),
)
@optional_process_argument
@window_options
@limit_option
@full_option
@click.option("--plan", metavar="PLAN_ID", help="Show this plan of the history (--json names them).")
@click.option("--request", metavar="ID", help="Show all that one API request caused (errors and --json name them).")
@click.option("--timeline", is_flag=True, help="Commands, jobs, refusals and drift in one list, the newest first.")
@pass_session
def command(
    session: Session,
    process: str | None,
    start: str | None,
    end: str | None,
    limit: int | None,
    plan: str | None,
    request: str | None,
    timeline: bool,
) -> None:
    """Show the commands and jobs of a process, or all that one request caused.

    Each with who asked for it: a user, or the Conductor where no command asked (drift that is corrected). A job stands
    after the command that it serves.

    Also of a process that is gone: by its FID, or by its alias while no other process has it.
    """
    if process is None and not plan and not request:
        raise click.UsageError("Name a process, or a request with --request.")
    if request and (process or plan or timeline or start or end or limit):
        raise click.UsageError(
            "--request shows all that the request caused: leave the process and the other options out."
        )
    client = find_conductor(session.settings)
    if request:
        session.emit(client.get("requests", request), render_request)
        return
    if plan:
        is_whole = session.is_full or not session.is_terminal
        session.emit(client.get("plans", plan), partial(render_plan, is_whole=is_whole))
        return
    if timeline:
        if start:
            raise click.UsageError("--timeline goes back from --end, a page at a time: leave --start out.")
        session.emit(
            client.get("processes", process or "", "timeline", before=end, limit=limit and min(limit, _LARGEST_PAGE)),
            render_timeline,
        )
        return
    session.emit(client.get("processes", process or "", "history", start=start, end=end, limit=limit), render_history)
