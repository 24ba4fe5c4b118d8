"""`tenuto rates`."""

from tenuto.cli.client.target import find_conductor
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import pass_session
from tenuto.cli.render.insights import render_rates
from tenuto.cli.terminal.output_forms import listed
from tenuto.cli.terminal.session import Session


@make_command("rates", "tenuto rates", names=listed("rates", "api"))
@pass_session
def command(session: Session) -> None:
    """Show how fast each API may be called, and how old each sweep is.

    A pace below 100 % says that the provider throttled Tenuto. It grows back by itself. A sweep is idle when no process
    has asked for it for ten minutes, as when all that it is for was killed or is Suspended.
    """
    client = find_conductor(session.settings)
    rates, sweeps = client.get("rates"), client.get("sweeps")
    session.emit({**rates, "sweeps": sweeps["sweeps"]}, render_rates)
