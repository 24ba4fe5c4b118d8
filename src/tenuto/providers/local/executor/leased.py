"""The machines of a host that end with its lease, since they are made elsewhere when the host is lost.

Theory of operation. A file in the folder of a machine keeps from its order whether it is one of them; another one says
that it was ended for that, until it starts again. Only the words of an order keep a machine: one whose file was removed
or damaged ends, too, since its successor may run elsewhere; so does one whose folder was deleted while it ran. A sweep
sees such a file as a deviation. Each kind of machines has its folder, and the control group of a machine has its name.
A machine that a person has taken out of its group is found by the process that its folder names.
"""

import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial

from tenuto.kit.state_folder import StateFolder, make_way
from tenuto.providers.local.executor.kernel.cgroups import Cgroups
from tenuto.providers.local.executor.kernel.processes import family_of, running, send
from tenuto.providers.local.executor.kernel.spawning import document

PROCESS = "process"
"""The file that names the process of a machine: a JSON object with its number (`pid`) and its `start`."""
_LEASED, _ENDED = "leased", "ended-by-host"
_ENDS, _STAYS = "", "no"
"""The contents of the file of a machine that ends, and of one that stays."""
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
        if self._state.read(kind, name, _LEASED) != _noted(is_leased=is_leased):
            self._state.write(kind, name, _LEASED, _noted(is_leased=is_leased))

    def problems(self, kind: str, name: str, *, is_leased: bool) -> tuple[str, ...]:
        """The difference of that note from the order, in words. A machine without a folder has other problems."""
        kept = self._state.read(kind, name, _LEASED)
        if kept == _noted(is_leased=is_leased) or not self._state.has(kind, name):
            return ()
        told = "is missing" if kept is None else "has another content"
        return (f"its file {_LEASED!r}, by which it ends with the lease of its host or stays, {told}",)

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
                if self._state.has(kind, name):
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
        """The machines by their folders; one whose folder is gone, or is a link, by its control group."""
        known: set[str] = set()
        for kind in self._kinds:
            with suppress(OSError):  # A folder that cannot be listed hides no machine of another kind.
                for name in self._state.names(kind):
                    known.add(name)
                    yield kind, name
        with suppress(OSError):
            yield from ((self._kind_of(name), name) for name in self._cgroups.machines() if name not in known)

    def _kind_of(self, name: str) -> str:
        """The kind of a machine without a folder of its own: that of a note which a link leads to, or any."""
        with suppress(OSError):
            return next((one for one in self._kinds if self._state.read(one, name, _LEASED)), self._kinds[0])
        return self._kinds[0]

    def _is_leased(self, kind: str, name: str) -> bool:
        """Whether a machine is to end: only a note that can be read keeps it."""
        try:
            return self._state.read(kind, name, _LEASED) != _STAYS
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
            make_way(self._state.made(kind, name) / mark)


def _noted(*, is_leased: bool) -> str:
    return _ENDS if is_leased else _STAYS
