"""Plan files: a dry run that can be kept, read, approved and then executed exactly, or refused.

Theory of operation. A file holds the command (for an update, the compiled composition, its new secrets sealed with the
Conductor's key), the facts of the process and its resources, and the operations that were shown. Nothing in it is
believed: to execute a file is to take the same order again, to plan again from a fresh sweep, and to compare. When the
process, one of its resources or one operation is not as in the file, the file is refused, and the refusal names the
differences. Otherwise the plan that was just made, equal to the one that was shown, is stored as the plan of a running
job together with the command, in one commit: no later sweep can make another one of it.

A file is signed with the key of the Conductor. A user whose rights are few may read one and write one: so it holds no
secret but those that its maker has just given, sealed for this process alone, and a file with another signature is
refused.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from tenuto.compositions.documents.document import to_document
from tenuto.core.planning.comparing.secrets import digest_of
from tenuto.errors import PlanMovedError, UserError
from tenuto.kit.canonical import DocumentError, to_text
from tenuto.lifecycles.roles import has_ended
from tenuto.model.command import Command
from tenuto.model.ids import Json, JsonMap
from tenuto.model.plan import Planning
from tenuto.model.process import Process, ReleaseMode
from tenuto.model.resource import ManagedObject
from tenuto.ports.secrets import Secrets
from tenuto.service.commands.orders import Order
from tenuto.service.commands.plan_file_shape import check_shape
from tenuto.service.commands.plan_moves import COMPOSITION, DECLARED, moved_facts, moved_operations, moved_values
from tenuto.service.commands.plan_view import operations_document
from tenuto.service.common.values import secret_names, time_text
from tenuto.service.intake.composition import Submission

FORMAT = "tenuto-plan"
VERSION = 2
"""Files of version 1 were not signed."""
_EXECUTABLE = (Command.UPDATE, Command.RESUME, Command.KILL, Command.RELEASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanFile:
    """A plan file that was read: its shape is right, nothing else is known of it."""

    command: Command
    fid: str
    submission: Submission | None
    mode: ReleaseMode
    facts: JsonMap
    operations: tuple[JsonMap, ...]


class PlanFiles:
    """Makes plan files, and reads those that this Conductor has made."""

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets

    def make(self, order: Order, planning: Planning, objects: Iterable[ManagedObject], actor: str) -> JsonMap:
        """The file of a dry run that `actor` asked for."""
        is_update = order.command in (Command.RUN, Command.UPDATE)
        composition = order.composition if is_update else None
        document: dict[str, Json] = {
            "format": FORMAT,
            "version": VERSION,
            "command": order.command.value,
            "process": {"fid": order.before.fid if order.before else None, "alias": order.process.alias},
            "made_at": time_text(planning.plan.observed_at),
            "made_by": actor,
            "composition": to_document(composition) if composition else None,
            "sealed": _given(order) if is_update else {},
            "releasing": order.process.releasing.value if order.process.releasing else None,
            "facts": facts(order, objects),
            "operations": _operations(order, planning),
        }
        return document | {"signature": self._secrets.sign(_text(document))}

    def read(self, document: JsonMap) -> PlanFile:
        """Raises UserError when it is no plan file of this Conductor, was changed, or cannot be executed by nature."""
        if document.get("format") != FORMAT or document.get("version") != VERSION:
            raise UserError(
                f"This is no plan file of version {VERSION}. Make one with '--dry-run -o FILE', by this version of "
                "Tenuto."
            )
        check_shape(document)
        given = {key: value for key, value in document.items() if key != "signature"}
        if not self._secrets.is_signed(_text(given), str(document["signature"])):
            raise UserError(
                "The plan file was changed or damaged after it was made, or another Conductor made it. Make the plan "
                "again."
            )
        command = Command(given["command"])
        if command not in _EXECUTABLE:
            raise UserError(
                f"The plan file was made by '{command} --dry-run', and there is no process yet that it could be "
                f"executed on. Give the command itself: '{command} FILE'."
            )
        submission = None
        if command is Command.UPDATE:
            submission = Submission(document=given["composition"], secrets={}, sealed=given["sealed"])
        return PlanFile(
            command=command,
            fid=given["process"]["fid"],
            submission=submission,
            mode=ReleaseMode(given["releasing"] or ReleaseMode.UNTAG),
            facts=given["facts"],
            operations=tuple(given["operations"]),
        )


def check_unmoved(file: PlanFile, order: Order, planning: Planning, objects: Iterable[ManagedObject]) -> None:
    """Raise PlanMovedError, with a line for everything that is not as in the file."""
    name = order.process.alias or order.process.fid
    moved = [
        *moved_facts(name, file.facts, facts(order, objects)),
        *moved_operations(file.operations, _operations(order, planning)),
    ]
    if moved:
        lines = "\n".join(f"  {line}" for line in moved)
        raise PlanMovedError(
            f"The plan is not executed, and nothing was changed. Since it was made, this has changed:\n{lines}\n"
            "Make the plan again, and look at it again.",
            moved,
        )


def check_as_shown(process: Process, shown: JsonMap) -> None:
    """Raise PlanMovedError unless the process is as `shown`: its facts in the plan that a person has seen."""
    name = process.alias or process.fid
    moved = [*moved_values("the process", shown, _process_facts(process), name)]
    if moved:
        lines = "\n".join(f"  {line}" for line in moved)
        raise PlanMovedError(
            f"The command is not carried out, and nothing was changed. Since its plan was shown, this has changed:\n"
            f"{lines}\nMake the plan again, and look at it again.",
            moved,
        )


def facts(order: Order, objects: Iterable[ManagedObject]) -> JsonMap:
    """The facts that a plan rests on besides the world: the process before the command, and its incarnations."""
    process = order.before or order.process
    found = {
        f"{one.logical_id} (incarnation {one.incarnation})": {
            "id": one.physical_id,
            "state": one.state,
            "target": one.target,
            DECLARED: digest_of(one.desired, None)[:12],
        }
        for one in objects
        if not has_ended(one)
    }
    return {"process": _process_facts(process), "resources": dict(sorted(found.items()))}


def _process_facts(process: Process) -> JsonMap:
    return {
        "state": process.state.value,
        COMPOSITION: process.composition_digest,
        "enforcement": process.is_enforced,
        "releasing": process.releasing.value if process.releasing else None,
    }


def _operations(order: Order, planning: Planning) -> list[JsonMap]:
    document = operations_document(planning.plan, secret_names(order.composition))
    operations: list[JsonMap] = document["operations"]
    return operations


def _given(order: Order) -> dict[str, str]:
    """The sealed values that the dry run was given. Those that the process has already stay with it."""
    known = order.before.sealed if order.before else {}
    return {name: sealed for name, sealed in order.process.sealed.items() if known.get(name) != sealed}


def _text(document: JsonMap) -> str:
    """The text that is signed."""
    try:
        return to_text(document)
    except DocumentError as error:
        raise UserError(f"The plan file cannot be read: {error}.") from error
