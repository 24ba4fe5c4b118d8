"""Programs inside of machines: run by their providers for the phases of plugins.

Theory of operation. A phase is called again and again, and after a crash once more with the data that it saved. So the
order of a program has an id that follows from the object, the phase, the attempt and the program itself
(`conductor.phases.shell`): a provider that is given it twice runs it once. The end of a program can be read for as long
as the machine is there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tenuto.model.resource import ManagedObject

DEADLINE_S = 600
"""Seconds that a program has where nothing else is said."""
NEVER_RAN = -1
"""The code of a program that was not run, or of which nobody knows how it ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramOrder:
    """A program to be run once, found by the PATH of the machine, without a shell. `deadline_s` is in seconds.
    `asked_by` names the phase for people."""

    id: str
    words: Sequence[str]
    stdin: bytes
    deadline_s: int
    asked_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramEnd:
    """The end of a program: its code, and the beginning of its output. Of one that was not run, `code` is `NEVER_RAN`,
    and `stderr` tells the reason."""

    code: int
    stdout: str = ""
    stderr: str = ""


class Programs(Protocol):
    """The programs in the machines of one provider. Safe to call from several threads."""

    def start(self, machine: ManagedObject, order: ProgramOrder) -> str:
        """Have a program run in the machine of an object, and return the handle by which its end is asked. The same
        order again returns the same handle, and runs nothing. A machine that cannot take it yet is no error: the end
        tells it.

        Raises UserError for a program that no machine can run, TransientError, PermanentError and StoreError.
        """
        ...

    def end(self, machine: ManagedObject, handle: str) -> ProgramEnd | None:
        """Return how a program ended; None while it may run. Raises TransientError, PermanentError and StoreError."""
        ...
