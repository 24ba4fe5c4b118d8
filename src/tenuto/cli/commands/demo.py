"""`tenuto demo`."""

import click

from tenuto.bootstrap.demo import demonstrate, demonstrate_local
from tenuto.cli import terminal
from tenuto.cli.exits import CommandEnd, Exit
from tenuto.cli.options import command as make_command
from tenuto.cli.options import pass_session
from tenuto.cli.session import Session
from tenuto.errors import UserError
from tenuto.kit.setting_values import parse_period

_PERIOD = "3"
"""Ten times faster than normal, so that no user has to wait; the emulator would bear less."""
_LOCAL_PERIOD = "1"
"""The simulated hosts answer at once; a machine boots in two seconds."""
_SIMULATED = "simulated"
_REAL = {"ns": "namespaces of the Linux kernel", "qemu": "virtual machines"}
"""The drivers of real hosts: what machines are there."""


@make_command("demo", "tenuto demo", "tenuto demo --local")
@click.option("--local", "is_local", is_flag=True, help="Show the local cloud, on two simulated hosts.")
@click.option(
    "--driver",
    type=click.Choice([_SIMULATED, *_REAL]),
    help="With --local: what the hosts make machines of; only simulated for now.",
)
@click.option(
    "--period",
    metavar="SECONDS",
    help=f"Between two jobs of a process; default: {_PERIOD}, with --local {_LOCAL_PERIOD}.",
)
@pass_session
def command(session: Session, is_local: bool, driver: str | None, period: str | None) -> None:
    """Show Tenuto at work on a simulated AWS, or on a local cloud.

    Everything is temporary and on this machine: no account, no configuration. Takes about half a minute; Ctrl-C ends it
    at any time and leaves nothing behind. With --local nothing has to be installed besides Tenuto.
    """
    if driver is not None and not is_local:
        raise click.UsageError("--driver is about the local cloud: add --local.")
    if driver in _REAL:
        raise UserError(
            f"The demonstration does not run on {_REAL[driver]} yet: it starts no agents of real hosts. 'tenuto demo "
            f"--local' shows the same story on simulated hosts. To use real ones, start 'tenuto conductor "
            "--provider local --listen-nodes HOST:PORT' and let them join with 'tenuto node enroll'."
        )
    period = period or (_LOCAL_PERIOD if is_local else _PERIOD)
    try:
        period_s = parse_period(period)
    except ValueError as wrong:
        raise click.BadParameter(f"{period!r}: {wrong}", param_hint="--period") from wrong
    try:
        tell = demonstrate_local if is_local else demonstrate
        tell(period_s=period_s, say=terminal.out)
    except KeyboardInterrupt as stopped:
        raise CommandEnd(Exit.INTERRUPTED, "Interrupted; nothing stays behind.") from stopped
