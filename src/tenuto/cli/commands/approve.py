"""`tenuto approve NUMBER`."""

import click

from tenuto.cli.client.target import find_conductor
from tenuto.cli.commands.proposals import is_over, render_proposal
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import names_of, pass_session, yes_option
from tenuto.cli.render.insights import not_executed
from tenuto.cli.terminal.exits import CommandEnd, Exit
from tenuto.cli.terminal.session import Session
from tenuto.kit.visible import visible_document
from tenuto.model.command import ProcessState
from tenuto.model.ids import JsonMap
from tenuto.model.proposal import ProposalState


@make_command("approve", "tenuto approve 41", "tenuto approve 41 -m 'as agreed with the partner' -y")
@click.argument("number", type=int, shell_complete=names_of("proposals", {ProposalState.OPEN}))
@click.option("-m", "--message", help="A word for the history.")
@yes_option
@pass_session
def command(session: Session, number: int, message: str | None) -> None:
    """Agree to a proposal; with the last approval its plan is executed.

    Its plan is shown before the question, and exactly that plan is executed. When anything has moved since it was
    proposed, nothing is done: the proposal is stale, and names the differences (exit code 1). While a job is at work,
    the approval is kept and the plan waits (exit code 1): once the job is done, the same command executes it. A user
    cannot approve their own proposal.
    """
    client = find_conductor(session.settings)
    found = client.get("proposals", str(number))
    session.say(render_proposal(visible_document(found)), is_painted=True)
    if session.asks and found["why_not"]:
        raise CommandEnd(Exit.PERMISSION, _not_yours(number, found))
    question = f"Approve '{found['command']}' of process {found['process']}?"
    if any(one["destructive"] for one in found["operations"]) and not is_over(found):
        session.confirm_by_name(question, found["process"])
    elif not is_over(found):
        session.confirm(question)
    body = {"digest": found["digest"], "comment": message or ""}
    answer = client.post("proposals", str(number), "approve", body=body)
    if answer["state"] == "Stale":
        told = f"Proposal {number} is Stale, and nothing was changed: {answer['reason']}"
        raise CommandEnd(Exit.FAILED, told, dict(answer))
    if answer["state"] == "Approved":
        raise CommandEnd(Exit.FAILED, f"Proposal {number} is {not_executed(answer)}", dict(answer))
    session.emit(answer, _render)


def _not_yours(number: int, found: JsonMap) -> str:
    """The refusal that the Conductor would give after the question, in its words."""
    withdraws = f" 'tenuto reject {number}' withdraws it." if found["why_not"].startswith("you proposed") else ""
    return f"Nothing was done: {found['why_not']}.{withdraws}"


def _render(one: JsonMap) -> str:
    if one["state"] == "Open":
        return f"Approved. Proposal {one['number']} needs {one['needed']} more."
    number, name = one["number"], one["process"]
    if (one["executed"] or {}).get("state") == ProcessState.SUSPENDED:
        return f"Proposal {number} is approved, and its update is stored: 'tenuto resume {name}' applies it."
    return f"Proposal {number} is approved, and its plan is executed: 'tenuto status {name}'."
