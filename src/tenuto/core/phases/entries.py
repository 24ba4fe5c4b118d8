"""One object in one phase: the changes of a single entry of the phase map, and the summary of many entries of a phase.

Nothing here knows of other entries, of states or of targets: that is `core.phases.progress`.
"""

from collections.abc import Mapping
from typing import assert_never

from tenuto.core.phases.attempts import carried
from tenuto.core.phases.verdicts import Complete, Fail, Sleep, Verdict
from tenuto.kit.evolve import evolve
from tenuto.model.ids import Instant
from tenuto.model.phase_map import (
    DEFAULT_DELAY_S,
    SHORTEST_SLEEP_S,
    PhaseActivity,
    PhaseDefinition,
    PhaseEntry,
    PhaseStatus,
)

TIMEOUT_CODE = "PhaseTimeout"
UNDECIDED = "AppliesRaised"
"""The code of an entry whose constraint raised when the object entered the state. The constraint is asked again when
the phase runs, also after a retry, until it answers."""


def is_ready(entry: PhaseEntry, now: Instant) -> bool:
    """Whether a run that starts now may collect the entry."""
    if entry.status is PhaseStatus.SLEEPING:
        return entry.wake_at is None or entry.wake_at <= now
    return entry.status is PhaseStatus.WAITING


def started(entry: PhaseEntry, now: Instant) -> PhaseEntry:
    """A run has collected it."""
    return evolve(
        entry,
        status=PhaseStatus.RUNNING,
        first_started_at=now if entry.first_started_at is None else entry.first_started_at,
        started_at=now,
        ended_at=None,
        wake_at=None,
        runs=entry.runs + 1,
    )


def judged(entry: PhaseEntry, verdict: Verdict, definition: PhaseDefinition | None, now: Instant) -> PhaseEntry:
    """The entry after its run. A phase that is still under way at its time limit has failed."""
    match verdict:
        case Complete():
            return evolve(
                entry, status=PhaseStatus.COMPLETED, ended_at=now, message=verdict.message, code="", request_id=""
            )
        case Fail():
            return evolve(
                entry,
                status=PhaseStatus.FAILED,
                ended_at=now,
                message=verdict.message,
                code=verdict.code,
                request_id=verdict.request_id,
            )
        case Sleep():
            return _asleep(entry, verdict, definition, now)
        case _:
            assert_never(verdict)


def canceled(entry: PhaseEntry, now: Instant) -> PhaseEntry:
    """Close the entry without a result, so that the object may head for another target."""
    return evolve(entry, status=PhaseStatus.CANCELED, ended_at=now, wake_at=None, failures=0)


def retried(entry: PhaseEntry) -> PhaseEntry:
    """Start the entry over: no data, no message, and the clock of its time limit at zero; an act without an end stays
    known.
    """
    return PhaseEntry(
        phase=entry.phase,
        state=entry.state,
        status=PhaseStatus.WAITING,
        attempt=entry.attempt + 1,
        code=UNDECIDED if entry.code == UNDECIDED else "",
        act=carried(entry.act),
    )


def acknowledged(entry: PhaseEntry) -> PhaseEntry:
    """A failure that a person has seen, of a state that cannot be tried again. Its words stay."""
    return evolve(entry, status=PhaseStatus.CANCELED, attempt=entry.attempt + 1)


def activity_of(counts: Mapping[str, int]) -> tuple[PhaseActivity, Mapping[str, int]]:
    """The activity of a phase as a whole, by the number of objects in it by status; and these in the order of statuses.

    It is Canceling when every run in flight is; objects that only failed or are Blocked leave it Inactive.
    """
    ordered = {status.value: counts[status.value] for status in PhaseStatus if counts.get(status.value)}
    for status, activity in _ACTIVITIES:
        if status.value in ordered:
            return activity, ordered
    return PhaseActivity.INACTIVE, ordered


_ACTIVITIES = (
    (PhaseStatus.RUNNING, PhaseActivity.RUNNING),
    (PhaseStatus.CANCELING, PhaseActivity.CANCELING),
    (PhaseStatus.WAITING, PhaseActivity.RUNNING),
    (PhaseStatus.SLEEPING, PhaseActivity.SLEEPING),
)
"""The activity of a phase by the first of these statuses that an object in it has."""


def _asleep(entry: PhaseEntry, verdict: Sleep, definition: PhaseDefinition | None, now: Instant) -> PhaseEntry:
    """Let the entry sleep until its time, but not past the limit of the phase: there it gets one last run."""
    delay = definition.delay_s if definition else DEFAULT_DELAY_S
    least = definition.shortest_sleep_s if definition else SHORTEST_SLEEP_S
    wake = now + max(least, delay if verdict.seconds is None else verdict.seconds)
    message = verdict.message or entry.message
    limit = definition.timeout_s if definition else None
    if limit is not None and entry.first_started_at is not None:
        deadline = entry.first_started_at + limit
        if now >= deadline:
            last = f"; it last said: {message}" if message else ""
            text = f"phase {entry.phase} did not finish within its limit of {limit:g} s{last}"
            return evolve(entry, status=PhaseStatus.FAILED, ended_at=now, message=text, code=TIMEOUT_CODE)
        wake = min(wake, deadline)
    return evolve(
        entry,
        status=PhaseStatus.SLEEPING,
        wake_at=Instant(wake),
        message=message,
        code=verdict.code,
        request_id=verdict.request_id,
    )
