"""`tenuto show PROCESS [RESOURCE]`."""

import click

from tenuto.cli.client.target import find_conductor
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import pass_session, process_argument, resource_argument
from tenuto.cli.render.insights import render_properties, render_resources
from tenuto.cli.terminal.output_forms import either, listed, shown
from tenuto.cli.terminal.session import Session


@make_command(
    "show",
    "tenuto show vpc",
    "tenuto show vpc --status failed,drift",
    "tenuto show vpc Nat",
    names=either("resources", listed("resources", "logical_id"), shown("logical_id")),
)
@process_argument
@resource_argument
@click.option("--status", metavar="STATUS,…", help="Only resources with one of these statuses, such as failed,drift.")
@click.option("--type", "type_name", metavar="TYPE", help="Only resources of this type.")
@click.option("--name", metavar="TEXT", help="Only resources with this part in their name or id.")
@click.option("--sort", type=click.Choice(["tree", "need", "name", "type"]), help="The order (default tree).")
@click.option("--after", metavar="RESOURCE", help="Go on after this resource, which ended the page before.")
@pass_session
def command(
    session: Session,
    process: str,
    resource: str | None,
    status: str | None,
    type_name: str | None,
    name: str | None,
    sort: str | None,
    after: str | None,
) -> None:
    """Show the resources of a process as a tree, or one property by property.

    Of one resource: the declared values, those that the last sweep showed, and why a property is drift or is none. It
    asks no provider; 'tenuto check' has the Conductor look first.
    """
    chosen = {"status": status, "type": type_name, "q": name, "sort": sort, "after": after}
    if resource and any(chosen.values()):
        raise click.UsageError(
            "--status, --type, --name, --sort and --after choose among all resources; leave them out here."
        )
    client = find_conductor(session.settings)
    if resource:
        session.emit(client.get("processes", process, "resources", resource), render_properties)
        return
    document = client.get("processes", process, "resources", **chosen)
    session.emit(document, render_resources)
