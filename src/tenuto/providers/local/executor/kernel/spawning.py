"""Machines as programs under `bwrap`: no process of Tenuto is their parent, and each is in the control groups of its
machine.

`bwrap` writes to a file which process it has started, and how that ended. So both are known after a restart of the
executor.
"""

import json
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from tenuto.providers.local.executor.kernel.programs import ENVIRONMENT, ProgramError

START_S = 5.0
_SIGNALLED = 128
_LATEST = 2.0**36
"""A moment which no clock shows, and which can be written as a date still."""


def spawn(command: Sequence[str], join: Callable[[], None], said: int, passed: Sequence[int]) -> None:
    """Start a program that is no child of this process, in the groups that `join` puts it into. Raises ProgramError.

    Its output goes to the descriptor `said`; it keeps the descriptors `passed`.
    """
    try:
        subprocess.run(
            ["setsid", "--fork", *command],
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            pass_fds=passed,
            env=ENVIRONMENT,
            preexec_fn=join,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise ProgramError(f"the machine did not start: {error}") from error


def as_user(uid: int) -> list[str]:
    """The beginning of a command line that runs as a user without rights."""
    return ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--no-new-privs"]


def began(status: Callable[[], str], log: Callable[[], str]) -> int:
    """The first process of a machine that was just started, from the status that `bwrap` writes. Raises
    ProgramError."""
    end = time.monotonic() + START_S
    while time.monotonic() < end:
        for line in status().splitlines():
            if pid := document(line).get("child-pid"):
                return int(pid)
        time.sleep(0.005)
    said = " ".join(log().split())
    raise ProgramError(f"the machine did not start: {said or 'bwrap said nothing'}")


def ending(status: str) -> str:
    """The way in which a machine ended, from the status that `bwrap` wrote."""
    for line in status.splitlines():
        code = document(line).get("exit-code")
        if code is not None:
            return f"ended by signal {code - _SIGNALLED}" if code > _SIGNALLED else f"ended with {code}"
    return "ended without a word"


def booted_at(process: Mapping[str, Any]) -> float:
    """The moment at which a machine was started, by its record; 0 for a record that is damaged."""
    at = process.get("booted_at")
    return float(at) if isinstance(at, int | float) and 0 <= at < _LATEST else 0.0


def document(text: str | None) -> dict[str, Any]:
    """The JSON object of a text; an empty one for another text."""
    with suppress(ValueError):
        found = json.loads(text or "{}")
        if isinstance(found, dict):
            return found
    return {}
