"""Sockets in folders with long names: the kernel takes 107 characters of a path, and state directories may be deeper.

So a socket is reached by the descriptor of its folder. The folder is opened without following a link.
"""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tenuto.kit.state_folder import make_way


def listening(path: Path) -> socket.socket:
    """A new socket at a path, which listens; one that was there is gone. Raises OSError."""
    make_way(path)
    made = socket.socket(socket.AF_UNIX)
    try:
        with _short(path) as name:
            made.bind(name)
        made.listen(1)
    except OSError:
        made.close()
        raise
    return made


def connected(path: Path, patience_s: float | None = None) -> socket.socket:
    """A connection to the socket at a path. Raises OSError."""
    made = socket.socket(socket.AF_UNIX)
    try:
        made.settimeout(patience_s)
        with _short(path) as name:
            made.connect(name)
    except OSError:
        made.close()
        raise
    return made


@contextmanager
def _short(path: Path) -> Iterator[str]:
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
