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

from tenuto.errors import UserError
from tenuto.kit.documents import to_document
from tenuto.model.ids import JsonMap
from tenuto.providers.local.executor.executor import Executor
from tenuto.providers.local.executor.requests import Request

_CAPABILITIES = (
    "chown",
    "dac_override",
    "fowner",
    "kill",
    "net_admin",
    "net_bind_service",
    "net_raw",
    "setgid",
    "setpcap",
    "setuid",
    "sys_admin",
    "sys_ptrace",
    "sys_resource",
)
"""The rights of root that the executor and what it starts can have at all."""
LONGEST = 1 << 23
"""Bytes of one line."""
_PATIENCE_S = 120.0


class ExecutorGoneError(UserError):
    """The executor has ended. An agent that gave up root cannot start another one."""


class ExecutorLink:
    """The agent's end. Thread-safe."""

    def __init__(self, folder: Path, *, name: str) -> None:
        """Start an executor over a folder. Raises OSError when none can be started."""
        mine, its = socket.socketpair()
        with its:
            # A module in the folder where a person started the agent must not run with the rights of root (-P).
            command = [sys.executable, "-P", "-m", __name__, str(its.fileno()), str(folder), name]
            limits = ("setpriv", f"--bounding-set=-all,{','.join(f'+{one}' for one in _CAPABILITIES)}")
            self._process = subprocess.Popen([*limits, *command], pass_fds=[its.fileno()])
        mine.settimeout(_PATIENCE_S)
        self._socket = mine
        self._lines = mine.makefile("rb")
        self._turn = threading.Lock()

    def ask(self, request: Request) -> JsonMap:
        """Make a request and return its answer. Raises ExecutorGoneError."""
        line = json.dumps(to_document(request, as_type=Request)).encode() + b"\n"
        with self._turn:
            try:
                self._socket.sendall(line)
                answer = _read(self._lines)
            except OSError:
                answer = None
        if answer is None:
            raise ExecutorGoneError(
                "The executor of this host has ended, and the agent without it. Start the agent again, as a service "
                "manager does; machines run on."
            )
        return answer  # type: ignore[no-any-return]

    def close(self) -> None:
        """Cut the tie, and wait for the end of the executor."""
        self._lines.close()
        self._socket.close()
        self._process.wait()


def serve(descriptor: int, executor: Executor) -> None:
    """Answer each request until the tie is cut."""
    with socket.socket(fileno=descriptor) as its, its.makefile("rb") as lines:
        executor.keep_guard(closed=descriptor)
        while (document := _read(lines)) is not None:
            executor.keep_guard(closed=descriptor)
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
