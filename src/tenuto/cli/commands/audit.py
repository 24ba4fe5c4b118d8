"""`tenuto audit …`: the audit log of a Conductor, read on its machine."""

from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from tenuto.cli.options.groups import group
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import pass_session
from tenuto.cli.terminal.exits import Exit
from tenuto.cli.terminal.output_forms import listed
from tenuto.cli.terminal.session import Session
from tenuto.cli.terminal.tables import table
from tenuto.cli.terminal.terminal import terminal_width
from tenuto.cli.terminal.times import short_time
from tenuto.errors import NotFoundError, UserError
from tenuto.kit.chain import LONGEST_LINE, entry_of, examine
from tenuto.kit.config_file import DAEMONS
from tenuto.model.ids import JsonMap

_OUTCOMES = ("begun", "done", "waits", "stale", "refused", "denied", "failed")
_FILES = click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE]...")


@make_command(
    "list", "tenuto audit list", "tenuto audit list audit.log --actor ann --last 20", names=listed("entries", "number")
)
@_FILES
@click.option("--actor", metavar="USER", help="Only what this user did.")
@click.option("--operation", metavar="NAME", help="Only this request, such as kill or sign_in.")
@click.option("--outcome", type=click.Choice(_OUTCOMES), help="Only this.")
@click.option("--last", type=click.IntRange(1, 100_000), default=100, show_default=True, help="So many, the newest.")
@pass_session
def list_entries(
    session: Session,
    files: tuple[Path, ...],
    actor: str | None,
    operation: str | None,
    outcome: str | None,
    last: int,
) -> None:
    """Show the actions of users, the newest last.

    Without FILE it is the log that --audit-log names (TENUTO_AUDIT_LOG), with its older files.
    """
    wanted = {"actor": actor, "operation": operation, "outcome": outcome}
    entries: deque[JsonMap] = deque(maxlen=last)
    for file, row, line in _lines(_files(session, files)):
        entry = entry_of(line)
        if entry is None and row == 1:
            # 'verify' reports a damaged line further on.
            raise UserError(f"{file} is no audit log: its first line is no entry of one.")
        if entry is not None and all(one is None or entry.get(name) == one for name, one in wanted.items()):
            entries.append(entry)
    session.emit({"entries": list(entries)}, _render_entries)


@make_command("verify", "tenuto audit verify", "tenuto audit verify audit.log.000000000001 audit.log")
@_FILES
@click.option("--holds", metavar="HASH", help="The hash of a line that was noted elsewhere, and must still be there.")
@pass_session
def verify(session: Session, files: tuple[Path, ...], holds: str | None) -> int:
    """Check that no line was changed, removed, moved or put in.

    Each line holds the hash of the line before it. The first place at which that does not hold is told by its file and
    line; exit code 11. Lines that were cut off at the end are found by --holds, with a hash that this command gave
    earlier. Of lines that are missing at the beginning it tells whether retention has removed them. Without FILE it is
    the log that --audit-log names (TENUTO_AUDIT_LOG), with its older files.
    """
    chain = examine(_lines(_files(session, files)))
    broken = chain.broken
    is_missing = broken is None and holds is not None and holds not in chain.digests
    document = {
        "sound": broken is None and not is_missing,
        "lines": chain.lines,
        "first": chain.first,
        "pruned": chain.first > 1 and chain.is_told,
        "last": chain.last.number,
        "hash": chain.last.digest if chain.lines else None,
        "file": broken.file if broken else None,
        "line": broken.line if broken else None,
        "reason": broken.reason if broken else "The hash of --holds is not there: lines were removed from the end, or "
        "from the beginning." if is_missing else None,
    }  # fmt: skip
    session.emit(document, _render_verdict)
    return Exit.DONE if document["sound"] else Exit.UNSOUND


def _files(session: Session, given: Sequence[Path]) -> list[Path]:
    """The files in the order of their chain. Raises UserError, NotFoundError."""
    if given:
        missing = [one for one in given if not one.is_file()]
        if missing:
            raise NotFoundError(f"There is no audit log {missing[0]}.")
        return list(given)
    log = session.settings.audit_log
    if log is None:
        raise UserError("No audit log is named. Give its FILE, or set TENUTO_AUDIT_LOG as for the Conductor.")
    if str(log) in DAEMONS:
        raise UserError(
            f"The audit log goes to {log}, and this command reads files. 'journalctl -t tenuto-audit' shows what the "
            "journal has; of syslog, name the file that it writes."
        )
    older = sorted(log.parent.glob(f"{log.name}.[0-9]*"))
    found = [*older, *([log] if log.is_file() else [])]
    if not found:
        raise NotFoundError(f"There is no audit log {log}. A Conductor that is started with --audit-log writes it.")
    return found


def _lines(files: Sequence[Path]) -> Iterator[tuple[str, int, str]]:
    for path in files:
        try:
            with path.open("rb") as file:
                row = 0
                while line := file.readline(LONGEST_LINE):
                    row += 1
                    yield str(path), row, line.rstrip(b"\n").decode(errors="replace")
        except OSError as failed:
            raise UserError(f"The audit log {path} cannot be read: {failed.strerror}.") from failed


_COLUMNS = {
    "number": "Number",
    "at": "Time",
    "actor": "Actor",
    "address": "Address",
    "way": "Way",
    "operation": "Operation",
    "path": "Path",
    "outcome": "Outcome",
    "count": "Count",
    "plan": "Plan",
    "reason": "Reason",
}
"""The columns of a list, with their headings."""


def _render_entries(document: JsonMap) -> str:
    rows = [
        tuple(_cell(name, str(one.get(name, ""))) for name in _COLUMNS)
        for one in (entry | {"actor": entry.get("actor") or entry.get("user", "")} for entry in document["entries"])
    ]
    return table(tuple(_COLUMNS.values()), rows, width=terminal_width()) or "No lines."


def _cell(name: str, text: str) -> str:
    """A time as people read it, and as much of a digest as tells it from others."""
    return short_time(text) if name == "at" else text[:12] if name == "plan" else text


def _render_verdict(document: JsonMap) -> str:
    lines = document["lines"]
    span = f"{lines} line{'' if lines == 1 else 's'}" + (
        f", {document['first']} to {document['last']}" if lines else ""
    )
    if document["sound"] and not document["lines"]:
        return "The audit log has no lines yet."
    if document["sound"]:
        last = f"Hash of the last: {document['hash']}"
        if document["first"] > 1 and not document["pruned"]:
            return (
                f"The audit log is whole from line {document['first']} on: {span}. The lines before are not in these "
                f"files, and no line tells why: a person has removed them. {last}"
            )
        since = " The lines before were removed by retention." if document["pruned"] else ""
        return f"The audit log is whole: {span}.{since} {last}"
    place = f"{document['file']}, line {document['line']}: " if document["file"] else ""
    return f"The audit log is not whole. {place}{document['reason']} Whole before that: {span}."


command = group("audit", "Show who did what, and check that the log is whole.", list_entries, verify)
