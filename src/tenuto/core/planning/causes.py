"""The causes of a suspension: the codes of the failures that suspended a process.

A code is what the provider said (`AccessDenied`, `ExpiredToken`, `VpcLimitExceeded`), or Tenuto for want of one. Many
processes may be suspended by one cause, such as a permission that was taken away. Once it is removed, one command
resumes all of them. A process that a command suspended, or whose plan is held, has no cause: a person has to decide
about each of these.
"""

from collections.abc import Collection

from tenuto.core.planning.failures import failed_entries
from tenuto.core.planning.intents import command_that_goes_on
from tenuto.model.process import Command, Process, ProcessState
from tenuto.model.resource import ManagedObject


def codes_of(failed: Collection[ManagedObject]) -> tuple[str, ...]:
    """The codes of the failed phases of these objects, each once, by name."""
    return tuple(sorted({entry.code for found in failed for entry in failed_entries(found) if entry.code}))


def resumable_causes(process: Process) -> tuple[str, ...]:
    """The causes by which the process can be resumed: those that suspended it, unless it was suspended in its kill.

    There `resume` would make again what was deleted.
    """
    return () if why_not_by_cause(process) else process.causes


def why_not_by_cause(process: Process) -> str:
    """Why a process is not to be resumed together with others of its cause; empty when it is."""
    name = process.alias or process.fid
    if process.state is not ProcessState.SUSPENDED:
        return f"It is {process.state} by now."
    if command_that_goes_on(process) is Command.KILL:
        return (
            f"It was suspended in the middle of its kill, and 'resume' would make again what was deleted. "
            f"'tenuto kill {name}' goes on."
        )
    return ""
