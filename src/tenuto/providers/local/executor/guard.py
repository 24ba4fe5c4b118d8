"""The guard of a host: when its lease is over, it ends the machines and addresses that may be elsewhere from then on.

Theory of operation. The guard is a process beside the executor, because the executor may end, or stand still, at the
wrong moment. It does nothing but look at the lease twice a second. When its executor has ended, it goes on until the
lease is released, until it is over and the machines are ended, or until the guard of another executor has begun. The
executor starts another guard when its own one ends, and lets it go on when a signal has stopped it.
"""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

from tenuto.kit.record_file import read_record, write_record
from tenuto.providers.local.executor.ends_with_lease import LeasedThings
from tenuto.providers.local.executor.kernel.processes import stands_still
from tenuto.providers.local.leases import Lease

PERIOD_S = 0.5
_FILE = "guard"


def begin_guard(folder: Path, things: LeasedThings, lease: Lease, *, closed: int) -> int:
    """Start a guard and return its process. `closed` is the descriptor of the agent, which it must not keep open."""
    executor = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    try:
        os.close(closed)
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        _guard(folder, things, lease, executor)
    finally:
        # Nothing of the executor's own end may run here.
        os._exit(0)
    return 0


def has_ended(pid: int) -> bool:
    """Whether a guard of this process has ended."""
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return True


def let_go_on(pid: int) -> None:
    """Let a guard go on that a signal has stopped: it would end nothing when its host is cut off."""
    if stands_still(pid):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


def _guard(folder: Path, things: LeasedThings, lease: Lease, executor: int) -> None:
    with suppress(OSError):  # A disk that is full hinders no guard.
        write_record(folder / _FILE, str(os.getpid()))
    while True:
        is_alone = os.getppid() != executor
        # The guard is the last one that keeps a machine from running twice, so no error ends it: it tries again.
        with suppress(Exception):
            if is_alone and not _is_the_last(folder):
                return
            if lease.is_over():
                things.end()
            if is_alone and (lease.is_over() or not lease.is_held()):
                return
        time.sleep(PERIOD_S)


def _is_the_last(folder: Path) -> bool:
    """Whether no other guard is known to have begun. Two of them do no harm, and none would."""
    try:
        return read_record(folder / _FILE) in ("", str(os.getpid()))
    except OSError:
        return True
