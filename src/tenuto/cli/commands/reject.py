"""`tenuto reject NUMBER`."""

import click

from tenuto.cli.client.target import find_conductor
from tenuto.cli.commands.proposals import is_over
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import names_of, pass_session, yes_option
from tenuto.cli.processes.proposing import in_words
from tenuto.cli.terminal.exits import CommandEnd, Exit
from tenuto.cli.terminal.session import Session
from tenuto.lifecycles.proposal import LIVING


@make_command("reject", "tenuto reject 41 -m 'not on a Friday'")
@click.argument("number", type=int, shell_complete=names_of("proposals", LIVING))
@click.option(
    "-m",
    "--message",
    callback=in_words,
    help="Why, for the one who proposed it and for the history. Needed for a proposal of another user.",
)
@yes_option
@pass_session
def command(session: Session, number: int, message: str | None) -> None:
    """Refuse a proposal, or withdraw one of your own."""
    client = find_conductor(session.settings)
    found = client.get("proposals", str(number))
    if session.asks and (why := found["why_not_reject"]):
        raise CommandEnd(Exit.PERMISSION, f"Nothing was done: you cannot reject proposal {number}: {why}.")
    if not is_over(found):
        proposer = found["proposed_by"]
        session.confirm(f"Reject '{found['command']}' of process {found['process']}, proposed by {proposer}?")
    document = client.post("proposals", str(number), "reject", body={"comment": message or ""})
    session.emit(document, lambda one: f"Proposal {one['number']} is {one['state']}.")
