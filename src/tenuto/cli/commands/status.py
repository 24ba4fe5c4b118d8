"""`tenuto status [PROCESS]`."""

from functools import partial

import click

from tenuto.cli.client.client import Client
from tenuto.cli.client.target import find_conductor
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import names_of, optional_process_argument, pass_session
from tenuto.cli.processes.watching import watch as watch_until_interrupted
from tenuto.cli.render.insights import render_chosen, render_summary
from tenuto.cli.render.process import render_process, render_processes
from tenuto.cli.terminal.exits import Exit
from tenuto.cli.terminal.output_forms import Form, either, keyed, listed
from tenuto.cli.terminal.session import Session
from tenuto.cli.terminal.steady_clock import SteadyClock
from tenuto.model.ids import JsonMap

_CHOOSING = "--account, --why, --state, --region, --name, --cause, --sort and --after"


@make_command(
    "status",
    "tenuto status",
    "tenuto status --summary",
    "tenuto status --why failed,held --region eu-west-1",
    "tenuto status vpc --watch",
    "tenuto status -o name",
    names=either(
        "processes",
        listed("processes", "alias", "fid"),
        either("resources", keyed("resources"), listed("rows", "alias", "fid")),
    ),
)
@optional_process_argument
@click.option("--account", shell_complete=names_of("accounts"), help="Only the processes of this account.")
@click.option("--summary", is_flag=True, help="Totals, causes, and only what is not as declared.")
@click.option("--why", metavar="WHY,…", help="Only the processes with one of these reasons, such as failed,held,drift.")
@click.option("--state", metavar="STATE,…", help="Only the processes in one of these states.")
@click.option("--region", help="Only the processes of this region.")
@click.option("--name", metavar="TEXT", help="Only the processes with this part in a name.")
@click.option("--cause", metavar="CODE", help="Only the processes that this code suspended.")
@click.option(
    "--sort",
    type=click.Choice(["need", "name", "since", "updated", "resources"]),
    help="The order of what is chosen (default need).",
)
@click.option("--after", metavar="KEY", help="Go on after this key, which ended the page before.")
@click.option("--watch", is_flag=True, help="Read again every two seconds until Ctrl-C.")
@click.option("--verbose", is_flag=True, help="Every column, also those without any value, and whole messages.")
@pass_session
def command(
    session: Session,
    /,
    process: str | None,
    account: str | None,
    summary: bool,
    watch: bool,
    verbose: bool,
    name: str | None,
    **chosen: str | None,
) -> int:
    """Show all processes, or one in detail.

    Messages are shortened in the list and in tables; 'explain' tells the whole of a resource's. With --watch, a
    terminal shows the present state; where there is none, every change is a line. Of thousands of processes, --why,
    --state, --region, --name and --cause choose, and a page is shown at a time.
    """
    filters = {"q": name, **chosen}
    is_chosen = any(filters.values())
    if process and (account or is_chosen):
        raise click.UsageError(f"{_CHOOSING} choose among all processes; leave them out when one is named.")
    if watch and session.form is not None:
        raise click.UsageError("--watch draws tables: leave -o out.")
    if watch and session.is_json:
        raise click.UsageError("--watch never ends, and --json is one document: use one of them.")
    client = find_conductor(session.settings)
    if summary or is_chosen:
        if process or watch:
            raise click.UsageError(f"--summary, {_CHOOSING} show all processes once: leave --watch out.")
        document = client.get("summary", account=account, **filters)
        session.emit(document, render_chosen if is_chosen else render_summary)
        return Exit.DONE
    render = partial(render_process if process else render_processes, is_verbose=verbose or session.form is Form.WIDE)
    if watch:
        read = partial(_read, client, process, account, sweep=False)
        return watch_until_interrupted(session, read, render, SteadyClock())
    document = _read(client, process, account, sweep=session.form is not Form.NAME)
    session.emit(document, partial(render, is_painted=session.is_colored))
    return Exit.DONE


def _read(client: Client, process: str | None, account: str | None, *, sweep: bool) -> JsonMap:
    if process:
        return client.examine("processes", process, sweep="true") if sweep else client.get("processes", process)
    return client.get("processes", account=account)
