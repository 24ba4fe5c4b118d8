"""The host names inside machines that share the host's kernel: root of the host can change them, the machine cannot."""

import os
import socket

from tenuto.providers.local.executor.kernel.within import NAMES, within


def host_name(pid: int) -> str:
    """The name that a process sees; empty where it cannot be read, since the process may have ended."""
    try:
        return within(_names_of(pid), NAMES, lambda: os.uname().nodename)
    except OSError:
        return ""


def set_host_name(pid: int, name: str) -> None:
    """Give a process the name of its host again. Raises OSError."""
    within(_names_of(pid), NAMES, lambda: socket.sethostname(name))


def _names_of(pid: int) -> str:
    return f"/proc/{pid}/ns/uts"
