"""The machines of a host that end with its lease, since they are made elsewhere when the host is lost.

Theory of operation. A mark in the folder of a machine says that it is one of them; another one says that it was ended
for that, until it starts again. Each kind of machines has its folder, and the control group of a machine has its name.
"""

import signal
import time
from collections.abc import Sequence
from contextlib import suppress

from tenuto.kit.state_folder import StateFolder
from tenuto.providers.local.executor.kernel.cgroups import Cgroups

_LEASED, _ENDED = "leased", "ended-by-host"
_PATIENCE_S = 5.0


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
        """Note that a machine starts: what ended it before is over."""
        self._set(kind, name, _ENDED, is_set=False)

    def was_ended(self, kind: str, name: str) -> bool:
        """Whether the host ended a machine with its lease."""
        return self._state.read(kind, name, _ENDED) is not None

    def end(self) -> None:
        """End them all at once. Twice is once."""
        running = [
            (kind, name)
            for kind in self._kinds
            for name in self._state.names(kind)
            if self._state.read(kind, name, _LEASED) is not None and self._cgroups.processes(name)
        ]
        for kind, name in running:
            with suppress(OSError):  # A full disk takes no mark, and saves no machine.
                self._set(kind, name, _ENDED, is_set=True)
        until = time.monotonic() + _PATIENCE_S
        while running and time.monotonic() < until:
            for _, name in running:
                # A frozen process cannot end.
                self._cgroups.freeze(name, is_frozen=False)
                self._cgroups.send(name, signal.SIGKILL)
            time.sleep(0.01)
            running = [one for one in running if self._cgroups.processes(one[1])]

    def _set(self, kind: str, name: str, mark: str, *, is_set: bool) -> None:
        if is_set:
            self._state.write(kind, name, mark, "")
        else:
            (self._state.made(kind, name) / mark).unlink(missing_ok=True)
