"""The host names inside machines that share the host's kernel: root of the host can change them, the machine cannot.

A thread enters the namespace of names and ends there: no other thread of the executor is ever in it.
"""

import ctypes
import errno
import os
import socket
import threading
from collections.abc import Callable

_NEW_UTS = 0x04000000
"""The flag of a namespace of names for `setns`."""


def host_name(pid: int) -> str:
    """The name that a process sees; empty where it cannot be read, since the process may have ended."""
    found: list[str] = []
    _inside(pid, lambda: found.append(os.uname().nodename))
    return next(iter(found), "")


def set_host_name(pid: int, name: str) -> None:
    """Give a process the name of its host again. Raises OSError."""
    if (failed := _inside(pid, lambda: socket.sethostname(name))) is not None:
        raise failed


def _inside(pid: int, act: Callable[[], None]) -> OSError | None:
    """Act in the namespace of names of a process; the error, if there was one."""
    failures: list[OSError] = []

    def enter() -> None:
        library = ctypes.CDLL(None, use_errno=True)
        try:
            descriptor = os.open(f"/proc/{pid}/ns/uts", os.O_RDONLY)
            try:
                if library.setns(descriptor, _NEW_UTS):
                    code = ctypes.get_errno() or errno.EINVAL
                    raise OSError(code, os.strerror(code))
            finally:
                os.close(descriptor)
            act()
        except OSError as failed:
            failures.append(failed)

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    return next(iter(failures), None)
