"""The machines of a host that end with its lease, since they are made elsewhere when the host is lost.

Theory of operation. A mark in the folder of a machine says that it is one of them; another one says that it was ended
for that, until it starts again. Each kind of machines has its folder, and the control group of a machine has its name.
A machine that a person has taken out of its group is found by the process that its folder names: while it ran on, its
successor would run elsewhere.
"""

import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial

from tenuto.kit.state_folder import StateFolder
from tenuto.providers.local.executor.kernel.cgroups import Cgroups
from tenuto.providers.local.executor.kernel.processes import family_of, running, send
from tenuto.providers.local.executor.kernel.spawning import document

PROCESS = "process"
"""The file that names the process of a machine: a JSON object with its number (`pid`) and its `start`."""
_LEASED, _ENDED = "leased", "ended-by-host"
_PATIENCE_S = 5.0


def processes_of(state: StateFolder, cgroups: Cgroups, kind: str, name: str) -> list[int]:
    """The processes of a machine: those of its groups, and the one that its folder names, with the processes that this
    one began."""
    return sorted({*cgroups.processes(name), *_named(state, kind, name)})


def _named(state: StateFolder, kind: str, name: str) -> list[int]:
    pid = running(document(state.read(kind, name, PROCESS)))
    return family_of(pid) if pid else []


class LeasedMachines:
    """The marks of the machines of one host, and their end."""

    def __init__(self, state: StateFolder, cgroups: Cgroups, kinds: Sequence[str]) -> None:
        self._state = state
        self._cgroups = cgroups
        self._kinds = kinds

    def mark(self, kind: str, name: str, *, is_leased: bool) -> None:
        """Note whether a machine ends with the lease."""
        self._set(kind, name, _LEASED, is_set=is_leased)

    def started(self, kind: str, name: str) -> None:
        """Note that a machine starts: the mark of its earlier end is removed."""
        self._set(kind, name, _ENDED, is_set=False)

    def was_ended(self, kind: str, name: str) -> bool:
        """Whether the host ended a machine with its lease."""
        return self._state.read(kind, name, _ENDED) is not None

    def end(self) -> None:
        """End them all at once, each also when another one cannot be ended. Twice is once."""
        left = [one for one in self._all() if self._is_leased(*one) and self._processes(*one)]
        for kind, name in left:
            with suppress(OSError):  # A full disk takes no mark, and saves no machine.
                self._set(kind, name, _ENDED, is_set=True)
        until = time.monotonic() + _PATIENCE_S
        while left and time.monotonic() < until:
            for kind, name in left:
                with suppress(OSError):  # A frozen process cannot end; a group that is gone holds none.
                    self._cgroups.freeze(name, is_frozen=False)
                for pid in self._processes(kind, name):
                    with suppress(OSError):
                        send(pid, signal.SIGKILL, partial(self._is_of, kind, name, pid))
            time.sleep(0.01)
            left = [one for one in left if self._processes(*one)]

    def _all(self) -> Iterator[tuple[str, str]]:
        for kind in self._kinds:
            with suppress(OSError):  # A folder that cannot be listed hides no machine of another kind.
                yield from [(kind, name) for name in self._state.names(kind)]

    def _is_leased(self, kind: str, name: str) -> bool:
        """Whether a machine is to end. One whose mark cannot be read may be made elsewhere, so it is."""
        try:
            return self._state.read(kind, name, _LEASED) is not None
        except OSError:
            return True

    def _is_of(self, kind: str, name: str, pid: int) -> bool:
        return pid in self._processes(kind, name)

    def _processes(self, kind: str, name: str) -> list[int]:
        """The processes of a machine, as far as the host can tell them."""
        found: set[int] = set()
        with suppress(OSError):
            found.update(self._cgroups.processes(name))
        with suppress(OSError):
            found.update(_named(self._state, kind, name))
        return sorted(found)

    def _set(self, kind: str, name: str, mark: str, *, is_set: bool) -> None:
        if is_set:
            self._state.write(kind, name, mark, "")
        else:
            (self._state.made(kind, name) / mark).unlink(missing_ok=True)
