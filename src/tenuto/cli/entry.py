"""`main`: run one command, and turn its end into a message and an exit code."""

import os
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from tenuto.cli.options.arguments import check_text
from tenuto.cli.options.options import asks_for_json
from tenuto.cli.root import root
from tenuto.cli.terminal import call_log, terminal
from tenuto.cli.terminal.exits import ApiProblem, CommandEnd, Exit, UnreachableError, exit_for
from tenuto.cli.terminal.session import Session
from tenuto.errors import TenutoError, UserError
from tenuto.kit.shown_urls import without_passwords
from tenuto.settings import Settings, cli_log_path


def main() -> None:
    """The console script."""
    sys.exit(run(sys.argv[1:], os.environ))


def run(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Run the command line, and log the call; returns its exit code. Never raises."""
    began, started = time.time(), time.monotonic()
    exit_code, log = _run(arguments, environ)
    if log is not None:
        call_log.append(log, arguments, exit_code=exit_code, began=began, took_s=time.monotonic() - started)
    return exit_code


def _run(arguments: Sequence[str], environ: Mapping[str, str]) -> tuple[int, Path | None]:
    """The exit code, and where the call is to be logged."""
    log = cli_log_path(environ)
    is_debug = environ.get("TENUTO_DEBUG", "") not in ("", "0")
    session: Session | None = None
    try:
        session = Session(Settings.load(environ))
        log, is_debug = session.settings.cli_log, session.settings.debug
        check_text(arguments)
        outcome = root.main(list(arguments), prog_name="tenuto", standalone_mode=False, obj=session)
        terminal.flush()
        return int(outcome or 0), log
    except BrokenPipeError:
        # The reader of stdout has seen enough.
        terminal.abandon()
        return Exit.DONE, log
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the border: every end has a message and a code
        if is_debug:
            terminal.tell_traceback()
        exit_code, message = _end(error)
        is_json = session is not None and session.is_json
        _tell(exit_code, without_passwords(message), error, is_json=is_json or asks_for_json(arguments))
        return exit_code, log


def _end(error: BaseException) -> tuple[Exit, str]:
    match error:
        case CommandEnd():
            return error.exit_code, str(error)
        case click.UsageError():
            return Exit.USAGE, _usage(error)
        case click.exceptions.Abort() | KeyboardInterrupt():
            return Exit.INTERRUPTED, "Interrupted. What the Conductor has begun continues in the background."
        case UnreachableError():
            return Exit.UNREACHABLE, str(error)
        case ApiProblem() | UserError():
            return exit_for(error.code), str(error)
        case TenutoError():
            return Exit.FAILED, str(error)
        case click.ClickException():
            return Exit.USAGE, error.format_message()
        case OSError():
            return Exit.FAILED, f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}"
        case _:
            kind = type(error).__name__
            return Exit.FAILED, f"Unexpected error, a fault of Tenuto: {kind}: {error}. TENUTO_DEBUG=1 shows where."


_FIRST_STEPS = """\
  tenuto demo         shows Tenuto at work, and leaves nothing
  tenuto demo --web   serves the dashboard of a small world
  tenuto init         writes a composition to begin with
  tenuto status       shows your processes
  tenuto --help       lists all commands"""
"""The answer to the bare word: the sixty commands would fill two screens."""


def _usage(error: click.UsageError) -> str:
    message = " ".join(error.format_message().split())
    ctx = error.ctx
    if ctx is None:
        return message
    if isinstance(error, click.exceptions.NoArgsIsHelpError) and ctx.parent is None:
        return f"Name a command.\n{_FIRST_STEPS}"
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        return f"Name one of the commands of '{ctx.command_path}'.\n{error.format_message()}"
    help_call = f"'{ctx.command_path} --help'"
    more = "" if help_call in message else f" {help_call} shows how it is used."
    return f"{message if message.endswith(('.', '?')) else f'{message}.'}{more}\n{ctx.get_usage()}"


_LEAVES_TRACES = (Exit.FAILED, Exit.NOT_ALLOWED, Exit.PERMISSION)
"""The failures of which something is to be found by the id of the request: in the history, or in the Conductor's log.
The others say all that there is to know, and their readers need no id."""


def _tell(exit_code: Exit, message: str, error: BaseException, *, is_json: bool) -> None:
    request = error.request if isinstance(error, ApiProblem) and exit_code in _LEAVES_TRACES else ""
    terminal.tell(f"tenuto: {message}{f' (request {request})' if request else ''}")
    if is_json:
        document: dict[str, object] = {"exit_code": int(exit_code), "message": message}
        match error:
            case ApiProblem():
                document |= {"code": error.code, "problem": dict(error.document)}
                document |= {"request": error.request} if error.request else {}
            case UserError():
                document["code"] = error.code
            case CommandEnd():
                document |= error.details
        terminal.out_json({"error": document})
