"""The network namespaces of this host, by their names.

Theory of operation. A name is a file on which the namespace is mounted. Where that mount was taken away, the file is
left: it stands for no namespace, and hinders another one of its name. So it counts as none, and goes before one is
made.
"""

import os
from contextlib import suppress

from tenuto.providers.local.executor.kernel.programs import run

_FOLDER = "/run/netns"


def namespaces() -> frozenset[str]:
    """The names of the network namespaces of this host."""
    try:
        return frozenset(entry.name for entry in os.scandir(_FOLDER) if _is_mounted(entry.path))
    except FileNotFoundError:
        return frozenset()


def make_namespace(name: str) -> None:
    """Make a network namespace, which is not there. Raises ProgramError."""
    delete_namespace(name)
    run("ip", "netns", "add", name)


def delete_namespace(name: str) -> None:
    """Remove a network namespace, or the file that is left of it. Twice is once. Raises ProgramError."""
    if os.path.lexists(f"{_FOLDER}/{name}"):
        run("ip", "netns", "delete", name)


def _is_mounted(path: str) -> bool:
    with suppress(FileNotFoundError):
        return os.lstat(path).st_dev != os.lstat(_FOLDER).st_dev
    return False
