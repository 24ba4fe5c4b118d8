"""Notes: the sentence that a page shows after an act, as long as it is true.

Theory of operation. The word of a note stands in the query string, which can be loaded a second time, sent to another
user, and written by hand. So a note is no memory of a click: each one has a condition on the view of its page, and a
page shows it only while the condition holds. An open page asks for the note again, as for every other part of it, and
drops it when another user has undone what it tells.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tenuto.model.command import Command, ProcessState
from tenuto.model.ids import JsonMap
from tenuto.model.proposal import ProposalState

PART = "note"
"""The name of the part of a page that holds its note."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A sentence, and the condition on the view of a page under which it is true there."""

    text: str
    is_true: Callable[[JsonMap], bool]


def note_of(word: str, view: JsonMap, *, user: str) -> JsonMap | None:
    """The note of a word in the query string on the page of a view; None where it would not be true. `fid` is the
    process whose changes can make it untrue, empty where there is none."""
    found = NOTES.get(word)
    if found is None or not found.is_true({**view, "user": user}):
        return None
    about = view.get("process") or view.get("proposal") or {}
    return {"word": word, "text": found.text, "fid": about.get("fid", "")}


def _of_process(is_so: Callable[[JsonMap], bool]) -> Callable[[JsonMap], bool]:
    return lambda view: bool(view.get("process")) and is_so(view["process"])


def _in(state: ProcessState, command: Command) -> Callable[[JsonMap], bool]:
    """The process is in the state, or the command that leads there waits."""
    return _of_process(lambda process: process["state"] == state or process["next_command"] == command)


def _proposal(state: ProposalState) -> Callable[[JsonMap], bool]:
    return lambda view: bool(view.get("proposal")) and view["proposal"]["state"] == state


def _is_resumed(view: JsonMap) -> bool:
    return _of_process(lambda one: one["state"] == ProcessState.RUNNING)(view) and view["intent"] == Command.RESUME


def _is_retried(state: ProcessState) -> Callable[[JsonMap], bool]:
    """The overview has the button too, and tells nothing of a single process."""
    return lambda view: "board" in view or _of_process(lambda one: one["state"] == state)(view)


def _is_proposed(view: JsonMap) -> bool:
    """The page of the process stands for that of the proposal where the user may not read plans."""
    return bool(view.get("process")) or _proposal(ProposalState.OPEN)(view)


def _has_agreed(view: JsonMap) -> bool:
    is_open = _proposal(ProposalState.OPEN)(view)
    return is_open and any(one["by"] == view["user"] for one in view["proposal"]["approvals"])


def _is_stored(view: JsonMap) -> bool:
    return _proposal(ProposalState.EXECUTED)(view) and view["proposal"]["command"] == Command.UPDATE


NOTES: Mapping[str, Note] = {
    "checked": Note(
        text="The Conductor looks at it now.", is_true=_of_process(lambda one: one["state"] != ProcessState.GONE)
    ),
    "suspended": Note(
        text="Suspended. What was in flight comes to rest; no new work begins.",
        is_true=_in(ProcessState.SUSPENDED, Command.SUSPEND),
    ),
    "resumed": Note(text="Resumed: exactly the plan that was shown is executed.", is_true=_is_resumed),
    "retried": Note(
        text="Failed phases were cleared; they are tried again now.", is_true=_is_retried(ProcessState.RUNNING)
    ),
    "retried-later": Note(
        text="Failed phases were cleared. They are tried again when the suspended process is resumed.",
        is_true=_is_retried(ProcessState.SUSPENDED),
    ),
    "proposed": Note(
        text="Proposed. With the approvals that are needed, exactly this plan is executed.", is_true=_is_proposed
    ),
    "killing": Note(
        text="The deletion begins: exactly what was shown. 'Suspend' pauses it.",
        is_true=_in(ProcessState.KILLING, Command.KILL),
    ),
    "enforced": Note(text="Enforcement is on: drift is set back.", is_true=_of_process(lambda one: one["enforcement"])),
    "not-enforced": Note(
        text="Enforcement is off for the time you chose. Drift is seen, told, and left alone.",
        is_true=_of_process(lambda one: not one["enforcement"] and one["enforcement_until"]),
    ),
    "locked": Note(
        text="Locked: no command is taken until it is unlocked.", is_true=_of_process(lambda one: one["lock"])
    ),
    "unlocked": Note(text="Unlocked.", is_true=_of_process(lambda one: not one["lock"])),
    "proposal-open": Note(
        text="Your approval is kept. With the last one that is needed, the plan is executed.", is_true=_has_agreed
    ),
    "proposal-approved": Note(
        text="Approved. Its plan waits, because a job is at work: press Execute when the job is done.",
        is_true=_proposal(ProposalState.APPROVED),
    ),
    "proposal-executed": Note(
        text="Approved. Exactly the plan that was shown is executed.", is_true=_proposal(ProposalState.EXECUTED)
    ),
    "proposal-stored": Note(
        text="Approved. The update is stored; 'Resume' of the process applies it.", is_true=_is_stored
    ),
    "proposal-stale": Note(
        text="Nothing was done: something has changed since the plan was made, as it says below.",
        is_true=_proposal(ProposalState.STALE),
    ),
    "proposal-rejected": Note(
        text="The proposal is over; nothing of it is done.", is_true=_proposal(ProposalState.REJECTED)
    ),
    "proposal-withdrawn": Note(
        text="The proposal is over; nothing of it is done.", is_true=_proposal(ProposalState.WITHDRAWN)
    ),
    "tested": Note(text="The test event was sent.", is_true=lambda view: "notifications" in view),
    "redelivered": Note(text="What had failed is sent again.", is_true=lambda view: "notifications" in view),
    "ended": Note(text="The session is over.", is_true=lambda view: "sessions" in view),
}
"""The notes that a page may show after an act, by the word in its query string."""
