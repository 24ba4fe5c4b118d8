"""`tenuto demo`."""

import click

from tenuto.bootstrap.demo import demonstrate
from tenuto.cli import terminal
from tenuto.cli.exits import CommandEnd, Exit
from tenuto.cli.options import command as make_command
from tenuto.cli.options import pass_session
from tenuto.cli.session import Session
from tenuto.settings import parse_period

_PERIOD = "3"
"""Ten times faster than normal, so that no user has to wait; the emulator would bear less."""


@make_command("demo", "tenuto demo")
@click.option("--period", metavar="SECONDS", default=_PERIOD, show_default=True, help="Between two jobs of a process.")
@pass_session
def command(session: Session, period: str) -> None:
    """Show Tenuto at work on a simulated AWS.

    Everything is temporary and on this machine: no account, no configuration. Takes about half a minute; Ctrl-C ends it
    at any time and leaves nothing behind.
    """
    try:
        period_s = parse_period(period)
    except ValueError as wrong:
        raise click.BadParameter(f"{period!r}: {wrong}", param_hint="--period") from wrong
    try:
        demonstrate(period_s=period_s, say=terminal.out)
    except KeyboardInterrupt as stopped:
        raise CommandEnd(Exit.INTERRUPTED, "Interrupted; nothing stays behind.") from stopped
