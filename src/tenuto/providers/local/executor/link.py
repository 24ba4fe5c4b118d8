"""The tie between an agent and its executor: a pair of sockets, and one JSON line for each request and answer.

Theory of operation. The executor is a process of its own, which the agent starts while it still has the rights to, and
which ends when the tie is cut. It reads from nothing else. A line is bounded, so neither side can fill the other's
memory. One request is under way at a time; the agent's threads take turns.
"""

import json
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, BinaryIO

from tenuto.errors import TransientError
from tenuto.kit.documents import to_document
from tenuto.model.ids import JsonMap
from tenuto.providers.local.executor.executor import Executor
from tenuto.providers.local.executor.requests import Request

LONGEST = 1 << 23
"""Bytes of one line."""
_PATIENCE_S = 120.0


class ExecutorLink:
    """The agent's end. Thread-safe."""

    def __init__(self, folder: Path, *, name: str) -> None:
        """Start an executor over a folder. Raises OSError when none can be started."""
        self._arguments = (str(folder), name)
        self._turn = threading.Lock()
        self._start()

    def ask(self, request: Request) -> JsonMap:
        """Make a request and return its answer.

        Raises TransientError when the executor is gone, after another one was started: what the first one did of the
        request is not known, and each request may be repeated.
        """
        line = json.dumps(to_document(request, as_type=Request)).encode() + b"\n"
        with self._turn:
            try:
                self._socket.sendall(line)
                answer = _read(self._lines)
            except OSError:
                answer = None
            if answer is None:
                self._end()
                self._start()
                raise TransientError("the executor had ended and was started again", code="ExecutorGone")
        return answer  # type: ignore[no-any-return]

    def close(self) -> None:
        """Cut the tie, and wait for the end of the executor."""
        with self._turn:
            self._end()

    def _start(self) -> None:
        mine, its = socket.socketpair()
        with its:
            command = [sys.executable, "-m", __name__, str(its.fileno()), *self._arguments]
            self._process = subprocess.Popen(command, pass_fds=[its.fileno()])
        mine.settimeout(_PATIENCE_S)
        self._socket = mine
        self._lines = mine.makefile("rb")

    def _end(self) -> None:
        self._lines.close()
        self._socket.close()
        self._process.wait()


def serve(descriptor: int, executor: Executor) -> None:
    """Answer each request until the tie is cut."""
    with socket.socket(fileno=descriptor) as its, its.makefile("rb") as lines:
        while (document := _read(lines)) is not None:
            its.sendall(json.dumps(executor.answer(document)).encode() + b"\n")


def _read(lines: BinaryIO) -> Any:
    """The next document; None at the end, and after a line that is too long or no JSON."""
    line = lines.readline(LONGEST)
    try:
        return json.loads(line) if line.endswith(b"\n") else None
    except ValueError:
        return None


if __name__ == "__main__":
    serve(int(sys.argv[1]), Executor(Path(sys.argv[2]), name=sys.argv[3]))
