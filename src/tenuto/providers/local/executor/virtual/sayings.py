"""The words that the programs of machines print, of which a host keeps the last 64 KiB each.

Theory of operation. A guest can make its QEMU print for ever, and a file would fill the disk of the host. So a program
prints into a pipe, which drops words that have no room in it. The program itself holds the end to read from, so the
pipe outlives the executor. The executor holds that end, too: it moves the words from the pipe into a file at each
observation, also after the end of the program. An executor that is started anew opens the end that the program holds.
"""

import os
import stat
from contextlib import suppress

from tenuto.kit.state_folder import StateFolder

FILE = "log"
KEPT = 65536
"""The bytes of a pipe, and the letters that are kept of one program."""


class Sayings:
    """The words of the programs of one kind of machines."""

    def __init__(self, state: StateFolder, kind: str) -> None:
        self._state = state
        self._kind = kind
        self._ends: dict[str, int] = {}

    def begin(self, name: str) -> tuple[int, int]:
        """Return both ends of a new pipe: the one to read from, which the program is to hold, and the one to print to.

        The caller closes the second one. Raises OSError.
        """
        self.forget(name)
        self._state.write(self._kind, name, FILE, "")
        reader, writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._ends[name] = reader
        return reader, writer

    def keep(self, name: str, pid: int = 0, number: int = 0) -> None:
        """Keep the words that were printed. `pid` is the program if it runs, `number` its descriptor of the end to read
        from."""
        if name not in self._ends and pid and number:
            with suppress(OSError):
                self._ends[name] = _held_by(pid, number)
        said = self._printed(name)
        if not said:
            return
        before = self._state.read(self._kind, name, FILE, largest=KEPT) or ""
        with suppress(OSError):  # On a full disk, the old words stay.
            self._state.write(self._kind, name, FILE, (before + said)[-KEPT:])

    def text(self, name: str) -> str:
        """Return the words that were printed last."""
        self.keep(name)
        return self._state.read(self._kind, name, FILE, largest=KEPT) or ""

    def forget(self, name: str) -> None:
        """Let go of a program."""
        if (reader := self._ends.pop(name, None)) is not None:
            os.close(reader)

    def _printed(self, name: str) -> str:
        """The words that are in the pipe, which is left when its program has ended."""
        reader = self._ends.get(name)
        if reader is None:
            return ""
        try:
            said = os.read(reader, KEPT)
        except OSError:  # Nothing is there.
            return ""
        if not said:
            self.forget(name)
        return said.decode(errors="replace")


def _held_by(pid: int, number: int) -> int:
    """Open the pipe that a program holds once more. Raises OSError, also for anything but a pipe: a program that was
    taken over may hold something else there."""
    path = f"/proc/{pid}/fd/{number}"
    if not stat.S_ISFIFO(os.stat(path).st_mode):
        raise OSError(f"{path} is no pipe")
    return os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
