"""The sentences about one phase of an object: its work, the reason of its wait, and the advice about a failure.

A phase whose plugin is not loaded is told in the same way everywhere. Which phases an object goes through is stored
with it when it enters a state (`core.phases.walking`). So a plugin that was loaded then and is not loaded now, because
it was taken away or refused at the start, leaves objects that wait for it. They wait for as long as it takes: to go on
without the plugin would skip work that was asked for. A user who does not want the plugin back gives a command that
takes the object another way, and so cancels the phase.
"""

import json
from collections.abc import Callable, Iterable

from tenuto.core.planning.failures import words_of
from tenuto.core.planning.intents import command_that_goes_on
from tenuto.lifecycles import roles
from tenuto.model.command import Command, ProcessState
from tenuto.model.ids import Instant, PhaseName
from tenuto.model.phase_map import PhaseEntry, PhaseStatus, kept_data
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject

IsLoaded = Callable[[PhaseName], bool]

_LONGEST_DATA = 400
"""The characters of a plugin's data that an explanation quotes."""


def of_phase(entry: PhaseEntry, process: Process, now: Instant, state: str, is_loaded: IsLoaded) -> Iterable[str]:
    """The sentences about an open phase of an object in `state`, and about the data that its plugin keeps."""
    if entry.status in (PhaseStatus.SLEEPING, PhaseStatus.WAITING) and not is_loaded(entry.phase):
        yield f"Phase {entry.phase} waits for its plugin{_cause(entry)}."
    else:
        yield _of_entry(entry, process, now, state)
    if data := kept_data(entry):
        noted = (f"{name} = {json.dumps(value, sort_keys=True, default=str)}" for name, value in sorted(data.items()))
        yield f"Phase {entry.phase} has noted {_shortened(', '.join(noted))}"


def of_upkeep(entry: PhaseEntry, process: Process, now: Instant, is_loaded: IsLoaded) -> str:
    """The sentence about an upkeep phase: its next run, and its problem."""
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
            is_tried = command is Command.RESUME and is_worked_on
            then = "'retry' or 'resume'" if is_tried else f"'{command}'"
            return f"Phase {entry.phase} failed{cause}. Remove the cause, then {then}."
        case PhaseStatus.RUNNING:
            return f"Phase {entry.phase} is running{_for(entry.started_at, now)}{cause}."
        case PhaseStatus.SLEEPING:
            return f"Phase {entry.phase} is tried again {_when(entry.wake_at, now, is_worked_on)}{cause}."
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


def every_phase_is_loaded(phase: PhaseName) -> bool:
    """Return True for every phase, for readers that do not know the plugins."""
    return True


def unloaded_phases(found: ManagedObject, is_loaded: IsLoaded) -> tuple[PhaseName, ...]:
    """The open phases of an object whose plugin is not loaded, by name. Upkeep is none: nothing waits for it.

    An object in its state of failures waits for a person, and for no plugin. Its failure may bear the name of no phase.
    """
    if roles.is_failing(found):
        return ()
    return tuple(sorted(name for name, entry in found.phases.items() if entry.is_open and not is_loaded(name)))


def unloaded_message(phase: PhaseName) -> str:
    """The problem of a phase whose plugin is not loaded, and the advice: short enough for a table."""
    return f"No plugin of the name {phase} is loaded. Install it and give 'tenuto phases reload'"


def way_without(process: Process, found: ManagedObject) -> str:
    """The command that takes the object on without the plugin, as a sentence."""
    name = process.alias or process.fid
    if roles.is_being_deleted(found):
        first = f"after 'tenuto suspend {name}', " if process.state is ProcessState.KILLING else ""
        return f"Without it, {first}'tenuto release {name}' leaves the resource in the account."
    if roles.is_being_released(found):
        return f"Without it, 'tenuto kill {name}' deletes the resource."
    return f"Without it, 'tenuto kill {name}' ends the process."
