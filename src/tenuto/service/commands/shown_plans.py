"""Plans that were shown to a person, whose yes counts for exactly the shown plan.

A plan is named by the digest of the facts that it rests on and of its operations. With the yes comes the digest; the
plan is made again, and executed only when it has the same digest. Otherwise nothing is done, and the difference is
told. The last plans that were shown are remembered for that, in memory: without one, the refusal tells less, and
refuses all the same.
"""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tenuto.errors import PlanMovedError
from tenuto.kit.canonical import to_text
from tenuto.model.command import Command
from tenuto.model.ids import JsonMap
from tenuto.model.process import Process
from tenuto.service.commands.direct_commands import Passed
from tenuto.service.commands.plan_view import PlanView, plan_document
from tenuto.service.commands.process_commands import Commands
from tenuto.service.commands.told_by_reader import IsSeen

MOST = 64
_MOST_OPERATIONS = 2000
"""The operations of a remembered plan: of a larger one only the digest is known later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPlan:
    """The document of a plan, the digest that names it, and its plan file, by which a rule judges it."""

    document: JsonMap
    digest: str
    file: JsonMap | None


class ShownPlans:
    """Shows and executes the plans of `resume` and `kill`. Thread-safe."""

    def __init__(self, commands: Commands) -> None:
        self._commands = commands
        self._lock = threading.Lock()
        self._shown: OrderedDict[str, Sequence[JsonMap]] = OrderedDict()

    def show(self, command: Command, reference: str, *, actor: str, is_seen: IsSeen = lambda _: False) -> ShownPlan:
        """The plan that the command would have executed now. Raises the errors of its dry run. `is_seen` tells which
        other processes the reader may see."""
        view = self._rehearsed(command, reference, actor)
        digest = _digest(view)
        document = plan_document(view, is_seen)
        operations = document["operations"]
        with self._lock:
            self._shown[digest] = operations if len(operations) <= _MOST_OPERATIONS else ()
            self._shown.move_to_end(digest)
            while len(self._shown) > MOST:
                self._shown.popitem(last=False)
        return ShownPlan(document=document, digest=digest, file=view.file)

    def execute(
        self,
        command: Command,
        reference: str,
        digest: str,
        *,
        actor: str,
        permit: Callable[[PlanView], Passed],
    ) -> Process:
        """Execute the plan of this digest. Raises PlanMovedError with the differences, and then nothing was done.

        `permit` is asked last: it raises where the policy asks for an approval.
        """
        view = self.agreed(command, reference, digest, actor=actor)
        passed = permit(view)
        commands = self._commands.along(lambda _: passed.along)
        return commands.execute(reference, passed.file or view.file or {}, actor=actor)

    def agreed(self, command: Command, reference: str, digest: str, *, actor: str) -> PlanView:
        """The plan of this digest, made again. Raises PlanMovedError with the differences."""
        view = self._rehearsed(command, reference, actor)
        if _digest(view) != digest:
            with self._lock:
                before = self._shown.get(digest)
            now = plan_document(view)["operations"]
            moved = list(_differences(before, now)) if before is not None else []
            moved = moved or ["the process or one of its resources is not as it was when the plan was shown"]
            raise PlanMovedError("The plan has changed since it was shown, so nothing was done.", moved)
        return view

    def _rehearsed(self, command: Command, reference: str, actor: str) -> PlanView:
        """The dry run for a page that is read: the history does not tell of it."""
        dry_runs = self._commands.dry_runs
        rehearse = dry_runs.kill if command is Command.KILL else dry_runs.resume
        return rehearse(reference, actor=actor, is_kept=False)


def _digest(view: PlanView) -> str:
    file = view.file or {}
    seen = {"command": file.get("command"), "facts": file.get("facts"), "operations": file.get("operations")}
    return hashlib.sha256(to_text(seen).encode()).hexdigest()


def _differences(before: Sequence[JsonMap], now: Sequence[JsonMap]) -> Iterator[str]:
    """The operations in which two plans differ, each in a line."""
    old, new = _by_name(before), _by_name(now)
    for key in sorted(old.keys() | new.keys()):
        verb, name = key
        if key not in new:
            yield f"no longer planned: {verb} {name}"
        elif key not in old:
            yield f"planned now: {verb} {name} ({new[key]['type']})"
        elif old[key]["changes"] != new[key]["changes"]:
            paths = ", ".join(one["path"] for one in new[key]["changes"])
            yield f"changed: {verb} {name}: {paths}"


def _by_name(operations: Sequence[JsonMap]) -> Mapping[tuple[str, str], JsonMap]:
    return {(one["op"], one["logical_id"]): one for one in operations}
