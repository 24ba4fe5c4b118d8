"""An answer of HTTP that must be complete in time: one that comes drop by drop is as lost as one that never comes.

Theory of operation. The time limit of a socket is the longest silence between two pieces: each piece, be it one byte,
lets it begin anew. An answer could so keep its reader for hours. So the file that an answer is read from waits for each
piece no longer than the time that is left of the whole.
"""

import io
import socket
from collections.abc import Callable
from http.client import HTTPResponse
from typing import Any

Left = Callable[[], float]
"""The seconds that are left, more than none. Raises TimeoutError when there are none."""


class TimedAnswer(HTTPResponse):
    """An answer of which each piece is waited for in the time that is left."""

    def __init__(self, left: Left, sock: socket.socket, *args: Any, **kwargs: Any) -> None:
        super().__init__(sock, *args, **kwargs)
        self.fp.close()
        self.fp = io.BufferedReader(_Pieces(sock, left))


class _Pieces(io.RawIOBase):
    """The bytes that come on a socket in time."""

    def __init__(self, sock: socket.socket, left: Left) -> None:
        self._socket = sock
        self._file = sock.makefile("rb", buffering=0)
        self._left = left

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._socket.settimeout(self._left())
        return self._file.readinto(buffer)

    def close(self) -> None:
        self._file.close()
        super().close()
