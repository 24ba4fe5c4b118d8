"""`--wait`: follow a process until it is where its command wants it.

The answer comes from the state of the process alone, read again and again: whoever else gives it commands meanwhile,
and however often the Conductor restarts, the wait ends with what is true then.
"""

import time
from dataclasses import dataclass
from enum import Enum

from tenuto.cli.client import Client
from tenuto.cli.exits import ApiProblem, CommandEnd, Exit, UnreachableError
from tenuto.cli.progress import Progress, progress_on
from tenuto.cli.session import Session
from tenuto.model.ids import JsonMap

POLL_S = 1.0
"""How often the process is read: often enough to look alive, and one indexed read for the Conductor."""

PATIENCE_S = 60.0
"""How long an unreachable Conductor is given to come back (a restart takes a few seconds)."""


class Goal(Enum):
    """What a wait is for."""

    CONVERGED = "converged"
    GONE = "gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a wait ended. `document` is the last that was seen of the process."""

    exit_code: Exit
    message: str
    document: JsonMap


def wait_for(session: Session, client: Client, fid: str, goal: Goal, timeout_s: float) -> Outcome:
    """Follow a process, with progress on stderr. Raises CommandEnd with exit 8 when the time is over."""
    deadline = time.monotonic() + timeout_s
    with progress_on(session) as progress:
        while True:
            document = _read(client, fid, progress, deadline)
            if document is None:
                return _ended(client, fid, goal)
            progress.show(document)
            outcome = _judged(document, goal)
            if outcome is not None:
                return outcome
            _pause(deadline, f"Process {_name(document)} is not {goal.value} yet. It goes on without you.")


def finish(session: Session, outcome: Outcome) -> int:
    """Tell how a wait ended; returns the exit code."""
    session.emit(outcome.document, lambda _: outcome.message)
    if outcome.exit_code is not Exit.DONE and session.is_json:
        session.say(f"tenuto: {outcome.message}")
    return outcome.exit_code


def _read(client: Client, fid: str, progress: Progress, deadline: float) -> JsonMap | None:
    """The process, None when it is gone. Waits for a Conductor that is away for a moment."""
    patience = time.monotonic() + PATIENCE_S
    while True:
        try:
            return client.get("processes", fid)
        except UnreachableError as away:
            if time.monotonic() > patience:
                raise
            progress.note(f"{away} Trying again.")
        except ApiProblem as problem:
            if problem.code == "not-found":
                return None
            if problem.code not in ("store-unavailable", "provider-unavailable") or time.monotonic() > patience:
                raise
            progress.note(f"{problem} Trying again.")
        _pause(deadline, "The Conductor did not come back in time.")


def _judged(document: JsonMap, goal: Goal) -> Outcome | None:
    name, state = _name(document), document["state"]
    if state == "Suspended":
        why = document["last_message"] or "somebody suspended it"
        return Outcome(exit_code=Exit.FAILED, message=f"Process {name} is Suspended: {why}", document=document)
    if goal is Goal.CONVERGED and state == "Killing":
        return Outcome(
            exit_code=Exit.FAILED, message=f"Process {name} is being killed by another command.", document=document
        )
    if goal is Goal.GONE and state == "Running":
        return Outcome(exit_code=Exit.FAILED, message=f"The kill of process {name} was cancelled.", document=document)
    if goal is Goal.CONVERGED and document["converged"]:
        count = len(document["resources"])
        return Outcome(
            exit_code=Exit.DONE,
            message=f"Process {name} is Running and converged: {count} resource{'' if count == 1 else 's'}.",
            document=document,
        )
    return None


def _ended(client: Client, fid: str, goal: Goal) -> Outcome:
    found = client.get("processes", fid, "history", limit=1)
    document = {"fid": found["fid"], "alias": found["alias"], "state": found["state"]}
    name = _name(document)
    if goal is Goal.GONE:
        return Outcome(exit_code=Exit.DONE, message=f"Process {name} is gone.", document=document)
    return Outcome(
        exit_code=Exit.FAILED, message=f"Process {name} was killed or released meanwhile.", document=document
    )


def _name(document: JsonMap) -> str:
    return str(document["alias"] or document["fid"])


def _pause(deadline: float, message: str) -> None:
    left = deadline - time.monotonic()
    if left <= 0:
        raise CommandEnd(Exit.UNREACHABLE, f"Time-out. {message}")
    time.sleep(min(POLL_S, left))
