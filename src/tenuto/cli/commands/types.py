"""`tenuto types`."""

from tenuto.cli.options import command as make_command
from tenuto.cli.options import pass_session
from tenuto.cli.render_catalogue import render_types
from tenuto.cli.session import Session
from tenuto.cli.target import find_conductor


@make_command("types", "tenuto types")
@pass_session
def command(session: Session) -> None:
    """Show the resource types that can be managed."""
    session.emit(find_conductor(session.settings).get("types"), render_types)
