"""The stacks of an assembly, one command for all of them: compiled first, and sent in their order.

Theory of operation. A mistake in the last stack must not leave the first ones running, so every stack is compiled
before any is sent. One thing can be known too late for that: a value of the parameter store that decides which
resources a stack has, and that a stack before it makes. Where the stacks before are waited for, such a stack is
compiled in its turn. A failure after that tells which stacks have been sent and which command goes on.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from shlex import quote
from typing import TYPE_CHECKING, TypeVar

from tenuto.cli.compositions.compiling import Source, UnknownValueProblem
from tenuto.cli.compositions.stacks import Part
from tenuto.cli.terminal.exits import ApiProblem, CommandEnd, Exit, exit_for
from tenuto.cli.terminal.session import Session
from tenuto.kit.first_names import first_of
from tenuto.model.ids import JsonMap

if TYPE_CHECKING:
    from tenuto.compositions.compile import Compiled

_T = TypeVar("_T")
_NAMED = 5
"""The number of stacks that a message names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """A part that can be sent: its source at the place where it goes, and its composition."""

    part: Part
    source: Source
    compiled: "Compiled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """One command for several parts. `given` is the source as the command line names it."""

    session: Session
    given: Source
    parts: tuple[Part, ...]
    done: str = "started"
    """The word for a part that was sent."""
    is_dry_run: bool = False
    is_waiting: bool = False
    is_repeatable: bool = True
    """True where `apply` goes on after a failure of this command."""

    def take(
        self,
        compile_: Callable[[Part], Ready],
        send: Callable[[Ready], JsonMap],
        follow: Callable[[JsonMap], int],
    ) -> int:
        """Compile every part; then send each in order and follow what the Conductor answers, as long as that succeeds.

        Returns the last exit code that says more than done. Raises what the three raise.
        """
        ready = self._compiled(compile_)
        said: int = Exit.DONE
        for index, part in enumerate(self.parts):
            try:
                answer = send(ready.get(index) or compile_(self._later(part, index)))
            except BaseException as failed:
                self._tell_unsent(index, failed)
                raise
            code = self._followed(index, answer, follow)
            if code not in (Exit.DONE, Exit.CHANGES):
                return code
            said = code or said
        return said

    def _followed(self, index: int, answer: JsonMap, follow: Callable[[JsonMap], int]) -> int:
        is_good = False
        try:
            code = follow(answer)
            is_good = code in (Exit.DONE, Exit.CHANGES)
            return code
        finally:
            if not is_good:
                self._tell_left(index + 1)

    def _compiled(self, compile_: Callable[[Part], Ready]) -> Mapping[int, Ready]:
        """Every part that compiles by now, by its place in the order. Raises CommandEnd when any has an error; the
        errors of all are told."""

        def early(index: int, part: Part) -> Ready | None:
            try:
                return compile_(part)
            except UnknownValueProblem:
                if not self._can_come_later(index):
                    raise
                return None

        found = compiled_parts(self.given, self.parts, early, undone="nothing was sent")
        return {index: one for index, one in enumerate(found) if one is not None}

    def _can_come_later(self, index: int) -> bool:
        """Whether a value that is unknown now can be known in the turn of this part."""
        if index > 0 and not (self.is_dry_run or self.is_waiting):
            self.session.say(
                f"Note: nothing was sent. If a stack before {_name_of(self.parts[index])} makes the value that is "
                "missing, use --wait: the value is asked for when that stack stands."
            )
        return index > 0 and (self.is_dry_run or self.is_waiting)

    def _later(self, part: Part, index: int) -> Part:
        """The part, which is compiled after `index` others."""
        has_sent = index > 0 and not self.is_dry_run
        return replace(part, source=replace(part.source, is_after_others=has_sent))

    def _tell_unsent(self, index: int, failed: BaseException) -> None:
        """Tell the parts that were sent before the one that was not, and how to go on."""
        importers = (
            f" First apply the stacks of {self.given.file} that import the export, by --stack, and wait for them."
            if isinstance(failed, ApiProblem) and failed.code == "export-in-use"
            else ""
        )
        if index > 0:
            left = [_name_of(one) for one in self.parts[index + 1 :]]
            rest = f" Not {self.done} yet: {first_of(left, _NAMED)}." if left else ""
            self._tell(
                f"{_were(self.parts[:index])} {self.done} before {_name_of(self.parts[index])}.{rest}{importers}"
            )
        elif len(self.parts) > 1 and isinstance(failed, ApiProblem) and exit_for(failed.code) is Exit.NOT_ALLOWED:
            self._tell(f"None of the {len(self.parts)} stacks was {self.done}.{importers}")

    def _tell_left(self, count: int) -> None:
        """Tell the parts that are left out after `count` of them were sent."""
        if left := [_name_of(one) for one in self.parts[count:]]:
            rest = f"Not {self.done} yet: {first_of(left, _NAMED)}."
            self._tell(f"{_were(self.parts[:count])} {self.done}. {rest}")

    def _tell(self, text: str) -> None:
        if self.is_dry_run:
            return
        how = (
            f"'{self._command()}' goes on: it updates the processes that are there, and starts the others."
            if self.is_repeatable
            else "Name those that are left with --stack."
        )
        self.session.say(f"Note: {text} {how}")

    def _command(self) -> str:
        options = (("--stack", self.given.stack), ("--region", self.given.region), ("--account", self.given.account))
        words = ["tenuto apply", quote(str(self.given.file))]
        words += [f"{name} {quote(value)}" for name, value in options if value]
        return " ".join((*words, "--wait") if self.is_waiting else words)


def compiled_parts(
    given: Source, parts: Sequence[Part], compile_: Callable[[int, Part], _T], *, undone: str
) -> list[_T]:
    """Every part compiled, each with its place in the order. Raises CommandEnd when any has an error; the errors of all
    are told. `undone` says what is not done then."""
    found: list[_T] = []
    failed: dict[str, CommandEnd] = {}
    for index, part in enumerate(parts):
        try:
            found.append(compile_(index, part))
        except CommandEnd as ended:
            if ended.exit_code is not Exit.COMPILE:
                raise
            failed[_name_of(part)] = ended
    if failed:
        raise _end_of_stacks(given, failed, of=len(parts), undone=undone)
    return found


def _end_of_stacks(given: Source, failed: Mapping[str, CommandEnd], *, of: int, undone: str) -> CommandEnd:
    """The end of a command whose stacks `failed` of `of` do not compile: one alone is told as it is."""
    ends = tuple(failed.values())
    if len(ends) == 1:
        return ends[0]
    details = [one for end in ends for one in end.details.get("diagnostics", ())]
    counted = f"{len(ends)} of {of} stacks have errors ({first_of(list(failed), _NAMED)})"
    return CommandEnd(Exit.COMPILE, f"{given.file}: {counted}; {undone}.", {"code": "compile", "diagnostics": details})


def _name_of(part: Part) -> str:
    return part.stack.shown if part.stack else str(part.source.file)


def _were(parts: Sequence[Part]) -> str:
    names = [_name_of(one) for one in parts]
    return f"{first_of(names, _NAMED)} {'was' if len(names) == 1 else 'were'}"
