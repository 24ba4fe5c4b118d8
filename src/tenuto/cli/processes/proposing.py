"""`--propose`: a command is kept with its plan until others agree to it."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from tenuto.cli.client.client import Client
from tenuto.cli.terminal.exits import Exit
from tenuto.cli.terminal.session import Session
from tenuto.model.ids import JsonMap

_F = TypeVar("_F", bound=Callable[..., Any])


def in_words(ctx: click.Context, param: click.Parameter, text: str | None) -> str | None:
    """The callback of an option that takes a reason: one that is given must say something."""
    if text is not None and not text.strip():
        raise click.BadParameter("say in words why.", ctx, param)
    return text


def reason_option(function: _F) -> _F:
    """Add the option `reason`."""
    return click.option(
        "--reason",
        metavar="TEXT",
        callback=in_words,
        help="Why the owner does without an approval that the policy asks for; the history and the audit log keep it.",
    )(function)


def with_reason(body: JsonMap, reason: str | None) -> JsonMap:
    """The body of a command, with the reason that was given."""
    return {**body, "reason": reason} if reason else body


def propose_options(function: _F) -> _F:
    """Add the options `propose`, `message` and `reason`."""
    function = reason_option(function)
    function = click.option("-m", "--message", help="With --propose: a word for those who decide.")(function)
    return click.option("--propose", is_flag=True, help="Keep the command and its plan until others approve it.")(
        function
    )


def check_propose(*, propose: bool, message: str | None, reason: str | None, more: bool) -> None:
    """Refuse options that would be ignored without a word."""
    if propose and reason:
        raise click.UsageError("--reason overrides a rule, and --propose follows it: use one of them; -m is for words.")
    if message is not None and not propose:
        raise click.UsageError("-m goes with --propose.")
    if propose and more:
        raise click.UsageError("--propose carries nothing out: leave --dry-run, --plan, --wait and -o out.")


def propose(session: Session, client: Client, process: str, command: str, body: JsonMap, message: str | None) -> None:
    """Send a proposal, and say how it is decided."""
    show_proposal(session, proposed(client, process, command, body, message))


def proposed(client: Client, process: str, command: str, body: JsonMap, message: str | None) -> JsonMap:
    """Send a proposal. Returns its document."""
    given = {**body, "command": command, "comment": message or ""}
    return client.post("processes", process, "proposals", body=given)


def show_proposal(session: Session, document: JsonMap) -> int:
    """Show a proposal, and say how it is decided. Returns the exit code."""
    session.emit(document, _render)
    return Exit.DONE


def _render(one: JsonMap) -> str:
    count = one["needed"]
    needs = "1 approval of another user" if count == 1 else f"the approval of {count} other users"
    return (
        f"Proposal {one['number']}: {one['command']} {one['process']}. It needs {needs}: "
        f"'tenuto approve {one['number']}'. It expires in a day."
    )
