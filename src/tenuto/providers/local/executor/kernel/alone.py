"""One executor for a folder: one that begins waits for the end of its predecessor.

An agent that was killed leaves an executor that ends after the request that it has begun. The next agent is there
before that, and two executors that make one thing at once would make it twice. The lock is one of the process, so the
guard, which is a fork, has no part of it. A predecessor that does not end stands still, and is ended.
"""

import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path

from tenuto.providers.local.executor.kernel.processes import end, is_running_as

PATIENCE_S = 60.0
"""More than a request takes, and less than an agent waits for an answer."""
_PAUSE_S = 0.05
_FILE = "executor"
_LENGTH = 20


def be_alone(folder: Path, *, patience_s: float = PATIENCE_S) -> int:
    """Wait until no other executor works over a folder; returns the descriptor that keeps it so. Raises OSError."""
    descriptor = os.open(folder / _FILE, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    deadline = time.monotonic() + patience_s
    while not _is_taken(descriptor):
        if time.monotonic() > deadline:
            other = os.pread(descriptor, _LENGTH, 0).strip().decode(errors="replace")
            if other.isdecimal():
                end(int(other), lambda other=int(other): is_running_as(other, str(folder)))  # type: ignore[misc]
        time.sleep(_PAUSE_S)
    # Of one length, so that a full disk refuses no later one; without it a successor only waits.
    with suppress(OSError):
        os.pwrite(descriptor, str(os.getpid()).encode().ljust(_LENGTH), 0)
    return descriptor


def _is_taken(descriptor: int) -> bool:
    """Take the lock of the folder; whether that went."""
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True
