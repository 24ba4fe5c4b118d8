"""The sentences about one phase of an object: what it does, why it waits, and what to do about a failure."""

import json
from collections.abc import Iterable

from tenuto.core.planning.failures import words_of
from tenuto.core.planning.intents import command_that_goes_on
from tenuto.core.reports.unloaded import IsLoaded, unloaded_message
from tenuto.model.ids import Instant
from tenuto.model.phase_map import PhaseEntry, PhaseStatus, kept_data
from tenuto.model.process import Command, Process, ProcessState

_LONGEST_DATA = 400
"""The characters of a plugin's data that an explanation quotes."""


def of_phase(entry: PhaseEntry, process: Process, now: Instant, state: str) -> Iterable[str]:
    """The sentences about an open phase of an object in `state`, and what its plugin keeps."""
    yield _of_entry(entry, process, now, state)
    if data := kept_data(entry):
        yield f"Phase {entry.phase} keeps {_shortened(json.dumps(data, sort_keys=True, default=str))}"


def of_upkeep(entry: PhaseEntry, process: Process, now: Instant, is_loaded: IsLoaded) -> str:
    """The sentence about an upkeep phase: when it runs again, and what is wrong with it."""
    if entry.status is PhaseStatus.CANCELING:
        return f"Upkeep {entry.phase} is being canceled: its run has to return first."
    if not is_loaded(entry.phase):
        return f"Upkeep {entry.phase} rests: {unloaded_message(entry.phase)}."
    if entry.status is PhaseStatus.RUNNING:
        then = f"is running{_for(entry.started_at, now)}"
    else:
        then = f"runs again {_when(entry.wake_at, now, process.state is not ProcessState.SUSPENDED)}"
    if not entry.failures:
        return f"Upkeep {entry.phase} {then}{_cause(entry)}."
    times = "once" if entry.failures == 1 else f"{entry.failures} times in a row"
    name = process.alias or process.fid
    return f"Upkeep {entry.phase} failed {times}{_cause(entry)}. It {then}; 'tenuto retry {name}' runs it now."


def _of_entry(entry: PhaseEntry, process: Process, now: Instant, state: str) -> str:
    cause = _cause(entry)
    is_worked_on = process.state is not ProcessState.SUSPENDED
    command = command_that_goes_on(process)
    match entry.status:
        case PhaseStatus.FAILED:
            if entry.state != state:
                return f"Phase {entry.phase} failed in {entry.state}{cause}."
            then = "'retry' or 'resume'" if command is Command.RESUME else f"'{command}'"
            return f"Phase {entry.phase} failed{cause}. Remove the cause, then {then}."
        case PhaseStatus.RUNNING:
            return f"Phase {entry.phase} is running{_for(entry.started_at, now)}{cause}."
        case PhaseStatus.SLEEPING:
            return f"Phase {entry.phase} looks again {_when(entry.wake_at, now, is_worked_on)}{cause}."
        case PhaseStatus.BLOCKED:
            return f"Phase {entry.phase} waits for other phases of the same state{cause}."
        case PhaseStatus.WAITING:
            return f"Phase {entry.phase} waits for its next run{cause}."
        case PhaseStatus.CANCELING:
            return f"Phase {entry.phase} is being canceled: its run has to return first{cause}."
        case PhaseStatus.COMPLETED | PhaseStatus.CANCELED:
            return f"Phase {entry.phase} is {entry.status}{cause}."


def _cause(entry: PhaseEntry) -> str:
    words = words_of(entry)
    if not words:
        return ""
    return f": {words}" if entry.message else f" ({words})"


def _for(since: Instant | None, now: Instant) -> str:
    return f" for {seconds_text(now - since)}" if since is not None else ""


def _when(wake_at: Instant | None, now: Instant, is_worked_on: bool) -> str:
    if not is_worked_on:
        return "after 'resume'"
    if wake_at is None or wake_at <= now:
        return "now"
    return f"in {seconds_text(wake_at - now)}"


def seconds_text(seconds: float) -> str:
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_DATA else f"{text[:_LONGEST_DATA]}… 'tenuto --json status' shows all of it."
