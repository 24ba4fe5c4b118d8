"""The commands about a whole process: proposed, rehearsed, executed as planned, or asked about and given."""

from dataclasses import dataclass
from pathlib import Path

from tenuto.cli.client.target import find_conductor
from tenuto.cli.processes.agreeing import Wish, agree
from tenuto.cli.processes.following import show_plan, take
from tenuto.cli.processes.plan_files import execute, rehearsal
from tenuto.cli.processes.proposing import check_propose, propose, with_reason
from tenuto.cli.processes.waiting import Goal
from tenuto.cli.terminal.exits import Exit
from tenuto.cli.terminal.session import Session
from tenuto.model.ids import JsonMap

_NO_BODY: JsonMap = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """The options that say how a command is given. `wait` is in seconds; None does not wait."""

    dry_run: bool
    detailed: bool
    plan: Path | None
    wait: float | None
    propose: bool
    message: str | None
    reason: str | None = None


def give(
    session: Session, process: str, verb: str, *, question: str, goal: Goal, ways: Ways, body: JsonMap = _NO_BODY
) -> int:
    """Give a command about a whole process, in the way that its options ask for. Returns the exit code."""
    more = bool(ways.dry_run or ways.plan or ways.wait is not None or session.plan_file)
    check_propose(propose=ways.propose, message=ways.message, reason=ways.reason, more=more)
    client = find_conductor(session.settings)
    if ways.propose:
        propose(session, client, process, verb, body, ways.message)
        return Exit.DONE
    if ways.dry_run:
        planned = client.post("processes", process, verb, body={**body, **rehearsal(session)})
        return show_plan(session, planned, detailed=ways.detailed)
    if ways.plan is not None:
        return take(session, client, execute(session, client, process, ways.plan, verb, ways.reason), goal, ways.wait)
    wish = Wish(
        question=question,
        name=process,
        body=with_reason(body, ways.reason),
        send=lambda body: client.post("processes", process, verb, body=body),
        is_ending=True,
    )
    return take(session, client, agree(session, client, wish), goal, ways.wait)
