"""`tenuto graph PROCESS`."""

from collections.abc import Callable, Mapping

import click

from tenuto.cli.client.target import find_conductor
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import pass_session, process_argument
from tenuto.cli.terminal.session import Session
from tenuto.model.ids import JsonMap
from tenuto.service.views.graph_svg import graph_svg
from tenuto.service.views.graph_view import graph_dot, graph_mermaid

_FORMS: Mapping[str, Callable[[JsonMap], str]] = {"dot": graph_dot, "mermaid": graph_mermaid, "svg": graph_svg}


@make_command(
    "graph",
    "tenuto graph vpc --mermaid",
    "tenuto graph vpc --svg > vpc.svg",
    "tenuto graph vpc --dot --focus Nat --hops 1",
)
@process_argument
@click.option("--dot", "form", flag_value="dot", help="For Graphviz (the default).")
@click.option("--mermaid", "form", flag_value="mermaid", help="For Mermaid, as Markdown renders it.")
@click.option("--svg", "form", flag_value="svg", help="A picture that stands alone, as on the page of the process.")
@click.option("--focus", metavar="RESOURCE", help="Only the surroundings of this resource.")
@click.option("--hops", type=click.IntRange(0, 10), help="How far they reach (default 2).")
@pass_session
def command(session: Session, process: str, form: str | None, focus: str | None, hops: int | None) -> None:
    """Print the graph of what needs what in a process.

    Large graphs group resources that are fine, and never those that failed, drifted or are under way.
    """
    client = find_conductor(session.settings)
    document = client.get("processes", process, "graph", focus=focus, hops=hops)
    session.emit(document, _FORMS[form or "dot"])
