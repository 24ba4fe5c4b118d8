"""Admission says which command a process allows in which state (process model; DECISIONS 1 and 5)."""

from collections.abc import Mapping

from tenuto.errors import NotAllowedError
from tenuto.model.process import Command, Process, ProcessState

_RUNNING, _SUSPENDED, _KILLING = ProcessState.RUNNING, ProcessState.SUSPENDED, ProcessState.KILLING

ALLOWED_IN: Mapping[Command, frozenset[ProcessState]] = {
    Command.RUN: frozenset(),
    Command.UPDATE: frozenset({_RUNNING, _SUSPENDED}),
    Command.SUSPEND: frozenset({_RUNNING, _KILLING}),
    Command.RESUME: frozenset({_SUSPENDED}),
    Command.KILL: frozenset({_RUNNING, _SUSPENDED}),
    Command.RELEASE: frozenset({_RUNNING, _SUSPENDED}),
    Command.RETRY: frozenset({_RUNNING, _SUSPENDED}),
    Command.PROPERTY: frozenset({_RUNNING, _SUSPENDED, _KILLING}),
}
"""`run` is in no state: it makes a new process, and never acts on one that exists."""

_HINTS: Mapping[tuple[Command, ProcessState], str] = {
    (Command.RESUME, _KILLING): "To cancel the kill, 'suspend' it first, then 'resume'.",
    (Command.RESUME, _RUNNING): "It runs already; 'retry' clears failed phases.",
    (Command.SUSPEND, _SUSPENDED): "It is suspended already.",
    (Command.KILL, _KILLING): "It is being killed already; 'suspend' pauses that.",
    (Command.UPDATE, _KILLING): "To cancel the kill, 'suspend' it first, then 'update' and 'resume'.",
    (Command.RELEASE, _KILLING): "'suspend' it first, then 'release'.",
    (Command.RETRY, _KILLING): "'suspend' it, then 'kill' again: that clears failed phases.",
}


def allowed_in(state: ProcessState) -> tuple[Command, ...]:
    """The commands that people can give to a process in this state, in the order of `Command`."""
    return tuple(command for command in Command if state in ALLOWED_IN[command])


def admit(command: Command, process: Process, *, unlocks: bool = False) -> None:
    """Raise NotAllowedError unless the process takes the command now.

    `unlocks` says that the command turns the lock off: the one thing that a locked process still takes.
    """
    name = process.alias or process.fid
    if process.state not in ALLOWED_IN[command]:
        allowed = ", ".join(allowed_in(process.state)) or "nothing, it is gone"
        hint = _HINTS.get((command, process.state), "")
        raise NotAllowedError(
            f"Process {name} is {process.state} and does not take '{command}'. "
            f"Allowed while {process.state}: {allowed}.{' ' + hint if hint else ''}"
        )
    if process.releasing is not None and command is Command.UPDATE:
        raise NotAllowedError(
            f"Process {name} is being released and does not take 'update': what it had is let go, piece by piece. "
            "'release' goes on with it, 'kill' deletes what is left."
        )
    if process.is_locked and not unlocks:
        raise NotAllowedError(
            f"Process {name} is locked; '{command}' is not allowed. "
            f"Unlock it first: 'tenuto property {name} lock --set off'."
        )
