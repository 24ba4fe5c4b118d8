"""The end of a program that was started in a session of its own, with everything that it started there."""

import os
import signal
import subprocess
import time

_POLL_S = 0.05
"""Seconds between two checks whether the program has ended: a wait that no user feels."""
_ENDED = os.WEXITED | os.WNOHANG | os.WNOWAIT
"""To see that a process has ended without taking its end: its number stays taken."""


def has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether a program that was not waited for yet has ended. Its end is not taken."""
    return os.waitid(os.P_PID, process.pid, _ENDED) is not None


def end_group(process: subprocess.Popen[bytes], grace_s: float) -> None:
    """End the group of a program: ask it (SIGTERM), and kill it (SIGKILL) after `grace_s`, also when the program itself
    has gone by then and only left something behind.

    The program must lead its own group, and must not be waited for before: it is waited for here, last, and until then
    nothing else can take its number. So only the thread that started it may call this.
    """
    os.killpg(process.pid, signal.SIGTERM)
    end = time.monotonic() + grace_s
    while time.monotonic() < end and not has_ended(process):
        time.sleep(_POLL_S)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
