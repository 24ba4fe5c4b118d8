"""The wait for an object: until it is where it was told to go, has failed, or is gone."""

from dataclasses import dataclass

from tenuto.cli.processes.waiting import PASSING, PATIENCE_S, POLL_S, Reads
from tenuto.cli.terminal.exits import ApiProblem, CommandEnd, Exit, UnreachableError
from tenuto.cli.terminal.session import Session
from tenuto.cli.terminal.steady_clock import SteadyClock
from tenuto.kit.visible import one_line
from tenuto.model.ids import Instant, JsonMap
from tenuto.ports.clock import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectWait:
    """One wait. `document` is the object as it was seen last."""

    client: Reads
    clock: Clock
    document: JsonMap
    deadline: Instant
    is_for_end: bool = False
    """True to wait until the object is gone; False until it is ready."""

    def end(self) -> JsonMap:
        """The object at the end of the wait. Raises CommandEnd: exit 1 when it failed, exit 8 at a time-out."""
        document = self.document
        while True:
            self._check(document)
            if not document["live"] or (document["settled"] and not self.is_for_end):
                return document
            if self.clock.now() >= self.deadline:
                raise CommandEnd(
                    Exit.UNREACHABLE,
                    f"Timed out. {document['type']} {document['name']} is {_whereabouts(document)}. The Conductor "
                    "keeps working on it.",
                    dict(document),
                )
            self.clock.sleep(min(POLL_S, max(self.deadline - self.clock.now(), 0.0)))
            document = self._read(document)

    def _check(self, document: JsonMap) -> None:
        name = f"{document['type']} {document['name']}"
        if self.is_for_end and document["live"] and document["settled"]:
            raise CommandEnd(
                Exit.FAILED,
                f"{name} is {document['state']} and stays there: 'tenuto object delete {document['id']}' deletes it.",
                dict(document),
            )
        if document["failed"]:
            why = one_line(document["message"] or f"its state is {document['state']}")
            raise CommandEnd(
                Exit.FAILED,
                f"{name} has failed: {why}. 'tenuto object events {document['id']}' tells more; {_remedy(document)}",
                dict(document),
            )
        if not self.is_for_end and not document["live"]:
            raise CommandEnd(Exit.FAILED, f"{name} was deleted meanwhile.", dict(document))

    def _read(self, before: JsonMap) -> JsonMap:
        """The object now; as ended when the cleaner has removed it. Waits for a Conductor that is away."""
        patience = self.clock.now() + PATIENCE_S
        while True:
            try:
                return self.client.get("objects", str(before["id"]))
            except UnreachableError:
                if self.clock.now() > patience:
                    raise
            except ApiProblem as problem:
                if problem.code == "not-found":
                    return {**before, "live": False, "settled": True, "failed": False}
                if problem.code not in PASSING or self.clock.now() > patience:
                    raise
            self.clock.sleep(POLL_S)


def _remedy(document: JsonMap) -> str:
    """The command that helps: no way but a deletion leads out of an error state, and a failed phase can be retried."""
    phases = document.get("phases", {}).values()
    if any(one["status"] == "Failed" and one["state"] == document["state"] for one in phases):
        return f"'tenuto object retry {document['id']}' tries it again."
    return f"'tenuto object delete {document['id']}' deletes it."


def waited(
    session: Session, client: Reads, document: JsonMap, timeout_s: float | None, *, is_for_end: bool = False
) -> JsonMap:
    """The document at once, or at the end of a wait when a time-out was given."""
    if timeout_s is None:
        return document
    clock = SteadyClock()
    deadline = Instant(clock.now() + timeout_s)
    return ObjectWait(client=client, clock=clock, document=document, deadline=deadline, is_for_end=is_for_end).end()


def _whereabouts(document: JsonMap) -> str:
    """The state, and where it leads. One in its target is not settled while its last change is under way."""
    state, target = document["state"], document["target"]
    if state == target:
        return f"{state}, and not everything that was ordered of it is done"
    return f"{state} and on its way to {target}"
