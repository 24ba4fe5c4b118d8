"""`tenuto events [PROCESS]`."""

import time
from functools import partial

import click

from tenuto.cli.client.client import Client
from tenuto.cli.client.target import find_conductor
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import event_page_options, optional_process_argument, pass_session
from tenuto.cli.processes.waiting import PATIENCE_S, POLL_S
from tenuto.cli.render.history import event_cells, render_events
from tenuto.cli.terminal import terminal
from tenuto.cli.terminal.exits import UnreachableError
from tenuto.cli.terminal.output_forms import Form, listed
from tenuto.cli.terminal.session import Session


@make_command(
    "events",
    "tenuto events --follow",
    "tenuto events vpc --start 1h --type process.state",
    "tenuto events vpc --resource Web",
    "tenuto events --actor ann --start 24h",
    "tenuto events --limit 100 --before 4711",
    names=listed("events", "number"),
)
@optional_process_argument
@event_page_options
@click.option("--type", "types", multiple=True, help="Only this type, such as process.state; may be repeated.")
@click.option("--resource", metavar="RESOURCE", help="Only of resources of this name, also of removed ones.")
@click.option("--actor", metavar="USER", help="Only what this user did; conductor: what the Conductor did by itself.")
@click.option("--follow", is_flag=True, help="Go on with what comes, until Ctrl-C; with --json one document per line.")
@pass_session
def command(
    session: Session,
    process: str | None,
    start: str | None,
    end: str | None,
    types: tuple[str, ...],
    resource: str | None,
    actor: str | None,
    limit: int | None,
    before: int | None,
    follow: bool,
) -> None:
    """Show what happened, or follow what happens.

    Of one process, also one that is gone, or of all. Where there are more, the last line says how to see the older
    ones. A drift that no command asked for is one event, drift.found.
    """
    client = find_conductor(session.settings)
    query = {"process": process, "resource": resource, "start": start, "end": end}
    query |= {"types": ",".join(types) or None, "actor": actor}
    if follow:
        if limit or before:
            raise click.UsageError("--limit and --before choose a page of what was; leave them out with --follow.")
        _follow(session, client, query)
    else:
        document = client.get("events", limit=limit, before=before, **query)
        session.emit(document, partial(render_events, is_of_one=process is not None))


def _follow(session: Session, client: Client, query: dict[str, str | None]) -> None:
    """Print events as they come. A Conductor that restarts is waited for, and no event is missed or told twice."""
    after: int | None = None
    is_told = False
    patience = time.monotonic() + PATIENCE_S
    while True:
        try:
            for event in client.follow("events", follow="true", after=after, **query):
                patience, is_told = time.monotonic() + PATIENCE_S, False
                if event is None:
                    continue
                after = event["number"]
                if session.is_json:
                    # With YAML, the lines are one list.
                    terminal.out_json(event, indent=None, lead="- " if session.form is Form.YAML else "")
                elif session.form is Form.NAME:
                    terminal.out(str(after))
                else:
                    terminal.out(_line(event_cells(event, is_of_one=query["process"] is not None)))
        except UnreachableError as away:
            if time.monotonic() > patience:
                raise
            if not is_told:
                session.say(f"{away} Trying again.")
                is_told = True
        time.sleep(POLL_S)


def _line(cells: tuple[str, ...]) -> str:
    """One event in one line."""
    return " ".join("  ".join(cell for cell in cells if cell).splitlines())
