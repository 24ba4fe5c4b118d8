"""The asker of what is done now: the user whose command stands behind it, or the Conductor.

The actor of a move is who asked; `by` is the plan or the phase that moved the object.
"""

from collections.abc import Iterable
from dataclasses import replace

from tenuto.core.planning.intents import ENFORCE, command_of_process
from tenuto.model.job import CONDUCTOR
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject, Move


def asker_of_command(process: Process, command: str) -> str:
    """The user who gave the command of a job or a plan of the process."""
    return CONDUCTOR if command == ENFORCE or not process.intent.by else process.intent.by


def asker(process: Process | None, found: ManagedObject) -> str:
    """The one who asked for what is done for an object now. Between a command and its plan, what was under way comes to
    its end: that is the Conductor's own."""
    if process is None or found.mandate != process.mandate:
        return CONDUCTOR
    return asker_of_command(process, command_of_process(process))


def asked_by(moves: Iterable[Move], who: str) -> tuple[Move, ...]:
    """The moves of a plan or a phase, as those of who asked."""
    return tuple(replace(move, actor=who, by=move.actor) for move in moves)
