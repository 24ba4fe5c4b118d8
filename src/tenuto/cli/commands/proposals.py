"""`tenuto proposals [NUMBER]`."""

import click

from tenuto.cli.client.target import find_conductor
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import names_of, pass_session
from tenuto.cli.render.insights import more_approvals, not_executed, not_yours
from tenuto.cli.render.plan import render_operations
from tenuto.cli.terminal.output_forms import either, listed, shown
from tenuto.cli.terminal.session import Session
from tenuto.cli.terminal.tables import filled, shortened, table
from tenuto.cli.terminal.terminal import terminal_width
from tenuto.cli.terminal.times import short_time
from tenuto.lifecycles.proposal import LIVING
from tenuto.model.ids import JsonMap
from tenuto.model.proposal import ProposalState


@make_command(
    "proposals",
    "tenuto proposals",
    "tenuto proposals 41",
    names=either("proposals", listed("proposals", "number"), shown("number")),
)
@click.argument("number", type=int, required=False, shell_complete=names_of("proposals"))
@pass_session
def command(session: Session, number: int | None) -> None:
    """Show the proposals, or one with its plan."""
    client = find_conductor(session.settings)
    if number is None:
        session.emit(client.get("proposals"), _render)
    else:
        session.emit(client.get("proposals", str(number)), render_proposal)


def _render(document: JsonMap) -> str:
    rows = [
        (
            str(one["number"]),
            one["state"],
            one["command"],
            one["process"],
            one["proposed_by"],
            short_time(one["proposed"]),
            str(one["needed"]) if one["needed"] else "",
            ", ".join(given["by"] for given in one["approvals"] if given["counts"]),
            shortened(one["comment"]),
        )
        for one in document["proposals"]
    ]
    headings = ("Number", "State", "Command", "Process", "By", "Time", "Needs", "Approved by", "Comment")
    width = terminal_width()
    waiting = [one for one in document["proposals"] if one["state"] == ProposalState.APPROVED]
    told = [filled(f"Proposal {one['number']} is {not_executed(one)}", width) for one in waiting]
    shown = table(headings, rows, width=width, whole=("Number", "State", "Process")) or "No proposals."
    return "\n\n".join([shown, *told])


NOT_COUNTED = " (counts no more: the policy has changed)"


def is_over(one: JsonMap) -> bool:
    """Whether a proposal takes no decision any more. The Conductor refuses one, so no question is asked before."""
    return one["state"] not in LIVING


def render_proposal(one: JsonMap) -> str:
    """One proposal: its plan, its author, its approvals, and the choices of the reader."""
    width = terminal_width()
    lines = [f"Proposal {one['number']}: {one['command']} {one['process']}, {one['state']}"]
    lines += [f"  by {one['proposed_by']} at {short_time(one['proposed'])}: {one['comment'] or '(no comment)'}"]
    lines += [
        f"  approved by {given['by']}{'' if given['counts'] else NOT_COUNTED}: {given['comment'] or '(no comment)'}"
        for given in one["approvals"]
    ]
    lines += [f"  {one['state']} by {one['ended_by']}: {one['reason']}"] if one["reason"] else []
    needs = f"{more_approvals(one)} before {short_time(one['expires'])}{not_yours(one)}"
    lines += [f"  needs {needs}"] if one["needed"] else []
    lines += [f"  {not_executed(one)}"] if one["state"] == ProposalState.APPROVED else []
    counts = ", ".join(f"{count} {verb}" for verb, count in one["summary"].items())
    told = "\n".join(filled(line, width, indent=4) for line in lines)
    if not one["operations"]:
        return f"{told}\n\nNo resource changes."
    # No operation that is agreed to is folded.
    return f"{told}\n\n{render_operations(one['operations'], is_folded=False)}\nPlan: {counts}."
