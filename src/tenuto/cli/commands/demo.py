"""`tenuto demo`."""

import click

from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import pass_session
from tenuto.cli.terminal import terminal
from tenuto.cli.terminal.exits import CommandEnd, Exit
from tenuto.cli.terminal.session import Session
from tenuto.kit.setting_values import parse_period

_PERIOD = "3"
"""Ten times faster than normal, so that no user has to wait; the emulator would bear less."""
_LOCAL_PERIOD = "1"
"""The simulated hosts answer at once; a machine boots in two seconds."""
_SIMULATED, _NS, _QEMU = "simulated", "ns", "qemu"


@make_command(
    "demo",
    "tenuto demo",
    "tenuto demo --web",
    "tenuto demo --local",
    "tenuto demo --local --driver ns",
    "tenuto demo --local --driver qemu",
)
@click.option("--web", "is_web", is_flag=True, help="Serve the dashboard over a simulated cloud, until Ctrl-C.")
@click.option("--local", "is_local", is_flag=True, help="Show the local cloud, on two simulated hosts.")
@click.option(
    "--driver",
    type=click.Choice([_SIMULATED, _NS, _QEMU]),
    help="With --local: what machines are: ns, namespaces of this machine, or qemu, virtual ones. Both need root.",
)
@click.option(
    "--period",
    metavar="SECONDS",
    help=f"Between two jobs of a process; default: {_PERIOD}, with --local {_LOCAL_PERIOD}.",
)
@pass_session
def command(session: Session, is_web: bool, is_local: bool, driver: str | None, period: str | None) -> None:
    """Show Tenuto at work on a simulated AWS, or on a local cloud.

    Everything is temporary and on this machine: no account, no configuration. Takes about half a minute; Ctrl-C ends it
    at any time and leaves nothing behind, as SIGTERM and the end of the terminal do. The remains of a demo that was
    killed are found, told and removed by the next one. With --web it stays until then, for a browser on this machine.
    With --web or --local nothing has to be installed besides Tenuto; with --driver ns or qemu the machines are real,
    and a few packages of the distribution are needed, which a message names.
    """
    from tenuto.bootstrap.demo.demonstration import demonstrate, demonstrate_local, demonstrate_on_linux
    from tenuto.bootstrap.demo.folder import remove_dead
    from tenuto.bootstrap.demo.interruption import interrupted_once
    from tenuto.bootstrap.demo.site import demonstrate_site

    if driver is not None and not is_local:
        raise click.UsageError("--driver is about the local cloud: add --local.")
    if is_web and is_local:
        raise click.UsageError("--web is about the simulated cloud: leave --local out.")
    period = period or (_LOCAL_PERIOD if is_local else _PERIOD)
    try:
        period_s = parse_period(period)
    except ValueError as wrong:
        raise click.BadParameter(f"{period!r}: {wrong}", param_hint="--period") from wrong
    try:
        with interrupted_once():
            remove_dead(terminal.out)
            if is_web:
                demonstrate_site(period_s=period_s, say=terminal.out)
            elif driver in (_NS, _QEMU):
                demonstrate_on_linux(period_s=period_s, say=terminal.out, driver=driver)
            else:
                tell = demonstrate_local if is_local else demonstrate
                tell(period_s=period_s, say=terminal.out)
    except KeyboardInterrupt as stopped:
        raise CommandEnd(Exit.INTERRUPTED, "Interrupted; nothing stays behind.") from stopped
