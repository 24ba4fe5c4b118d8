"""The command that a process serves: every question about it is answered here, from the process alone.

The events `served` and `done` move the stage of an intent along `lifecycles.intent`; the others are look-ups.

*The mandate.* Nothing is done for an object before a plan for its process's last command has spoken of it. A command is
stored at once and planned by the next job. Between the two lie a moment, or days when the provider cannot be reached,
and the work that is under way then was ordered by an earlier command: a deletion that sleeps, say, which the new
command takes back. So every command that changes the wanted state of a process raises the number of the process
(`Process.mandate`) in its own commit, and an object carries the number of the command for which its target was planned.
Where the two differ the store gives the object to no phase run, and the provider's client makes no call.

The plan that serves the command speaks of every object that is under way. A step sets its target when the step begins.
An object that goes on as it is has the plan's agreement, which is stored in one commit with the plan; so has one that
is to stand, while its desired properties refer to something that has no value yet. Any other object about which the
plan cannot decide yet gets neither, and rests. A plan that no command asked for raises the number in the same way when
one of its steps is to turn an object that is under way elsewhere.

An object at rest needs no mandate for its upkeep: it is where a plan has brought it, and a plan that wants it elsewhere
cancels the upkeep. Only a process that is Suspended or Gone has none done.

An update of a process that was suspended in the middle of its kill is only stored: its intent stays the kill, until
`resume` cancels it or `kill` and `release` go on. So a later look-up still finds that `resume` would make again what
was deleted.

Rejected: to turn the targets in the commit of the command. Whether a deletion can be turned back, and in which order
things are to be deleted, follows from the things at the provider; a command must not wait for that.

*The asker* of the present work is the user whose command stands behind it, or the Conductor. The actor of a move is who
asked; `by` is the plan or the phase that moved the object. The API request of that command goes with the name, so that
all that a request caused is found by its id. An object of no process carries the last request that wrote it
(`ManagedObject.request`), which stands behind the work until the object has reached its target.
"""

from collections.abc import Iterable
from dataclasses import replace

from tenuto.kit.evolve import evolve
from tenuto.lifecycles.intent import INTENT
from tenuto.model.asker import Asker
from tenuto.model.command import Command, ProcessState
from tenuto.model.job import CONDUCTOR, Job
from tenuto.model.plan import Plan, Planning
from tenuto.model.process import Intent, IntentStage, Process
from tenuto.model.resource import ManagedObject, Move

ENFORCE = "enforce"
"""The command of a job that no user asked for: the process is brought back to its declaration."""


def served(intent: Intent) -> Intent:
    """The intent as served: a plan was made for its command, or a suspension took the command off the next job."""
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
    """The command with which a suspended process goes on with its interrupted work."""
    if process.releasing is not None:
        return Command.RELEASE
    is_killed = is_halted_in_kill(process) or process.state is ProcessState.KILLING
    return Command.KILL if is_killed else Command.RESUME


def is_halted_in_kill(process: Process) -> bool:
    """Whether the process was suspended in the middle of its kill, by a command or by a failure, and still is."""
    return process.state is ProcessState.SUSPENDED and process.intent.command is Command.KILL


def is_ending(process: Process) -> bool:
    """Whether the process is being killed or released, or was suspended in the middle of that."""
    return process.is_leaving or is_halted_in_kill(process)


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


def mandated(process: Process, plan: Plan, objects: Iterable[ManagedObject]) -> Process:
    """The process under the mandate of a plan: the present mandate, unless the plan turns an object that is under
    way."""
    turned = {step.object_id for step in plan.steps}
    if not any(found.object_id in turned and not found.is_settled for found in objects):
        return process
    return replace(process, mandate=process.mandate + 1)


def agreed_objects(planning: Planning, process: Process, objects: Iterable[ManagedObject]) -> tuple[ManagedObject, ...]:
    """The objects that go on as they are, with the mandate of their process; without those that have it already."""
    return tuple(
        replace(found, mandate=process.mandate)
        for found in objects
        if found.object_id in planning.agreed and found.mandate != process.mandate
    )


_THE_CONDUCTOR = Asker(name=CONDUCTOR)


def asker_of_command(process: Process, command: str) -> Asker:
    """The user who gave the command of a job or a plan of the process, and the request."""
    if command == ENFORCE:
        return _THE_CONDUCTOR
    return Asker(name=process.intent.by or CONDUCTOR, request=process.intent.request)


def asker(process: Process | None, found: ManagedObject) -> Asker:
    """The asker of the present work on an object. Between a command and its plan, the work that was under way comes to
    its end: that is the Conductor's own."""
    if process is None and found.request and not found.is_settled:
        return Asker(name=CONDUCTOR, request=found.request)
    if process is None or found.mandate != process.mandate:
        return _THE_CONDUCTOR
    return asker_of_command(process, command_of_process(process))


def asked_by(moves: Iterable[Move], who: Asker) -> tuple[Move, ...]:
    """The moves of a plan or a phase, as those of who asked."""
    return tuple(evolve(move, actor=who.name, by=move.actor, request=who.request) for move in moves)
