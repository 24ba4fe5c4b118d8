"""`--wait`: follow a process until it is where its command wants it.

The answer comes from the state of the process alone, read again and again: other users may give it commands meanwhile,
and the Conductor may restart; the wait ends with the state at that time.
"""

from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Protocol

from tenuto.cli.processes.achieved import achieved_text
from tenuto.cli.processes.progress import Progress
from tenuto.cli.render.process import outputs_table, resource_message
from tenuto.cli.terminal.exits import ApiProblem, CommandEnd, Exit, UnreachableError
from tenuto.cli.terminal.session import Session
from tenuto.cli.terminal.tables import filled
from tenuto.cli.terminal.terminal import terminal_width
from tenuto.kit.visible import visible_document
from tenuto.model.ids import Instant, JsonMap
from tenuto.ports.clock import Clock

POLL_S = 0.5
"""Seconds between two reads of the progress: few enough that the display moves."""
REST = 20.0
"""The rest after an answer, in multiples of the time that it took: a wait never slows the process that it waits for."""

PATIENCE_S = 60.0
"""Seconds that an unreachable Conductor is given to come back (a restart takes a few seconds)."""

PASSING = frozenset({"store-unavailable", "provider-unavailable"})
"""Problems that may be over in a moment."""
_MOST_FAILURES = 3
"""The failures in a message; 'tenuto status' has all."""


class Goal(Enum):
    """The goal of a wait."""

    CONVERGED = "converged"
    GONE = "gone"
    RELEASED = "released"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The end of a wait. `document` is the last that was seen of the process."""

    exit_code: Exit
    message: str
    document: JsonMap
    achieved: JsonMap | None = None
    """The summary of the changes; None when the command changed nothing, or did not come to its end."""


class Reads(Protocol):
    """The reads that a wait needs of a client."""

    def get(self, *path: str, **query: Any) -> JsonMap: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """One wait for one process."""

    client: Reads
    progress: Progress
    clock: Clock
    fid: str
    goal: Goal
    deadline: Instant
    is_detailed: bool = False
    """True when the document at the end is the process in detail."""

    def outcome(self) -> Outcome:
        """Follow the process to the end. Raises CommandEnd with exit 8 when the time is over."""
        while True:
            asked_at = self.clock.now()
            document = self._read()
            took_s = self.clock.now() - asked_at
            if document is None:
                return self._ended()
            shown = visible_document(document)
            self.progress.show(shown)
            outcome = _judged(shown, self.goal)
            if outcome is not None:
                return replace(outcome, document=self._in_detail(document))
            ready = f"{shown['counts'].get('ready', 0)} of {sum(shown['counts'].values())} resources are ready"
            message = (
                f"Process {_name(shown)} is not {self.goal.value} yet: {ready}.{_failures(shown)} The Conductor "
                f"keeps working on it; 'tenuto status {_name(shown)} --watch' follows it."
            )
            self._pause(message, max(POLL_S, REST * took_s))

    def _read(self) -> JsonMap | None:
        """The process, None when it is gone. Waits for a Conductor that is away for a moment."""
        patience = self.clock.now() + PATIENCE_S
        while True:
            try:
                return self.client.get("processes", self.fid, "progress")
            except UnreachableError as away:
                if self.clock.now() > patience:
                    raise
                self.progress.note(f"{away} Trying again.")
            except ApiProblem as problem:
                if problem.code == "not-found":
                    return None
                if problem.code not in PASSING or self.clock.now() > patience:
                    raise
                self.progress.note(f"{problem} Trying again.")
            self._pause("The Conductor did not come back in time.", POLL_S)

    def _in_detail(self, document: JsonMap) -> JsonMap:
        """The process as the end of the wait found it; its progress when it is gone by now."""
        if not self.is_detailed:
            return document
        try:
            return self.client.get("processes", self.fid)
        except ApiProblem as problem:
            if problem.code != "not-found":
                raise
            return document

    def _ended(self) -> Outcome:
        found = self.client.get("processes", self.fid, "history", limit=1)
        document = {"fid": found["fid"], "alias": found["alias"], "state": found["state"]}
        if self.goal is not Goal.CONVERGED:
            end = "is gone" if self.goal is Goal.GONE else "is released: its resources stay as they are"
            return Outcome(exit_code=Exit.DONE, message=f"Process {_name(document)} {end}.", document=document)
        message = f"Process {_name(document)} was killed or released meanwhile."
        return Outcome(exit_code=Exit.FAILED, message=message, document=document)

    def _pause(self, message: str, seconds: float) -> None:
        left = self.deadline - self.clock.now()
        if left <= 0:
            raise CommandEnd(Exit.UNREACHABLE, f"Timed out. {message}")
        self.clock.sleep(min(seconds, left))


def finish(session: Session, outcome: Outcome) -> int:
    """Tell how a wait ended; returns the exit code."""
    document = outcome.document if outcome.achieved is None else {**outcome.document, "achieved": outcome.achieved}
    session.emit(document, lambda shown: _told(outcome.message, shown))
    if outcome.exit_code is not Exit.DONE and session.is_json:
        session.say(f"tenuto: {outcome.message}")
    return outcome.exit_code


def _told(message: str, document: JsonMap) -> str:
    lines = [filled(message, terminal_width())]
    if "achieved" in document:
        lines.append(achieved_text(document["achieved"]))
        if outputs := outputs_table(document):
            lines += ["", outputs]
    return "\n".join(lines)


def _judged(document: JsonMap, goal: Goal) -> Outcome | None:
    name, state = _name(document), document["state"]
    if state == "Suspended":
        why = document["last_message"] or "a user suspended it"
        return Outcome(exit_code=Exit.FAILED, message=f"Process {name} is Suspended: {why}", document=document)
    if goal is not Goal.GONE and state == "Killing":
        return Outcome(
            exit_code=Exit.FAILED, message=f"Process {name} is being killed by another command.", document=document
        )
    if goal is Goal.GONE and state == "Running":
        return Outcome(exit_code=Exit.FAILED, message=f"The kill of process {name} was cancelled.", document=document)
    if goal is Goal.CONVERGED and document["converged"]:
        count = sum(document["counts"].values())
        return Outcome(
            exit_code=Exit.DONE,
            message=f"Process {name} is Running and converged: {count} resource{'' if count == 1 else 's'}.",
            document=document,
        )
    return None


def _failures(document: JsonMap) -> str:
    """The first resources that have failed, with their messages; empty when none has."""
    failed = [(name, one) for name, one in document["resources"].items() if one["status"] == "failed"]
    told = [f" {name} failed: {resource_message(one).rstrip('.')}." for name, one in failed[:_MOST_FAILURES]]
    more = f" {len(failed) - len(told)} more failed." if len(failed) > len(told) else ""
    return "".join(told) + more


def _name(document: JsonMap) -> str:
    return str(document["alias"] or document["fid"])
