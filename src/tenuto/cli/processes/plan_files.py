"""Plan files on the client: written by `--dry-run -o FILE`, given back by `--plan FILE`.

They hold plans that a person approved, and sealed secrets: so only their owner can read them, and a file is there as a
whole or not at all.
"""

import json
from pathlib import Path

from tenuto.cli.client.client import Client
from tenuto.cli.processes.asking import check_process
from tenuto.cli.processes.proposing import with_reason
from tenuto.cli.render.plan import render_operations
from tenuto.cli.terminal.session import Session
from tenuto.errors import UserError
from tenuto.kit.canonical import to_text
from tenuto.kit.private_file import private_draft
from tenuto.kit.visible import visible_document
from tenuto.model.command import Command
from tenuto.model.ids import Json, JsonMap

_MAKE_ONE = "A dry run saves one: add --dry-run -o FILE. To give a composition, leave --plan out."
_LARGEST_BYTES = 256 * 1024 * 1024
"""The limit of the Conductor, too."""


def rehearsal(session: Session) -> JsonMap:
    """The members that the body of a dry run has: the plan, and the plan file when it is to be saved."""
    return {"dry_run": True} | ({"plan_file": True} if session.plan_file else {})


def save(path: Path, document: JsonMap) -> None:
    """Write a plan file as canonical JSON, for its owner only. Raises OSError."""
    with private_draft(path, f"{to_text(document)}\n".encode("ascii")) as draft:
        draft.replace(path)


def execute(
    session: Session, client: Client, process: str, path: Path, command: str, reason: str | None = None
) -> JsonMap:
    """Ask, have the Conductor execute a plan file of this command, and return the document of the process."""
    plan = load(path)
    if (made_by := plan["command"]) != command:
        raise UserError(f"{path} was made by '{made_by} --dry-run', and this is '{command}'.")
    operations: Json = plan.get("operations")
    count = len(operations) if isinstance(operations, list) else 0
    what = "1 operation" if count == 1 else f"{count} operations"
    question = f"Execute the plan of {path} ({command}, {what}) on process {process}?"
    if not session.asks and not session.is_yes:
        session.confirm(question)
    elif _shown(session, client, process, plan):
        session.confirm_by_name(question, process)
    else:
        session.confirm(question)
    return client.post("processes", process, "execute", body=with_reason({"plan": plan}, reason))


def _shown(session: Session, client: Client, process: str, plan: JsonMap) -> bool:
    """Show the operations of a plan file before it is executed; returns whether any of them deletes or replaces.

    Raises UserError for a file of another shape. The signature, which the Conductor checks, tells that the file was not
    changed.
    """
    # The shape is checked by a library that takes longer to load than a plan is read.
    from tenuto.service.commands.plan_file_shape import check_shape

    check_process(client, process)
    check_shape(plan)
    operations = visible_document(plan["operations"])
    if operations:
        is_whole = session.is_full or not session.is_live
        session.say(render_operations(operations, is_whole=is_whole), is_painted=True)
    return any(one["destructive"] for one in operations)


def load(path: Path) -> JsonMap:
    """Raises UserError when the file is no JSON object with the command that it is for, and OSError."""
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST_BYTES + 1)
        if len(content) > _LARGEST_BYTES:
            raise UserError(f"{path} has more than the {_LARGEST_BYTES:,} bytes that a plan file may have.")
        document = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path} is no plan file: it is no JSON. {_MAKE_ONE}") from error
    if not isinstance(document, dict):
        raise UserError(f"{path} is no plan file: it must hold a JSON object. {_MAKE_ONE}")
    if document.get("command") not in tuple(Command):
        raise UserError(f"{path} is no plan file: it does not say which command it is for. {_MAKE_ONE}")
    return document
