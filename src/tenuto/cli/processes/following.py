"""Commands that change a process share these steps after the Conductor has answered."""

from dataclasses import replace
from functools import partial

from tenuto.cli.client.client import Client
from tenuto.cli.processes import plan_files
from tenuto.cli.processes.achieved import achieved
from tenuto.cli.processes.progress import progress_on
from tenuto.cli.processes.waiting import Goal, Outcome, Wait, finish
from tenuto.cli.render.plan import render_plan
from tenuto.cli.render.process import render_process_row
from tenuto.cli.terminal.exits import Exit
from tenuto.cli.terminal.session import Session
from tenuto.cli.terminal.steady_clock import SteadyClock
from tenuto.model.command import Command, ProcessState
from tenuto.model.ids import Instant, JsonMap
from tenuto.model.verb import Verb


def take(session: Session, client: Client, document: JsonMap, goal: Goal, timeout_s: float | None) -> int:
    """A command was taken: show the process, or follow it when a time-out was given. Returns the exit code."""
    kept = _kept_for_later(document)
    if timeout_s is None:
        session.emit(document, render_process_row)
        if said := kept or _next_step(document):
            session.say(said)
        return Exit.DONE
    if not session.is_json:
        session.say(render_process_row(document))
    if kept:
        # Without a job nothing would come to wait for but the failure of the job before.
        return finish(session, Outcome(exit_code=Exit.FAILED, message=kept, document=document))
    clock = SteadyClock()
    began = clock.now()
    deadline = Instant(began + timeout_s)
    with progress_on(session) as progress:
        wait = Wait(
            client=client,
            progress=progress,
            clock=clock,
            fid=document["fid"],
            goal=goal,
            deadline=deadline,
            is_detailed=True,
        )
        outcome = wait.outcome()
    if outcome.exit_code is Exit.DONE and not document["converged"]:
        outcome = replace(outcome, achieved=achieved(client, document, clock.now() - began))
    return finish(session, outcome)


def _kept_for_later(document: JsonMap) -> str:
    """The sentence about a Suspended process, which executes no composition; empty of any other process."""
    if document["state"] != ProcessState.SUSPENDED:
        return ""
    name = document["alias"] or document["fid"]
    if document["goes_on_with"] == Command.KILL:
        return (
            f"Process {name} is Suspended in the middle of its kill and executes no composition. "
            f"'tenuto resume {name}' cancels the kill and applies this one; 'tenuto kill {name}' goes on with the kill."
        )
    if document["next_command"] is None:
        return f"Process {name} is Suspended and has this composition already, so nothing was stored for later."
    return f"Process {name} is Suspended and keeps the change for later: 'tenuto resume {name}' applies it."


def _next_step(document: JsonMap) -> str:
    """The sentence about work that jobs still have to do; empty where there is nothing to wait for."""
    if document["converged"] or document["state"] == ProcessState.GONE:
        return ""
    name = document["alias"] or document["fid"]
    return f"The next jobs do it: 'tenuto status {name} --watch' shows how far it is."


def show_plan(session: Session, document: JsonMap, *, detailed: bool) -> int:
    """Show a plan, and save it where `-o` says.

    Returns the exit code: with `detailed`, 10 when it would do something.
    """
    shown = {key: value for key, value in document.items() if key != "plan_file"}
    is_whole = session.is_full or not session.is_terminal
    session.emit(shown, partial(render_plan, is_whole=is_whole))
    if session.plan_file is not None:
        plan_files.save(session.plan_file, document["plan_file"])
        session.say(f"Saved as {session.plan_file}.")
    has_changes = any(one["op"] != Verb.REFRESH for one in document["operations"])
    return Exit.CHANGES if detailed and has_changes else Exit.DONE
