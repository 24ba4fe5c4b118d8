"""`tenuto status [PROCESS]`."""

import time
from functools import partial

import click

from tenuto.cli.client import Client
from tenuto.cli.options import command as make_command
from tenuto.cli.options import optional_process_argument, pass_session
from tenuto.cli.render_process import render_process, render_processes
from tenuto.cli.session import Session
from tenuto.cli.target import find_conductor
from tenuto.model.ids import JsonMap

_WATCH_S = 2.0
"""How often `--watch` reads again."""


@make_command("status", "tenuto status", "tenuto status vpc --watch")
@optional_process_argument
@click.option("--account", help="Only the processes of this account.")
@click.option("--verbose", is_flag=True, help="All columns, also those that are blank for every process.")
@click.option("--watch", is_flag=True, help="Read again every two seconds until Ctrl-C.")
@pass_session
def command(session: Session, process: str | None, account: str | None, verbose: bool, watch: bool) -> None:
    """Show all processes, or one in detail.

    Messages are shortened in the list and in tables; 'explain' tells the whole of a resource's.
    """
    if process and account:
        raise click.UsageError("--account chooses among all processes; leave it out when one is named.")
    if watch and session.is_json:
        raise click.UsageError("--watch never ends, and --json is one document: use one of them.")
    client = find_conductor(session.settings)
    render = render_process if process else partial(render_processes, blank=verbose)
    if not watch:
        session.emit(_read(client, process, account, look=True), render)
        return
    while True:
        document = _read(client, process, account, look=False)
        if session.is_colored:
            click.clear()
        session.emit(document, render)
        time.sleep(_WATCH_S)


def _read(client: Client, process: str | None, account: str | None, *, look: bool) -> JsonMap:
    if process:
        return client.get("processes", process, look="true" if look else None)
    return client.get("processes", account=account)
