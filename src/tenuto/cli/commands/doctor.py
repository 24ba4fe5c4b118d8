"""`tenuto doctor [PROCESS]`."""

import click

from tenuto.cli.client import Client
from tenuto.cli.exits import Exit
from tenuto.cli.options import command as make_command
from tenuto.cli.options import optional_process_argument, pass_session
from tenuto.cli.render_doctor import render_examination
from tenuto.cli.session import Session
from tenuto.cli.target import find_conductor
from tenuto.model.ids import JsonMap

_MOST = 500
"""Problems that are printed. Where more is wrong, the first ones tell what happened."""


@make_command("doctor", "tenuto doctor", "tenuto doctor vpc", "tenuto doctor --json")
@optional_process_argument
@pass_session
def command(session: Session, process: str | None) -> int:
    """Find what is wrong with the database, and say what to do.

    Processes are read in pages while the Conductor works; nothing is changed. Each problem has a code that never
    changes its meaning, the resource that it is about, and advice with the exact command. Exit code 11 when anything
    is wrong.
    """
    document = _examined(session, find_conductor(session.settings), process)
    session.emit(document, render_examination)
    return Exit.DONE if document["sound"] else Exit.UNSOUND


def _examined(session: Session, client: Client, process: str | None) -> JsonMap:
    """All pages as one document."""
    problems: list[JsonMap] = []
    examined = left_out = 0
    after: str | None = None
    while True:
        page = client.get("doctor", process=process, after=after)
        problems += page["problems"]
        examined += page["examined"]
        left_out += page["problems_left_out"] + max(0, len(problems) - _MOST)
        del problems[_MOST:]
        after = page["next"]
        if after is None:
            break
        if session.is_live:
            click.echo(f"\r{examined} processes examined …", nl=False, err=True)
    if session.is_live and process is None:
        click.echo("\r\033[K", nl=False, err=True)
    return {
        "sound": not problems and not left_out,
        "examined": examined,
        "problems": problems,
        "problems_left_out": left_out,
    }
