"""The shell of a machine, as a plugin has it: `run.remote(node)`.

Theory of operation. A plugin never blocks: it starts a program in one run of its phase, keeps the answer of `start` in
its data, and polls in later runs. When the Conductor dies after the start and before that data is stored, the plugin
starts the same program again. So the id of an order is made of the object, the phase, the attempt and the program: the
second start is the first one. A retry is another attempt, and runs it again.
"""

import hashlib
from collections.abc import Sequence
from uuid import NAMESPACE_OID, uuid5

from tenuto.errors import PermanentError
from tenuto.model.ids import PhaseName
from tenuto.model.resource import ManagedObject
from tenuto.ports.programs import DEADLINE_S, ProgramEnd, ProgramOrder, Programs

LARGEST_INPUT = 1 << 20


class Shell:
    """Runs programs in one machine. Each call may raise ProviderError or StoreError, like every call of a phase."""

    def __init__(self, machine: ManagedObject, phase: PhaseName, programs: Programs | None) -> None:
        self._machine = machine
        self._phase = phase
        self._attempt = machine.phases[phase].attempt
        self._programs = programs

    def start(self, words: Sequence[str], *, stdin: str | bytes = "", deadline: int = DEADLINE_S) -> str:
        """Have a program run, and return the handle to poll it by. The same program is run once for each attempt of the
        phase, however often it is started.

        `words` are the program and its arguments; `stdin` is given to it, at most 1 MiB. `deadline` is in seconds.
        Raises TypeError and ValueError for anything else.
        """
        given: list[object] = [] if isinstance(words, str) else [*words]
        texts = [one for one in given if isinstance(one, str)]
        if not texts or len(texts) < len(given):
            raise TypeError('a program is a list of texts, such as ["sh", "-s"]')
        if type(deadline) is not int or deadline < 1:
            raise ValueError("the deadline of a program is a number of whole seconds, at least 1")
        content = stdin.encode() if isinstance(stdin, str) else bytes(stdin)
        if len(content) > LARGEST_INPUT:
            raise ValueError(f"the input of a program has {len(content):,} bytes: at most {LARGEST_INPUT:,} are taken")
        order = ProgramOrder(
            id=self._id_of(texts, content),
            words=tuple(texts),
            stdin=content,
            deadline_s=deadline,
            asked_by=f"phase {self._phase}",
        )
        return self._of_provider().start(self._machine, order)

    def poll(self, command: str) -> ProgramEnd | None:
        """Return how a program ended, by the handle that `start` gave; None while it may run."""
        return self._of_provider().end(self._machine, str(command))

    def _id_of(self, words: Sequence[str], stdin: bytes) -> str:
        told = hashlib.sha256("\0".join(words).encode() + b"\0\0" + stdin).hexdigest()
        return str(uuid5(NAMESPACE_OID, f"{self._machine.object_id}/{self._phase}/{self._attempt}/{told}"))

    def _of_provider(self) -> Programs:
        if self._programs is None:
            raise PermanentError(
                f"The provider {self._machine.provider or 'without a name'} runs no programs in its machines for "
                f"phases. Let the phase {self._phase} reach {self._machine.logical_id} by itself, such as by ssh.",
                code="NoPrograms",
            )
        return self._programs
