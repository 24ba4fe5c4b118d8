"""The command that a process serves: every question about it is answered here, from the process alone.

The events `served` and `done` move the stage of an intent along `lifecycles.intent`; the others are look-ups.
"""

from dataclasses import replace

from tenuto.lifecycles.intent import INTENT
from tenuto.model.job import Job
from tenuto.model.process import Command, Intent, IntentStage, Process, ProcessState

ENFORCE = "enforce"
"""The command of a job that no user asked for: the process is brought back to what it is to be."""


def served(intent: Intent) -> Intent:
    """A plan was made for the command, or a suspension takes it off the next job; once is enough."""
    return _moved(intent, IntentStage.SERVED) if intent.stage is IntentStage.WAITING else intent


def done(intent: Intent) -> Intent:
    """Return the intent as done: nothing is left to do of the command."""
    return _moved(intent, IntentStage.DONE) if intent.stage is not IntentStage.DONE else intent


def command_of_process(process: Process) -> str:
    """The purpose of a job of the process: the user's command that still stands behind it, or enforcement."""
    if process.state is ProcessState.KILLING:
        return Command.KILL.value
    if process.releasing is not None:
        return Command.RELEASE.value
    return process.intent.command.value if process.intent.stands else ENFORCE


def command_that_goes_on(process: Process) -> Command:
    """The command with which a suspended process goes on with what it was at."""
    if process.releasing is not None:
        return Command.RELEASE
    was_killing = process.state is ProcessState.SUSPENDED and process.intent.command is Command.KILL
    return Command.KILL if was_killing or process.state is ProcessState.KILLING else Command.RESUME


def superseded_by(process: Process, job: Job) -> str:
    """Return why a running job of the process must end before its plan is done; empty when it goes on."""
    if process.state is ProcessState.SUSPENDED:
        return "suspended"
    if (process.state is ProcessState.KILLING) != (job.command == Command.KILL):
        return f"overtaken by {command_of_process(process)}"
    if process.intent.waiting is not None:
        return f"overtaken by {process.intent.waiting}"
    return ""


def _moved(intent: Intent, stage: IntentStage) -> Intent:
    INTENT.check(intent.stage, stage, object_id=f"to {intent.command}")
    return replace(intent, stage=stage)
