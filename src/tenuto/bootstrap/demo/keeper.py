"""The keeper of a demonstration on this machine: a process that removes the things that a killed demonstration leaves.

The keeper is this module run with `-m` and the folder of the demonstration. It ends when its standard input is closed,
as that of the emulator (`bootstrap.tools.emulator`): at the end of the context, and just as surely when the
demonstration is killed. At the end of the context it is told a word before. Without the word everything is removed that
the host of the demonstration keeps. The keeper waits for the lock then, since the kernel closes the files of a dead
process one after the other. It is in a session of its own, and hears no signal of the terminal. Where it is killed,
too, the next demonstration does its work.
"""

import signal
import subprocess
import sys
from contextlib import AbstractContextManager, suppress
from pathlib import Path

from tenuto.bootstrap.demo.folder import remove_dead_one
from tenuto.errors import TenutoError

_WORD = b"ended"


class Keeper(AbstractContextManager["Keeper"]):
    """A keeper beside a demonstration, until the end of the context."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-P", "-m", "tenuto.bootstrap.demo.keeper", str(folder)]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def __exit__(self, *_: object) -> None:
        with suppress(BrokenPipeError):  # It was killed.
            self._process.communicate(_WORD)


def main() -> None:
    """Wait for the end of a demonstration, and remove the things that it has left."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    folder = Path(sys.argv[1])
    if sys.stdin.buffer.read() == _WORD:
        return
    try:
        remove_dead_one(folder)
    except (TenutoError, OSError):
        # The next demonstration finds it, and says why.
        sys.exit(1)


if __name__ == "__main__":
    main()
