"""`tenuto find TEXT`."""

import click

from tenuto.cli.client.target import find_conductor
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import pass_session
from tenuto.cli.render.insights import render_findings
from tenuto.cli.terminal.output_forms import listed
from tenuto.cli.terminal.session import Session


@make_command(
    "find", "tenuto find vpc-0a1b2c3d", "tenuto find arn:aws:s3:::logs", names=listed("findings", "id", "name")
)
@click.argument("text", metavar="NAME|ID")
@pass_session
def command(session: Session, text: str) -> None:
    """Tell what a name or an id means.

    A process, a resource by its name, physical id or ARN, a provider operation by its request id, or a request to
    the Conductor by its own. That Tenuto knows no such thing is an answer, too.
    """
    if not text.strip():
        raise click.UsageError("Give a name or an id.")
    session.emit(find_conductor(session.settings).get("find", q=text), render_findings)
