"""`tenuto resume PROCESS`, and `tenuto resume --cause CODE`."""

from collections.abc import Sequence
from pathlib import Path

import click

from tenuto.cli.client.target import find_conductor
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import (
    dry_run_options,
    optional_process_argument,
    pass_session,
    plan_option,
    wait_option,
    yes_option,
)
from tenuto.cli.processes.giving import Ways, give
from tenuto.cli.processes.proposing import propose_options
from tenuto.cli.processes.waiting import Goal
from tenuto.cli.render.causes import render_causes
from tenuto.cli.terminal.exits import Exit
from tenuto.cli.terminal.session import Session
from tenuto.kit.visible import visible_document


@make_command(
    "resume",
    "tenuto resume vpc --dry-run",
    "tenuto resume vpc --wait",
    "tenuto resume --cause AccessDenied --dry-run",
    "tenuto resume --cause AccessDenied --cause UnauthorizedOperation",
)
@optional_process_argument
@click.option(
    "--cause",
    "causes",
    multiple=True,
    metavar="CODE",
    help="In place of a name: every process that failures of this code suspended. May be repeated.",
)
@dry_run_options
@plan_option
@wait_option
@propose_options
@yes_option
@pass_session
def command(
    session: Session,
    process: str | None,
    causes: tuple[str, ...],
    dry_run: bool,
    detailed_exitcode: bool,
    plan: Path | None,
    wait: float | None,
    propose: bool,
    message: str | None,
    reason: str | None,
) -> int:
    """Start the jobs of a process again.

    Clears failed phases, approves a held plan, reverts drift that came meanwhile, and cancels a paused kill: the
    resources that it had deleted are built again.

    With --cause, the jobs of every process that one cause suspended: 'status' names the causes. The list is shown
    first; --dry-run shows it and changes nothing. Left out, and told why, are processes that you may not resume, that
    are locked, that were suspended in the middle of their kill, or of which the next plan deletes or replaces anything.
    """
    if causes:
        if process or plan or wait is not None or session.plan_file or propose or reason:
            raise click.UsageError(
                "--cause resumes many processes: leave out ALIAS|FID, --plan, --wait, --propose, --reason and -o."
            )
        return _resume_all(session, causes, is_dry_run=dry_run, detailed=detailed_exitcode)
    if process is None:
        raise click.UsageError("Name a process (ALIAS|FID), or say --cause CODE for all that one cause suspended.")
    ways = Ways(
        dry_run=dry_run,
        detailed=detailed_exitcode,
        plan=plan,
        wait=wait,
        propose=propose,
        message=message,
        reason=reason,
    )
    question = f"Resume process {process}"
    return give(session, process, "resume", question=question, goal=Goal.CONVERGED, ways=ways)


def _resume_all(session: Session, causes: Sequence[str], *, is_dry_run: bool, detailed: bool) -> int:
    """Show the processes that the causes suspended, ask, and resume the shown ones. Returns the exit code."""
    client = find_conductor(session.settings)
    shown = client.post("resume", body={"causes": list(causes), "dry_run": True})
    found = shown["processes"]
    if is_dry_run:
        session.emit(shown, render_causes)
        return Exit.CHANGES if detailed and found else Exit.DONE
    if not found:
        session.emit(shown, render_causes)
        return Exit.NOT_ALLOWED
    session.say(render_causes(visible_document(shown)))
    session.confirm(f"Resume {len(found)} process{'' if len(found) == 1 else 'es'}?")
    fids = [one["fid"] for one in found]
    done = client.post("resume", body={"causes": list(causes), "processes": fids})
    session.emit(done, render_causes)
    return Exit.DONE if done["processes"] else Exit.NOT_ALLOWED
